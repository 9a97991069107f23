/** How an act is recorded, and where people read of it: on its card, in the card's thread, or as a message of a channel. */
import { channelsOf, isCard } from '../decide/standing.ts'
import { type ActWish, note, want, wantEffect, wantLine } from '../decide/want.ts'
import { actions, type ButtonWish, button, section, sections, viewOfBlocks } from '../view/blocks.ts'
import { actSentence } from '../view/said.ts'
import type { Scene, View } from '../view/view.ts'
import { headlineWords, joined } from '../view/words.ts'
import type { Act, Alert, Effect, EffectData, Mute, Post } from '../world/types.ts'
import type { Ask, Context, Reply } from './action.ts'

const namesMax = 20

type Say = Extract<Reply, { kind: 'say' }>

export function ofAlert(alert: Alert) {
  return { subject: headlineWords(alert), alert: alert.id, host: alert.host }
}

export function record({ scene, ask: { person, channel } }: Context, wish: ActWish): Act {
  return note(scene(), { by: person.id, ...(channel !== null && { channel }), ...wish })
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

/** A message of its own, edited through the act's life; its post's id. */
export function tellAloud({ world, nowMs }: Scene, act: Act, channel: string): string {
  const id = `said:${act.id}:${channel}`
  want(world, nowMs, { id, kind: 'said', channel, data: { act: act.id }, urgency: 0 })
  return id
}

/** A line in the thread of a card; its post's id. */
export function tellInThread(scene: Scene, act: Act, card: Post): string {
  return wantLine(scene, act.id, card, 0)
}

/** The living message on which an alert stands. */
export function cardOf({ world }: Scene, alert: Alert): Post | null {
  const cards = world.postsAbout(alert.id).filter((post) => isCard(post) && post.state !== 'dead')
  return cards.find(({ kind }) => kind === 'alert') ?? cards[0] ?? null
}

/** What a person just did is shown before anything else. */
export function hurry({ world }: Scene, { id }: Alert): void {
  for (const post of world.postsAbout(id))
    if (isCard(post) && post.urgency > 0) world.patch('posts', post.id, { urgency: 0 })
}

/** One call of the monitoring API, made once, whose outcome decides the act's; told aloud, and answered with what became of it. */
export function askApi(context: Context, done: ActWish, does: Effect['does'], data: EffectData): Say {
  const { ask } = context
  const now = context.scene()
  return now.world.decide(() => {
    const asked = record(context, { ...done, outcome: 'asked' })
    const told = tellAloud(now, asked, channelOf(now, ask))
    const { id } = wantEffect(now, { id: `${does}:${asked.id}`, does, data, act: asked.id })
    return sayAct(asked.id, { context, told, waitsFor: [id] }, (one) => actSentence(one))
  })
}

/** `told`: the post that says it to others, if there is one. */
export type Told = {
  readonly context: Context
  readonly told: string | null
  readonly waitsFor?: readonly string[]
}

export function sayAct(id: string, told: Told, sentence: (act: Act) => string): Say {
  return sayTold(told, ({ world }) => {
    const act = world.acts.get(id)
    return viewOfBlocks([section(act === undefined ? 'Done' : sentence(act))])
  })
}

/** Whoever reads the message where they asked needs no copy of it, but for `more`, which only they need. */
export function sayTold(
  { context: { ask, scene }, told, waitsFor = [] }: Told,
  render: (now: Scene) => View,
  more: (now: Scene) => readonly string[] = () => [],
): Say {
  const post = scene().world.posts.get(told ?? '')
  const isInThread = ask.threadTs !== null && post?.thread === ask.threadPost
  const isHere = post?.channel === ask.channel && (isInThread || (ask.threadTs ?? post.thread) === null)
  if (post === undefined || !isHere) return { kind: 'say', waitsFor, render }
  return {
    kind: 'say',
    waitsFor: [...waitsFor, post.id],
    render(now) {
      if (now.world.posts.get(post.id)?.state !== 'live') return render(now)
      const lines = more(now)
      return lines.length === 0 ? null : viewOfBlocks(sections(lines))
    },
  }
}

/** Asks first: what it is about to do, and a button whose id begins with `confirm`, which is taken once. */
export function askFirst(
  { ask }: Context,
  lines: readonly string[],
  { value, ...wish }: Omit<ButtonWish, 'style'>,
): Reply {
  const yes = button({ ...wish, value: { ...value, once: ask.key }, style: 'danger' })
  return {
    kind: 'say',
    render: () => viewOfBlocks([section(lines.join('\n')), ...actions('confirm', [yes])]),
  }
}

export function namesOfMutes(mutes: readonly Mute[]): string {
  return joined([...new Set(mutes.map(({ name }) => name))].slice(0, namesMax))
}
