/** What is posted: singles, lists and old cards. `C0 ! 1 2` is a loud message in C0 that shows 1 and 2; `~` is a quiet one. */
import { describe, expect, it } from 'vitest'
import { minute, second } from '../../../src/bot/clock.ts'
import { openIn } from '../../../src/bot/decide/standing.ts'
import { saidOf } from './listing.ts'
import { beginMs, openLittle } from './little.ts'

type Little = ReturnType<typeof openLittle>
const web1 = { match: { server: ['web-1'] }, channel: 'C1', mention: '<!here>' }
const numbered = (count: number, plugin: string, from = 1) =>
  Array.from({ length: count }, (_, at) => ({ number: `${from + at}`, host: `web-${from + at}`, plugin }))

describe('at once', () => {
  const rows: readonly [what: string, some: ReturnType<typeof numbered>, cards: string[]][] = [
    ['three are singles', numbered(3, 'cpu'), ['C0 ! 1', 'C0 ! 2', 'C0 ! 3']],
    ['more than three of a kind are a list', numbered(4, 'cpu'), ['C0 ! 1 2 3 4']],
    [
      'another kind is told by itself',
      [...numbered(4, 'cpu'), ...numbered(1, 'disk', 5)],
      ['C0 ! 1 2 3 4', 'C0 ! 5'],
    ],
    [
      'more than three of several kinds are a mixed list',
      [...numbered(2, 'cpu'), ...numbered(2, 'disk', 3)],
      ['C0 ! 1 2 3 4'],
    ],
    [
      'there are never more than three messages',
      [...numbered(5, 'a'), ...numbered(4, 'b', 11), ...numbered(4, 'c', 21), ...numbered(4, 'd', 31)],
      ['C0 ! 1 2 3 4 5', 'C0 ! 11 12 13 14', 'C0 ! 21 22 23 24 31 32 33 34'],
    ],
  ]
  it.each(rows)('%s', (_, some, cards) => {
    const little = openLittle()
    little.open(...some)
    expect(little.cards()).toEqual(cards)
  })

  it('singles that Slack has not taken yet are folded into the list', () => {
    const little = openLittle()
    little.open(...numbered(2, 'cpu'))
    little.open(...numbered(2, 'cpu', 3))
    expect(little.cards()).toEqual(['C0 ! 1 2 3 4'])
  })

  it('what Slack may have taken is never folded', () => {
    const little = openLittle()
    little.open(...numbered(2, 'cpu'))
    little.send()
    little.open(...numbered(4, 'cpu', 3))
    expect(little.cards()).toEqual(['C0 ! 1', 'C0 ! 2', 'C0 ! 3 4 5 6'])
  })
})

describe('a list', () => {
  const rows: readonly [what: string, afterMs: number, severity: string, plugin: string, cards: string[]][] =
    [
      ['takes more of its kind', 14 * minute, 'warning', 'cpu', ['C0 ! 1 2 3 4 9']],
      ['takes none 15 minutes after it was loud', 15 * minute, 'warning', 'cpu', ['C0 ! 1 2 3 4', 'C0 ! 9']],
      ['does not hide another kind', minute, 'warning', 'disk', ['C0 ! 1 2 3 4', 'C0 ! 9']],
      ['does not hide the first critical one', minute, 'critical', 'cpu', ['C0 ! 1 2 3 4', 'C0 ! 9']],
    ]
  it.each(rows)('%s', (_, afterMs, severity, plugin, cards) => {
    const little = openLittle()
    little.open(...numbered(4, 'cpu'))
    little.wait(afterMs)
    little.open({ number: '9', plugin, severity })
    expect(little.cards()).toEqual(cards)
  })

  it('does not go on because of quiet joins', () => {
    const little = openLittle()
    little.open(...numbered(4, 'cpu'))
    little.wait(14 * minute)
    little.open({ number: '8' })
    little.wait(2 * minute)
    little.open({ number: '9' })
    expect(little.cards()).toEqual(['C0 ! 1 2 3 4 8', 'C0 ! 9'])
  })

  it('that is over takes none', () => {
    const little = openLittle()
    little.open(...numbered(4, 'cpu'))
    little.send()
    little.close('1', '2', '3', '4')
    little.open({ number: '9', host: 'db-1' })
    expect(little.cards()).toEqual(['C0 ! 1 2 3 4', 'C0 ! 9'])
  })

  it.each([
    ['that is refused', (little: Little, id: string) => little.world.patch('posts', id, { state: 'dead' })],
    ['of a shut channel', (little: Little) => little.shut('C0')],
  ])('%s takes none', (_, ends) => {
    const little = openLittle()
    little.open(...numbered(4, 'cpu'))
    ends(little, little.posts('list')[0]?.id ?? '')
    little.open({ number: '9', host: 'db-1' })
    expect(little.cards()).toEqual(['C0 ! 1 2 3 4', 'C0 ! 9'])
  })

  it('has its lines in the thread, 80 a reply', () => {
    const little = openLittle()
    little.open(...numbered(81, 'cpu'))
    little.send()
    little.open({ number: '99' })
    expect(little.posts('lines').map(({ shows }) => shows.length)).toEqual([80, 2])
  })
})

