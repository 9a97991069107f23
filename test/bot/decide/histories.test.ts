/** The laws of announcing over seeded histories, and that they notice each rule that is broken. `SEED=7` plays one. */
import { expect, it } from 'vitest'
import { type Limits, usualLimits, wantPosts } from '../../../src/bot/decide/missing.ts'
import { endMutes } from '../../../src/bot/decide/mute-times.ts'
import { page } from '../../../src/bot/decide/paging.ts'
import { keepRounds, remind, wantAloud } from '../../../src/bot/decide/rounds.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import { type Announce, playHistory } from './driver.ts'

const only = process.env.SEED === undefined ? null : Number(process.env.SEED)
const histories = Number(process.env.HISTORIES ?? 60)

it(`every audible alert is heard, once, and its calls end: ${histories} histories`, () => {
  const seeds = only === null ? Array.from({ length: histories }, (_, at) => at + 1) : [only]
  expect(seeds.flatMap((seed) => playHistory(seed))).toEqual([])
})

type Parts = { readonly [name in 'mutes' | 'posts' | 'rounds' | 'aloud' | 'reminders' | 'pages']: Announce }
const parts: Parts = {
  mutes: endMutes,
  posts: wantPosts,
  rounds: keepRounds,
  aloud: wantAloud,
  reminders: remind,
  pages: page,
}
const broken = (over: Partial<Parts>) => (scene: Scene) => {
  for (const part of Object.values({ ...parts, ...over })) part(scene)
}
const limited = (limits: Partial<Limits>) =>
  broken({ posts: (scene) => wantPosts(scene, { ...usualLimits, ...limits }) })
const nothing = () => {}

/** Whoever is on it is forgotten. */
function roundsForAll(scene: Scene): void {
  keepRounds(scene)
  for (const { id, holder, rounds } of scene.world.open.values())
    if (holder !== null)
      scene.world.patch('alerts', id, { round: { count: rounds + 1, fromMs: scene.nowMs } })
}

/** A round that goes on through a mute or a person has no reminder of its own. */
function oneRoundForEver(scene: Scene): void {
  const before = new Map([...scene.world.open.values()].map(({ id, round }) => [id, round]))
  keepRounds(scene)
  for (const { id, round } of scene.world.open.values()) {
    const first = before.get(id) ?? null
    if (round === null && first !== null) scene.world.patch('alerts', id, { round: first })
  }
}

it.each([
  [
    'lets old cards take what comes back after ten minutes',
    limited({ joinsCardWithinMs: Number.POSITIVE_INFINITY }),
  ],
  ['lets lists take joins for ever', limited({ joinsListWithinMs: Number.POSITIVE_INFINITY })],
  ['posts as many singles as there are', limited({ singlesMax: 100 })],
  ['tells nothing aloud', broken({ aloud: nothing })],
  ['never reminds', broken({ reminders: nothing })],
  ['never pages', broken({ pages: nothing })],
  ['never ends a mute', broken({ mutes: nothing })],
  ['posts nothing', broken({ posts: nothing })],
  ['forgets who is on it', broken({ rounds: roundsForAll })],
  ['goes on with one round for ever', broken({ rounds: oneRoundForEver })],
])('the laws notice a bot that %s', (_, announcing) => {
  const seeds = Array.from({ length: 40 }, (_, at) => at + 1)
  expect(seeds.some((seed) => playHistory(seed, announcing).length > 0)).toBe(true)
})

it('the laws hold of the same parts where nothing is broken', () => {
  expect([1, 2, 3, 4, 5].flatMap((seed) => playHistory(seed, broken({})))).toEqual([])
})
