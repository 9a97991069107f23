/** The table of the bot's metrics: name, labels and meaning. The table in docs/metrics.md is checked against it. */

import type { FailureKind } from '../domain/base/failure.ts'
import { jobKinds } from '../domain/base/unexpected-error.ts'
import type { CardState, Outcome } from '../domain/delivery/delivery.ts'
import type { MuteStanding } from '../domain/mute/mute.ts'

export type MetricSpec = {
  readonly name: `monbot_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Never values from outside: server names, titles, people and keys do not become labels. */
  readonly labels: readonly string[]
  /**
   * All values of a counter's label, if they are few: each is exported as 0 from the start, so that the first event shows as an
   * increase.
   */
  readonly values: readonly string[]
  /** Buckets of a histogram, in seconds. */
  readonly buckets?: readonly number[]
}

const failures = {
  unreachable: true,
  rate_limited: true,
  rejected: true,
  forbidden: true,
  missing: true,
  broken: true,
} as const satisfies Record<FailureKind, true>
export const failureKinds = keysOf(failures)

const outcomes = {
  shown: true,
  later: true,
  unknown: true,
  image_refused: true,
  unlisted: true,
  bad_payload: true,
  channel_unavailable: true,
  no_token: true,
  gone: true,
  frozen: true,
  no_thread: true,
  no_person: true,
} as const satisfies Record<Outcome['kind'], true>
export const cardOutcomes = keysOf(outcomes)

const states = {
  wanted: true,
  sending: true,
  unknown: true,
  shown: true,
  dead: true,
} as const satisfies Record<CardState, true>
export const cardStates = keysOf(states)

const live = { asked: true, active: true, ending: true } as const satisfies Record<MuteStanding, true>
export const liveMuteStates = keysOf(live)

/** From an answer held in memory to an API that hangs until the time limit. */
const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

export const metricTable = {
  build: gauge('monbot_build_info', 'Always 1; its labels say which version of monbot and of Node runs', [
    'version',
    'node',
  ]),
  polls: counter(
    'monbot_polls_total',
    'Polls by outcome: done, or how the API failed',
    ['outcome'],
    ['done', ...failureKinds],
  ),
  pollsSkipped: counter(
    'monbot_polls_skipped_total',
    'Polls that did not start when due: held back after failures, the previous one still running, or the process late (a sleep counts once)',
    ['why'],
    ['held', 'under_way', 'missed'],
  ),
  pollsSlow: counter('monbot_polls_slow_total', 'Polls that took longer than 5 minutes'),
  pollSeconds: histogram(
    'monbot_poll_duration_seconds',
    'How long a poll took, from its first request to its commit, including failed ones',
  ),
  pollLag: gauge(
    'monbot_poll_lag_seconds',
    'Time since the last successful poll, or since the start if there was none',
  ),
  outage: gauge(
    'monbot_blind_seconds',
    'How long the current outage of the API has lasted, as its cards say; 0 while alerts can be read',
  ),
  outageTotal: counter(
    'monbot_blind_seconds_total',
    'Total length of outages of the API; each is added when it is over',
  ),
  outages: counter(
    'monbot_blinds_total',
    'Outages of the API: several polls failed, the key was refused, or nothing was read for minutes',
  ),
  storms: counter('monbot_storms_total', 'Storms: many alerts at once in one channel, announced by one card'),
  stormAlerts: counter('monbot_storm_alerts_total', 'Alerts announced by the card of a storm'),
  openAlerts: gauge('monbot_open_alerts', 'Alerts that are open'),
  ignored: gauge(
    'monbot_ignored_alerts',
    'Alerts that are open and that the policy ignores; nothing else counts them',
  ),
  unreadable: gauge(
    'monbot_unreadable_records',
    'Records of the last poll that could not be read, so their alerts are not announced: open, or past ones',
    ['list'],
  ),
  leftOut: gauge(
    'monbot_left_out_fields',
    'Optional fields of open alerts, or parts of them, that the last poll could not use: labels, links, limits',
  ),
  mutes: gauge('monbot_live_mutes', 'Mutes that have not ended: asked for, active, or being ended', [
    'state',
  ]),
  cards: gauge('monbot_cards', 'Cards by state of delivery: wanted, sending, unknown, shown, dead', [
    'state',
  ]),
  cardsBehind: gauge(
    'monbot_cards_behind',
    'Cards that Slack does not show in their current version: the queue',
  ),
  lateCards: gauge(
    'monbot_late_cards',
    'Cards that have been waiting for Slack for 3 minutes or longer, without boards',
  ),
  stopped: gauge(
    'monbot_cards_stopped_seconds',
    'How long no channel has taken cards; 0 while one does, and for the first two minutes',
  ),
  deadLetters: gauge('monbot_dead_letters', 'Cards that Slack will never take; the log says why'),
  troubledChannels: gauge(
    'monbot_troubled_channels',
    'Channels whose cards wait: channel_unavailable and no_token until somebody acts, unlisted, unknown and later for a while',
    ['why'],
  ),
  cardCalls: counter('monbot_card_calls_total', "Posts and updates of cards, by Slack's answer", [
    'task',
    'outcome',
  ]),
  cardLooks: counter(
    'monbot_card_looks_total',
    "Searches of Slack's history after an answer that left the outcome open, by what they found",
    ['found'],
    ['message', 'nothing', 'copies', 'unread'],
  ),
  retries: counter(
    'monbot_retries_total',
    'Repeated tries (API reads, cards, pictures, markers, ends of mutes, sockets, plans) and why',
    ['what', 'reason'],
  ),
  unknownOutcomes: counter(
    'monbot_unknown_outcomes_total',
    'Changes whose outcome is unknown: no answer came, or a crash interrupted them',
    ['what'],
    ['card', 'marker', 'request'],
  ),
  apiRequests: counter(
    'monbot_api_requests_total',
    'Operations of the monitoring API by outcome after all tries: ok, or how they failed',
    ['operation', 'outcome'],
  ),
  apiSeconds: histogram(
    'monbot_api_request_duration_seconds',
    'How long an operation took, all tries together',
    ['operation'],
  ),
  requests: counter(
    'monbot_requests_total',
    'Requests of people by outcome: answered, done, asked (a form or a receipt), refused, stale, failed, unknown, broken, away, repeat, cancelled',
    ['act', 'outcome'],
  ),
  answerSeconds: histogram(
    'monbot_answer_seconds',
    "Time from a person's request to its answer, without repeats",
  ),
  pages: counter(
    'monbot_pages_total',
    'What the pager was told (triggered, acknowledged, resolved), by its answer: told, not_told (tried again), refused',
    ['type', 'outcome'],
  ),
  pagesWaiting: gauge('monbot_pages_waiting', 'Pages of which the pager is still to be told'),
  pagesRinging: gauge(
    'monbot_pages_ringing',
    'Pages for which somebody is called: nobody has their alerts yet',
  ),
  pagerFailing: gauge(
    'monbot_pager_failing_seconds',
    'How long the pager has not taken what it was told; 0 while it does, and for the first two minutes',
  ),
  onCallAge: gauge(
    'monbot_oncall_read_age_seconds',
    'Time since the on-call calendar was last read, or since the start if it never was; absent where none is set',
  ),
  onCallKnown: gauge(
    'monbot_oncall_known',
    '1 while it is known who is on call, or that nobody is, else 0; absent where no calendar is set',
  ),
  sockets: gauge('monbot_slack_sockets', 'Socket Mode connections that are open (HTTP mode: 0)'),
  slackReady: gauge('monbot_slack_ready', '1 while people can reach the bot, else 0'),
  pruned: counter('monbot_pruned_rows_total', 'Rows deleted from the database because of their age'),
  leads: gauge(
    'monbot_leads',
    '1 while this bot leads, 0 while it stands by; one without others always leads',
  ),
  term: gauge(
    'monbot_term',
    'Grows with each bot that takes the lead; 0 where the memory is a file. While a bot stands by, its page has no other gauges than these four and `monbot_build_info`',
  ),
  standbys: gauge('monbot_standbys', 'Bots that stand by, as the one that leads sees them'),
  memoryAway: gauge(
    'monbot_memory_away_seconds',
    'How long the memory has not answered; 0 while it does. What stands in it is not on the page meanwhile',
  ),
  copiesDeleted: counter(
    'monbot_copies_deleted_total',
    'Second messages of one card that were found and deleted',
  ),
  brokenJobs: counter(
    'monbot_broken_jobs_total',
    'Errors in monbot itself, by the work that failed; only that work is tried again or set aside, and the log says why',
    // Not `job`, which is Prometheus' own label for what it scrapes.
    ['work'],
    jobKinds,
  ),
  lines: counter('monbot_log_lines_total', 'Warnings and errors in the log', ['level'], ['warn', 'error']),
} as const satisfies Readonly<Record<string, MetricSpec>>

export type MetricKey = keyof typeof metricTable

type Name = MetricSpec['name']

function counter(name: Name, help: string, labels: readonly string[] = [], values: readonly string[] = []) {
  return { name, type: 'counter', help, labels, values } as const
}

function gauge(name: Name, help: string, labels: readonly string[] = []) {
  return { name, type: 'gauge', help, labels, values: [] } as const
}

function histogram(name: Name, help: string, labels: readonly string[] = []) {
  return { name, type: 'histogram', help, labels, values: [], buckets: seconds } as const
}

function keysOf<Key extends string>(record: Readonly<Record<Key, true>>): readonly Key[] {
  return Object.keys(record) as Key[]
}
