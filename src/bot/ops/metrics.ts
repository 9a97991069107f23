/** `/metrics`: what an operator alarms on, read from the world at each request. No label names a server, a title or a person. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { second } from '../clock.ts'
import { isAudible } from '../decide/channels.ts'
import { isInForce } from '../decide/hidden.ts'
import type { Post } from '../world/types.ts'
import { type Known, unheardSinceMs } from './health.ts'

export type Counted = {
  /** Requests of people, and rounds of loops that threw, since the start. */
  readonly requests: number
  readonly failedRounds: number
  readonly refusedRows: number
}

type Row = {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  value(known: Known, counted: Counted): number
}

function gauge(name: string, help: string, value: Row['value']): Row {
  return { name, help, type: 'gauge', value }
}

function counter(name: string, help: string, of: (counted: Counted) => number): Row {
  return { name, help, type: 'counter', value: (_, counted) => of(counted) }
}

/** One row a metric; `docs/metrics.md` has the same table. Each is one that somebody sets an alarm on, or asks for when one rings. */
export const metricRows: readonly Row[] = [
  gauge('monbot_open_alerts', 'Alerts that are open', ({ scene }) => scene.world.open.size),
  gauge('monbot_unacknowledged_alerts', 'Open alerts that people hear of and nobody is on', ({ scene }) =>
    count(scene.world.open.values(), (alert) => alert.holder === null && isAudible(scene, alert)),
  ),
  gauge(
    'monbot_unreadable_records',
    'Records of the last poll that could not be read, so they are not announced',
    ({ scene }) => scene.world.fact('polled')?.unreadable ?? 0,
  ),
  gauge(
    'monbot_poll_lag_seconds',
    'Time since the last good poll, or since the start if there was none',
    ({ scene, startedMs }) => sinceS(scene.world.fact('polled')?.atMs ?? startedMs, scene.nowMs),
  ),
  gauge(
    'monbot_outage_seconds',
    'How long the outage of the API that people were told of has lasted; 0 without one',
    ({ scene }) => outageS(scene.world.fact('failing') ?? null, scene.nowMs),
  ),
  gauge('monbot_cards_behind', 'Messages that Slack does not show as they should be', ({ scene }) =>
    count(scene.world.posts.values(), isBehind),
  ),
  gauge(
    'monbot_unheard_seconds',
    'How long the oldest alert that people should hear of has had no message in Slack; 0 where each has one',
    ({ scene }) => sinceS(unheardSinceMs(scene), scene.nowMs),
  ),
  gauge('monbot_dead_cards', 'Messages of open alerts that Slack refuses for good', ({ scene }) =>
    count(
      scene.world.posts.values(),
      ({ state, shows }) => state === 'dead' && shows.some(({ alert }) => scene.world.open.has(alert)),
    ),
  ),
  gauge(
    'monbot_shut_channels',
    'Channels that take nothing until somebody acts',
    ({ scene }) => Object.keys(scene.world.fact('shut') ?? {}).length,
  ),
  gauge('monbot_mutes', 'Mutes in force', ({ scene }) =>
    count(scene.world.activeMutes.values(), (mute) => isInForce(mute, scene.nowMs)),
  ),
  gauge('monbot_switches_unconfirmed', 'Mutes and unmutes that the API has not confirmed', ({ scene }) =>
    count(scene.world.switches.values(), ({ told }) => told === 'unknown'),
  ),
  gauge('monbot_pages_waiting', 'Calls of which the pager is still to be told', ({ scene }) =>
    count(
      scene.world.effects.values(),
      ({ does, state }) => does === 'page' && ['new', 'asked', 'unknown'].includes(state),
    ),
  ),
  gauge('monbot_pager_failing_seconds', 'How long the pager has not taken what it was told', ({ scene }) =>
    sinceS(scene.world.fact('pagerFailing')?.sinceMs, scene.nowMs),
  ),
  gauge(
    'monbot_oncall_age_seconds',
    'Time since the on-call calendar was read; 0 where none is set',
    ({ scene, startedMs }) => {
      const read = scene.world.fact('oncall') ?? null
      // What was never read counts from the start.
      return sinceS(read && (read.atMs || startedMs), scene.nowMs)
    },
  ),
  gauge(
    'monbot_slack_sockets',
    'Socket Mode connections that are open (HTTP mode: 0)',
    ({ connection }) => connection.sockets,
  ),
  gauge('monbot_memory_away_seconds', 'How long the database has not answered', ({ scene, awaySinceMs }) =>
    sinceS(awaySinceMs, scene.nowMs),
  ),
  gauge(
    'monbot_refused_rows',
    'Records that the database refused for good',
    (_, counted) => counted.refusedRows,
  ),
  counter('monbot_requests_total', 'Requests of people', ({ requests }) => requests),
  counter(
    'monbot_loop_errors_total',
    'Rounds of the loops that an error ended; the log says why',
    ({ failedRounds }) => failedRounds,
  ),
]

const standing = new Registry()
collectDefaultMetrics({ register: standing })
const leads = new Gauge({
  name: 'monbot_leads',
  help: '1 while this bot leads, 0 while it stands by',
  registers: [standing],
})
const info = new Gauge({
  name: 'monbot_build_info',
  help: 'Always 1',
  labelNames: ['version', 'node'],
  registers: [standing],
})

/** The page of a bot that leads, or (null) of one that stands by. */
export async function metricsText(version: string, known: Known | null, counted: Counted): Promise<string> {
  info.set({ version, node: process.versions.node }, 1)
  leads.set(known === null ? 0 : 1)
  const rows =
    known === null
      ? []
      : metricRows.map(
          ({ name, help, type, value }) =>
            `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value(known, counted)}\n`,
        )
  return rows.join('') + (await standing.metrics())
}

function isBehind({ state, shownHash }: Post): boolean {
  return ['new', 'sending', 'unsure'].includes(state) || (state === 'live' && shownHash === null)
}

function sinceS(ms: number | null | undefined, nowMs: number): number {
  return ms === null || ms === undefined ? 0 : Math.max(0, nowMs - ms) / second
}

function count<T>(all: Iterable<T>, isIt: (one: T) => boolean): number {
  let n = 0
  for (const one of all) if (isIt(one)) n += 1
  return n
}

function outageS(
  failing: { readonly sinceMs: number; readonly toldMs: number | null } | null,
  nowMs: number,
): number {
  return failing === null || failing.toldMs === null ? 0 : sinceS(failing.sinceMs, nowMs)
}
