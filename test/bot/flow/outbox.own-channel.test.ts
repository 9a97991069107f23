/** What is posted in a channel tells of what stands there: people of one channel do not read what another's alerts and mutes are. */
import { expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { muting, mutingAccountOver } from '../../support/acting-world.ts'
import { minuteMs, movingTown, usual } from '../../support/moving-town.ts'

const customers = {
  ...usual,
  routes: ['acme', 'blue'].map((name) => ({
    match: { server: `${name}-*` },
    channel: `C0${name.toUpperCase()}`,
    mention: null,
  })),
}

async function town(over: Parameters<typeof movingTown>[0] = {}) {
  const it = await movingTown({ ...customers, ...over })
  const views = <Kind extends CardView['kind']>(kind: Kind, channel: string) =>
    it.chat.messages.flatMap((one) =>
      one.channel === channel && one.view.kind === kind ? [one.view as unknown as CardView<Kind>] : [],
    )
  return { ...it, views, words: (view: CardView) => JSON.stringify(render(view)) }
}

type Town = Awaited<ReturnType<typeof town>>

async function mute(it: Town, names: readonly string[], channel: string, reason: string, minutes = 300) {
  const asked = await it.does(
    muting(names, { end: { kind: 'for', ms: minutes * minuteMs }, reason }),
    channel,
  )
  if (asked.kind === 'confirm') await it.does({ kind: 'confirm', pendingId: asked.pendingId }, channel)
}

test("one customer's board showed another's alerts, and why somebody muted them", async () => {
  const it = await town({ board: true })
  for (const hostname of ['acme-1', 'acme-2', 'blue-1', 'web-1']) it.service.open({ hostname })
  await it.pass(1)
  await mute(it, ['blue-1'], 'C0OPS', 'blue has not paid')
  await mute(it, ['web-9'], 'C0OPS', 'own work')
  // It hides what would stand there.
  it.service.open({ hostname: 'blue-1', metric: 'hidden' })
  await it.pass(2)
  const [acme] = it.views('board', 'C0ACME')
  const [blue] = it.views('board', 'C0BLUE')
  const [rest] = it.views('board', 'C0OPS')
  const of = (board: CardView<'board'> | undefined) => [
    board?.open.map(({ hostname }) => hostname).sort(),
    board?.mutes.map(({ subject: hostname }) => hostname).sort(),
    board?.elsewhere,
  ]
  expect(of(acme)).toEqual([['acme-1', 'acme-2'], [], { open: 3, muted: 2 }])
  expect(of(blue)).toEqual([['blue-1', 'blue-1'], ['blue-1'], { open: 3, muted: 1 }])
  expect(of(rest)).toEqual([['web-1'], ['blue-1', 'web-9'], { open: 4, muted: 0 }])
  for (const board of it.views('board', 'C0ACME')) {
    expect(it.words(board)).toContain('In other channels: 3 open, 2 muted')
    expect(it.words(board)).not.toMatch(/blue|paid|web-/)
  }
})

test('nothing is open here, but elsewhere: the board says so, and is green', async () => {
  const it = await town({ board: true })
  it.service.open({ hostname: 'blue-1' })
  await it.pass(2)
  const [acme] = it.views('board', 'C0ACME')
  if (acme === undefined) throw new Error('there is a board')
  expect(it.words(acme)).toContain('No open alerts here')
  expect(it.words(acme)).toContain('In other channels: 1 open')
})

test("the end of the account's mute told every channel what is open in all of them", async () => {
  const it = await town()
  it.service.open({ hostname: 'acme-1' })
  it.service.open({ hostname: 'blue-1' })
  await it.pass(1)
  await it.does(mutingAccountOver(2))
  await it.pass(70)
  for (const [channel, own, other] of [
    ['C0ACME', 'acme-1', 'blue-1'],
    ['C0BLUE', 'blue-1', 'acme-1'],
  ] as const) {
    const [ended] = it.views('mute_ended', channel)
    expect(ended).toMatchObject({ open: [{ hostname: own }], elsewhere: 1 })
    expect(
      it.chat.messages
        .filter((one) => one.channel === channel)
        .map(({ view }) => it.words(view))
        .join(),
    ).not.toContain(other)
    expect(it.words(ended as CardView)).toContain('In other channels: 1 open alert.')
  }
})

test('a mute of several servers told each of their channels the names of all', async () => {
  const it = await town()
  for (const hostname of ['acme-1', 'blue-1', 'blue-2']) it.service.open({ hostname })
  await it.pass(1)
  await mute(it, ['acme-1', 'blue-1', 'blue-2'], 'C0OPS', 'deploying', 30)
  await it.pass(40)
  const said = (channel: string) =>
    it.chat.messages
      .filter((one) => one.channel === channel)
      .map(({ view }) => it.words(view))
      .join()
  expect(said('C0ACME')).toContain('deploying')
  expect(said('C0ACME')).not.toContain('blue')
  expect(said('C0BLUE')).toMatch(/2 servers.*blue-1, blue-2|blue-1.*blue-2/)
  expect(said('C0BLUE')).not.toContain('acme')
  expect(said('C0OPS')).toContain('3 servers')
})

test('what is open on the same server and told elsewhere stood on the card', async () => {
  const routes = [{ match: { metric: 'secret' }, channel: 'C0ACME', mention: null }]
  const it = await town({ routes })
  it.service.open({ hostname: 'web-1', metric: 'secret' })
  it.service.open({ hostname: 'web-1', metric: 'one' })
  it.service.open({ hostname: 'web-1', metric: 'two' })
  await it.pass(2)
  const also = it
    .views('alert', 'C0OPS')
    .map(({ alert, alsoOpen }) => [alert.metric, alsoOpen.map(({ metric }) => metric)])
  expect(also).toEqual([
    ['one', ['two']],
    ['two', ['one']],
  ])
  expect(it.views('alert', 'C0ACME')[0]?.alsoOpen).toEqual([])
})
