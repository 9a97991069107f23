/** A sample of every kind of card and of every topic of notices: the compiler asks for those of a new one. */
import type { Alert } from '../../domain/alert/alert.ts'
import { type CardKind, type CardView, type NoticeTopic, timelineMax } from '../../domain/card/kinds.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Act } from '../../domain/request/audit.ts'
import { entryWords } from '../../slack/render/actions/words.ts'
import { aMute, anAlert, anEntry, minuteMs, several, startedMs, unwell } from './made-up.ts'
import { answerSamples } from './replies.ts'
import { longestReport } from './reports.ts'

type KindSamples = {
  readonly [Kind in Exclude<CardKind, 'notice'>]: readonly (CardView & { readonly kind: Kind })[]
}
type TopicSamples = { readonly [Topic in NoticeTopic]: readonly (CardView & { readonly topic: Topic })[] }

const acts = Object.keys(entryWords) as Act[]
const mention = '<!here>'

/** Every card with `text` in each place that holds words from outside, and `count` of what there may be several of. */
export function cardSamples(text: string, count: number): KindSamples & TopicSamples {
  const texts = several(count, () => text)
  const alerts = several(count, (n) => anAlert(text, n, { roles: texts }))
  const of = { text, texts, alerts, one: alerts.slice(0, 1), mute: aMute(text) }
  return { ...kindSamples(of), ...topicSamples(of) }
}

type Of = {
  readonly text: string
  readonly texts: readonly string[]
  readonly alerts: readonly Alert[]
  /** The first of them, if there is one. */
  readonly one: readonly Alert[]
  readonly mute: Mute
}

const picture = { fileId: 'F0123ABCDE', attempts: 0 }

function kindSamples({ text, texts, alerts, one, mute }: Of): KindSamples {
  const [first] = one
  const { url } = anAlert(text, 0)
  const list = { alerts, mention, mutes: [mute] }
  const since = { cardOf: 'b1', cardSinceMs: startedMs, sinceMs: startedMs }
  const outage = { outageId: 'b1', ...since, why: text, untilMs: startedMs + 1, sureMs: null, version: 1 }
  const found = { opened: 123_456, stillOpen: 123, closed: 123_456 }
  const stamp = { cardId: `handback:m1:${mute.untilMs}`, version: 1 }
  const counts = { stillMuted: 123_456, hidden: 123_456, closed: 123_455 }
  const timeline = texts.slice(0, timelineMax)
  return {
    alert: (['open', 'closed', 'unreported', 'oneoff'] as const).map((state) => ({
      kind: 'alert',
      stamp: { cardId: `alert:${'9'.repeat(40)}:C0123ABC1`, version: 3 },
      alert: anAlert(text, 1, { state, roles: texts, ackedBy: 'U0123ABC1', ackedMs: startedMs }),
      timesThisWeek: 123_456,
      picture,
      mention,
      ackedBefore: null,
      mute,
      flaps: { times: 123_456, sinceMs: startedMs },
      timeline: timeline.map(() => anEntry('add_roles', { detail: { roles: texts } })),
      notes: 123_456,
      lastNote: text,
      alsoOpen: alerts,
      lastTime: first === undefined ? null : { alert: first, note: text },
      links: texts.map(() => ({ text, url })),
      labels: texts.map(() => ({ name: text, value: text })),
    })),
    summary: [{ kind: 'summary', stamp: { cardId: 'summary:1:C1', version: 1 }, ...list }],
    storm: [{ kind: 'storm', stamp: { cardId: 'storm:1:C1', version: 1 }, ...list }],
    page: [{ kind: 'page', alerts, page: 1, pages: 2, mention }],
    outage: [null, startedMs + 1].map((untilMs) => ({
      kind: 'outage',
      outages: [
        ...texts.map(() => ({ outage, found })),
        { outage: { ...outage, untilMs }, found: untilMs === null ? null : found },
      ],
    })),
    note: [null, first ?? null].map((about) => ({
      kind: 'note',
      note: { noteId: 'n1', alertId: '1', userId: 'U0123ABC1', atMs: startedMs, text },
      about,
    })),
    mute_expiring: [
      { kind: 'mute_expiring', stamp, mute, open: alerts, ...counts, oneoffs: alerts, picture },
      {
        kind: 'mute_expiring',
        stamp,
        mute: { ...mute, state: 'ended' },
        open: [],
        hidden: 0,
        closed: 0,
        oneoffs: [],
        picture,
      },
    ],
    mute_ended: [{ kind: 'mute_ended', mute, open: alerts, ...counts, oneoffs: alerts }],
    picture: one.map((alert) => ({ kind: 'picture', alert, fileId: picture.fileId })),
    board: [{ kind: 'board', open: alerts, mutes: texts.map(() => mute), health: unwell(text) }],
  }
}

