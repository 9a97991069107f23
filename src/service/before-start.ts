/** What `main.ts` needs before anything else is loaded. */
import { oldestNode } from '../shared/node-version.ts'

export const nodeNeeded = `the monitoring service needs Node ${oldestNode} or newer`

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
