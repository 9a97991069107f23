/** What becomes of a post after each of Slack's answers, and of what was under way after a start. */
import { describe, expect, it } from 'vitest'
import { messageGone, nextLookMs, settleEdit, settlePost } from '../../../src/bot/loops/settle.ts'
import { recover } from '../../../src/bot/loops/unsure.ts'
import type { Outcome } from '../../../src/bot/slack/port.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Effect, Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, alertOf, effectOf, policyOf, postOf } from '../worlds/builders.ts'

const nowMs = 10_000_000
const view = { text: 'CPU busy', blocks: [] }
const sent = { view, hash: 'h2', isClosed: false }
const shows = [{ alert: '8398@0', isQuiet: false, atMs: 0 }]
const ok = { kind: 'ok', ts: '9.1', channelId: 'C0', threadTs: null } as const

function sceneWith(...posts: Post[]): Scene {
  const world = new World()
  world.put('alerts', alertOf())
  for (const post of posts) world.put('posts', post)
  const rest = { defaultChannel: 'C0', replicaName: 'a', pager: null, canMuteAlerts: false }
  return { world, policy: policyOf(), nowMs, ...rest }
}

const never = postOf({ id: 'p', shows })
const doubted = postOf({ id: 'p', shows, sentMs: 5000, firstSentMs: 4000, threadTs: '1.1' })

const posted: readonly [why: string, before: Post, outcome: Outcome, after: Partial<Post>][] = [
  ['it is there', never, ok, { state: 'live', ts: '9.1', shownHash: 'h2', recheckMs: null }],
  ['there may be a copy', doubted, ok, { state: 'live', recheckMs: nowMs + 60_000 }],
  [
    'nobody knows',
    never,
    { kind: 'unclear', why: '' },
    { state: 'unsure', sentMs: nowMs, dueMs: nowMs + 300 },
  ],
  [
    'it was not sent',
    never,
    { kind: 'limited', afterMs: 7000 },
    { state: 'new', sentMs: null, dueMs: nowMs + 7000 },
  ],
  [
    'the doubt before stays',
    doubted,
    { kind: 'later', why: '' },
    { state: 'new', sentMs: 5000, threadTs: '1.1', dueMs: nowMs + 1000 },
  ],
  ['a token says nothing of it', never, { kind: 'token', why: '' }, { state: 'new', sentMs: null }],
  ['its channel says nothing of it', never, { kind: 'channel', why: '', isArchived: true }, { state: 'new' }],
  ['it goes without', never, { kind: 'picture', why: '' }, { state: 'new', noPicture: true, dueMs: nowMs }],
  ['all was tried', never, { kind: 'content', why: '' }, { state: 'dead', recheckMs: null }],
  [
    'copies of it are not wanted',
    doubted,
    { kind: 'content', why: '' },
    { state: 'dead', recheckMs: nowMs + 60_000 },
  ],
  [
    'it was sent without its picture already',
    postOf({ id: 'p', noPicture: true }),
    { kind: 'picture', why: '' },
    { state: 'dead' },
  ],
  [
    'nobody can be reached',
    postOf({ id: 'p', channel: 'U1' }),
    { kind: 'channel', why: '', isArchived: false },
    { state: 'dead' },
  ],
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
    ['or is refused', { kind: 'gone' }, { state: 'new', dueMs: nowMs + 1000 }],
  ])('whose card is gone %s, and the card is sent anew', (_, outcome, after) => {
    const card = postOf({ id: 'card', state: 'live', ts: '1.1', shows })
    const reply = postOf({ id: 'p', thread: 'card', state: 'sending', threadTs: '1.1' })
    const scene = sceneWith(card, reply)
    settlePost(scene, reply, sent, outcome)
    expect(scene.world.posts.get('p')).toMatchObject(after)
    expect(scene.world.posts.get('card')).toMatchObject({ state: 'new', ts: null })
  })

  it('to a person that never arrives is told by its act', () => {
    const dm = postOf({ id: 'p', kind: 'dm', channel: 'U1', data: { act: 'act-1' } })
    const scene = sceneWith(dm)
    scene.world.put('acts', actOf())
    settlePost(scene, dm, sent, { kind: 'channel', why: 'user_not_found', isArchived: false })
    expect(scene.world.acts.get('act-1')?.data.why).toBe('user_not_found')
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
  [
    'it may come late, and is repeated',
    { kind: 'unclear', why: '' },
    { shownHash: null, dueMs: nowMs + 1000, repeatMs: nowMs + 60_000 },
  ],
  [
    'it waits as long as Slack says',
    { kind: 'limited', afterMs: 9000 },
    { shownHash: null, dueMs: nowMs + 9000 },
  ],
  [
    'it stands as it was, and is tried again',
    { kind: 'content', why: '' },
    { shownHash: null, dueMs: nowMs + 300_000 },
  ],
  ['it goes without its picture', { kind: 'picture', why: '' }, { noPicture: true, shownHash: null }],
  [
    'somebody deleted it, and it calls nobody again',
    { kind: 'gone' },
    { state: 'new', mention: null, sentMs: null },
  ],
  [
    'its picture was left out already, and it is tried again',
    { kind: 'picture', why: '' },
    { dueMs: nowMs + 300_000 },
    { noPicture: true },
  ],
  [
    'what Slack refuses again and again is tried each hour',
    { kind: 'content', why: '' },
    { dueMs: nowMs + 3_600_000 },
    { tries: 20 },
  ],
  [
    'nobody can be reached, and nobody tries again',
    { kind: 'channel', why: '', isArchived: false },
    { shownHash: 'h2' },
    { channel: 'U1' },
  ],
  [
    'its channel takes nothing now',
    { kind: 'channel', why: '', isArchived: true },
    { shownHash: null, dueMs: nowMs + 1000 },
  ],
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
    settleEdit(scene, live, sent, { kind: 'gone' })
    expect(scene.world.posts.get('p')).toMatchObject({ state: 'live', ts: '0.9', shownHash: null })
  })
})