function fileMade(name: string) {
  return { name, permalink: 'https://example.com/files/U0/F0/a.csv', bytes: 9, rows: 9, total: 123_456 }
}

function topicSamples({ text, texts, alerts, one }: Of): TopicSamples {
  const told = { reason: text, text, group: text, roles: texts, names: texts, untilMs: startedMs }
  return {
    description: one.map((alert) => ({ kind: 'notice', topic: 'description', alert })),
    change_notice: acts.flatMap((act) => [
      { kind: 'notice', topic: 'change_notice', entry: anEntry(act, { hostname: text, detail: told }) },
      {
        kind: 'notice',
        topic: 'change_notice',
        entry: anEntry(act, { hostname: null, detail: told, outcome: 'unknown' }),
      },
    ]),
    page_failed: [
      {
        ...{ kind: 'notice', topic: 'page_failed', stamp: { cardId: 'page_failed:1:C1', version: 1 } },
        ...{ alerts, mention, sinceMs: startedMs, why: text },
      },
    ],
    file: [{}, { file: fileMade(text) }].map((detail) => ({
      kind: 'notice',
      topic: 'file',
      entry: anEntry('post_timeline', { why: text, detail }),
    })),
    report: [{}, { file: fileMade(text) }].map((detail) => ({
      kind: 'notice',
      topic: 'report',
      entry: anEntry('report', {
        why: text,
        detail: { ...detail, report: longestReport(text, startedMs + minuteMs) },
      }),
      health: unwell(text),
    })),
    handoff: answerSamples(text).handoff.map(({ handoff }) => ({
      kind: 'notice',
      topic: 'handoff',
      entry: anEntry('shift_change', {}),
      handoff,
    })),
    page_works: [{ kind: 'notice', topic: 'page_works', sinceMs: startedMs, untilMs: startedMs + 1 }],
    became_critical: [
      {
        kind: 'notice',
        topic: 'became_critical',
        stamp: { cardId: 'worsened:1:C1', version: 1 },
        alerts: alerts.map((alert) => ({ ...alert, severity: 'critical' as const })),
        mention,
      },
      {
        kind: 'notice',
        topic: 'became_critical',
        stamp: { cardId: 'worsened:1:C1', version: 1 },
        alerts,
        mention: null,
      },
    ],
    unacknowledged: [one, alerts].map((some) => ({
      kind: 'notice',
      topic: 'unacknowledged',
      stamp: { cardId: 'reminder:1:C1', version: 1 },
      alerts: some,
      isOfList: some.length > 1,
      mention,
      above: { channel: 'C0123ABC2', ts: '1.1', link: 'https://monitor.example/a/1' },
    })),
    flap_reminder: one.map((alert) => ({
      kind: 'notice',
      topic: 'flap_reminder',
      stamp: { cardId: 'again:1:C1', version: 1 },
      alerts: [alert],
      mention,
      flaps: { times: 4, sinceMs: startedMs },
    })),
    handed: [one, alerts].map((some) => ({
      kind: 'notice',
      topic: 'handed',
      stamp: { cardId: 'handed:1:U0123ABC1', version: 1 },
      alerts: some.map((alert) => ({ ...alert, ackedBy: 'U0123ABC1', ackedMs: startedMs })),
      mention: null,
      to: 'U0123ABC1',
      entry: anEntry('hand_to', { detail: { to: 'U0123ABC1', text } }),
      isOfList: some.length > 1,
      above: { channel: 'C0123ABC1', ts: '1.2', link: 'https://slack.example/archives/C0123ABC1/p12' },
    })),
    stale_ack: [one, alerts].map((some) => ({
      kind: 'notice',
      topic: 'stale_ack',
      stamp: { cardId: 'forgotten:1:C1', version: 1 },
      alerts: some.map((alert) => ({ ...alert, ackedBy: 'U0123ABC1', ackedMs: startedMs })),
      mention: null,
      owner: 'U0123ABC1',
      askedMs: startedMs + 1,
    })),
  }
}
