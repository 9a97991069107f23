/** A world for mutes that end: polls of the model service, real SQLite, and an API whose answers a test chooses. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Routing } from '../../src/bot/domain/card/reach.ts'
import type { ReminderStep, Reminders } from '../../src/bot/domain/card/reminders.ts'
import { confirmMute, type Mute, type MuteEndedBy, newMute } from '../../src/bot/domain/mute/mute.ts'
import { decideSwitch } from '../../src/bot/domain/mute/switch.ts'
import { emptyPlan } from '../../src/bot/domain/plan.ts'
import { retryWhenStale } from '../../src/bot/flow/concurrency/retry-when-stale.ts'
import { planEnds } from '../../src/bot/flow/mute/ends.ts'
import { type ExpiryPorts, openExpiry } from '../../src/bot/flow/mute/expiry.ts'
import { openHidden } from '../../src/bot/flow/mute/reveal.ts'
import { openSwitches, type SwitchPorts } from '../../src/bot/flow/mute/switches.ts'
import type { Monitor } from '../../src/bot/flow/ports/ports.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { openReminders } from '../../src/bot/flow/reminders/remind.ts'
import { anEntry } from './acting-rows.ts'
import { letPass } from './delivery-world.ts'
import { pollWorld } from './poll-world.ts'
import { startPart } from './start-part.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** A reminder so many minutes after the alert. */
export const step = (minutes: number, over: Partial<ReminderStep> = {}): ReminderStep => ({
  afterMs: minutes * minuteMs,
  mention: null,
  channel: null,
  ...over,
})

export type ExpiryWorld = Awaited<ReturnType<typeof expiryWorld>>

