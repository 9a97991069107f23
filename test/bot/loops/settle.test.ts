/** What becomes of a post after each of Slack's answers, and of what was under way after a start. */
import { describe, expect, it } from 'vitest'
import { messageGone, recover, settleEdit, settlePost } from '../../../src/bot/loops/settle.ts'
import type { Outcome } from '../../../src/bot/slack/port.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Effect, Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, alertOf, effectOf, policyOf, postOf, sceneOf } from '../worlds/builders.ts'

const nowMs = 10_000_000
const view = { text: 'CPU busy', blocks: [] }
const sent = { view, hash: 'h2', isClosed: false }
const shows = [{ alert: '8398@0', isQuiet: false, atMs: 0 }]
const ok = { kind: 'ok', ts: '9.1', channelId: 'C0', threadTs: null } as const
/** Slack's answers, of which only the kind matters here. */
const said = { why: '', afterMs: 7000, isArchived: false }
const saying = (kind: Exclude<Outcome['kind'], 'ok'>) => ({ kind, ...said }) as Outcome
const at = (seconds: number) => nowMs + seconds * 1000

function sceneWith(...posts: Post[]): Scene {
  const world = new World()
  world.put('alerts', alertOf())
  for (const post of posts) world.put('posts', post)
  return sceneOf(world, { nowMs })
}

const never = postOf({ id: 'p', shows })
const doubted = postOf({ id: 'p', shows, sentMs: 5000, firstSentMs: 4000, threadTs: '1.1' })

const posted: readonly [why: string, before: Post, outcome: Outcome, after: Partial<Post>][] = [
  ['it is there', never, ok, { state: 'live', ts: '9.1', shownHash: 'h2', recheckMs: null }],
  ['there may be a copy', doubted, ok, { state: 'live', recheckMs: at(60) }],
  ['nobody knows', never, saying('unclear'), { state: 'unsure', sentMs: nowMs, dueMs: at(0.3) }],
  ['it was not sent', never, saying('limited'), { state: 'new', sentMs: null, dueMs: at(7) }],
  [
    'the doubt stays',
    doubted,
    saying('later'),
    { state: 'new', sentMs: 5000, threadTs: '1.1', dueMs: at(1) },
  ],
  ['a token says nothing of it', never, saying('token'), { state: 'new', sentMs: null }],
  ['it goes without', never, saying('picture'), { state: 'new', noPicture: true, dueMs: nowMs }],
  ['all was tried', never, saying('content'), { state: 'dead', recheckMs: null }],
  ['copies of it are not wanted', doubted, saying('content'), { state: 'dead', recheckMs: at(60) }],
  [
    'it was sent without its picture already',
    postOf({ id: 'p', noPicture: true }),
    saying('picture'),
    { state: 'dead' },
  ],
  ['nobody can be reached', postOf({ id: 'p', channel: 'U1' }), saying('channel'), { state: 'dead' }],
]

describe('a post', () => {
  it.each(posted)('%s', (_, before, outcome, after) => {
    const scene = sceneWith({
      ...before,
      state: 'sending',
      sentMs: nowMs - 1,
      firstSentMs: before.firstSentMs ?? nowMs - 1,
    })
    settlePost(scene, before, sent, outcome)
    expect(scene.world.posts.get('p')).toMatchObject(after)
  })

  it.each<[string, Outcome, Partial<Post>]>([
    ['stands at the top level', ok, { state: 'live', threadTs: null }],
    ['or is refused', saying('gone'), { state: 'new', dueMs: at(1) }],
  ])('whose card is gone %s, and the card is sent anew', (_, outcome, after) => {
    const card = postOf({ id: 'card', state: 'live', ts: '1.1', shows })
    const reply = postOf({ id: 'p', thread: 'card', state: 'sending', threadTs: '1.1' })
    const scene = sceneWith(card, reply)
    settlePost(scene, reply, sent, outcome)
    expect(scene.world.posts.get('p')).toMatchObject(after)
    expect(scene.world.posts.get('card')).toMatchObject({ state: 'new', ts: null })
  })

  it.each([
    ['dm', 'user_not_found'],
    ['said', undefined],
  ] as const)('to a person that never arrives is told by its act: %s', (kind, why) => {
    const dm = postOf({ id: 'p', kind, channel: 'U1', data: { act: 'act-1' } })
    const scene = sceneWith(dm)
    scene.world.put('acts', actOf())
    settlePost(scene, dm, sent, { kind: 'channel', why: 'user_not_found', isArchived: false })
    expect(scene.world.acts.get('act-1')?.data.why).toBe(why)
  })

  it('whose thread is gone leaves the card that was sent anew meanwhile', () => {
    const card = postOf({ id: 'card', state: 'live', ts: '2.2', shows })
    const reply = postOf({ id: 'p', thread: 'card', state: 'sending', threadTs: '1.1' })
    const scene = sceneWith(card, reply)
    settlePost(scene, reply, sent, ok)
    expect(scene.world.posts.get('card')).toMatchObject({ state: 'live', ts: '2.2' })
  })
})

