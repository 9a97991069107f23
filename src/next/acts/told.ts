/** How an act is recorded, and where people read of it: on its card, in the card's thread, or as a message of a channel. */
import { channelsOf } from '../decide/channels.ts'
import { want } from '../decide/new-post.ts'
import { isCard } from '../decide/standing.ts'
import { actions, button, section, viewOfBlocks } from '../view/blocks.ts'
import type { Scene } from '../view/scene.ts'
import { seenOf } from '../view/values.ts'
import type { Act, ActData, ActKind, Alert, Effect, EffectData, Post } from '../world/types.ts'
import type { Ask, Reply } from './act.ts'

type Done = {
  readonly kind: ActKind
  readonly subject: string
  readonly alert?: string
  readonly host?: string
  readonly outcome?: Act['outcome']
  readonly data?: ActData
}

export function record(
  { world, nowMs }: Scene,
  ask: Ask,
  { outcome = 'done', data = {}, ...done }: Done,
): Act {
  const channel = ask.channel === null ? {} : { channel: ask.channel }
  const act: Act = {
    id: world.nextId(nowMs),
    atMs: nowMs,
    by: ask.person.id,
    ...channel,
    ...done,
    outcome,
    data,
  }
  world.put('acts', act)
  return act
}

/** The card's channel, the channel that it was typed in if alerts go there, else the default one. */
export function channelOf(
  { policy, defaultChannel }: Scene,
  { channel }: Ask,
  card: Post | null = null,
): string {
  if (card !== null) return card.channel
  return channel !== null && channelsOf(policy, defaultChannel).includes(channel) ? channel : defaultChannel
}

/** A message of its own, edited through the act's life. */
export function tellAloud({ world, nowMs }: Scene, act: Act, channel: string): void {
  want(world, nowMs, {
    id: `said:${act.id}:${channel}`,
    kind: 'said',
    channel,
    data: { act: act.id },
    urgency: 0,
  })
}

/** A line in the thread of a card. */
export function tellInThread({ world, nowMs }: Scene, act: Act, card: Post): void {
  const { id: thread, channel, forChannel } = card
  want(world, nowMs, {
    id: `line:${act.id}:${thread}`,
    kind: 'line',
    channel,
    forChannel,
    thread,
    data: { act: act.id },
    urgency: 0,
  })
}

/** The living message on which an alert stands. */
export function cardOf({ world }: Scene, alert: Alert): Post | null {
  const cards = world.postsAbout(alert.id).filter((post) => isCard(post) && post.state !== 'dead')
  return cards.find(({ kind }) => kind === 'alert') ?? cards[0] ?? null
}

/** What a person just did is shown before anything else. */
export function hurry({ world }: Scene, alerts: Iterable<string>): void {
  for (const id of alerts)
    for (const post of world.postsAbout(id))
      if (isCard(post) && post.urgency > 0) world.patch('posts', post.id, { urgency: 0 })
}

/** One call of the monitoring API, made once, whose outcome decides the act's. */
export function wantEffect(
  { world, nowMs }: Scene,
  act: Act,
  does: Effect['does'],
  data: EffectData,
): string {
  const id = `${does}:${act.id}`
  world.put('effects', {
    id,
    does,
    data,
    state: 'new',
    tries: 0,
    dueMs: nowMs,
    atMs: nowMs,
    why: null,
    act: act.id,
  })
  return id
}

/** The same sentence as its message says. */
export function sayAct(id: string, sentence: (act: Act) => string, waitsFor: readonly string[] = []): Reply {
  const render = ({ world }: Scene) => {
    const act = world.acts.get(id)
    return viewOfBlocks([section(act === undefined ? 'Done' : sentence(act))])
  }
  return { kind: 'say', waitsFor, render }
}

/** The button was pressed on what is no longer so: what is now stands on the card, which is edited. */
export function isChanged({ world, nowMs }: Scene, alert: Alert, seen: string | undefined): boolean {
  return seen !== undefined && seen !== seenOf([alert], world, nowMs)
}

export const changed: Reply = { kind: 'refuse', text: 'This changed meanwhile. Look at the card again.' }
export const tooOld: Reply = { kind: 'refuse', text: 'This message is too old to act on.' }

/** Asks first: what it is about to do, and a button whose id begins with `confirm`. */
export function askFirst(lines: readonly string[], id: string, label: string, words: string): Reply {
  const yes = button({ id, label, value: { words }, style: 'danger' })
  return {
    kind: 'say',
    render: () => viewOfBlocks([section(lines.join('\n')), ...actions('confirm', [yes])]),
  }
}
