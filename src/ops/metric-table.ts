/** Every metric of the bot: its name, its labels and its meaning. The table of docs/metrics.md is checked against it. */

import type { FailureKind } from '../domain/base/failure.ts'
import { jobKinds } from '../domain/base/mishap.ts'
import { troubleKinds } from '../domain/delivery/channel-trouble.ts'
import type { CardState, Outcome } from '../domain/delivery/delivery.ts'
import type { MuteState } from '../domain/mute/mute.ts'

export type MetricSpec = {
  readonly name: `monbot_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Never values from outside: server names, titles, people and keys do not become labels. */
  readonly labels: readonly string[]
  /** All values of a label that has few: each is exported as 0 from the start, so that the first event shows as an increase. */
  readonly values?: readonly string[]
  /** Of a histogram, in seconds. */
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
  closed_door: true,
  no_token: true,
  gone: true,
  frozen: true,
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

const live = { asked: true, active: true, ending: true } as const satisfies Record<
  Exclude<MuteState, 'ended'>,
  true
>
export const liveMuteStates = keysOf(live)

/** From an answer held in memory to an API that hangs until the time limit. */
const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

export const metricTable = {
  polls: {
    name: 'monbot_polls_total',
    type: 'counter',
    labels: ['outcome'],
    values: ['done', ...failureKinds],
    help: 'Polls by how they went: done, or how the API failed',
  },
  pollsSkipped: {
    name: 'monbot_polls_skipped_total',
    type: 'counter',
    labels: ['why'],
    values: ['held', 'under_way', 'missed'],
    help: 'Polls that were due and not begun in time: held back after failures, one still under way, or the process was too late (a sleep counts once)',
  },
  pollsSlow: {
    name: 'monbot_polls_slow_total',
    type: 'counter',
    labels: [],
    help: 'Polls that took longer than 5 minutes',
  },
  pollSeconds: {
    name: 'monbot_poll_duration_seconds',
    type: 'histogram',
    labels: [],
    buckets: seconds,
    help: 'How long a poll took, from its first request to its commit, failed ones too',
  },
  pollLag: {
    name: 'monbot_poll_lag_seconds',
    type: 'gauge',
    labels: [],
    help: 'Time since the last good poll, or since the start while there was none',
  },
  outage: {
    name: 'monbot_blind_seconds',
    type: 'gauge',
    labels: [],
    help: 'For how long the bot has been blind by now, as the blind cards say; 0 while it can read alerts',
  },
  outageTotal: {
    name: 'monbot_blind_seconds_total',
    type: 'counter',
    labels: [],
    help: 'Time in which the bot was blind, counted once it can read alerts again',
  },
  outages: {
    name: 'monbot_blinds_total',
    type: 'counter',
    labels: [],
    help: 'How often the bot went blind: several polls failed, the key was refused, or nothing was read for minutes',
  },
  storms: {
    name: 'monbot_storms_total',
    type: 'counter',
    labels: [],
    help: 'Storms: many alerts at once in one channel, told by one card',
  },
  stormAlerts: {
    name: 'monbot_storm_alerts_total',
    type: 'counter',
    labels: [],
    help: 'Alerts told by the card of a storm',
  },
  openAlerts: {
    name: 'monbot_open_alerts',
    type: 'gauge',
    labels: [],
    help: 'Alerts that are open',
  },
  unreadable: {
    name: 'monbot_unreadable_records',
    type: 'gauge',
    labels: ['list'],
    values: ['open', 'past'],
    help: 'Records of the last poll that could not be read, so that nobody is told of their alerts: open, or past ones',
  },
  mutes: {
    name: 'monbot_live_mutes',
    type: 'gauge',
    labels: ['state'],
    values: liveMuteStates,
    help: 'Mutes that have not ended: asked for, active, or being ended',
  },
  cards: {
    name: 'monbot_cards',
    type: 'gauge',
    labels: ['state'],
    values: cardStates,
    help: 'Cards by how far they are: wanted, sending, unknown, shown, dead',
  },
  cardsBehind: {
    name: 'monbot_cards_behind',
    type: 'gauge',
    labels: [],
    help: 'Cards that are not shown as they should be: the queue to Slack',
  },
  lateCards: {
    name: 'monbot_late_cards',
    type: 'gauge',
    labels: [],
    help: 'Cards that have not been shown as they should be for 3 minutes or longer, boards left out',
  },
  deadLetters: {
    name: 'monbot_dead_letters',
    type: 'gauge',
    labels: [],
    help: 'Cards that Slack will never take; the log says why',
  },
  troubledChannels: {
    name: 'monbot_troubled_channels',
    type: 'gauge',
    labels: ['why'],
    values: troubleKinds,
    help: 'Channels whose cards wait: closed_door and no_token until somebody acts, unlisted, unknown and later for a while',
  },
  cardCalls: {
    name: 'monbot_card_calls_total',
    type: 'counter',
    labels: ['task', 'outcome'],
    help: 'Posts and updates of cards, by what Slack said',
  },
  cardLooks: {
    name: 'monbot_card_looks_total',
    type: 'counter',
    labels: ['found'],
    values: ['message', 'nothing', 'copies', 'unread'],
    help: "Looks into Slack's history after an answer that left open what was done, by what they found",
  },
  retries: {
    name: 'monbot_retries_total',
    type: 'counter',
    labels: ['what', 'reason'],
    help: 'What is tried again (API reads, cards, pictures, markers, ends of mutes, sockets, plans) and why',
  },
  unknownOutcomes: {
    name: 'monbot_unknown_outcomes_total',
    type: 'counter',
    labels: ['what'],
    values: ['card', 'marker', 'request'],
    help: 'Changes of which nobody knows whether they were made: no answer came, or a crash interrupted them',
  },
  apiRequests: {
    name: 'monbot_api_requests_total',
    type: 'counter',
    labels: ['operation', 'outcome'],
    help: 'Operations of the monitoring API by outcome: ok, or how they failed, after all tries',
  },
  apiSeconds: {
    name: 'monbot_api_request_duration_seconds',
    type: 'histogram',
    labels: ['operation'],
    buckets: seconds,
    help: 'How long an operation took, all tries together',
  },
  requests: {
    name: 'monbot_requests_total',
    type: 'counter',
    labels: ['act', 'outcome'],
    help: 'What people asked for, by what came of it: answered, done, asked (a form or a receipt), refused, stale, failed, unknown, broken, repeat, cancelled',
  },
  answerSeconds: {
    name: 'monbot_answer_seconds',
    type: 'histogram',
    labels: [],
    buckets: seconds,
    help: 'From a request of a person to its answer, repeats left out',
  },
  sockets: {
    name: 'monbot_slack_sockets',
    type: 'gauge',
    labels: [],
    help: 'Socket Mode connections that are open (HTTP mode: 0)',
  },
  slackReady: {
    name: 'monbot_slack_ready',
    type: 'gauge',
    labels: [],
    help: '1 while people can reach the bot, else 0',
  },
  pruned: {
    name: 'monbot_pruned_rows_total',
    type: 'counter',
    labels: [],
    help: 'Rows of the database that were forgotten for their age',
  },
  brokenJobs: {
    name: 'monbot_broken_jobs_total',
    type: 'counter',
    labels: ['job'],
    values: jobKinds,
    help: 'Errors in monbot itself, by the work that they ended; that work alone is tried again or set aside, and the log says why',
  },
  lines: {
    name: 'monbot_log_lines_total',
    type: 'counter',
    labels: ['level'],
    values: ['warn', 'error'],
    help: 'Warnings and errors in the log',
  },
} as const satisfies Readonly<Record<string, MetricSpec>>

export type MetricKey = keyof typeof metricTable

function keysOf<Key extends string>(record: Readonly<Record<Key, true>>): readonly Key[] {
  return Object.keys(record) as Key[]
}
