/**
 * Updates the log, the registry and the rules with what fires and which servers there are, and knows whether Prometheus answers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { AlertLog } from '../alerts/alert-log.ts'
import type { Outcome } from '../ops/metric-table.ts'
import type { Meter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { oneAtATime } from '../turn.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import { openAlerts } from './alerts.ts'
import { NotLetIn, outcomeOf } from './ask.ts'
import type { Engine, RulesAnswer } from './engine.ts'
import { type EngineView, firingOf, viewOf } from './firing.ts'
import { learnHistory } from './history.ts'
import { openMutedBy } from './muted-by.ts'
import type { Names } from './names.ts'
import type { Labels, Naming } from './naming.ts'
import type { RuleCache } from './rules.ts'
import type { AlertSeen, Servers } from './servers.ts'
import type { PrometheusSettings } from './settings.ts'
import type { Switches } from './switches.ts'

/** Pods come and go while a store is down for days. */
const upLabelsMax = 20_000

/** By then the engine's alerts have reached an Alertmanager, if any do. */
const arrivedMs = 2 * 60_000

export type Readings = {
  /** Resolves when what fires was read, at most two seconds ago. Rejects with a `Refusal`, which it has reported if it is news. */
  fresh(): Promise<void>
  /** Reads the servers; shared by all callers that wait for it. Reports a `Refusal` if it is news, and leaves it to `refresh` to reject with it. */
  readUp(): Promise<void>
  /** Resolves when what fires is fresh and the last reading of the servers was good; else rejects with a `Refusal`. */
  refresh(): Promise<void>
  /** Milliseconds since 1970; null: none yet. */
  lastGoodMs(): number | null
  /** See `Alerts`. */
  labelsNow(id: number): Labels | undefined
  /** Its part of `GET /control/state`. */
  state(): object
  /** Its part of `/metrics`. */
  figures(): { readonly hidden: number; readonly lastGoodMs: number | null; readonly doubts: number }
}

export function openReadings(parts: {
  readonly engine: Engine
  /** Null: the engine's own alerts count. */
  readonly managers: Alertmanagers | null
  readonly switches: Switches
  readonly rules: RuleCache
  readonly servers: Servers
  readonly ledger: Ledger
  readonly log: AlertLog
  readonly settings: PrometheusSettings
  readonly nowMs: () => number
  readonly upMs: () => number
  readonly report: (line: string) => void
  readonly meter: Meter
  /** Ends readings that wait for their turn. */
  readonly stopped: AbortSignal
}): Readings {
  const { engine, managers, switches, rules, servers, ledger, log, settings, nowMs, upMs, report, meter } =
    parts
  const { names, registry } = servers
  const alerts = openAlerts({ ledger, log, names, isDeleted: registry.isDeleted, nowMs })
  const { ownOf } = switches
  const mutedBy = managers === null ? null : openMutedBy({ managers, ownOf, naming: names, nowMs })
  const isCutOff = openCutOff(engine.name, nowMs, report)
  const reader = openReader({ read, upMs, wait: (ms) => wait(ms, undefined, { signal: parts.stopped }) })
  const lack = openLack({ name: engine.name, hasManagers: managers !== null, report })
  let problem: string | null = null
  let lastGoodMs: number | null = null
  const united = openUnion()

  async function read(): Promise<void> {
    try {
      await metered(readOnce, meter, upMs)
      if (problem !== null) report(`${engine.name} answers again`)
      problem = null
      lastGoodMs = nowMs()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // If it was never let in, the service ends with that sentence anyway.
      if (problem !== error.message && (lastGoodMs !== null || !(error instanceof NotLetIn)))
        report(error.message)
      problem = error.message
      throw error
    }
  }

  async function readOnce(): Promise<void> {
    const isFirst = lastGoodMs === null
    // Our own silences must be known before a muted alert is blamed on somebody else.
    if (isFirst) await switches.takeUp()
    const [found, managed] = await Promise.all([engine.rules(), managers?.alerts() ?? null])
    // A name is for good: the first ones must be right.
    if (!names.isReady()) await names.read(engine)
    lack.note(found)
    rules.take(found.rules, found.isPartial)
    const view = viewOf(found.rules, settings, found.isPartial, names.cluster(), names.passingOf)
    const isUnknown = managed?.alerts.some(({ silencedBy }) => silencedBy.some((id) => !switches.isOurs(id)))
    if (isUnknown === true) await switches.tend()
    const listed = managed === null || isCutOff(view, managed.alerts) ? null : managed.alerts
    const mutesOf = (await mutedBy?.read(listed ?? [])) ?? (() => [])
    const firingNow = () => firingOf({ view, alerts: listed, ruleOf: rules.of, mutesOf, nowMs: nowMs() })
    // Which are copies of one alert depends on who reports.
    const first = firingNow()
    const firing = alerts.needsNames(first) ? await readAgain(names, engine).then(firingNow) : first
    const silent = await silentAmong(engine, names, alerts.saidSilent(firing))
    alerts.take({ firing, view, silent, managedSinceMs: managed?.upSinceMs ?? null })
    see(null)
    const { bearingOf } = names
    const past = { engine, ledger, log, settings, naming: names, bearingOf, rules, nowMs, report }
    if (isFirst) await learnHistory(past)
    switches.silenceNewWays()
  }

  /** Open alerts that are not listed just now have servers as well. */
  function see(up: readonly Labels[] | null): void {
    for (const { from, to } of servers.see({ up, alerts: openSeen(log) })) switches.rename(from, to)
  }

  const up = openUp({
    name: engine.name,
    report,
    // While it answers nothing at all, that was reported.
    isSilent: () => problem !== null,
    read: async () => {
      const { up: found, isPartial } = await reader.inTurn(() => names.read(engine))
      see(united(found, isPartial))
    },
  })

  return {
    figures: () => ({ hidden: alerts.counts().muted, lastGoodMs, doubts: doubtsOf(engine, lack).length }),
    fresh: reader.fresh,
    readUp: up.read,
    async refresh() {
      await reader.fresh()
      if (up.failure() !== null) await up.read()
      if (up.failure() !== null) throw up.failure()
    },
    lastGoodMs: () => lastGoodMs,
    labelsNow: alerts.labelsNow,
    state: () => ({
      problem: problem ?? up.problem(),
      last_good_reading: lastGoodMs === null ? null : new Date(lastGoodMs).toISOString(),
      ...alerts.counts(),
      doubts: doubtsOf(engine, lack),
    }),
  }
}

