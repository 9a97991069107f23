/**
 * Faults on command: of a method's next calls, of history that lags, of pictures that are refused, and of requests to the bot.
 * (Those of sockets are in `sockets.ts`.)
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
/**
 * `chance`: how likely each of them is refused, by the workspace's seed; all of them, where it is not given. `error`: nobody
 * may share a picture there (docs.slack.dev/reference/methods/chat.postMessage).
 */
export const imageRefusalShape = z.strictObject({
  times,
  chance: z.number().min(0).max(1).default(1),
  error: z
    .string()
    .regex(/^slack_connect_[a-z_]+_blocked$/)
    .optional(),
})

/** `endsAtMs` is when it is cleared, where it has a time. */
export type Fault = z.output<typeof faultShape> & { readonly id: string; readonly endsAtMs?: number }

/** A fault of requests to the bot; only the oldest one applies to a request. */
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

const ordersMax = 1_000

/** The ordered faults: each applies `times` times, or until it is cleared if that is null. */
export function openOrders<Order extends { readonly times: number | null }>() {
  let orders: readonly Order[] = []
  return {
    all: () => orders,
    add(order: Order): void {
      if (orders.length >= ordersMax) throw new Error(`at most ${ordersMax} faults stand at once`)
      orders = [...orders, order]
    },
    /** The oldest that fits, which then stands once less. */
    take(fits: (order: Order) => boolean = () => true): Order | undefined {
      const found = orders.find((order) => order.times !== 0 && fits(order))
      if (found === undefined || found.times === null) return found
      const left = found.times - 1
      orders = orders.flatMap((one) => (one !== found ? [one] : left > 0 ? [{ ...one, times: left }] : []))
      return found
    },
    /** Takes back those that fit, and says how many they were. */
    clear(fits: (order: Order) => boolean = () => true): number {
      const before = orders.length
      orders = orders.filter((order) => !fits(order))
      return before - orders.length
    },
  }
}

export type Faults = ReturnType<typeof openFaults>

/** `chance` gives a number from 0 up to, but not including, 1. */
export function openFaults(chance: () => number) {
  const calls = openOrders<Fault>()
  const refusals = openOrders<z.output<typeof imageRefusalShape>>()
  let made = 0
  let lagEverywhereMs = 0
  const lags = new Map<string, number>()

  return {
    add(ask: FaultAsk, endsAtMs?: number): Fault {
      made += 1
      const ends = endsAtMs === undefined ? {} : { endsAtMs }
      const fault = { ...faultShape.parse(ask), id: `fault-${made}`, ...ends }
      calls.add(fault)
      return fault
    },
    list: calls.all,
    /** One by its id, or all, the history's lag and the images' refusals among them. Answers how many faults were cleared. */
    clear(id?: string): number {
      if (id !== undefined) return calls.clear((fault) => fault.id === id)
      refusals.clear()
      lagEverywhereMs = 0
      lags.clear()
      return calls.clear()
    },
    /** The effect that the next call gets, if any; counts it. */
    take({ method, channelId }: { method: string; channelId?: string }): Effect | undefined {
      const fault = calls.take(
        (one) =>
          (one.method === method || (one.method === '*' && method.includes('.'))) &&
          (one.channel === undefined || one.channel === channelId),
      )
      return fault?.effect
    },
    /** New messages stay out of history and replies for this long; 0 ends it. */
    setHistoryLag({ lagMs, channel }: z.input<typeof historyLagShape>): void {
      if (channel === undefined) lagEverywhereMs = lagMs
      else lags.set(channel, lagMs)
    },
    historyLagMs: (channelId: string) => lags.get(channelId) ?? lagEverywhereMs,
    /** The next so many pictures are refused; null: all until cleared. With a chance, only some of them. */
    refuseImages(ask: z.input<typeof imageRefusalShape>): void {
      refusals.clear()
      refusals.add(imageRefusalShape.parse(ask))
    },
    takeImageRefusal: () => refusals.take((refusal) => refusal.chance === 1 || chance() < refusal.chance),
  }
}
