/** Hears SIGHUP from the first moment, as it ends a process that does not. */
export type Hangup = {
  /** What to do at each one from now on, and for one that came before anybody said. */
  does(what: () => void): void
}

export function hearHangup(): Hangup {
  let isEarly = false
  let act = (): void => {
    isEarly = true
  }
  process.on('SIGHUP', () => act())
  return {
    does(what) {
      act = what
      if (isEarly) what()
      isEarly = false
    },
  }
}
