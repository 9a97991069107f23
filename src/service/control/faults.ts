/** Ordered faults: the next answers of the API fail in a chosen way. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { wrongs } from './wrong-lists.ts'

const faultsMax = 100
const secondsMax = 3_600
/** A hundred years either way keeps four-digit years. */
const shiftSecondsMax = 100 * 366 * 86_400

/** All fields are optional, but a fault that does nothing is refused. */
export const faultOrder = z
  .strictObject({
    /** How many answers. */
    times: z.int().min(1).max(10_000).default(1),
    /** Ends after this time, however many answers are left. */
    seconds: z.number().positive().max(secondsMax).optional(),
    /** Only for requests whose `METHOD /template` contains this: `alerts.json`, `POST /servers`. */
    path: z.string().max(100).optional(),
    /** The answer is delayed by this long. */
    delayMs: z.int().min(0).max(120_000).default(0),
    /** This status instead of the answer. */
    status: z.int().min(200).max(599).optional(),
    /** The body of such an answer: a JSON hash with `message`, an HTML page, nothing, invalid JSON, or 1 GiB. */
    body: z.enum(['json', 'html', 'empty', 'garbage', 'gigabyte']).default('json'),
    /** Sent with the status as `retry-after`. */
    retryAfterSeconds: z.int().min(0).max(86_400).optional(),
    /** The connection is reset without an answer. */
    reset: z.boolean().default(false),
    /** The connection stays open, but no answer comes. */
    hang: z.boolean().default(false),
    /** The connection breaks after half of the body. */
    cut: z.boolean().default(false),
    /** The body comes at one byte per second. */
    drip: z.boolean().default(false),
    /** What is wrong with the list in the answer; see `wrongs`. */
    wrong: z.enum(wrongs).optional(),
    /** Shifts every record's time: 31536000 is a year ahead. */
    shiftSeconds: z.int().min(-shiftSecondsMax).max(shiftSecondsMax).optional(),
    /** The request is carried out anyway, and only its answer is lost. */
    applied: z.boolean().default(false),
  })
  .refine(
    ({ delayMs, status, reset, hang, cut, drip, wrong, shiftSeconds }) =>
      delayMs > 0 ||
      [reset, hang, cut, drip].includes(true) ||
      [status, wrong, shiftSeconds].some((it) => it !== undefined),
    { error: 'expected one of status, delayMs, reset, hang, cut, drip, wrong or shiftSeconds; came none' },
  )

export type Fault = Readonly<z.output<typeof faultOrder>>

/** `ends_at_ms` is when it expires; null: only when it is used up. */
export type PendingFault = Fault & { readonly ends_at_ms: number | null }

export type Faults = {
  order(fault: Fault): void
  /** The fault for a request, if one is due; each order is used up after its `times`. */
  take(template: string): Fault | null
  /** Orders that are not used up, with their remaining `times`. */
  pending(): readonly PendingFault[]
  clear(): void
}

export function openFaults(nowMs: () => number): Faults {
  let orders: PendingFault[] = []

  function dropOld(): void {
    orders = orders.filter(({ ends_at_ms: endsAtMs }) => endsAtMs === null || endsAtMs > nowMs())
  }

  return {
    order(fault) {
      dropOld()
      if (orders.length >= faultsMax)
        throw new Refusal(422, `expected at most ${faultsMax} faults waiting; there are that many`)
      const endsAtMs = fault.seconds === undefined ? null : nowMs() + fault.seconds * 1_000
      orders.push({ ...fault, ends_at_ms: endsAtMs })
    },
    take(template) {
      dropOld()
      const at = orders.findIndex(({ path }) => path === undefined || template.includes(path))
      const fault = orders[at]
      if (fault === undefined) return null
      orders = orders.flatMap((one, index) =>
        index !== at ? [one] : one.times > 1 ? [{ ...one, times: one.times - 1 }] : [],
      )
      return fault
    },
    pending() {
      dropOld()
      return orders
    },
    clear() {
      orders = []
    },
  }
}
