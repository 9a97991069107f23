/** A bot without loops in a few lines: a monitoring that lists what a test says, a Slack that takes everything, and a clock by hand. */
import { minute, second } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { isImplausible, reconcile } from '../../../src/bot/decide/reconcile.ts'
import { heldBy } from '../../../src/bot/decide/rounds.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import type { Alert, Mute, Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, muteOf, policyOf, sceneOf } from '../worlds/builders.ts'
import { listingOf, type Said, saidOf } from './listing.ts'

export const beginMs = Date.UTC(2026, 10, 28, 3)
export const step = { afterMs: 15 * minute, match: null, mention: null, channel: null, page: false }

export function openLittle(over: Partial<Policy> = {}, beginsEmpty = true) {
  const world = new World()
  const state = { nowMs: beginMs, policy: policyOf(over), listed: [] as Said[] }
  const scene = () => sceneOf(world, { nowMs: state.nowMs, policy: state.policy, pager: 'webhook' })
  const little = {
    world,
    scene,
    state,
    /** The monitoring lists these, and the bot decides. */
    poll(said: readonly Said[], how?: Parameters<typeof listingOf>[1]): void {
      state.listed = [...said]
      const listing = listingOf(said, how)
      if (!isImplausible(scene(), listing)) reconcile(scene(), listing)
      announce(scene())
    },
    /** Opens these besides what is open. */
    open(...some: readonly Partial<Said>[]): void {
      const said = some.map((one) => saidOf({ startedMs: state.nowMs, ...one }))
      little.poll([...state.listed, ...said])
    },
    close(...numbers: readonly string[]): void {
      little.poll(state.listed.map((one) => (numbers.includes(one.number) ? { ...one, isOver: true } : one)))
    },
    /** The monitoring is read and the bot decides every few seconds, as long as time passes; Slack takes what there is. */
    wait(ms: number, isSlackThere = true): void {
      const untilMs = state.nowMs + ms
      while (state.nowMs < untilMs) {
        if (isSlackThere) little.send()
        state.nowMs = Math.min(state.nowMs + 5 * second, untilMs)
        announce(scene())
      }
    },
    send(): void {
      const { nowMs } = state
      for (const { id, state: is, channel } of world.posts.values())
        if (is === 'new' && !Object.hasOwn(world.fact('shut') ?? {}, channel))
          world.patch('posts', id, { state: 'live', ts: `${nowMs}`, sentMs: nowMs, firstSentMs: nowMs })
    },
    hold(number: string, holder: string | null, snoozeMs = 0): void {
      const snooze =
        holder === null || snoozeMs === 0 ? null : { by: holder, untilMs: state.nowMs + snoozeMs }
      world.patch('alerts', little.alert(number).id, heldBy(holder, state.nowMs, snooze))
      announce(scene())
    },
    mute(subject: string, forMs: number, mute: Partial<Mute> = {}): Mute {
      const { nowMs } = state
      const id = mute.id ?? `mute-${world.mutes.size + 1}`
      const untilMs = nowMs + forMs
      const made = { id, subject, fromMs: nowMs, untilMs, maxUntilMs: untilMs, act: `act-${id}`, ...mute }
      world.put('acts', actOf({ id: made.act, atMs: nowMs, subject, data: { mutes: [id] } }))
      world.put('mutes', muteOf(made))
      announce(scene())
      return world.mutes.get(id) as Mute
    },
    shut(...channels: readonly string[]): void {
      const shut = { sinceMs: state.nowMs, why: 'is_archived', nextMs: state.nowMs }
      world.setFact('shut', Object.fromEntries(channels.map((channel) => [channel, shut])))
      announce(scene())
    },
    /** The newest opening of a number. */
    alert(number: string): Alert {
      const found = [...world.alerts.values()].filter((one) => one.number === number).at(-1)
      if (found === undefined) throw new Error(`expected an alert ${number}; none is known`)
      return found
    },
    posts: (...kinds: readonly Post['kind'][]): Post[] =>
      [...world.posts.values()].filter(({ kind }) => kinds.includes(kind)),
    /** Cards in short: `C0 ! 1 2` is a loud one in C0 that shows the alerts 1 and 2; `~` is a quiet one. */
    cards: (...kinds: readonly Post['kind'][]): string[] =>
      [...world.posts.values()]
        .filter(({ kind }) => (kinds.length === 0 ? ['alert', 'list'] : kinds).includes(kind))
        .map(({ channel, isLoud, shows }) => {
          const numbers = shows.map(({ alert }) => world.alerts.get(alert)?.number)
          return [channel, isLoud ? '!' : '~', ...numbers].join(' ')
        }),
    pages: (): string[] =>
      [...world.effects.values()]
        .filter(({ does }) => does === 'page')
        .map(({ data }) => `${data.type} ${data.alerts?.map((id) => world.alerts.get(id)?.number).join()}`),
  }
  if (beginsEmpty) {
    // Something was there once, so the first poll is over and an empty list is believed.
    little.poll([saidOf({ number: 'first', host: 'old', startedMs: beginMs - minute, isOver: true })])
    state.listed = [saidOf({ number: 'first', host: 'old', startedMs: beginMs - minute, isOver: true })]
    little.wait(30 * second)
  }
  return little
}