describe('what comes back', () => {
  const flap = (afterMs: number, isSlackThere = true) => {
    const little = openLittle()
    little.open({ number: '1' })
    little.wait(5 * minute)
    little.close('1')
    little.wait(afterMs, isSlackThere)
    little.open({ number: '2' })
    return little
  }
  it('within ten minutes goes quietly onto its old card', () => {
    expect(flap(9 * minute).cards()).toEqual(['C0 ! 1 2'])
  })
  it('later is told anew', () => {
    expect(flap(10 * minute).cards()).toEqual(['C0 ! 1', 'C0 ! 2'])
  })
  it('is told aloud once it has been open for two minutes, and counts how often', () => {
    const little = flap(minute)
    little.wait(2 * minute - second)
    expect(little.cards('aloud')).toEqual([])
    little.wait(5 * second)
    expect(little.cards('aloud')).toEqual(['C0 ! 2'])
    expect(little.posts('aloud')[0]).toMatchObject({
      thread: little.posts('alert')[0]?.id,
      isBroadcast: true,
    })
    little.close('1', '2')
    little.open({ number: '3' })
    expect(little.alert('3')).toMatchObject({ reopened: 2, reopenedFromMs: little.alert('1').firstSeenMs })
  })
  it('stays with whoever was on it, until it is told aloud', () => {
    const little = openLittle()
    little.open({ number: '1' })
    little.wait(minute)
    little.hold('1', 'UANA')
    little.wait(second)
    little.close('1')
    little.open({ number: '2' })
    expect(little.alert('2').holder).toBe('UANA')
    little.wait(2 * minute + 5 * second)
    expect(little.alert('2')).toMatchObject({ holder: null, round: { count: 1 } })
  })
  it('stays with who took it since', () => {
    const little = flap(minute)
    little.hold('2', 'UBEN')
    little.wait(10 * minute)
    expect(little.alert('2').holder).toBe('UBEN')
    expect(little.cards('aloud')).toEqual([])
  })
  it('is not what was over before anybody saw it', () => {
    const little = openLittle()
    little.open({ number: '1' })
    little.wait(minute)
    little.close('1')
    little.open({ number: '2', isOver: true })
    expect(little.cards()).toEqual(['C0 ! 1', 'C0 ! 2'])
  })
  it('is not what was told elsewhere meanwhile', () => {
    const little = openLittle()
    const route = (...routes: (typeof web1)[]) => {
      little.state.policy = { ...little.state.policy, routes }
    }
    little.open({ number: '1' })
    little.wait(minute)
    little.close('1')
    route(web1)
    little.open({ number: '2' })
    little.wait(minute)
    route()
    little.wait(minute)
    expect(little.cards()).toEqual(['C0 ! 1', 'C1 ! 2', 'C0 ! 2'])
  })
  it('does not hide behind a card whose alert is open', () => {
    const little = openLittle()
    little.open({ number: '1' }, { number: '2' })
    little.send()
    little.close('1')
    little.open({ number: '3' }, { number: '4' })
    expect(little.cards()).toEqual(['C0 ! 1 3', 'C0 ! 2', 'C0 ! 4'])
  })
  it.each([
    ['on /data2 is not what was on /data1', { title: 'Disk /data1 97%' }, { title: 'Disk /data2 97%' }, 2],
    ['with another value is', { title: 'CPU 97%', value: 97 }, { title: 'CPU 91%', value: 91 }, 1],
  ])('%s', (_, before, after, cards) => {
    const little = openLittle()
    little.open({ number: '1', ...before })
    little.close('1')
    little.open({ number: '2', ...after })
    expect(little.cards()).toHaveLength(cards)
  })
})

it('what somebody took while it was hidden stays theirs when it joins its old card', () => {
  const little = openLittle()
  little.open({ number: '1' })
  little.wait(minute)
  little.mute('account', 5 * minute)
  little.close('1')
  little.open({ number: '2' })
  little.hold('2', 'UBEN')
  little.wait(6 * minute)
  expect(little.cards()).toEqual(['C0 ! 1 2'])
  expect(little.alert('2').holder).toBe('UBEN')
})

