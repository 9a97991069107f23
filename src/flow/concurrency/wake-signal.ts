/** Wakes whoever waits: a wait that takes the bell's signal ends when the bell is rung. */
export type WakeSignal = {
  ring(): void
  /** Aborted by the next ring; take it before looking whether there is work, so that no ring falls between. */
  signal(): AbortSignal
}

export function openWakeSignal(): WakeSignal {
  let controller = new AbortController()
  return {
    ring: () => {
      const rung = controller
      controller = new AbortController()
      // A reason of its own would be made anew each time, with a stack that nobody reads.
      rung.abort(null)
    },
    signal: () => controller.signal,
  }
}

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
