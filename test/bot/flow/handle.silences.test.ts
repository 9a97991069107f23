/** Ending a silence that somebody made elsewhere: asked first, by whoever may, and once. */
import { describe, expect, test } from 'vitest'
import type { ListedSilence } from '../../../src/bot/domain/mute/hiding.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { type ActingOptions, actingWorld, aSilence, pendingOf } from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { cards } from '../../support/poll-world.ts'

const end = { kind: 'end_silence', id: 's1', shown: null } as const
const ben = { userId: 'U0BEN' } as const

/** The API lists this silence until it is ended. */
async function silenced(silence: ListedSilence = aSilence(), options: ActingOptions = {}) {
  const world = await actingWorld(options)
  world.script.silences = [silence]
  world.script.meanwhile = async () => {
    world.script.silences = []
  }
  const rows = async () =>
    (await world.audit()).map(({ userId, act, outcome, why }) => [userId, act, outcome, why].join(' '))
  return { ...world, rows }
}

test('is asked about first: what it matches, and how many alerts it hides', async () => {
  const world = await silenced(aSilence({ hides: 3 }))
  const asked = await world.does(end)
  expect(asked).toMatchObject({ kind: 'confirm_silence', silence: aSilence({ hides: 3 }), isChanged: false })
  expect(world.calls).toEqual([])
  expect(await world.rows()).toEqual([])
  expect(await world.confirms(asked)).toEqual({ kind: 'done', act: 'end_silence', by: 'ben', hides: 3 })
  expect(world.calls).toEqual(['end s1'])
})

test('is written down and said in the channel once, as any change', async () => {
  const world = await silenced()
  await world.confirms(await world.does(end))
  expect(await world.rows()).toEqual(['U0ANA end_silence done '])
  const [notice, ...others] = await cards(world, 'C0OPS')
  expect(others).toEqual([])
  const detail = { text: 'alertname="Disk"', owner: 'ben', alerts: 1, reason: 'new disks', silenceId: 's1' }
  expect(notice?.view).toMatchObject({ topic: 'change_notice', entry: { act: 'end_silence', detail } })
})

test('cancelled, nothing is ended', async () => {
  const world = await silenced()
  const pendingId = pendingOf(await world.does(end))
  expect(await world.does({ kind: 'cancel', pendingId })).toEqual({ kind: 'cancelled' })
  expect(world.calls).toEqual([])
})

describe('who may', () => {
  const onlyServers = { ...everyone, mute_account: ['U0BEN'] }

  test.each([
    [0, 'confirm_silence'],
    [1, 'confirm_silence'],
    [2, 'refused'],
    [60, 'refused'],
  ])('without the account’s right, %i alerts: %s', async (hides, kind) => {
    const world = await silenced(aSilence({ hides }), { permissions: onlyServers })
    const reply = await world.does(end)
    expect(reply.kind).toBe(kind)
    if (reply.kind === 'refused') {
      expect(reply.refusal).toMatchObject({ why: 'not_permitted', needs: 'mute_account' })
      expect(await world.rows()).toEqual(['U0ANA end_silence refused not_permitted'])
    }
    expect((await world.does(end, ben)).kind).toBe('confirm_silence')
  })

  test('the right is asked for again when more is hidden by the time of the answer', async () => {
    const world = await silenced(aSilence(), { permissions: onlyServers })
    const asked = await world.does(end)
    world.script.silences = [aSilence({ hides: 2 })]
    expect(await world.confirms(asked)).toMatchObject({ kind: 'refused' })
    expect(world.calls).toEqual([])
  })

  test('whoever may not unmute may not at all', async () => {
    const world = await silenced(aSilence(), { permissions: { ...everyone, mute_server: ['U0BEN'] } })
    expect(await world.does(end)).toMatchObject({ kind: 'refused', refusal: { why: 'not_permitted' } })
  })
})

describe('changed since it was shown', () => {
  const table: [string, ListedSilence, boolean][] = [
    ['other matchers', aSilence({ hides: 3, matchers: ['namespace=~".+"'] }), true],
    ['one alert that had been several', aSilence({ hides: 1 }), true],
    ['one more of several', aSilence({ hides: 4 }), false],
    ['another end', aSilence({ hides: 3, untilMs: null }), false],
  ]
  test.each(table)('%s', async (_, now, isAskedAgain) => {
    const world = await silenced(aSilence({ hides: 3 }))
    const asked = await world.does(end)
    world.script.silences = [now]
    const again = await world.confirms(asked)
    if (!isAskedAgain) return expect(again.kind).toBe('done')
    expect(again).toMatchObject({ kind: 'confirm_silence', isChanged: true, silence: now })
    expect(world.calls).toEqual([])
    expect((await world.confirms(again)).kind).toBe('done')
  })
})

describe('not there any more', () => {
  const over = (by: unknown) => ({ kind: 'stale', changed: { what: 'silence_over', by } })

  test('at the click and at the answer', async () => {
    const world = await silenced()
    const asked = await world.does(end)
    world.script.silences = []
    expect(await world.confirms(asked)).toMatchObject(over(null))
    expect(await world.does(end)).toMatchObject(over(null))
    expect(world.calls).toEqual([])
    expect(await world.rows()).toEqual([
      'U0ANA end_silence nothing silence_over',
      'U0ANA end_silence nothing silence_over',
    ])
  })

  test('of two people at once one ends it, and the other is told by whom', async () => {
    const world = await silenced()
    const asked = await Promise.all([world.does(end), world.does(end, ben)])
    const replies = await Promise.all(asked.map((one, at) => world.confirms(one, at === 0 ? {} : { ...ben })))
    const kinds = replies.map(({ kind }: Reply) => kind)
    expect(kinds.toSorted()).toEqual(['done', 'stale'])
    const first = kinds[0] === 'done' ? 'U0ANA' : 'U0BEN'
    expect(replies.find(({ kind }) => kind === 'stale')).toMatchObject(over({ userId: first }))
    expect(world.calls).toEqual(['end s1'])
    expect(await cards(world, 'C0OPS')).toHaveLength(1)
  })
})

describe('the API', () => {
  test.each([404, 503, 401] as const)(
    'answers %s when it is asked for silences: nothing is tried',
    async (answer) => {
      const world = await silenced()
      world.script.silencesFail = answer
      expect(await world.does(end)).toMatchObject({ kind: 'failed', isUnknown: false })
      expect(world.calls).toEqual([])
    },
  )

  test('does not answer: whether it was done is not known, and once more does no harm', async () => {
    const world = await silenced()
    const asked = await world.does(end)
    world.script.next = 'time-out'
    world.script.meanwhile = async () => undefined
    const reply = await world.confirms(asked)
    expect(reply).toMatchObject({ kind: 'failed', isUnknown: true })
    expect(await world.rows()).toEqual(['U0ANA end_silence unknown unreachable'])
    world.script.next = 200
    expect((await world.confirms(reply)).kind).toBe('done')
  })
})
