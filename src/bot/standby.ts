/** Stands by on a Postgres that other processes share, until this one leads; and gives the lead up where Slack is out of reach. */
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { App, Ground, ProcessParts } from './app.ts'
import type { Config } from './config/config.ts'
import type { Secret } from './config/secret.ts'
import { backoffMs } from './domain/base/backoff.ts'
import { Deposed } from './domain/base/failure.ts'
import type { Lead } from './domain/request/answer.ts'
import { attempt } from './flow/attempt.ts'
import type { Logger, SlackTrouble, SteadyClock } from './flow/ports/ports.ts'
import { toLogger } from './log.ts'
import { connectMonitor } from './monitor/client.ts'
import { memoryState, type Readiness, startHealth } from './ops/health.ts'
import { type LeadFigures, openMetrics } from './ops/metrics.ts'
import { passOn } from './ops/pass-on.ts'
import { startReach } from './slack/reach.ts'
import type { LeaseState } from './store/postgres/lease.ts'
import { openSharedMemory, type SharedMemory } from './store/postgres/shared-memory.ts'

/** How often it is looked who leads, and whether Slack is reached. */
const lookMs = 500
/** Who has reached no Slack for so long gives the lead up, if somebody stands by who does. */
const deafMsMax = 60_000

/** Why something outside is of no use now; `isRefused`: only a person can change that. */
type Trouble = Pick<SlackTrouble, 'isRefused' | 'why'>
type Troubles = { readonly slack: Trouble | null; readonly poll: Trouble | null }

/** Resolves once this process leads; null: it was asked to end before. Throws as `SharedMemory.lead` and `startHealth` do. */
export async function standBy(config: Config, url: Secret, parts: ProcessParts): Promise<Ground | null> {
  const { clock, ids, log, stopping } = parts
  const metrics = openMetrics()
  const logger = metrics.counting(toLogger(log))
  const over = new AbortController()
  const startedMs = clock.nowMs()
  const { slackBotToken: botToken, slackAppToken: appToken, slackApiUrl: apiUrl, host } = config
  const reach = startReach({ botToken, appToken, apiUrl, clock, logger })
  const poll = tryKey(config, parts, over.signal)
  const troubles = (): Troubles => ({ slack: reach.trouble(), poll: poll() })
  let shared: SharedMemory | null = null
  /** Another one that leads: between taking the lead and being at work, this process is nobody to stand by for. */
  const leader = () => {
    const state = shared?.state()
    return state?.role === 'stands_by' ? state.leader : null
  }
  const server = await startHealth({
    host,
    port: config.port,
    basePath: config.basePath,
    isReady: () => readinessOf(shared, troubles(), { leader: leader(), startedMs, nowMs: clock.nowMs() }),
    onBroken: (error) => logger.error('health:broken', { error }),
    metrics: () => metrics.page(null, figuresOf(shared, clock.nowMs())),
    ...(appToken === null ? { events: passOn(() => leader()?.url ?? null, logger) } : {}),
    ...(config.pager?.kind === 'webhook'
      ? { pager: passOn(() => leader()?.url ?? null, logger, '/pager') }
      : {}),
  })
  const opened = openSharedMemory({
    url,
    connections: config.databaseConnections,
    holder: ids.make() + ids.make(),
    name: config.replicaName ?? hostname(),
    ownUrl: addressOf(host, server.port),
    reachesSlack: () => reach.trouble() === null,
    clock,
    logger,
    // Deliberately unhandled: it ends the process, whatever is under way.
    onDeposed: (deposed) => void Promise.reject(deposed),
  })
  shared = opened
  const leading = opened.lead(stopping ?? over.signal).finally(() => over.abort())
  // Whoever waits for it handles a rejection.
  void Promise.allSettled([leading])
  const hasRun = await watchOthers({ leader, troubles, clock, logger, port: server.port }, over.signal)
  const led = await leading
  if (led !== null) {
    const isDeaf = (app: App) => !app.isConnected() || reach.trouble() !== null
    const endIfDeaf = (app: () => Promise<App | null>) =>
      giveUpIfDeaf(app, { isDeaf, shared: opened, clock, logger })
    const lead = () => leadOf(opened.state())
    const { release, close } = opened
    return { server, hasRun, memory: { ...led, lead, release, close }, endIfDeaf }
  }
  reach.stop()
  await server.stop()
  await opened.close()
  return null
}

