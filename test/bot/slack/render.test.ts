/** Every kind of card: that Slack takes it however long it is; what harmful text cannot do stands in test/threats. */
import { describe, expect, test } from 'vitest'
import type { CardKind, CardView, NoticeTopic } from '../../../src/bot/domain/card/kinds.ts'
import type { Act } from '../../../src/bot/domain/request/audit.ts'
import { escaped, link, printable } from '../../../src/bot/slack/mrkdwn.ts'
import { entryWords } from '../../../src/bot/slack/render/actions/words.ts'
import { render, renderPlain } from '../../../src/bot/slack/render/render.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'
import { aHappened, aRule } from '../../support/happened.ts'
import { well } from './answers.ts'
import { aMute, anEntry, long, startedMs, view, words } from './card-views.ts'

const acts = Object.keys(entryWords) as Act[]

/** Every kind of card with the same words in every place that holds words from outside, `many` of each. */
function everyCard(text: string, count: number): CardView[] {
  const all = Array.from({ length: count }, () => text)
  const url = text === long ? `https://monitor.example/${'x'.repeat(1_900)}` : 'https://monitor.example/a/1'
  // The API takes no longer hostname in a request, so there is no mute of one either.
  const hostname = text.slice(0, 1_000)
  const links = all.map(() => ({ text, url }))
  const labels = all.map(() => ({ name: text, value: text }))
  const details = someDetails({ description: text, labels: { pod: text }, units: text })
  const from = { title: text, plugin: text, serverName: text, hostname, roles: all, url, details }
  const alerts = all.map((_, n) => anAlert(String(n), { ...from, startedMs }))
  const mute = aMute({ subject: hostname, reason: text })
  const many = { alerts, mention: '<!here>', mutes: [mute] }
  const since = { cardOf: 'b1', cardSinceMs: startedMs, sinceMs: startedMs }
  const outage = { outageId: 'b1', ...since, why: text, untilMs: startedMs + 1, sureMs: null, version: 1 }
  const found = { opened: 123_456, stillOpen: 123, closed: 123_456 }
  const outages = all.map(() => ({ outage, found }))
  const told = { reason: text, text, group: text, roles: all, names: all, untilMs: startedMs }
  const picture = { fileId: 'F01234567', attempts: 0 } as const
  const handback = { cardId: `handback:m1:${mute.untilMs}`, version: 1 }
  const counts = { stillMuted: 123_456, hidden: 123_456, closed: 123_455 } as const
  const timeline = all.map(() => anEntry({ act: 'add_roles', detail: { roles: all } }))
  const acked = { ackedBy: 'U1', ackedMs: startedMs }
  const fileEntry = anEntry({
    act: 'post_timeline',
    detail: {
      file: {
        name: text,
        permalink: 'https://team.slack.test/files/U0/F01/a.csv',
        bytes: 9,
        rows: 1,
        total: 9,
      },
    },
  })
  const rules = all.map((rule) => aRule({ rule, opened: 123_456, useful: 99, noise: 100, hidden: 9_999 }))
  const report = {
    ...{
      fromMs: startedMs,
      toMs: startedMs,
      opened: 9,
      closed: 9,
      stillOpen: 9,
      openBefore: 9,
      lost: 9,
      oneoffs: 9,
    },
    ...{ acknowledged: 9, toAcknowledgeMs: 9, toCloseMs: 9, parts: [] },
    servers: all.slice(0, 10).map((name) => ({ name, count: 123_456 })),
    happened: aHappened(startedMs, rules),
    outage: { times: 9, ms: startedMs, isSure: false },
  }
  const kinds: { [Kind in Exclude<CardKind, 'notice'>]: (CardView & { kind: Kind })[] } & {
    [Topic in NoticeTopic]: (CardView & { topic: Topic })[]
  } = {
    alert: (['open', 'closed', 'unreported', 'oneoff'] as const).map((state) =>
      view(
        { ...from, ...acked, state },
        { picture, mute, timeline: timeline.slice(0, 5), mention: '<!here>', links, labels },
      ),
    ),
    summary: [{ kind: 'summary', stamp: { cardId: 'summary:1:C1', version: 1 }, ...many }],
    storm: [{ kind: 'storm', stamp: { cardId: 'storm:1:C1', version: 1 }, ...many }],
    page: [{ kind: 'page', alerts, page: 1, pages: 2, mention: '<!here>' }],
    outage: [null, startedMs + 1].map((untilMs) => ({
      kind: 'outage',
      outages: [...outages, { outage: { ...outage, untilMs }, found: untilMs === null ? null : found }],
    })),
    note: [null, alerts[0] ?? null].map((about) => ({
      kind: 'note',
      note: { noteId: 'n1', alertId: '1', userId: 'U1', atMs: startedMs, text },
      about,
    })),
    file: [fileEntry, { ...fileEntry, why: text, detail: {} }].map((entry) => ({
      kind: 'notice',
      topic: 'file',
      entry,
    })),
    report: [fileEntry, { ...fileEntry, why: text }].map(({ detail, ...entry }, at) => ({
      kind: 'notice',
      topic: 'report',
      entry: { ...entry, detail: { ...(at === 0 ? detail : {}), report } },
      health: well(),
    })),
    handoff: [
      {
        ...{ kind: 'notice', topic: 'handoff', entry: anEntry({ act: 'shift_change' }) },
        handoff: {
          ...{ nowMs: startedMs, open: alerts, lost: 9, mutes: [mute], done: [anEntry({ hostname: text })] },
          ...{ happened: report.happened, storms: [], flaps: [], outage: report.outage, health: well() },
        },
      },
    ],
    description: alerts.map((alert) => ({ kind: 'notice', topic: 'description', alert })),
    change_notice: acts.flatMap((act) => [
      { kind: 'notice', topic: 'change_notice', entry: anEntry({ act, hostname: text, detail: told }) },
      {
        kind: 'notice',
        topic: 'change_notice',
        entry: anEntry({ act, hostname: null, detail: told, outcome: 'unknown' }),
      },
    ]),
    mute_expiring: [
      { kind: 'mute_expiring', stamp: handback, mute, open: alerts, ...counts, oneoffs: alerts, picture },
      {
        kind: 'mute_expiring',
        stamp: handback,
        mute: { ...mute, state: 'ended' },
        open: [],
        hidden: 0,
        closed: 0,
        oneoffs: [],
        picture,
      },
    ],
    page_failed: [
      {
        ...{ kind: 'notice', topic: 'page_failed', stamp: { cardId: 'page_failed:1:C1', version: 1 } },
        ...{ alerts, mention: '<!here>', sinceMs: startedMs, why: text },
      },
    ],
    page_works: [{ kind: 'notice', topic: 'page_works', sinceMs: startedMs, untilMs: startedMs + 1 }],
    became_critical: [
      {
        kind: 'notice',
        topic: 'became_critical',
        stamp: handback,
        alerts: alerts.map((one) => ({ ...one, severity: 'critical' })),
        mention: '<!here>',
      },
      { kind: 'notice', topic: 'became_critical', stamp: handback, alerts, mention: null },
    ],
    mute_ended: [{ kind: 'mute_ended', mute, open: alerts, ...counts, oneoffs: alerts }],
    unacknowledged: [alerts.slice(0, 1), alerts].map((some) => ({
      kind: 'notice',
      topic: 'unacknowledged',
      stamp: { cardId: 'reminder:1:C1', version: 1 },
      alerts: some,
      isOfList: some.length > 1,
      mention: '<!here>',
      above: { channel: 'C2', ts: '1.1', link: 'https://monitor.example/a/1' },
    })),
    picture: alerts.slice(0, 1).map((alert) => ({ kind: 'picture', alert, fileId: picture.fileId })),
    flap_reminder: alerts.slice(0, 1).map((alert) => ({
      kind: 'notice',
      topic: 'flap_reminder',
      stamp: { cardId: 'again:1:C1', version: 1 },
      alerts: [alert],
      mention: '<!here>',
      flaps: { times: 4, sinceMs: startedMs - 60_000 },
    })),
    handed: [alerts.slice(0, 1), alerts].map((some) => ({
      kind: 'notice',
      topic: 'handed',
      stamp: { cardId: 'handed:a1:U1', version: 1 },
      alerts: some.map((alert) => ({ ...alert, ackedBy: 'U1', ackedMs: startedMs })),
      mention: null,
      to: 'U1',
      entry: anEntry({ act: 'hand_to', detail: { to: 'U1', text } }),
      isOfList: some.length > 1,
      above: { channel: 'C1', ts: '1.2', link: 'https://slack.example/archives/C1/p12' },
    })),
    stale_ack: [alerts.slice(0, 1), alerts].map((some) => ({
      kind: 'notice',
      topic: 'stale_ack',
      stamp: { cardId: 'forgotten:1:C1', version: 1 },
      alerts: some.map((alert) => ({ ...alert, ackedBy: 'U1', ackedMs: startedMs })),
      mention: null,
      owner: 'U1',
      askedMs: startedMs + 1,
    })),
    board: [
      {
        kind: 'board',
        open: alerts,
        mutes: all.map(() => mute),
        health: {
          nowMs: startedMs,
          lastPollMs: startedMs,
          failing: { sinceMs: startedMs, why: text },
          coverage: { open: 'partial', past: 'complete' },
          slack: { ready: true, sinceMs: startedMs, sockets: 2 },
          troubles: [],
          unexpectedErrors: [],
        },
      },
    ],
  }
  return Object.values(kinds).flat()
}

describe('text from outside', () => {
  test.each([1, 80])('however long it is, Slack takes the card: %d of each', (many) => {
    for (const card of everyCard(long, many)) {
      words(card)
      expect(render(card).text.length, card.kind).toBeLessThanOrEqual(4_000)
      expect(renderPlain(card).length, card.kind).toBeLessThanOrEqual(4_000)
    }
  })

  test('nothing at all is taken too', () => {
    for (const card of everyCard('', 0)) words(card)
  })

  test('is shortened by whole characters, never inside an entity', () => {
    expect(escaped('a&b', 3)).toBe('a&amp;b')
    expect(escaped('👩‍🚒👩‍🚒 fire', 2)).not.toMatch(/[\uD800-\uDBFF]$/)
    expect(printable('one  two\tthree', 8)).toBe('one two…')
  })

  test('links are http and https only, and cannot break out', () => {
    expect(link('javascript:alert(1)', 'x')).toBe('x')
    expect(link('not a url', 'x')).toBe('x')
    expect(link('https://a.example/?q=1|2 3>4', 'x|y')).toBe('<https://a.example/?q=1%7C2%203%3E4|x\u2223y>')
  })
})
