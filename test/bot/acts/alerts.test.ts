/** `/mon alerts`: what is listed for what people type, and what is never green. */
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/bot/acts/action.ts'
import { alerts } from '../../../src/bot/acts/alerts.ts'
import { minute } from '../../../src/bot/clock.ts'
import type { World } from '../../../src/bot/world/world.ts'
import { cellsOf } from '../view/seen.ts'
import {
  alert,
  answerTo,
  closed,
  contextOf,
  details,
  mute,
  nowMs,
  offered,
  sceneOf,
  told,
  worldOf,
} from './records.ts'

const pay = { ...details, labels: { namespace: 'pay-eu', team: 'red team' } }
const fleet = () => {
  const world = worldOf({
    alerts: [
      alert('101', { severity: 'critical', startedMs: nowMs - 30 * minute }),
      alert('102', { host: 'web-3', server: 'web-3', startedMs: nowMs - 5 * minute }),
      alert('103', { host: 'db-1', server: 'Main DB', holder: 'U1', details: pay }),
      alert('104', { host: 'db-2', server: 'db-2', holder: 'U2', severity: 'info' }),
      closed('105', 4 * minute, { host: 'open', server: 'open' }),
    ],
  })
  world.setFact('roles', { atMs: nowMs, servers: { web: ['web-2', 'web-3'], db: ['db-1', 'db-2'] } })
  return world
}

async function ask(
  words: string,
  world: World,
): Promise<{ text: string; numbers: string; offers: string[] }> {
  const scene = sceneOf(world)
  const reply = await answerTo(alerts, words, contextOf(scene))
  const text = told(reply, scene)
  return {
    text,
    numbers: [...text.matchAll(/#(\d+)/g)].map(([, number]) => number).join(' '),
    offers: offered(reply),
  }
}

describe('which, and in which order', () => {
  test.each([
    ['', '101 102 103 104', 'nobody is on the first two; the critical one first'],
    ['unacked', '101 102', 'that nobody is on'],
    ['mine', '103', 'that the asker is on'],
    ['critical', '101', 'by severity'],
    ['critical info', '101 104', 'either of two'],
    ['severity=crit*', '101', 'severity as a pattern'],
    ['role=db', '103 104', 'by role'],
    ['role=db info', '104', 'all filters hold'],
    ['namespace=pay-*', '103', 'a label, as a pattern'],
    ['team="red team"', '103', 'a value with a space'],
    ['web-*', '101 102', 'a pattern of servers'],
    ['web-2,db-2', '101 104', 'two servers'],
    ['"Main DB"', '103', 'a display name in quotes'],
    ['closed', '105', 'closed ones'],
    ['"open" closed', '105', 'quotes make a keyword a name'],
    ['all web-2', '101', 'open or closed'],
    ['page 7', '101 102 103 104', 'a page beyond the end is the last one'],
  ])('%s', async (words, wanted, _why) => {
    expect((await ask(words, fleet())).numbers).toBe(wanted)
  })
})

test('closed alerts are a table, in which nothing is markup but what we made', async () => {
  const startedMs = nowMs - 24 * minute
  const end = { closedMs: nowMs, closedAfterMs: 24 * minute, closedBy: 'end', url: 'https://m.example/a?b&c' }
  const known = closed('106', 0, { startedMs, ...end, server: '<!channel> & co', holder: 'U2' })
  const unknown = closed('107', 0, { title: '*up* <@U3>', metric: null, value: null, closedAfterMs: null })
  const scene = sceneOf(worldOf({ alerts: [known, unknown] }))
  const reply = await answerTo(alerts, 'closed', contextOf(scene))
  const view = reply instanceof Refusal || reply.kind !== 'say' ? null : reply.render(scene)
  const date = { type: 'date', format: '{date_short_pretty} {time}' }
  expect(view === null ? [] : cellsOf(view)).toMatchObject([
    ['Server', 'Alert', 'Closed', 'Open for', 'Who', 'No.'],
    [
      { type: 'link', url: end.url, text: '<!channel> & co' },
      'CPU busy 97%',
      { ...date, timestamp: nowMs / 1000, fallback: '2026-11-21 12:00 UTC' },
      '24 min',
      { type: 'user', user_id: 'U2' },
      '#106',
    ],
    ['web-2', 'CPU: \u2217up\u2217 <@U3>', date, '–', '–', '#107'],
  ])
})

describe('what nothing here answers to is said, with what may have been meant', () => {
  test.each([
    ['foo=bar', 'No alert here has the label `foo`.', []],
    [
      'namespce=pay-eu',
      'No alert here has the label `namespce`. Did you mean namespace=pay-eu?',
      ['alerts namespace=pay-eu'],
    ],
    [
      'team=redteam',
      'No alert here has `team=redteam`. Did you mean team="red team"?',
      ['alerts team="red team"'],
    ],
    ['severity=urgent', 'No alert here has `severity=urgent`.', []],
    ['role=dbb', 'No server here has `role=dbb`. Did you mean role=db?', ['alerts role=db']],
    ['critcal', 'No server `critcal`. Did you mean critical?', ['alerts critical']],
    ['mail-7', 'No such server. Search: `/mon roles`.', []],
  ])('%s', async (words, text, offers) => {
    const reply = await ask(words, fleet())
    expect([reply.text, reply.offers]).toEqual([text, offers])
  })
})

describe('the first line when nothing is open', () => {
  test.each([
    ['all is well', () => {}, '🟢 *No open alerts*'],
    [
      'everything is muted',
      (world: World) => world.put('mutes', mute('m', 'account', { name: 'everything' })),
      '🔕 <@U1> muted *everything*',
    ],
    [
      'the monitoring is down',
      (world: World) =>
        world.setFact('failing', { sinceMs: nowMs, count: 3, why: 'timed out', toldMs: null }),
      '⚠️ *Monitoring has been down since ',
    ],
    [
      'nothing was ever read',
      (world: World) => world.remove('facts', 'polled', 'gone'),
      "⚪ *The monitoring hasn't been read yet*",
    ],
  ])('%s', async (_why, change, begin) => {
    const world = worldOf({})
    change(world)
    const { text } = await ask('', world)
    expect([text.slice(0, begin.length), text.includes('🟢')]).toEqual([begin, begin.startsWith('🟢')])
  })
})

test('A filter is never green where the monitoring is down', async () => {
  const world = fleet()
  world.setFact('failing', { sinceMs: nowMs, count: 1, why: 'timed out', toldMs: null })
  expect((await ask('warning db-2', world)).text).not.toContain('🟢')
})

test('A long list has pages', async () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    alert(String(200 + at), { host: `h${at}`, server: `h${at}` }),
  )
  const scene = sceneOf(worldOf({ alerts: many }))
  const reply = await alerts.command?.('warning page 2', contextOf(scene))
  const view = reply?.kind === 'say' ? reply.render(scene) : null
  const buttons = (view?.blocks ?? []).flatMap((block) => (block.type === 'actions' ? block.elements : []))
  const commands = buttons.map((one) => ('value' in one && one.value ? JSON.parse(one.value).words : ''))
  expect([view?.text.includes('Page 2 of 3'), commands]).toEqual([
    true,
    ['alerts warning page 1', 'alerts warning page 3'],
  ])
})