type Watched = {
  leader(): { readonly name: string } | null
  troubles(): Troubles
  readonly clock: SteadyClock
  readonly logger: Logger
  readonly port: number
}

/** Tells the log for whom this process stands by, and whether it could lead. Resolves, when that is over, to whether somebody led. */
async function watchOthers({ leader, troubles, clock, logger, port }: Watched, over: AbortSignal) {
  let seen: string | null = null
  let told: string | null | undefined
  for (; !over.aborted; await clock.wait(lookMs, over)) {
    const name: string | null = leader()?.name ?? seen
    if (name !== seen) logger.info('app:stands_by', { port, leader: name })
    seen = name
    const { slack, poll } = troubles()
    const why = slack?.why ?? poll?.why ?? null
    if (seen === null || why === told || why === unasked.why) continue
    told = why
    if (why === null) logger.info('app:could_lead')
    else logger.warn('app:could_not_lead', { why })
  }
  return seen !== null
}

const unasked: Trouble = { isRefused: false, why: 'The monitoring API was not asked yet.' }

/** Asks the monitoring API until it has taken the key once. */
function tryKey(
  { monitorUrl, monitorApiKey }: Config,
  parts: ProcessParts,
  over: AbortSignal,
): () => Trouble | null {
  const { clock, random } = parts
  const api = connectMonitor({ baseUrl: monitorUrl, apiKey: monitorApiKey, clock, random })
  let trouble: Trouble | null = unasked
  const ask = async () => {
    for (let failures = 0; !over.aborted && trouble !== null; failures += 1) {
      const found = await attempt(() => api.alerts({ lifecycle: 'start', offset: 0 }))
      trouble = found.ok
        ? null
        : { isRefused: found.failure.kind === 'forbidden', why: found.failure.message }
      if (!found.ok) await clock.wait(backoffMs(failures), over)
    }
    await api.close()
  }
  void ask()
  return () => trouble
}

function leadOf({ leader, standbys }: LeaseState): Lead | null {
  return leader === null ? null : { name: leader.name, sinceMs: leader.sinceMs, standbys }
}

/** Of one that stands by. */
function figuresOf(shared: SharedMemory | null, nowMs: number): LeadFigures {
  const awayMs = shared?.state().awayMs ?? null
  return { leads: false, term: 0, standbys: 0, nowMs, awaySinceMs: awayMs === null ? null : nowMs - awayMs }
}

/** Ready to lead: Postgres answers, and neither Slack nor the monitoring API refuses its settings. */
function readinessOf(
  shared: SharedMemory | null,
  { slack, poll }: Troubles,
  {
    leader,
    startedMs,
    nowMs,
  }: { readonly leader: LeaseState['leader']; readonly startedMs: number; readonly nowMs: number },
): Readiness {
  const awayMs = shared === null ? 0 : shared.state().awayMs
  const unless = (trouble: Trouble | null) =>
    trouble?.isRefused
      ? { ready: false, sinceMs: startedMs, why: trouble.why }
      : { ready: true, sinceMs: startedMs }
  return {
    memory: memoryState(awayMs === null ? null : nowMs - awayMs, startedMs),
    slack: unless(slack),
    poll: unless(poll),
    standsBy: { leader: leader?.name ?? null },
  }
}

type Deaf = {
  isDeaf(app: App): boolean
  readonly shared: SharedMemory
  readonly clock: SteadyClock
  readonly logger: Logger
}

/** Rejects with `Deposed` once this process has given the lead up; until then it never resolves. */
async function giveUpIfDeaf(
  app: () => Promise<App | null>,
  { isDeaf, shared, clock, logger }: Deaf,
): Promise<never> {
  for (let sinceMs: number | null = null; ; await clock.wait(lookMs)) {
    const now = await app()
    sinceMs = now !== null && isDeaf(now) ? (sinceMs ?? clock.steadyMs()) : null
    if (now === null || sinceMs === null || clock.steadyMs() - sinceMs < deafMsMax || !shared.hasHeir())
      continue
    const why = 'This process reached no Slack, and another one that does leads now.'
    logger.warn('app:gives_up', { deafMs: Math.round(clock.steadyMs() - sinceMs) })
    await now.stop()
    await shared.giveUp()
    throw new Deposed(why)
  }
}

/** Where other replicas reach this one's server. */
function addressOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const outside = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  // Where there are both, more routes lead to the older one.
  const own = outside.find(({ family }) => family === 'IPv4') ?? outside[0]
  const address = isAny ? (own?.address ?? '127.0.0.1') : host
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
}
