/** `/metrics`: what an operator alarms on, read from the world at each request. No label names a server, a title or a person. */
import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import { second } from '../clock.ts'
import { isInForce } from '../decide/hidden.ts'
import { isAudible, isBehind, isUnseen } from '../decide/standing.ts'
import { type Known, unheardSinceMs } from './health.ts'

export type Counted = {
  /** Requests of people, and rounds of loops that threw, since the start. */
  readonly requests: number
  readonly failedRounds: number
  readonly refusedRows: number
  /** Messages whose edit has been waiting for over a minute. */
  readonly lateEdits: number
}
type Metric = readonly [name: string, help: string, value: number]

/** `docs/metrics.md` has the same table. Each is one that somebody sets an alarm on, or asks for when one rings. */
export function metricsOf({ scene, connection, awaySinceMs, startedMs }: Known, counted: Counted): Metric[] {
  const { world, nowMs } = scene
  const { open } = world
  const polled = world.fact('polled')
  const failing = world.fact('failing') ?? null
  const onCall = world.fact('oncall') ?? null
  const since = (ms: number | null | undefined) => Math.max(0, nowMs - (ms ?? nowMs)) / second
  const free = count(open.values(), (alert) => alert.holder === null && isAudible(scene, alert))
  const behind = count(world.posts.values(), (post) => isBehind(world, post))
  const dead = count(world.posts.values(), (post) => isUnseen(world, post))
  const waiting = count(
    world.effects.values(),
    ({ does, state }) => does === 'page' && ['new', 'asked', 'unknown'].includes(state),
  )
  const mutes = count(world.activeMutes.values(), (mute) => isInForce(mute, nowMs))
  const unconfirmed = count(world.switches.values(), ({ told }) => told === 'unknown')
  const helps = {
    unreadable: 'Records of the last poll that could not be read, so they are not announced',
    lag: 'Time since the last good poll, or since the start if there was none',
    outage: 'How long the outage of the API that people were told of has lasted; 0 without one',
    unheard:
      'How long the oldest alert that people should hear of has had no message in Slack; 0 where each has one',
    calendar: 'Time since the on-call calendar was read; 0 where none is set',
  }
  const outageMs = failing?.toldMs != null ? failing.sinceMs : null
  const shut = Object.keys(world.fact('shut') ?? {}).length
  return [
    ['monbot_open_alerts', 'Alerts that are open', open.size],
    ['monbot_unacknowledged_alerts', 'Open alerts that people hear of and nobody is on', free],
    ['monbot_unreadable_records', helps.unreadable, polled?.unreadable ?? 0],
    ['monbot_poll_lag_seconds', helps.lag, since(polled?.atMs ?? startedMs)],
    ['monbot_outage_seconds', helps.outage, since(outageMs)],
    [
      'monbot_cards_behind',
      'Messages that Slack does not show as they should be',
      behind + counted.lateEdits,
    ],
    ['monbot_unheard_seconds', helps.unheard, since(unheardSinceMs(scene))],
    ['monbot_dead_cards', 'Messages of open alerts that Slack refuses for good', dead],
    ['monbot_shut_channels', 'Channels that take nothing until somebody acts', shut],
    ['monbot_mutes', 'Mutes in force', mutes],
    ['monbot_switches_unconfirmed', 'Mutes and unmutes that the API has not confirmed', unconfirmed],
    ['monbot_pages_waiting', 'Calls of which the pager is still to be told', waiting],
    [
      'monbot_pager_failing_seconds',
      'How long the pager has not taken what it was told',
      since(world.fact('pagerFailing')?.sinceMs),
    ],
    // What was never read counts from the start.
    ['monbot_oncall_age_seconds', helps.calendar, since(onCall && (onCall.atMs || startedMs))],
    ['monbot_slack_sockets', 'Socket Mode connections that are open (HTTP mode: 0)', connection.sockets],
    ['monbot_memory_away_seconds', 'How long the database has not answered', since(awaySinceMs)],
    ['monbot_refused_rows', 'Records that the database refused for good', counted.refusedRows],
    ['monbot_requests_total', 'Requests of people', counted.requests],
    [
      'monbot_loop_errors_total',
      'Rounds of the loops that an error ended; the log says why',
      counted.failedRounds,
    ],
  ]
}

const standing = new Registry()
collectDefaultMetrics({ register: standing })
const registers = [standing]
const leads = new Gauge({
  name: 'monbot_leads',
  help: '1 while this bot leads, 0 while it stands by',
  registers,
})
const labelNames = ['version', 'node']
const info = new Gauge({ name: 'monbot_build_info', help: 'Always 1', labelNames, registers })

/** The page of a bot that leads, or (null) of one that stands by. */
export async function metricsText(version: string, known: Known | null, counted: Counted): Promise<string> {
  info.set({ version, node: process.versions.node }, 1)
  leads.set(known === null ? 0 : 1)
  const rows = (known === null ? [] : metricsOf(known, counted)).map(([name, help, value]) => {
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`
  })
  return rows.join('') + (await standing.metrics())
}

function count<T>(all: Iterable<T>, isIt: (one: T) => boolean): number {
  return [...all].filter(isIt).length
}