describe('what rises to critical', () => {
  it('before its card is sent is said by the card alone', () => {
    const little = openLittle()
    little.open({ number: '1' })
    little.poll([saidOf({ number: '1', startedMs: little.alert('1').startedMs, severity: 'critical' })])
    little.wait(10 * second)
    expect(little.cards('alert', 'aloud')).toEqual(['C0 ! 1'])
  })
  it('is told aloud on its card, once', () => {
    const little = openLittle({ routes: [web1] })
    little.open({ number: '1' })
    little.wait(minute)
    little.poll([saidOf({ number: '1', startedMs: little.alert('1').startedMs, severity: 'critical' })])
    little.wait(minute)
    expect(little.cards('aloud')).toEqual(['C1 ! 1'])
    expect(little.posts('aloud')[0]).toMatchObject({ mention: '<!here>', data: { why: 'critical' } })
  })
  it('on a list is told aloud, also long after another one', () => {
    const little = openLittle()
    little.open(...numbered(5, 'cpu'))
    little.wait(minute)
    const rise = (...numbers: string[]) =>
      little.poll(
        little.state.listed.map((one) =>
          numbers.includes(one.number) ? { ...one, severity: 'critical' } : one,
        ),
      )
    rise('2')
    little.wait(20 * minute)
    rise('3')
    little.wait(minute)
    expect(little.cards('aloud')).toEqual(['C0 ! 2', 'C0 ! 3'])
  })
  it('on a list minutes after another one was over joins its message, once', () => {
    const little = openLittle()
    little.open(...numbered(5, 'cpu'))
    little.wait(minute)
    const [own] = little.state.listed
    const rise = (number: string) =>
      little.poll(
        little.state.listed.map((one) => ({
          ...one,
          severity: one.number === number ? 'critical' : (own?.severity ?? null),
        })),
      )
    rise('2')
    little.wait(12 * minute)
    rise('3')
    little.wait(6 * minute)
    expect(little.cards('aloud')).toEqual(['C0 ! 2 3'])
  })
})

describe('what is hidden', () => {
  it('before it was sent is withdrawn, and comes once the mute ends', () => {
    const little = openLittle()
    little.open(...numbered(5, 'cpu'))
    little.mute('server:web-2', 20 * minute)
    expect(little.cards()).toEqual(['C0 ! 1 3 4 5'])
    little.mute('account', 10 * minute)
    expect(little.cards()).toEqual([])
    little.wait(21 * minute)
    expect(little.cards()).toEqual(['C0 ! 1 3 4 5 2'])
  })
  it('and closes is never told', () => {
    const little = openLittle()
    little.mute('account', 20 * minute)
    little.open({ number: '1' })
    little.close('1')
    little.wait(30 * minute)
    expect(little.cards()).toEqual([])
  })
  it('is told when a warning that somebody muted becomes critical', () => {
    const little = openLittle()
    little.open({ number: '1' })
    const subject = `alert:${JSON.stringify(['web-1', 'cpu', 'cpu', null, 'cpu is bad'])}`
    little.mute(subject, 60 * minute, { severity: 'warning' })
    expect(little.cards()).toEqual([])
    little.poll([saidOf({ number: '1', startedMs: little.alert('1').startedMs, severity: 'critical' })])
    expect(little.cards()).toEqual(['C0 ! 1'])
  })
  it.each([
    ['ignored', { ignore: [{ plugin: ['cpu'] }] }],
    ['of one route only', { ignore: [{ server: ['web-1'] }], routes: [web1] }],
  ])('because it is %s stands nowhere', (_, policy) => {
    const little = openLittle(policy)
    little.open({ number: '1' })
    expect(little.cards()).toEqual([])
    expect(openIn(little.scene())).toEqual([])
  })
})

describe('what is over before Slack took it', () => {
  it('is posted as closed, and calls nobody', () => {
    const little = openLittle({ routes: [web1] })
    little.open({ number: '1' })
    little.close('1')
    expect(little.cards()).toEqual(['C1 ! 1'])
  })
  it('opened and closed between two polls: the same, without the mention', () => {
    const little = openLittle({ routes: [web1] })
    little.open({ number: '1', isOver: true })
    expect(little.posts('alert')).toMatchObject([{ channel: 'C1', mention: null }])
  })
  it('is a one-off: told once', () => {
    const little = openLittle()
    little.open({ number: '1', isOneoff: true })
    little.wait(5 * minute)
    little.open({ number: '2' })
    expect(little.cards()).toEqual(['C0 ! 1', 'C0 ! 2'])
  })
})

