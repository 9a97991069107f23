/** Whatever stands in whatever text of a card, an answer, a form or a tab: nobody is called, nothing is hidden or pretends. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import type { CardKind, CardStamp, CardView, NoticeTopic } from '../../src/bot/domain/card/kinds.ts'
import type { Answer } from '../../src/bot/domain/request/answer.ts'
import type { Act } from '../../src/bot/domain/request/audit.ts'
import type { FormName } from '../../src/bot/domain/request/named.ts'
import type { Form, Refusal, Reply } from '../../src/bot/domain/request/reply.ts'
import { entryWords } from '../../src/bot/slack/render/actions/words.ts'
import { renderHome } from '../../src/bot/slack/render/cards/home.ts'
import { outcomeView, renderForm } from '../../src/bot/slack/render/forms/forms.ts'
import { render, renderPlain } from '../../src/bot/slack/render/render.ts'
import { renderReply } from '../../src/bot/slack/render/replies/reply.ts'
import { aStatus, nowMs, onePage, outage } from '../bot/slack/answers.ts'
import { aMute, anEntry, startedMs, view } from '../bot/slack/card-views.ts'
import { refusals } from '../bot/slack/refusal-rows.ts'
import { replies } from '../bot/slack/reply-rows.ts'
import { aNote } from '../support/acting-rows.ts'
import { anAlert, someDetails } from '../support/delivery-world.ts'
import { aHappened, aRule } from '../support/happened.ts'
import { harmIn, poisoned, poisons } from './poison.ts'

type Each<Union extends { readonly kind: string }> = {
  readonly [Kind in Union['kind']]: readonly Extract<Union, { readonly kind: Kind }>[]
}

const details = someDetails({
  labels: { namespace: 'pay' },
  description: 'It is down.',
  links: [{ text: 'Runbook', url: 'https://wiki.example/' }],
  units: 's',
})
const alert = anAlert('1', { roles: ['web'], ackedBy: 'U1', ackedMs: startedMs, triggerId: '7', details })
const closed = anAlert('2', { state: 'closed', closedMs: startedMs, closedBy: 'record' })
const mute = aMute({ previous: { mode: 'timed', untilMs: nowMs, userId: 'U1', reason: 'before' } })
const anOutage = {
  outageId: 'b1',
  cardOf: 'b1',
  cardSinceMs: startedMs,
  sinceMs: startedMs,
  why: 'busy',
  untilMs: null,
  sureMs: null,
  version: 1,
}
const free = { ...alert, ackedBy: null, ackedMs: null }
const stamp = { cardId: 'x:1:C1', version: 1 }
const before = [{ hostname: 'web-1', mode: 'timed', untilMs: nowMs, userId: 'U1', reason: 'before' }] as const
const detail = {
  reason: 'deploying',
  text: 'said',
  group: 'DBA',
  roles: ['db'],
  names: ['a'],
  answer: 'done',
}
const entries = (Object.keys(entryWords) as Act[]).flatMap((act) =>
  (['done', 'unknown', 'failed', 'refused', 'nothing'] as const).map((outcome) =>
    anEntry({
      act,
      outcome,
      why: 'busy',
      alertId: '1',
      detail: { ...detail, mode: 'timed', untilMs: nowMs, before },
    }),
  ),
)
const picture = { fileId: 'F01234567', attempts: 0 } as const
const lists = { open: [alert], hidden: 3, closed: 1, oneoffs: [anAlert('3', { state: 'oneoff' })] }

const counts = [{ name: 'web-1', count: 7 }]
const happened = aHappened(nowMs, [aRule(), aRule({ rule: 'CPU', noise: 2 })])
const report = {
  fromMs: startedMs,
  toMs: nowMs,
  opened: 9,
  ...{ openBefore: 0, lost: 0, oneoffs: 0 },
  closed: 9,
  stillOpen: 0,
  parts: [],
  acknowledged: 9,
}
const took = { toAcknowledgeMs: 60_000, toCloseMs: 60_000, servers: counts, happened }
const fileEntry = anEntry({
  act: 'post_timeline',
  alertId: '1',
  detail: {
    file: {
      name: 'a.csv',
      permalink: 'https://monitor.example/files/U0/F01/a.csv',
      bytes: 9,
      rows: 1,
      total: 9,
    },
  },
})

type Listing = Extract<CardView, { readonly stamp: CardStamp; readonly alerts: readonly Alert[] }>
const cards: {
  readonly [Kind in Exclude<CardKind, 'notice'>]: Kind extends 'summary' | 'storm'
    ? readonly Listing[]
    : readonly Extract<CardView, { readonly kind: Kind }>[]
} & { readonly [Topic in NoticeTopic]: readonly Extract<CardView, { readonly topic: Topic }>[] } = {
  alert: (['open', 'closed', 'unreported', 'oneoff'] as const).map((state) =>
    view(
      { ...alert, state },
      {
        ...{ mute, picture, timeline: entries.slice(0, 5), notes: 2, mention: null },
        labels: [{ name: 'namespace', value: 'pay' }],
        links: ['Runbook', 'Dashboard', 'Logs'].map((text) => ({ text, url: 'https://wiki.example/' })),
      },
    ),
  ),
  summary: [{ kind: 'summary', stamp, alerts: [alert, closed], mention: null, mutes: [mute] }],
  storm: [
    { kind: 'storm', stamp, alerts: [alert, closed], mention: null, mutes: [mute] },
    { kind: 'storm', stamp, alerts: [closed], mention: null, mutes: [] },
  ],
  page: [{ kind: 'page', alerts: [alert, closed], page: 1, pages: 2, mention: null }],
  outage: [
    { kind: 'outage', outages: [{ outage: anOutage, found: null }] },
    {
      kind: 'outage',
      outages: [{ outage: { ...anOutage, untilMs: nowMs }, found: { opened: 3, stillOpen: 2, closed: 5 } }],
    },
  ],
  note: [null, alert].map((about) => ({ kind: 'note', note: aNote('n1'), about })),
  description: [{ kind: 'notice', topic: 'description', alert }],
  file: [fileEntry, { ...fileEntry, why: 'busy', detail: {} }].map((entry) => ({
    kind: 'notice',
    topic: 'file',
    entry,
  })),
  report: [fileEntry, { ...fileEntry, detail: {} }].map(({ detail, ...entry }) => ({
    kind: 'notice',
    topic: 'report',
    entry: { ...entry, detail: { ...detail, report: { ...report, ...took } } },
    health: outage,
  })),
  handoff: [
    {
      ...{ kind: 'notice', topic: 'handoff', entry: anEntry({ act: 'shift_change' }) },
      handoff: {
        ...{ nowMs, open: [alert], mutes: [mute], done: entries, storms: [], flaps: [], happened },
        health: outage,
      },
    },
  ],
  change_notice: entries.map((entry) => ({ kind: 'notice', topic: 'change_notice', entry })),
  mute_expiring: [{ kind: 'mute_expiring', stamp, mute, picture, ...lists }],
  page_failed: [
    {
      kind: 'notice',
      topic: 'page_failed',
      stamp,
      alerts: [alert],
      mention: null,
      sinceMs: nowMs,
      why: 'busy',
    },
  ],
  page_works: [{ kind: 'notice', topic: 'page_works', sinceMs: nowMs, untilMs: nowMs }],
  became_critical: (['critical', 'info'] as const).map((severity) => ({
    kind: 'notice',
    topic: 'became_critical',
    stamp,
    alerts: [{ ...alert, severity }],
    mention: null,
  })),
  mute_ended: [{ kind: 'mute_ended', mute, ...lists }],
  unacknowledged: [
    {
      kind: 'notice',
      topic: 'unacknowledged',
      stamp,
      alerts: [alert],
      isOfList: false,
      mention: null,
      above: null,
    },
    {
      kind: 'notice',
      topic: 'unacknowledged',
      stamp,
      alerts: [free, free],
      isOfList: true,
      mention: null,
      above: null,
    },
    {
      kind: 'notice',
      topic: 'unacknowledged',
      stamp,
      alerts: [free],
      isOfList: false,
      mention: null,
      above: null,
    },
  ],
  picture: [alert, closed].map((one) => ({ kind: 'picture', alert: one, fileId: picture.fileId })),
  flap_reminder: [
    { kind: 'notice', topic: 'flap_reminder', stamp, alerts: [free], mention: null, flaps: null },
  ],
  handed: [
    {
      kind: 'notice',
      topic: 'handed',
      stamp,
      alerts: [alert],
      mention: null,
      to: alert.ackedBy ?? 'U1',
      entry: null,
      isOfList: false,
      above: null,
    },
    {
      kind: 'notice',
      topic: 'handed',
      stamp,
      alerts: [{ ...alert, ackedBy: 'U2' }, closed],
      mention: null,
      to: 'U1',
      entry: null,
      isOfList: true,
      above: null,
    },
  ],
  stale_ack: [
    {
      kind: 'notice',
      topic: 'stale_ack',
      stamp,
      alerts: [alert],
      mention: null,
      owner: 'U1',
      askedMs: nowMs,
    },
    {
      kind: 'notice',
      topic: 'stale_ack',
      stamp,
      alerts: [alert, alert],
      mention: null,
      owner: 'U1',
      askedMs: nowMs,
    },
  ],
  board: [{ kind: 'board', open: [alert], mutes: [mute], health: outage }],
}

const drawing = { png: new Uint8Array(), alt: 'cpu of web-1' }
const asked = { server: 'web-1', page: 1 }
const answers: Each<Answer> = {
  help: [
    { kind: 'help', topic: 'mute' },
    { kind: 'help', topic: null },
  ],
  status: [aStatus({ ...outage, mutes: [mute] })] as Extract<Answer, { kind: 'status' }>[],
  oncall: [
    { kind: 'oncall', health: { ...outage, onCall: null } },
    {
      kind: 'oncall',
      health: {
        ...outage,
        onCall: {
          from: 'the calendar',
          readMs: startedMs,
          knownUntilMs: nowMs + 86_400_000,
          duties: [
            { startMs: startedMs, endMs: nowMs + 1, person: { key: 'ana', name: 'Ana', userId: null } },
            { startMs: nowMs + 1, endMs: nowMs + 2, person: { key: 'ben', name: 'Ben', userId: 'U1' } },
          ],
          skipped: 1,
          skippedWhy: 'busy',
          failing: { sinceMs: startedMs, why: 'busy' },
          lookUpFailed: 'busy',
        },
      },
    },
  ],
  alerts: [
    {
      kind: 'alerts',
      ask: { kind: 'alerts', state: 'open', ...asked },
      list: onePage([alert, closed]),
      mutes: [mute],
      health: outage,
    },
  ],
  mutes: [{ kind: 'mutes', ask: { kind: 'mutes', page: 1 }, list: onePage([mute]) }],
  roles: [null, 'web'].map((about) => ({
    kind: 'roles',
    ask: { kind: 'roles', about, page: 1 },
    list: onePage([{ role: 'web', servers: ['web-1'] }]),
  })),
  triggers: [
    {
      kind: 'triggers',
      ask: { kind: 'triggers', filter: 'cpu', page: 1 },
      list: onePage([{ condition: 'met or exceeded', metric: 'cpu' }]),
    },
  ],
  handoff: [
    {
      kind: 'handoff',
      handoff: {
        ...{ nowMs, open: [alert], mutes: [mute], done: entries, storms: [], flaps: [] },
        happened,
        health: outage,
      },
    },
  ],
  report: [{ kind: 'report', report: { ...report, ...took }, ms: 3_600_000, drawing, health: outage }],
  file: [
    {
      ...{ kind: 'file', fromMs: startedMs, toMs: nowMs, rows: 1, total: 9, health: outage },
      file: { name: 'alerts.csv', bytes: new Uint8Array() },
      outage: { times: 1, ms: 60_000, isSure: false },
    },
  ],
  audit: [{ kind: 'audit', ask: { kind: 'audit', ...asked }, list: onePage(entries) }],
  metrics: [
    { kind: 'metrics', server: 'web-1', ms: 60_000, fitting: null, metrics: ['cpu'] },
    { kind: 'metrics', server: 'web-1', ms: 60_000, fitting: 'cpu', metrics: ['cpu'] },
  ],
  chart: [
    { kind: 'chart', server: 'web-1', metric: 'cpu', drawing, alertId: '1' },
    { kind: 'chart', server: 'web-1', metric: 'cpu', drawing: null, alertId: null },
  ],
}

const everyReply: readonly Reply[] = [
  ...Object.values(replies).flatMap((rows) => rows.map(([reply]) => reply)),
  ...Object.values(refusals).flatMap((rows) =>
    rows.map(([refusal]): Reply => ({ kind: 'refused', refusal: refusal as Refusal })),
  ),
  ...Object.values(answers)
    .flat()
    .map((answer): Reply => ({ kind: 'answer', answer })),
]

const names: Record<FormName, true> = {
  mute_server: true,
  mute_alert: true,
  mute_account: true,
  add_roles: true,
  add_marker: true,
  add_note: true,
  hand_to: true,
  delete_server: true,
  delete_metrics: true,
}
const forms = (Object.keys(names) as FormName[]).map(
  (name): Form => ({
    name,
    alert,
    given: 'web-1',
    ...{ hidesNow: 2, hidLastWeek: 14, maxMs: 3_600_000 },
    matchers: ['namespace="pay"'],
    others: [mute],
    prefill: 'deploy',
  }),
)

/** Every way to be harmed: what is shown of the value with each harmful text in the place of each text. */
function harmOf<T>(value: T, show: (value: T) => unknown): string[] {
  const found = new Set<string>()
  for (const poison of poisons) {
    for (const bad of poisoned(value, poison)) {
      for (const harm of harmIn(shown(() => show(bad)))) found.add(harm)
    }
  }
  return [...found]
}

