/** What `main.ts` needs before anything else is loaded; imports nothing. */

const oldest = { major: 22, minor: 19 }

export const nodeNeeded = `the monitoring service needs Node ${oldest.major}.${oldest.minor} or newer`

/** Whether this version (`24.21.0`) runs the service. */
export function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

/** Handles SIGHUP from the first moment, because it would end the process otherwise. */
export type Hangup = {
  /** Sets what to do on each SIGHUP, and does it for one that came before. */
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
