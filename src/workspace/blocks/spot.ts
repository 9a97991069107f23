// Where in a payload a rule looks: the pointer to it, the nearest key by name, and the surface it stands on.

/** What blocks may stand on: a message, a modal or the Home tab. */
export type Surface = 'message' | 'modal' | 'home'

export type Spot = { readonly pointer: string; readonly field: string; readonly surface: Surface }

/** The spot one key (or list index) further in, escaped after RFC 6901. */
export function into(spot: Spot, key: string | number): Spot {
  const token = String(key).replaceAll('~', '~0').replaceAll('/', '~1')
  return {
    pointer: `${spot.pointer}/${token}`,
    field: typeof key === 'string' ? key : spot.field,
    surface: spot.surface,
  }
}