export async function expiryWorld(
  setting: {
    reminderAfterMs?: number | null
    reminders?: Partial<Reminders>
    routes?: Routing['routes']
    over?: (monitor: Monitor) => Partial<Monitor>
  } = {},
) {
  const town = await pollWorld({
    hasPast: true,
    ...(setting.over === undefined ? {} : { over: setting.over }),
  })
  const { clock, store, service, logger } = town
  const calls: string[] = []
  const started: { stop(): Promise<void> }[] = []
  let failure: OutsideFailure | null = null
  let lastPollMs: number | null = null
  let lastOpenCompleteMs: number | null = null
  let lastId = 0
  const hanging = new Map<string, Promise<void>>()
  const stalled = new Set<string>()
  let meanwhile = async (_what: string): Promise<void> => undefined

  async function switched(what: string): Promise<string> {
    calls.push(what)
    await meanwhile(what)
    await hanging.get(what.split(' ')[0] ?? '')
    if (stalled.has(what.split(' ')[0] ?? '')) {
      await clock.wait(10_000)
      throw new OutsideFailure('unreachable', 'no answer within 10 s', { code: 'ETIMEDOUT' })
    }
    if (failure !== null) throw failure
    return 'done'
  }
  const monitor: Monitor = {
    ...service.monitor,
    setServerNotifications: (hostname, on) => switched(`${hostname} ${on ? 'on' : 'off'}`),
    setAccountNotifications: (on) => switched(`account ${on ? 'on' : 'off'}`),
  }
  const ids = { make: () => `id-${++lastId}` }
  const options = { images: 'auto', ignore: [] } as const
  const routing = { routes: setting.routes ?? [], defaultChannel: 'C1', gone: () => new Set<string>() }

  /** The parts over this memory, or over one that a test puts itself in front of. */
  function parts(over: Store = store) {
    const hidden = openHidden(
      { store: over, clock, logger, lastPollMs: () => lastPollMs },
      { ...options, ...routing },
    )
    const ports = { monitor, store: over, clock, logger, ids, hidden, lastPollMs: () => lastPollMs }
    const switches = openSwitches({ ...ports, onChanged: () => undefined })
    /** Their end is decided, and nobody has told the API yet. */
    async function ends(mutes: readonly Mute[], by: MuteEndedBy, userId: string | null = null) {
      const end = { by, userId, nowMs: clock.nowMs(), auditId: null, places: [] }
      await over.commit(await planEnds({ store: over, hidden }, mutes, end))
    }
    /** Ben unmutes them, as the action does it. */
    async function unmutes(...mutes: readonly Mute[]) {
      await retryWhenStale(3, async () => {
        const nowMs = clock.nowMs()
        const auditId = ids.make()
        const [mute] = mutes
        const end = { by: 'person', userId: 'U2', nowMs, auditId } as const
        const plan = await planEnds({ store: over, hidden }, mutes, {
          ...end,
          places: [{ channel: 'C1', cardId: null }],
        })
        const entry = anEntry(auditId, {
          act: 'unmute_server',
          hostname: mute?.subject ?? null,
          userId: 'U2',
        })
        return over.commit({ ...plan, audit: [{ ...entry, outcome: 'unknown', why: 'unanswered' }] })
      })
      const told = await switches.tell(mutes.map(({ subject: hostname }) => hostname))
      await hidden.sweep(mutes.map(({ subject: hostname }) => hostname ?? ''))
      return told
    }
    return { hidden, switches, ends, unmutes }
  }

  /** One process; a second one on the same memory knows nothing of what it has under way. */
  function start(over: Partial<SwitchPorts> & Partial<ExpiryPorts> = {}) {
    const hidden = over.hidden ?? parts().hidden
    const wakes: { wake(): void }[] = []
    const common = { store, clock, logger, ids, hidden, lastPollMs: () => lastPollMs }
    const onChanged = () => {
      for (const part of wakes) part.wake()
    }
    const switches = startPart(openSwitches({ ...common, monitor, onChanged, ...over }))
    const expiry = startPart(
      openExpiry(
        { ...common, lastOpenCompleteMs: () => lastOpenCompleteMs, onChanged, ...over },
        { images: options.images },
      ),
    )
    wakes.push(switches, expiry)
    startReminders()
    started.push(expiry, switches)
    return {
      ...expiry,
      tell: switches.tell,
      wake: onChanged,
      stop: async () => {
        await expiry.stop()
        await switches.stop()
      },
    }
  }

  function startReminders(over: Store = store): void {
    const { reminderAfterMs = null, reminders } = setting
    const steps = reminderAfterMs === null ? [] : [{ afterMs: reminderAfterMs, mention: null, channel: null }]
    const policy = { steps, flapSettleMs: null, staleAckAfterMs: null, ...reminders }
    const ports = { store: over, clock, logger, lastPollMs: () => lastPollMs }
    started.push(
      startPart(openReminders({ ...ports, onChanged: () => undefined }, { ...policy, routing, ignore: [] })),
    )
  }

  async function poll({ unclear = false } = {}): Promise<void> {
    await town.poll()
    lastPollMs = clock.nowMs()
    if (!unclear) lastOpenCompleteMs = lastPollMs
  }

  return {
    ...town,
    calls,
    parts,
    start,
    startReminders,
    poll,
    /** The process is gone: the next start has not read the API yet. */
    dies: async () => {
      for (const expiry of started.splice(0)) await expiry.stop()
      lastPollMs = null
      lastOpenCompleteMs = null
    },
    /** Lets minutes pass, with a poll in each unless it is `blind`; `unclear`: not all of what is open could be read. */
    pass: async (minutes: number, { outage = false, unclear = false } = {}) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        await letPass(clock, minuteMs)
        if (!outage) await poll({ unclear })
      }
      await letPass(clock, 0)
    },
    /** From now on the API refuses; null: it is well again. */
    fails: (kind: OutsideFailure['kind'] | null, status = 503) => {
      failure = kind === null ? null : new OutsideFailure(kind, 'the API said no', { status })
    },
    /** Runs in each call, before it is answered. */
    meanwhile: (does: (what: string) => Promise<void>) => {
      meanwhile = does
    },
    /** From now on every call about this server fails after ten seconds. */
    stalls: (hostname: string) => stalled.add(hostname),
    /** From now on the API does not answer about this server, until the function that this answers is called. */
    hangs: (hostname: string): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hanging.set(hostname, promise)
      return resolve
    },
    /** A mute that somebody asked for, active; `minutes` null: without an end. */
    mute: async (
      hostname: string | null,
      minutes: number | null,
      over: Partial<Mute> = {},
    ): Promise<Mute> => {
      const nowMs = clock.nowMs()
      const untilMs = minutes === null ? null : nowMs + minutes * minuteMs
      const mode = minutes === null ? 'open' : 'timed'
      const terms = { mode, untilMs, userId: 'U1', reason: 'deploying' } as const
      const place = { channel: 'C1', cardId: null }
      const decided = newMute({ muteId: ids.make(), subject: hostname, terms, place, nowMs })
      const mute: Mute = { ...confirmMute(decided), ...over }
      const { muteId } = mute
      const of = { subject: hostname, wanted: 'off', muteId, auditId: null, places: [] } as const
      const next = decideSwitch(null, of)
      const said = mute.confirmation === 'confirmed' ? { saidRevision: next.revision } : {}
      await store.commit({
        ...emptyPlan(nowMs),
        mutes: [{ mute, was: null }],
        switches: [{ next: { ...next, ...said }, was: null }],
      })
      return mute
    },
    /** Writes the next state of a mute, as a person's request does. */
    change: async (mute: Mute, next: Mute): Promise<Mute> => {
      await store.commit({ ...emptyPlan(clock.nowMs()), mutes: [{ mute: next, was: mute.version }] })
      return next
    },
    audit: async () => {
      const all = { hostname: null, sinceMs: 0, offset: 0, limit: 100 }
      const { entries } = await store.audit(all)
      return entries.map(({ act, outcome }) => `${act} ${outcome}`).reverse()
    },
  }
}

/** Opens the world with a process that has polled once. */
export async function runningWorld(setting: Parameters<typeof expiryWorld>[0] = {}) {
  const town = await expiryWorld(setting)
  await town.poll()
  return { ...town, expiry: town.start() }
}

/** Changes a stored alert, and marks what shows it as changed. */
export async function changeAlert(
  { store, clock }: Pick<ExpiryWorld, 'clock' | 'store'>,
  alertId: string,
  over: Partial<Alert>,
): Promise<void> {
  const [alert] = await store.recallByIds([alertId])
  if (alert === undefined) throw new Error('the alert was just there')
  const next = { ...alert, ...over, version: alert.version + 1 }
  await store.commit({
    ...emptyPlan(clock.nowMs()),
    alerts: [{ alert: next, was: alert.version }],
    dirty: [alertId],
  })
}