/** A text may be one of a closed list, which nobody outside can choose: in the place of those it is a bug, and not shown. */
function shown(show: () => unknown): unknown {
  try {
    return show()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null
    throw error
  }
}

const hasLines = (card: CardView) =>
  card.kind === 'note' || (card.kind === 'notice' && card.topic === 'description')

test.each(Object.entries(cards))('a card of the kind %s', (_, views) => {
  for (const card of views as readonly CardView[]) {
    const harm = harmOf(card, (bad) => [render(bad), { text: renderPlain(bad) }])
    // They have the lines that somebody gave them, and nothing of ours stands below.
    expect(harm.filter((one) => !hasLines(card) || !one.startsWith('a line of its own'))).toEqual([])
  }
})

test.each(everyReply.map((reply, at) => [at, reply.kind, reply] as const))(
  'reply %i: %s',
  (_at, _kind, reply) => {
    expect(harmOf(reply, renderReply)).toEqual([])
  },
)

test.each(forms.map((form) => [form.name, form] as const))('the form %s', (_, form) => {
  expect(harmOf(form, (bad) => renderForm(bad, '{}'))).toEqual([])
})

test('the form that comes back with what somebody wrote', () => {
  expect(harmOf('a reason', (written) => outcomeView('add_note', [], written))).toEqual([])
})