describe('a message that a person deleted', () => {
  const over = [{ alert: 'gone', isQuiet: false, atMs: 0 }]
  const lines = { kind: 'lines', thread: 'list', shows } as const
  const list = postOf({ id: 'list', kind: 'list', state: 'live', ts: '1.0', shows })
  const kinds: readonly [
    why: string,
    over: Partial<Post>,
    state: Post['state'] | undefined,
    ...beside: Post[],
  ][] = [
    ['an open alert needs it', { shows }, 'new'],
    ['a closed one does not', { shows: over }, 'dead'],
    ['an outage lasts', { kind: 'outage', data: { untilMs: null } }, 'new'],
    ['an outage is over', { kind: 'outage', data: { untilMs: 5 } }, 'dead'],
    ['what was said was read', { kind: 'said' }, 'dead'],
    ['a board is wanted', { kind: 'board' }, 'new'],
    ['a board of a channel that is told nothing by now is not', { kind: 'board', channel: 'C9' }, undefined],
    ['a list has its lines', lines, 'new', list],
    ['a list that is gone has none', lines, 'dead', { ...list, state: 'dead' }],
    ['a list that is over has none', { ...lines, shows: over }, 'dead', list],
    ['what is not sent yet is not gone', { state: 'unsure' }, 'unsure'],
  ]
  it.each(kinds)('%s', (_, fields, state, ...beside) => {
    const post = postOf({ id: 'p', state: 'live', ts: '1.1', ...fields })
    const scene = { ...sceneWith(post, ...beside), policy: policyOf({ board: true }) }
    messageGone(scene, 'p')
    expect(scene.world.posts.get('p')?.state).toBe(state)
  })
})

it('looks for a message in doubt at these ages, and no longer', () => {
  const ages: number[] = []
  for (let atMs = nextLookMs(0, 0); atMs !== null; atMs = nextLookMs(0, atMs)) ages.push(atMs)
  expect(ages).toEqual([300, 1500, 4000, 9000, 18_000, 35_000, 60_000])
})

describe('after a start', () => {
  it.each<[string, Post, Partial<Post>]>([
    ['an edit that was under way is repeated', { ...live, shownHash: null }, { repeatMs: nowMs + 60_000 }],
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