const live = postOf({ id: 'p', state: 'live', ts: '1.1', channelId: 'C0', shows, mention: '<!here>' })
const edited: readonly [why: string, outcome: Outcome, after: Partial<Post>, before?: Partial<Post>][] = [
  ['it shows this now', ok, { state: 'live', shownHash: 'h2' }],
  ['it may come late', saying('unclear'), { shownHash: null, dueMs: at(1), repeatMs: at(60) }],
  ['it waits as long as Slack says', saying('limited'), { shownHash: null, dueMs: at(7) }],
  ['it stands as it was, and is tried again', saying('content'), { shownHash: null, dueMs: at(1) }],
  ['it goes without its picture', saying('picture'), { noPicture: true, shownHash: null }],
  [
    'somebody deleted it, and it calls nobody again',
    saying('gone'),
    { state: 'new', mention: null, sentMs: null },
  ],
  ['it has no picture any more', saying('picture'), { dueMs: at(1) }, { noPicture: true }],
  ['it is refused again and again', saying('content'), { dueMs: at(60) }, { tries: 20 }],
  [
    'nobody can be reached, and nobody tries again',
    saying('channel'),
    { shownHash: 'h2' },
    { channel: 'U1' },
  ],
  ['its channel takes nothing now', saying('channel'), { shownHash: null, dueMs: at(1) }],
]

describe('an edit', () => {
  it.each(edited)('%s', (_, outcome, after, over) => {
    const before = { ...live, ...over }
    const scene = sceneWith(before)
    settleEdit(scene, before, sent, outcome)
    expect(scene.world.posts.get('p')).toMatchObject(after)
  })

  it('of a message that a copy replaced says nothing', () => {
    const scene = sceneWith({ ...live, ts: '0.9' })
    settleEdit(scene, live, sent, saying('gone'))
    expect(scene.world.posts.get('p')).toMatchObject({ state: 'live', ts: '0.9', shownHash: null })
  })
})

describe('a message that a person deleted', () => {
  const over = [{ alert: 'gone', isQuiet: false, atMs: 0 }]
  const kinds: readonly [why: string, over: Partial<Post>, state: Post['state'] | undefined][] = [
    ['an open alert needs it', { shows }, 'new'],
    ['a closed one does not', { shows: over }, 'dead'],
    ['what was said was read', { kind: 'said' }, 'dead'],
    ['a board is wanted', { kind: 'board' }, 'new'],
    ['a board of another channel is not', { kind: 'board', channel: 'C9' }, undefined],
    ['what is not sent yet is not gone', { state: 'unsure' }, 'unsure'],
  ]
  it.each(kinds)('%s', (_, fields, state) => {
    const post = postOf({ id: 'p', state: 'live', ts: '1.1', ...fields })
    const scene = { ...sceneWith(post), policy: policyOf({ board: true }) }
    messageGone(scene, 'p')
    expect(scene.world.posts.get('p')?.state).toBe(state)
  })
})

describe('after a start', () => {
  it.each<[string, Post, Partial<Post>]>([
    ['an edit under way is repeated', { ...live, shownHash: null }, { repeatMs: at(60) }],
    ['what is shown is not', { ...live, shownHash: 'h1' }, { repeatMs: null }],
    ['nor what was never sent', never, { state: 'new', repeatMs: null }],
    [
      'what was under way is in doubt',
      { ...never, state: 'sending', sentMs: 5000 },
      { state: 'unsure', firstSentMs: 5000 },
    ],
  ])('%s', (_, post, after) => {
    const scene = sceneWith(post)
    recover(scene)
    expect(scene.world.posts.get('p')).toMatchObject(after)
  })

  const closed = { ...live, isShownClosed: true, shownHash: 'h1' }
  it.each<[string, Post, closedAgoMs: number | null, isCompared: boolean]>([
    ['what is open', { ...closed, isShownClosed: false }, null, true],
    ['what was shown closed lately', closed, 59 * 60_000, true],
    ['what was shown closed over an hour ago', closed, 60 * 60_000, false],
    ['what was shown closed and is open', closed, null, true],
    ['what closed and was never shown so', { ...closed, isShownClosed: false }, 60 * 60_000, true],
    ['what nobody knows to be shown', { ...closed, shownHash: null }, 60 * 60_000, true],
    ['what may have a copy', { ...closed, recheckMs: 1 }, 60 * 60_000, true],
    ['what is to be repeated', { ...closed, repeatMs: 1 }, 60 * 60_000, true],
    ['what is not sent', { ...closed, state: 'new' }, 60 * 60_000, true],
  ])('%s is compared with what Slack shows', (_, post, agoMs, isCompared) => {
    const scene = sceneWith(post)
    if (agoMs !== null) scene.world.patch('alerts', '8398@0', { closedMs: nowMs - agoMs })
    recover(scene)
    expect(scene.world.dirty.has('p')).toBe(isCompared)
  })

  it.each<[Partial<Effect>, Partial<Effect>]>([
    [{ state: 'new' }, { state: 'new', dueMs: 1 }],
    [{ state: 'asked' }, { state: 'unknown' }],
    [{ state: 'unknown' }, { dueMs: 1 }],
    [
      { does: 'page', state: 'asked' },
      { state: 'unknown', dueMs: nowMs },
    ],
    [{ does: 'page', state: 'unknown' }, { dueMs: nowMs }],
  ])('a call that was %o is %o', (before, after) => {
    const scene = sceneWith()
    scene.world.put('effects', effectOf({ dueMs: 1, ...before }))
    recover(scene)
    expect(scene.world.effects.get('effect-1')).toMatchObject(after)
  })
})
