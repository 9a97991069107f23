/** What becomes of a post after each of Slack's answers. */
import { describe, expect, it } from 'vitest'
import { messageGone, nextLookMs, settleEdit, settlePost } from '../../../src/bot/loops/settle.ts'
import { recover } from '../../../src/bot/loops/unsure.ts'
import type { Outcome } from '../../../src/bot/slack/port.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { alertOf, policyOf, postOf } from '../worlds/builders.ts'

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

  it('whose thread is gone stands at the top level, and the card is sent anew', () => {
    const card = postOf({ id: 'card', state: 'live', ts: '1.1', shows })
    const reply = postOf({ id: 'p', thread: 'card', state: 'sending', threadTs: '1.1' })
    const scene = sceneWith(card, reply)
    settlePost(scene, reply, sent, ok)
    expect(scene.world.posts.get('p')).toMatchObject({ state: 'live', threadTs: null })
    expect(scene.world.posts.get('card')).toMatchObject({ state: 'new', ts: null })
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
const edited: readonly [why: string, outcome: Outcome, after: Partial<Post>][] = [
  ['it shows this now', ok, { state: 'live', shownHash: 'h2' }],
  [
    'it may come late, and is repeated',
    { kind: 'unclear', why: '' },
    { shownHash: null, repeatMs: nowMs + 60_000 },
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
]

describe('an edit', () => {
  it.each(edited)('%s', (_, outcome, after) => {
    const scene = sceneWith(live)
    settleEdit(scene, live, sent, outcome)
    expect(scene.world.posts.get('p')).toMatchObject(after)
  })

  it('of a message that a copy replaced says nothing', () => {
    const scene = sceneWith({ ...live, ts: '0.9' })
    settleEdit(scene, live, sent, { kind: 'gone' })
    expect(scene.world.posts.get('p')).toMatchObject({ state: 'live', ts: '0.9', shownHash: null })
  })
})

describe('a message that a person deleted', () => {
  const kinds: readonly [why: string, over: Partial<Post>, state: Post['state']][] = [
    ['an open alert needs it', { shows }, 'new'],
    ['a closed one does not', { shows: [{ alert: 'gone', isQuiet: false, atMs: 0 }] }, 'dead'],
    ['an outage lasts', { kind: 'outage', data: { untilMs: null } }, 'new'],
    ['an outage is over', { kind: 'outage', data: { untilMs: 5 } }, 'dead'],
    ['what was said was read', { kind: 'said' }, 'dead'],
  ]
  it.each(kinds)('%s', (_, over, state) => {
    const scene = sceneWith(postOf({ id: 'p', state: 'live', ts: '1.1', ...over }))
    messageGone(scene, 'p')
    expect(scene.world.posts.get('p')?.state).toBe(state)
  })
})

it('looks for a message in doubt at these ages, and no longer', () => {
  const ages: number[] = []
  for (let atMs = nextLookMs(0, 0); atMs !== null; atMs = nextLookMs(0, atMs)) ages.push(atMs)
  expect(ages).toEqual([300, 1500, 4000, 9000, 18_000, 35_000, 60_000])
})

it.each<[string, Post, Partial<Post>]>([
  ['an edit that was under way is repeated', { ...live, shownHash: null }, { repeatMs: nowMs + 60_000 }],
  ['what is shown is not', { ...live, shownHash: 'h1' }, { repeatMs: null }],
  ['nor what was never sent', never, { state: 'new', repeatMs: null }],
  [
    'what was under way is in doubt',
    { ...never, state: 'sending', sentMs: 5000 },
    { state: 'unsure', firstSentMs: 5000 },
  ],
])('after a start %s', (_, post, after) => {
  const scene = sceneWith(post)
  recover(scene)
  expect(scene.world.posts.get('p')).toMatchObject(after)
})
