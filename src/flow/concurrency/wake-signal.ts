/** Wakes waiting work: a wait that uses the signal ends when the signal is raised. */
type WakeSignal = {
  ring(): void
  /** Aborted by the next wake; take it before checking for work, so that no wake is missed in between. */
  signal(): AbortSignal
}

export function openWakeSignal(): WakeSignal {
  let controller = new AbortController()
  return {
    ring: () => {
      const rung = controller
      controller = new AbortController()
      // Without a reason given here each abort would create one, with a stack that nobody reads.
      rung.abort(null)
    },
    signal: () => controller.signal,
  }
}

/** One signal for everything that shows or continues what is on disk: every write raises it. */
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
