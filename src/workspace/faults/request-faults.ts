/** What goes wrong with requests to the bot on command: how they are signed, and when they say that they were made. */
import { z } from 'zod'

const times = z.number().int().positive().max(1_000_000).nullable().default(1)

/** `times` null means until cleared. A request is met by the oldest fault only. */
export const requestFaultShape = z.discriminatedUnion('kind', [
  /** The signature is of another secret. */
  z.strictObject({ kind: z.literal('forged_signature'), times }),
  z.strictObject({ kind: z.literal('no_signature'), times }),
  /** Signed properly, but made so long ago (or, with a plus, not yet). */
  z.strictObject({
    kind: z.literal('shifted_timestamp'),
    seconds: z.number().int().min(-86_400).max(86_400),
    times,
  }),
])
export type RequestFaultAsk = z.input<typeof requestFaultShape>
export type RequestFault = z.output<typeof requestFaultShape>

export type RequestFaults = {
  add(ask: RequestFaultAsk): RequestFault
  clear(): void
  /** The fault that the next request meets, if any; counts it. */
  take(): RequestFault | undefined
}

const faultsMax = 100

export function openRequestFaults(): RequestFaults {
  let faults: RequestFault[] = []
  return {
    add(ask) {
      if (faults.length >= faultsMax) throw new Error(`at most ${faultsMax} faults of requests stand at once`)
      const fault = requestFaultShape.parse(ask)
      faults.push(fault)
      return fault
    },
    clear() {
      faults = []
    },
    take() {
      const [first, ...rest] = faults
      if (first === undefined) return undefined
      if (first.times !== null)
        faults = first.times > 1 ? [{ ...first, times: first.times - 1 }, ...rest] : rest
      return first
    },
  }
}