/** Says once that there are no rules: cards have neither value nor limit then. */
function openLack(parts: {
  readonly name: string
  readonly hasManagers: boolean
  readonly report: (line: string) => void
}): {
  /** Throws a `Refusal` if nothing at all says what fires. */
  note(answer: RulesAnswer): void
  words(): readonly string[]
} {
  const { name, hasManagers, report } = parts
  const then = hasManagers
    ? 'what the Alertmanager lists is all that is known of what fires, without value and limit'
    : 'nothing can fire'
  const sentence = `no alerting rules there: ${then}; if they are elsewhere, set PROMETHEUS_RULES_URL`
  let isWithout = false
  return {
    note({ rules, isPartial, isAbsent }) {
      if (isAbsent && !hasManagers) {
        const problem = 'has no rules (it answered 404), and no Alertmanager is set: nothing says what fires'
        throw new Refusal(502, `${name} ${problem}`)
      }
      const isNews = !isWithout
      isWithout = rules.length === 0 && !isPartial
      if (isWithout && isNews) report(`${name}: ${sentence}`)
    },
    words: () => (isWithout ? [sentence] : []),
  }
}

function doubtsOf(engine: Engine, lack: { words(): readonly string[] }): readonly string[] {
  return [...engine.doubts().map(({ about, said }) => `${about}: ${said}`), ...lack.words()]
}

/** While answers are not complete, a server that is missing in one is still there: they are added to those before. */
function openUnion(): (found: readonly Labels[], isPartial: boolean) => readonly Labels[] {
  let all = new Map<string, Labels>()
  return (found, isPartial) => {
    const news = found.map((labels): [string, Labels] => [JSON.stringify(labels), labels])
    all = new Map([...(isPartial ? all : []), ...news].slice(-upLabelsMax))
    return [...all.values()]
  }
}

/** Counts the reading, and how long it took, whatever came of it. */
async function metered(work: () => Promise<void>, meter: Meter, upMs: () => number): Promise<void> {
  const begunMs = upMs()
  const took = (outcome: Outcome): void => meter.read(outcome, Math.max(0, upMs() - begunMs) / 1_000)
  try {
    await work()
    took('ok')
  } catch (error) {
    if (error instanceof Refusal) took(outcomeOf(error))
    throw error
  }
}