describe('a first poll', () => {
  it('is one quiet list of what is open, without mention, reminder or page', () => {
    const little = openLittle(
      {
        routes: [{ ...web1, match: {} }],
        reminders: [{ ...web1, afterMs: 0, page: true, match: null, channel: null }],
      },
      false,
    )
    little.poll([
      saidOf({ number: '1', host: 'x' }),
      saidOf({ number: '2', host: 'y' }),
      saidOf({ number: '3', isOver: true }),
    ])
    little.wait(30 * minute)
    expect(little.cards()).toEqual(['C1 ~ 1 2'])
    expect(little.posts('list')).toMatchObject([{ mention: null, data: { isFirst: true } }])
    expect(little.posts('remind', 'aloud')).toEqual([])
    expect(little.pages()).toEqual([])
    expect([...little.world.acts.values()]).toEqual([])
  })
  it.each([
    ['Slack has not taken yet', 'warning'],
    ['has critical ones already', 'critical'],
  ])('whose list %s does not hide what becomes critical', (_, severity) => {
    const little = openLittle({}, false)
    const [one, other] = [saidOf({ number: '1', host: 'x' }), saidOf({ number: '2', host: 'y', severity })]
    little.poll([one, other])
    little.poll([{ ...one, severity: 'critical' }, other])
    little.wait(minute)
    expect(little.cards('list', 'aloud')).toEqual(['C0 ~ 1 2', 'C0 ! 1'])
  })
  it('reminds of what somebody took and gave back', () => {
    const little = openLittle(
      { reminders: [{ afterMs: 5 * minute, match: null, mention: null, channel: null, page: false }] },
      false,
    )
    little.poll([saidOf({ number: '1' })])
    little.hold('1', 'UANA')
    little.hold('1', null)
    little.wait(6 * minute)
    expect(little.cards('remind')).toEqual(['C0 ! 1'])
  })
})

describe('where it is told', () => {
  it('a channel that is shut is replaced by the default one, and nothing is told twice when it opens again', () => {
    const little = openLittle({ routes: [web1] })
    little.open({ number: '1' })
    little.shut('C1')
    expect(little.cards()).toEqual(['C0 ! 1'])
    little.send()
    little.shut()
    expect(little.cards()).toEqual(['C0 ! 1'])
    little.open({ number: '2' })
    expect(little.cards()).toEqual(['C0 ! 1', 'C1 ! 2'])
  })
  it('what stood in a channel that is shut by now is told in the default one', () => {
    const little = openLittle({ routes: [web1] })
    little.open({ number: '1' })
    little.send()
    little.shut('C1')
    expect(little.cards()).toEqual(['C1 ! 1', 'C0 ! 1'])
  })
  it('a new route gets a card of its own', () => {
    const little = openLittle()
    little.open({ number: '1' })
    little.send()
    little.state.policy = { ...little.state.policy, routes: [web1] }
    little.wait(second)
    expect(little.cards()).toEqual(['C0 ! 1', 'C1 ! 1'])
  })
  it('so does one whose roles are known later', () => {
    const little = openLittle({ routes: [{ ...web1, match: { role: ['web'] } }] })
    little.open({ number: '1' })
    little.wait(minute)
    little.world.setFact('roles', { atMs: 0, servers: { web: ['web-1'] } })
    little.wait(second)
    expect(little.cards()).toEqual(['C0 ! 1', 'C1 ! 1'])
  })
  it.each([
    ['refused is wanted again, less and less often', null, 4],
    ['showed and that is gone is replaced at once', '1.1', 6],
  ])('a message that Slack %s', (_, ts, count) => {
    const little = openLittle()
    little.open({ number: '1' })
    for (let minutes = 0; minutes < 15; minutes += 3) {
      for (const post of little.posts('alert')) little.world.patch('posts', post.id, { state: 'dead', ts })
      little.wait(3 * minute, false)
    }
    const id = `alert:1@${beginMs + 30_000}:C0`
    const all = [id, ...[2, 3, 4, 5, 6].map((nth) => `${id}:${nth}`)]
    expect(little.posts('alert').map((post) => post.id)).toEqual(all.slice(0, count))
  })
  it('whoever is on call is mentioned by id', () => {
    const little = openLittle({ routes: [{ ...web1, mention: 'oncall <!subteam^S1|@oncall>' }] })
    const shift = { fromMs: 0, untilMs: beginMs + 60 * minute, name: 'Ana' }
    const shifts = [
      { ...shift, person: 'UANA' },
      { ...shift, person: 'name:Ben <!channel>' },
      { ...shift, person: 'UOLD', untilMs: beginMs },
      { ...shift, person: 'UNEXT', fromMs: beginMs + 60 * minute },
    ]
    little.world.setFact('oncall', { atMs: 0, unread: 0, why: null, shifts })
    little.open({ number: '1' })
    expect(little.posts('alert')[0]?.mention).toBe('<@UANA> Ben channel <!subteam^S1|@oncall>')
  })
})