test('the Home tab', () => {
  expect(
    harmOf({ open: [alert], mutes: [mute], health: outage }, (bad) => ({ blocks: renderHome(bad) })),
  ).toEqual([])
})

test('no message asks Slack to make calls and links of plain words', () => {
  const root = new URL('../../src/bot/slack/', import.meta.url).pathname
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  const asking = files.filter((file) =>
    /\blink_names\b|\bparse: '|\bmrkdwn_in\b/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(files.length).toBeGreaterThan(30)
  expect(asking).toEqual([])
})

describe('the control', () => {
  test.each([
    ['a call', { text: 'x <!channel>' }],
    [
      'a call in a block',
      { blocks: [{ type: 'section', text: { type: 'mrkdwn', verbatim: true, text: '<!here>' } }] },
    ],
    ['a masked link', { text: '<https://evil.example|https://bank.example>' }],
    ['a text that Slack would make links and calls of', { text: { type: 'mrkdwn', text: '@here' } }],
    ['a text that is turned around', { blocks: [{ text: { type: 'plain_text', text: 'a\u202Eb' } }] }],
    ['code', { text: '`Qx`' }],
    ['an address that is none', { image_url: 'javascript:alert(1)' }],
    ['half a tag', { text: 'a < b' }],
  ])('%s is found', (_, rendered) => {
    expect(harmIn(rendered)).not.toEqual([])
  })
})
