/**
 * What goes wrong on command: with a method's next calls, with the history that lags, with pictures that are
 * refused. (Sockets and requests have faults of their own.)
 */
import { z } from 'zod'

const times = z.number().int().positive().max(1_000_000).nullable().default(1)
const ms = z.number().int().nonnegative().max(86_400_000)
const status = z.number().int().min(400).max(599)

/**
 * What happens to one call. Those that begin with `commit` do what was asked before they spoil the answer; `commit_late`
 * drops the connection at once and does it afterwards; all others but `delay` and `truncate` do nothing of it.
 */
const effectShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('status'), status, body: z.string().max(100_000).optional() }),
  /** 200 with a page instead of JSON, as a proxy or a maintenance window answers. */
  z.strictObject({ kind: z.literal('html') }),
  z.strictObject({
    kind: z.literal('error'),
    error: z.string().min(1).max(200),
    more: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ kind: z.literal('ratelimited'), retryAfterSeconds: z.number().int().min(0).max(86_400) }),
  /** Waits first, then does it, even if the caller has long gone. */
  z.strictObject({ kind: z.literal('delay'), delayMs: ms }),
  z.strictObject({ kind: z.literal('hang') }),
  z.strictObject({ kind: z.literal('reset') }),
  z.strictObject({ kind: z.literal('commit_then_reset') }),
  z.strictObject({ kind: z.literal('commit_then_status'), status }),
  z.strictObject({ kind: z.literal('commit_then_delay'), delayMs: ms }),
  z.strictObject({ kind: z.literal('commit_late'), afterMs: ms }),
  /** Does it, and breaks the connection in the middle of the answer. */
  z.strictObject({ kind: z.literal('truncate') }),
])
export type Effect = z.infer<typeof effectShape>

/**
 * `method` is a Web API method, `*` for all of them, `upload` for the bytes of a file, or `response_url`. `channel` is an
 * id. `times` null means until cleared.
 */
export const faultShape = z.strictObject({
  method: z.string().min(1).max(100),
  channel: z.string().min(1).max(100).optional(),
  times,
  /** Cleared after that long, if it is not used up before. */
  seconds: z.number().positive().max(86_400).optional(),
  effect: effectShape,
})
export type FaultAsk = z.input<typeof faultShape>

export const historyLagShape = z.strictObject({ lagMs: ms, channel: z.string().min(1).max(100).optional() })
/** `chance`: how likely each of them is refused, by the workspace's seed; all of them, where it is not given. */
export const imageRefusalShape = z.strictObject({ times, chance: z.number().min(0).max(1).default(1) })

/** `endsAtMs` is when it is cleared, where it has a time. */
export type Fault = z.output<typeof faultShape> & { readonly id: string; readonly endsAtMs?: number }

export type Faults = {
  add(ask: FaultAsk, endsAtMs?: number): Fault
  list(): readonly Fault[]
  /** One by its id, or all, the history's lag and the images' refusals among them. Answers how many faults were cleared. */
  clear(id?: string): number
  /** The effect that the next call gets, if any; counts it. */
  take(call: { method: string; channelId?: string }): Effect | undefined
  /** New messages stay out of history and replies for this long; 0 ends it. */
  setHistoryLag(ask: z.input<typeof historyLagShape>): void
  historyLagMs(channelId: string): number
  /** The next so many pictures are refused; null: all until cleared, 0: none. With a chance, only some of them. */
  refuseImages(ask: z.input<typeof imageRefusalShape>): void
  takeImageRefusal(): boolean
}

const faultsMax = 1_000

/** `chance` gives a number from 0 up to, but not including, 1. */
export function openFaults(chance: () => number): Faults {
  let faults: Fault[] = []
  let made = 0
  let imageRefusals: number | null = 0
  let refusalChance = 1
  let lagEverywhereMs = 0
  const lags = new Map<string, number>()

  return {
    add(ask, endsAtMs) {
      if (faults.length >= faultsMax) throw new Error(`at most ${faultsMax} faults stand at once`)
      made += 1
      const ends = endsAtMs === undefined ? {} : { endsAtMs }
      const fault = { ...faultShape.parse(ask), id: `fault-${made}`, ...ends }
      faults.push(fault)
      return fault
    },
    list: () => faults,
    clear(id) {
      const kept = id === undefined ? [] : faults.filter((fault) => fault.id !== id)
      const cleared = faults.length - kept.length
      faults = kept
      if (id === undefined) {
        imageRefusals = 0
        lagEverywhereMs = 0
        lags.clear()
      }
      return cleared
    },
    take({ method, channelId }) {
      const found = faults.find(
        (fault) =>
          (fault.method === method || (fault.method === '*' && method.includes('.'))) &&
          (fault.channel === undefined || fault.channel === channelId),
      )
      if (found === undefined) return undefined
      if (found.times !== null) {
        const left = found.times - 1
        faults = faults.flatMap((one) => (one !== found ? [one] : left > 0 ? [{ ...one, times: left }] : []))
      }
      return found.effect
    },
    setHistoryLag({ lagMs, channel }) {
      if (channel === undefined) lagEverywhereMs = lagMs
      else lags.set(channel, lagMs)
    },
    historyLagMs: (channelId) => lags.get(channelId) ?? lagEverywhereMs,
    refuseImages: (ask) => {
      const refusal = imageRefusalShape.parse(ask)
      imageRefusals = refusal.times
      refusalChance = refusal.chance
    },
    takeImageRefusal() {
      if (imageRefusals === 0 || (refusalChance < 1 && chance() >= refusalChance)) return false
      if (imageRefusals !== null) imageRefusals -= 1
      return true
    },
  }
}
