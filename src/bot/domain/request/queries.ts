/** What people ask without changing anything: each query with its command, and the text that a button sends for it. */
import { numberOf } from '../alert/episode.ts'
import { dayMs, hourMs, minuteMs } from '../base/duration.ts'
import { reachMaxMs } from '../chart/question.ts'
import { durationExpected, formatDurationText } from '../command/time-text.ts'
import { invalid, type LabelGlob, type Misread, quotedName, type Words } from '../command/words.ts'
import type { Command } from './action.ts'

export type ListedState = 'open' | 'closed' | 'all'

/** `page` counts from 1. */
export type Ask =
  | { readonly kind: 'help'; readonly topic: string | null }
  | { readonly kind: 'status' }
  | { readonly kind: 'oncall' }
  | {
      readonly kind: 'alerts'
      readonly state: ListedState
      /** Only those that the asker has; then `state` is `open`. */
      readonly isMine?: true
      readonly server: string | null
      /** All of these match; absent for any. */
      readonly labels?: readonly LabelGlob[]
      readonly page: number
    }
  | { readonly kind: 'mutes'; readonly page: number }
  /** `about` is a server or a role. */
  | { readonly kind: 'roles'; readonly about: string | null; readonly page: number }
  | { readonly kind: 'triggers'; readonly filter: string | null; readonly page: number }
  /** `isFile`: as a file with one row an alert, to the person alone. */
  | { readonly kind: 'handoff'; readonly ms: number; readonly isFile?: true }
  | { readonly kind: 'report'; readonly ms: number; readonly isFile?: true }
  | { readonly kind: 'audit'; readonly server: string | null; readonly page: number }
  /** `metric` null: which metrics the server has. */
  | { readonly kind: 'chart'; readonly server: string; readonly metric: string | null; readonly ms: number }
  | { readonly kind: 'alert_chart'; readonly alertId: string }

type Query<A> = {
  /** Absent: another query's command parses it, or `commands.ts` does. */
  readonly command?: Omit<Command<Ask>, 'group'>
  /** The command text that parses as this ask; it contains nothing that Slack escapes. */
  readonly text: (ask: A) => string
}

export const reportSpan = { defaultMs: 7 * dayMs, minMs: hourMs, maxMs: 30 * dayMs }
export const handoffSpan = { defaultMs: 12 * hourMs, minMs: hourMs, maxMs: 7 * dayMs }
/** From when a handoff at a change of shift counts: the begin of the shift that is over (null: not known), as far as one reaches. */
export function handoffFromMs(beforeFromMs: number | null, nowMs: number): number {
  const { defaultMs, minMs, maxMs } = handoffSpan
  // Told some seconds after the change.
  const ms = beforeFromMs === null ? defaultMs : Math.round((nowMs - beforeFromMs) / minuteMs) * minuteMs
  return nowMs - Math.min(maxMs, Math.max(minMs, ms))
}

export const chartSpan = { defaultMs: 5 * hourMs, minMs: 5 * minuteMs, maxMs: reachMaxMs }

