/** Whatever the records hold, Slack takes the message, and it mentions nobody whom the policy does not name. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAlerts } from '../../../src/bot/acts/alerts.ts'
import { ruleRows } from '../../../src/bot/decide/notices.ts'
import { homeView } from '../../../src/bot/view/board.ts'
import * as forms from '../../../src/bot/view/forms.ts'
import { reportView } from '../../../src/bot/view/notices.ts'
import { type View, viewHash, viewOf } from '../../../src/bot/view/view.ts'
import type { Alert, Post, PostKind } from '../../../src/bot/world/types.ts'
import { checkBlocks, checkView, textLength } from '../../../src/workspace/blocks/check.ts'
import { contextOf } from '../acts/records.ts'
import { actOf, alertOf, muteOf, postOf } from '../worlds/builders.ts'
import { nowMs, sceneOf } from './seen.ts'

const seed = Number(process.env.SEED ?? 40)

const hostile = fc.oneof(
  fc.constantFrom(
    '<!channel>',
    '<@U123>',
    '<https://evil.example|bank>',
    '&amp;'.repeat(700),
    '🚨'.repeat(3_000),
    '<'.repeat(3_000),
    '*_~`>',
    ':fire:',
    '\u202eabc',
    '\ud800',
    '',
    ' ',
    'a'.repeat(3_000),
    '<!date^1^{date}^https://evil.example|x>',
  ),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const time = fc.constantFrom(0, nowMs - 3_600_000, nowMs, nowMs + 60_000, 1e14)
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const numeric = maybe(fc.double())

const alertArb = fc
  .record({
    ...{ number: hostile, host: hostile, server: hostile, title: hostile, plugin: hostile },
    ...{
      metric: maybe(hostile),
      value: numeric,
      url: maybe(hostile),
      startedMs: time,
      unlistedMs: maybe(time),
    },
    ...{
      closedMs: maybe(time),
      closedAfterMs: maybe(time),
      closedBy: maybe(hostile),
      holder: maybe(hostile),
    },
    ...{ severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const) },
    ...{ isOneoff: fc.boolean(), reopened: fc.nat(3), reopenedFromMs: maybe(time) },
    details: fc.record({
      ...{
        labels: fc.dictionary(hostile, hostile, { maxKeys: 5 }),
        description: maybe(hostile),
        units: maybe(hostile),
      },
      ...{
        links: fc.array(fc.record({ text: hostile, url: fc.webUrl() }), { maxLength: 5 }),
        limit: numeric,
      },
      ...{ side: maybe(fc.constantFrom('high' as const, 'low' as const)), canMute: fc.boolean() },
      ...{ severity: maybe(hostile), trouble: maybe(hostile), triggerId: maybe(hostile) },
    }),
    mutedBy: fc.array(
      fc.record({
        ...{
          kind: fc.constantFrom('silence' as const, 'inhibition' as const),
          id: maybe(hostile),
          ours: fc.boolean(),
        },
        ...{ by: maybe(hostile), untilMs: maybe(time), why: maybe(hostile) },
      }),
      { maxLength: 5 },
    ),
  })
  .map((over): Partial<Alert> => over)

const muteArb = fc.record({
  ...{
    name: hostile,
    by: hostile,
    reason: hostile,
    fromMs: time,
    untilMs: maybe(time),
    untilFine: fc.boolean(),
  },
  subject: fc.constantFrom('account', 'server:web-1', 'alert:x', 'labels:y'),
  ended: maybe(
    fc.record({ atMs: time, by: fc.oneof(hostile, fc.constantFrom('time', 'refused')), why: hostile }),
  ),
})
const actArb = fc.record({
  kind: fc.constantFrom('mute', 'plan', 'marker', 'hand', 'add_roles', 'delete_metric', 'note', 'paged'),
  ...{
    by: hostile,
    subject: hostile,
    outcome: fc.constantFrom('done', 'unknown', 'failed', 'refused', 'asked'),
  },
  data: fc.record({
    text: hostile,
    to: hostile,
    why: hostile,
    roles: fc.array(hostile),
    names: fc.array(hostile),
  }),
})
const kinds: readonly PostKind[] = [
  ...['alert', 'list', 'lines', 'aloud', 'remind', 'forgotten', 'said', 'line', 'outage', 'board'],
  ...['shift', 'report', 'dm', 'hello', 'chart'],
] as PostKind[]

const worldArb = fc.record({
  alerts: fc.array(alertArb, { maxLength: 90 }),
  mutes: fc.array(muteArb, { maxLength: 30 }),
  act: actArb,
  isMany: fc.boolean(),
})
type Given = ReturnType<(typeof worldArb)['generate']>['value']

function sceneAndPosts({ alerts: given, mutes: muted, act, isMany }: Given) {
  const some = given.map((over, n) => alertOf({ ...over, id: `a${n}`, key: `a${n}` }))
  const alerts = isMany ? [...some, ...Array.from({ length: 300 }, (_, n) => alertOf({ id: `b${n}` }))] : some
  const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: 0 }))
  const acts = [actOf({ ...(act as object), alert: 'a0' }), actOf({ id: 'n', kind: 'note', data: act.data })]
  const mutes = muted.map((over, n) => muteOf({ ...over, id: `m${n}` }))
  const card = postOf({ id: 'card', state: 'live', ts: '1.5', shows })
  const note = postOf({ id: 'note', kind: 'line', thread: 'card', data: { act: 'n' } })
  const picture = { file: 'F01234567', key: 'k' }
  const posts = kinds.map((kind) =>
    postOf({
      id: `${kind}:1`,
      kind,
      shows,
      thread: 'card',
      picture,
      mention: '<!subteam^S1>',
      data: { act: 'act-1' },
    }),
  )
  const facts = {
    roles: { atMs: 0, servers: Object.fromEntries(some.map(({ host, server }) => [server, [host]])) },
    failing: { sinceMs: 0, count: 1, why: act.data.text, toldMs: null },
    slack: { teamUrl: 'https://t.slack.com/', teamId: 'T', botId: 'B', botUserId: 'U' },
  }
  const policy = { links: [{ match: {}, text: act.data.why, url: 'https://w.example/{server}/{plugin}' }] }
  return {
    scene: sceneOf({ alerts, posts: [card, note, ...posts], acts, mutes, facts, policy }),
    posts,
    alerts,
  }
}

function faultsOf(view: View): unknown[] {
  const mrkdwn = [view.text]
  JSON.stringify(view.blocks, (_, value) => {
    if (value?.type === 'mrkdwn') mrkdwn.push(value.text)
    return value
  })
  const entities = (mrkdwn.join('\n').match(/<[!@#][^>]*>/g) ?? []).filter(
    (entity) => !/^<(?:!date\^\d+\^[^>^]*\|[^>]*|!subteam\^S1|@(?!U123)[UW][A-Z0-9]+|#C0)>$/.test(entity),
  )
  return [
    ...checkBlocks(view.blocks),
    ...entities,
    ...(view.text.length > 4_000 || view.text.trim() === '' ? [`text of ${view.text.length}`] : []),
    ...(view.blocks.length > 50 ? [`${view.blocks.length} blocks`] : []),
    ...(textLength(view.blocks) > 12_000 ? [`${textLength(view.blocks)} characters`] : []),
  ]
}

function faultsOfPost(post: Post, scene: ReturnType<typeof sceneOf>): unknown[] {
  const view = viewOf(post, scene)
  const isSame = viewHash(viewOf(post, scene)) === viewHash(view)
  return [...faultsOf(view), ...(isSame ? [] : ['another view of the same world'])]
}

describe('every message that any records make', () => {
  test('is one that Slack takes', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(worldArb, (given) => {
        const { scene, posts } = sceneAndPosts(given)
        for (const post of posts) expect([post.kind, ...faultsOfPost(post, scene)]).toEqual([post.kind])
        const home = homeView('UBEN', scene)
        expect(checkView(home)).toEqual([])
        expect(JSON.stringify(home).length).toBeLessThan(250_000)
      }),
      { seed, numRuns: 40 },
    )
  })

  test('so are the tables', async () => {
    const property = fc.asyncProperty(worldArb, async (given) => {
      const { scene, alerts } = sceneAndPosts(given)
      const past = alerts.map((one) => ({ ...one, closedMs: one.closedMs ?? nowMs }))
      const reads = { pastAlerts: async () => past }
      for (const one of past) scene.world.put('alerts', one)
      const reply = await listAlerts('closed', contextOf(scene, reads))
      const views = [
        reply.kind === 'say' ? reply.render(scene) : null,
        reportView(ruleRows(past, 0, 2e14), 0, nowMs),
      ]
      expect(views.flatMap((view) => (view === null ? ['no view'] : faultsOf(view)))).toEqual([])
      expect(views.map((view) => view?.blocks.some(({ type }) => type === 'table'))).toEqual([
        past.length > 0,
        past.length > 0,
      ])
    })
    await fc.assert(property, { seed, numRuns: 40 })
  })

  test('so are the forms', () => {
    fc.assert(
      fc.property(worldArb, (given) => {
        const { scene, alerts } = sceneAndPosts(given)
        const [alert = alertOf()] = alerts
        const value = { alert: alert.id, post: 'list:1:C0' }
        const all = [
          ...[forms.muteForm(alert, value, scene), forms.accountForm(value, scene), forms.markerForm(value)],
          ...[forms.serversForm(alerts, value, scene), forms.noteForm(alert.title, value)],
          ...[forms.handForm(alert.title, value), forms.rolesForm(alert.server, [alert.host], value)],
        ]
        expect(all.flatMap(checkView)).toEqual([])
      }),
      { seed, numRuns: 30 },
    )
  })
})