/** Who reports may have gone with what it reported: then nothing is known, and nothing over. */
async function readAgain(names: Names, engine: Engine): Promise<void> {
  try {
    await names.read(engine)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

function openSeen(log: AlertLog): readonly AlertSeen[] {
  const open = log.openAlerts()
  return open.flatMap(({ upstream, hostname }) => (upstream ? [{ labels: upstream.labels, hostname }] : []))
}

/** Those that have targets, of which not a single one answers; none while that cannot be known. */
async function silentAmong(
  engine: Engine,
  naming: Naming,
  hostnames: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (hostnames.size === 0) return hostnames
  try {
    const up = await engine.query('up')
    const targets = Map.groupBy(up, ({ metric }) => naming.of(metric).hostname)
    const isSilent = (hostname: string) => targets.get(hostname)?.every(({ value }) => value[1] === '0')
    return new Set([...hostnames].filter(isSilent))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return new Set()
  }
}

/** The reading of the servers: what was wrong with the last one, and what was reported of it. */
function openUp({
  name,
  read,
  isSilent,
  report,
}: {
  readonly name: string
  readonly read: () => Promise<void>
  readonly isSilent: () => boolean
  readonly report: (line: string) => void
}) {
  let failure: unknown = new Refusal(503, 'the servers of Prometheus have not been read yet')
  let problem: string | null = null

  async function once(): Promise<void> {
    try {
      await read()
      if (problem !== null) report(`${name} says again which servers there are`)
      problem = null
      failure = null
    } catch (error) {
      failure = error
      if (!(error instanceof Refusal)) throw error
      if (isSilent() || problem === error.message) return
      problem = error.message
      report(`which servers there are: ${error.message}`)
    }
  }

  return {
    /** Of the last reading; null: it was good. */
    failure: () => failure,
    /** As it was reported; null: nothing is wrong. */
    problem: () => problem,
    read: oneAtATime(once),
  }
}

/**
 * If Prometheus has been firing for minutes and none of its alerts is at the Alertmanager, they do not get there. Then the engine's
 * own list counts; an empty list would say that all is well.
 */
function openCutOff(
  engineName: string,
  nowMs: () => number,
  report: (line: string) => void,
): (view: EngineView, managed: readonly { readonly labels: Labels }[]) => boolean {
  let strangeSinceMs: number | null = null
  let wasCutOff = false

  return (view, managed) => {
    // The ruler whose alerts the Alertmanager has may be the one that does not answer.
    if (view.isInDoubt) return wasCutOff
    const isStrange = view.firing.length > 0 && managed.every(({ labels }) => view.find(labels) === null)
    if (!isStrange) {
      strangeSinceMs = null
      return false
    }
    strangeSinceMs ??= nowMs()
    const isSure = nowMs() - strangeSinceMs >= arrivedMs
    if (isSure && !wasCutOff) {
      report(
        `${engineName} says that ${view.firing.length} alerts fire, and none of them has come to the Alertmanager: its own are listed`,
      )
    }
    wasCutOff = isSure
    return isSure
  }
}

/** Minimum time between two readings of the engine. */
const gapMs = 1_000
/** A good reading is reused for this long, so that the pages of one listing come from one reading. */
const freshMs = 2_000

type Reader = {
  /** Resolves when a reading at most two seconds old is done, or rejects as it did. */
  fresh(): Promise<void>
  /** Runs another query of the engine, in turn with the readings. */
  inTurn<Result>(ask: () => Promise<Result>): Promise<Result>
}

/**
 * Shares readings among all callers: however many bots poll and however often, the engine is queried for what fires at most
 * once a second. Failed readings are shared as well. `upMs` is a monotonic clock.
 */
function openReader(parts: {
  read(): Promise<void>
  upMs(): number
  wait(ms: number): Promise<void>
}): Reader {
  const { read, upMs, wait } = parts
  let current: Promise<void> | null = null
  let last: { readonly atMs: number; readonly outcome: Promise<void> } | null = null
  let line: Promise<unknown> = Promise.resolve()
  let askedMs = Number.NEGATIVE_INFINITY

  function inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const result = line.then(async () => {
      const restMs = askedMs + gapMs - upMs()
      if (restMs > 0) await wait(restMs)
      askedMs = upMs()
      return ask()
    })
    line = result.catch(() => {})
    return result
  }

  return {
    inTurn,
    fresh() {
      if (current !== null) return current
      if (last !== null && upMs() - last.atMs < freshMs) return last.outcome
      const outcome = inTurn(read).finally(() => {
        current = null
        last = { atMs: upMs(), outcome }
      })
      current = outcome
      return outcome
    },
  }
}