export const queries: { readonly [Kind in Ask['kind']]: Query<Extract<Ask, { kind: Kind }>> } = {
  status: {
    command: {
      name: 'status',
      usage: '',
      summary: 'Shows whether all is well: last poll, open alerts, mutes, Slack, monitoring',
      examples: ['status'],
      read: () => ({ kind: 'status' }),
    },
    text: () => 'status',
  },
  oncall: {
    command: {
      name: 'oncall',
      usage: '',
      summary: 'Shows who is on call, until when, and who comes next',
      examples: ['oncall'],
      read: () => ({ kind: 'oncall' }),
    },
    text: () => 'oncall',
  },
  alerts: {
    command: {
      name: 'alerts',
      usage: '[open | closed | all | mine] [server] [label=value …]',
      summary: 'Lists alerts, by default the open ones; `mine` are those that you have',
      examples: [
        'alerts',
        'alerts mine',
        'alerts closed web-1',
        'alerts all db-*',
        'alerts namespace=pay-* severity=critical',
      ],
      read: (words) => {
        const page = words.page()
        const first = words.labels()
        const which = words.keyword('open', 'closed', 'all', 'mine') ?? 'open'
        const state = which === 'mine' ? 'open' : which
        const more = words.labels()
        const server = words.name()
        const labels = [...first, ...more, ...words.labels()]
        if (page === null) return null
        const mine = which === 'mine' ? { isMine: true as const } : {}
        return { kind: 'alerts', state, ...mine, server, ...(labels.length === 0 ? {} : { labels }), page }
      },
    },
    text: ({ state, isMine, server, labels = [], page }) =>
      paged(
        [withName(`alerts ${isMine === true ? 'mine' : state}`, server), ...labels.map(labelText)].join(' '),
        page,
      ),
  },
  mutes: {
    command: {
      name: 'mutes',
      usage: '',
      summary: 'Lists mutes: by whom, until when and why; and what is planned',
      examples: ['mutes'],
      read: (words) => {
        const page = words.page()
        return page === null ? null : { kind: 'mutes', page }
      },
    },
    text: ({ page }) => paged('mutes', page),
  },
  chart: {
    command: {
      name: 'chart',
      usage: '<server> [metric] [duration] or #<alert>',
      summary: 'Draws a metric, by default of the last 5 hours',
      examples: ['chart web-1', 'chart web-1 CPU busy', 'chart web-1 "Last minute" 2d', 'chart #123'],
      // A single name that begins with `#` is an alert: its own chart.
      read: (words) => {
        const server = words.name()
        if (server !== null && server.length > 1 && server.startsWith('#') && words.isAtEnd()) {
          return { kind: 'alert_chart', alertId: server.slice(1) }
        }
        if (server === null || (server === '#' && words.isAtEnd())) return null
        const ms = spanAtEnd(words, chartSpan)
        if (typeof ms !== 'number') return ms
        if (words.isAtEnd()) return { kind: 'chart', server, metric: null, ms }
        const metric = words.name()
        // After a key a number is meant as a duration, and so is a number alone; `http 5xx` is a name.
        const isUnread = words.isNumberNext() && (/[\s_]/.test(metric ?? '') || /^\d+$/.test(words.left()))
        if (isUnread) return invalid(durationExpected, words.text())
        const rest = words.restAsName()
        if (metric === null) return null
        return { kind: 'chart', server, metric: rest === null ? metric : `${metric} ${rest}`, ms }
      },
    },
    text: ({ server, metric, ms }) =>
      `${withName(withName('chart', server), metric)} ${formatDurationText(ms)}`,
  },
  alert_chart: { text: ({ alertId }) => withName('chart', `#${numberOf(alertId)}`) },
  roles: {
    command: {
      name: 'roles',
      usage: '[server or role]',
      summary: 'Lists roles and their servers',
      examples: ['roles', 'roles web-1', 'roles db'],
      read: (words) => {
        const page = words.page()
        const about = words.restAsName()
        return page === null ? null : { kind: 'roles', about, page }
      },
    },
    text: ({ about, page }) => paged(withName('roles', about), page),
  },
  triggers: {
    command: {
      name: 'triggers',
      usage: '[filter]',
      summary: 'Lists alert triggers',
      examples: ['triggers', 'triggers disk'],
      read: (words) => {
        const page = words.page()
        const filter = words.restAsName()
        return page === null ? null : { kind: 'triggers', filter, page }
      },
    },
    text: ({ filter, page }) => paged(withName('triggers', filter), page),
  },
  handoff: {
    command: {
      name: 'handoff',
      usage: '[duration] [csv]',
      summary: 'Sums up for the next person: what is open and muted, what happened, what was done',
      examples: ['handoff', 'handoff 8h', 'handoff csv'],
      read: (words) => readSpan(words, 'handoff', handoffSpan),
    },
    text: spanText,
  },
  report: {
    command: {
      name: 'report',
      usage: '[duration] [csv]',
      summary: 'Counts alerts by rule and shows the noisiest, for the last 7 days or up to 30',
      examples: ['report', 'report 24h', 'report 30d csv'],
      read: (words) => readSpan(words, 'report', reportSpan),
    },
    text: spanText,
  },
  audit: {
    command: {
      name: 'audit',
      usage: '[server]',
      summary: 'Lists who did what, including refusals',
      examples: ['audit', 'audit web-1'],
      read: (words) => {
        const page = words.page()
        const server = words.name()
        return page === null ? null : { kind: 'audit', server, page }
      },
    },
    text: ({ server, page }) => paged(withName('audit', server), page),
  },
  help: { text: ({ topic }) => withName('help', topic) },
}

/** The text that `parseCommand` parses as this ask, for a button's value. */
export function commandOf(ask: Ask): string {
  return textOf(ask.kind, ask)
}

function textOf<Kind extends Ask['kind']>(kind: Kind, ask: Extract<Ask, { kind: Kind }>): string {
  return queries[kind].text(ask)
}

function withName(command: string, name: string | null): string {
  return name === null ? command : `${command} ${quotedName(name)}`
}

function labelText({ name, value }: LabelGlob): string {
  return `${name}=${quotedName(value)}`
}

function paged(command: string, page: number): string {
  return page === 1 ? command : `${command} page ${page}`
}

type Span = { readonly defaultMs: number; readonly minMs: number; readonly maxMs: number }

/** `[duration] [csv]`. */
function readSpan(words: Words, kind: 'handoff' | 'report', span: Span): Ask | Misread | null {
  const isFile = words.isLast('csv') ? ({ isFile: true } as const) : {}
  const ms = spanAtEnd(words, span)
  if (words.isNumberNext()) return invalid(durationExpected, words.text())
  if (!words.isAtEnd()) return null
  return typeof ms === 'number' ? { kind, ms, ...isFile } : ms
}

function spanText({ kind, ms, isFile }: Extract<Ask, { kind: 'handoff' | 'report' }>): string {
  return `${kind} ${formatDurationText(ms)}${isFile === true ? ' csv' : ''}`
}

/** The duration at the end of the command, however much comes before it. */
function spanAtEnd(words: Words, { defaultMs, minMs, maxMs }: Span): number | Misread {
  const ms = words.lastDuration()
  if (ms === null) return defaultMs
  if (ms < minMs) return { why: 'too_short', minMs }
  return ms > maxMs ? { why: 'too_long', maxMs } : ms
}
