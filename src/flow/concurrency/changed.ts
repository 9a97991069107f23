/** One signal for everybody who shows, or goes on with, what is on disk: whoever writes something raises it. */
export type Changed = {
  raise(): void
  /** Woken by every change from now on. */
  join(part: { wake(): void }): void
}

export function openChanged(): Changed {
  const parts: { wake(): void }[] = []
  return {
    raise: () => {
      for (const part of parts) part.wake()
    },
    join: (part) => {
      parts.push(part)
    },
  }
}
