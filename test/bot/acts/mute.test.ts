/** Mutes: by command, on the card, by form; what asks first, what replaces what, and how they end. */
import { describe, expect, test } from 'vitest'
import { day, hour, minute, second } from '../../../src/bot/clock.ts'
import { alertOf, policyOf } from '../worlds/builders.ts'
import { type Desk, openDesk } from './desk.ts'

const running = ({ world }: Desk) => [...world.activeMutes.values()]
const names = (desk: Desk) => running(desk).map(({ name }) => name)

const unknown = {
  told: 'unknown',
  telling: 'off',
  tries: 1,
  dueMs: 0,
  repeatsMs: [],
  missingMs: null,
} as const

describe('mute', () => {
  test('the answer and the message say the same sentence, and what it hides', async () => {
    const desk = openDesk()
    desk.open('8398', 'web-2')
    const { said } = await desk.type('UANA', 'mute web-2 2h deploying')
    const sentence = '🔕 @ana muted *web-2* until 11-28 03:00 — deploying'
    const hides =
      "Hides 1 open alert; 1 came in the last 7 days. This goes for the monitoring's own mail and pager too"
    expect(said).toBe(`${sentence}\n${hides}\n[Unmute] [Extend 1 h]`)
    expect(desk.told()).toEqual([`said C0: ${sentence.replace('11-28 ', '')}\n${hides}`])
  })

  test('without a time it lasts as long as the policy says, and says so', async () => {
    const desk = openDesk({
      policy: { limits: { muteDefaultMs: hour, muteMaxMs: day, accountMuteMaxMs: hour } },
    })
    const { said } = await desk.type('UANA', 'mute host web-2 deploying')
    expect(said).toContain("You named no time, so it's 1 h")
    expect(running(desk)[0]?.untilMs).toBe(Date.UTC(2026, 10, 28, 2))
  })

  test('who reads the message where they asked gets no copy of it', async () => {
    const desk = openDesk()
    const here = { channel: 'C0' }
    expect((await desk.type('UANA', 'mute web-2 2h', here)).count).toBe(0)
    expect((await desk.type('UANA', 'mute web-3', here)).said).toBe("You named no time, so it's 1 h")
    const post = [...desk.world.posts.keys()].at(-1) ?? ''
    expect((await desk.press('UBEN', desk.blocksOf(post), 'unmute', { ...here, post })).count).toBe(0)
    expect(desk.told().join()).toContain('🔔 *web-3* was muted')
    const hidden = desk.open('8398', 'web-2')
    const [card] = desk.world.postsAbout(hidden.id)
    const inThread = { channel: 'C0', threadPost: card?.id ?? '' }
    expect((await desk.type('UANA', 'note looking', inThread)).count).toBe(0)
    expect((await desk.type('UANA', 'unmute', inThread)).said).toContain('🔔 *web-2* was muted')
  })

  test('while Slack is silent, the answer says it', async () => {
    const desk = openDesk({ api: 'is silent' })
    const { said } = await desk.type('UANA', 'mute web-2 2h', { channel: 'C0' })
    expect(said).toContain('🔕 @ana muted *web-2*')
  })

  test('it lasts no longer than the policy allows', async () => {
    const desk = openDesk({
      policy: { limits: { muteDefaultMs: hour, muteMaxMs: day, accountMuteMaxMs: hour } },
    })
    expect((await desk.type('UANA', 'mute web-2 7d')).said).toContain('until 11-29 01:00 (maximum)')
  })

  test('while the monitoring says nothing, the answer says so after two seconds', async () => {
    const desk = openDesk({ api: 'is silent' })
    const beganMs = desk.clock.nowMs()
    const { said } = await desk.type('UANA', 'mute web-2 2h')
    expect(said).toContain("The monitoring hasn't confirmed the mute of *web-2* yet")
    expect(desk.clock.nowMs() - beganMs).toBeLessThan(2.5 * second)
    expect((await desk.type('UBEN', 'mutes')).said).toContain("hasn't confirmed the mute of *web-2* yet")
  })

  test('one alert is muted in Slack only on the plain API, and it says so', async () => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    const { said } = await desk.type('UANA', 'mute #8398 1d')
    expect(said).toContain('🔕 @ana muted *CPU busy on web-2* until')
    expect(said).toContain('In Slack only: the monitoring still notifies others')
    expect(running(desk)[0]).toMatchObject({ alert: alert.id, severity: 'warning' })
  })

  test.each([
    ['mute web-1,web-2 1h', '🔕 Mute *web-1 and web-2* until 11-28 02:00?'],
    ['mute web-* 1h', '🔕 Mute *web-1 and web-2* until 11-28 02:00?'],
    ['mute account 1h network', '🔕 Mute *everything* until 11-28 02:00 — network?'],
    ['mute web-2 from 22:00 for 2h', '🔕 Mute *web-2* 11-28 22:00 – 11-29 00:00?'],
    [
      'mute web-2 every sun 02:00-04:00',
      '🔕 Mute *web-2* every Sunday 02:00–04:00 (UTC), first 11-29 02:00 – ',
    ],
  ])('%s asks first', async (typed, question) => {
    const desk = openDesk()
    desk.open('2874', 'web-1')
    desk.open('8398', 'web-2')
    const answer = await desk.type('UANA', typed)
    expect(answer.said).toContain(question)
    // What will be open in a later window nobody knows.
    expect(answer.said.includes('Hides')).toBe(!/from|every/.test(typed))
    expect(names(desk)).toEqual([])
    await desk.press('UANA', answer.blocks, 'confirm_mute')
    expect(names(desk).length).toBeGreaterThan(0)
    expect(desk.told()).toHaveLength(1)
  })

  test('a pattern confirmed acts on what is still there, and asks again only if it would hide more', async () => {
    const desk = openDesk()
    desk.open('2874', 'web-1')
    const question = await desk.type('UANA', 'mute web-* 1h')
    desk.open('8398', 'web-2')
    const again = await desk.press('UANA', question.blocks, 'confirm_mute')
    expect(again.said).toContain('🔕 Mute *web-1 and web-2*')
    expect(names(desk)).toEqual([])
    for (const { id } of desk.world.open.values()) desk.world.patch('alerts', id, { closedMs: 1 })
    await desk.press('UANA', again.blocks, 'confirm_mute')
    expect(names(desk)).toEqual(['web-1', 'web-2'])
  })

  test('what was asked is confirmed once', async () => {
    const desk = openDesk()
    const question = await desk.type('UANA', 'mute web-2 every sun 02:00-04:00')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    const again = await desk.press('UANA', question.blocks, 'confirm_mute')
    expect(again.said).toBe("⚠️ You've confirmed this already.")
    expect(names(desk)).toEqual(['web-2'])
    // What is typed again is another question.
    await desk.press(
      'UANA',
      (await desk.type('UANA', 'mute web-2 every sun 02:00-04:00')).blocks,
      'confirm_mute',
    )
    expect(names(desk)).toEqual(['web-2', 'web-2'])
  })

  test('of a window that has begun meanwhile it asks again: another one would come', async () => {
    const desk = openDesk()
    const question = await desk.type('UANA', 'mute web-2 from 01:05 for 2h')
    await desk.clock.runFor(6 * minute)
    const again = await desk.press('UANA', question.blocks, 'confirm_mute')
    expect(again.said).toContain('🔕 Mute *web-2* 11-29 01:05')
    expect(names(desk)).toEqual([])
  })

  test('so it does for one more server, though nothing is open there', async () => {
    const desk = openDesk()
    desk.open('2874', 'web-1')
    const question = await desk.type('UANA', 'mute web-* 1h')
    desk.open('8398', 'web-2', { closedMs: 1 })
    await desk.press('UANA', question.blocks, 'confirm_mute')
    expect(names(desk)).toEqual([])
  })

  test('labels ask first too', async () => {
    const desk = openDesk({ canMuteAlerts: true })
    desk.open('1', 'pay-1', { details: { ...alertOf().details, labels: { namespace: 'pay-eu' } } })
    const question = await desk.type('UANA', 'mute namespace=pay-* 2h')
    expect(question.said).toContain('🔕 Mute *namespace=pay-∗* until 11-28 03:00?\nHides 1 open alert')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    expect(running(desk)[0]).toMatchObject({ matchers: [{ label: 'namespace', glob: 'pay-*' }] })
  })

  test('the account needs a reason, whoever may, and no more than its own longest', async () => {
    const limits = { muteDefaultMs: hour, muteMaxMs: 30 * day, accountMuteMaxMs: 4 * hour }
    const desk = openDesk({ policy: { limits, isAccountMuteUnset: false } })
    expect((await desk.type('UANA', 'mute account 1h')).said).toContain('Muting everything needs a reason')
    const question = await desk.type('UANA', 'mute account 9h moving')
    expect(question.said).toContain('(maximum)')
    const permissions = { ...policyOf().permissions, mute_account: ['UBEN'] }
    desk.usePolicy({ limits, isAccountMuteUnset: false, permissions })
    expect((await desk.press('UANA', question.blocks, 'confirm_mute')).said).toContain('You may not do this')
    expect(names(desk)).toEqual([])
    expect([...desk.world.acts.values()].map(({ kind }) => kind)).toEqual(['refused'])
  })

  test('a new mute replaces the one of its subject, and Undo within a minute puts it back', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-2 4h moving')
    await desk.clock.runFor(hour)
    const { said, blocks } = await desk.type('UBEN', 'mute web-2 1h')
    expect(said).toContain("It replaces @ana's mute of *web-2* until 11-28 05:00")
    expect(running(desk).map(({ by }) => by)).toEqual(['UBEN'])
    const undone = await desk.press('UBEN', blocks, 'unmute')
    expect(undone.said).toContain('Back as it was: 🔕 @ana muted *web-2* until')
    expect(running(desk).map(({ by }) => by)).toEqual(['UANA'])
  })

  test('a minute later Unmute is just that', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-2 4h moving')
    const { blocks } = await desk.type('UBEN', 'mute web-2 1h')
    await desk.clock.runFor(minute)
    await desk.press('UBEN', blocks, 'unmute')
    expect(names(desk)).toEqual([])
  })

  test('`unmute` is no undo: who types it wants to hear of it again', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-2 4h')
    await desk.type('UANA', 'mute web-2 1h')
    await desk.type('UANA', 'unmute web-2')
    expect(names(desk)).toEqual([])
  })

  test('a window replaces nothing, and is not replaced', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-2 4h')
    const question = await desk.type('UANA', 'mute web-2 from 02:00 for 2h')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    await desk.clock.runFor(90 * minute)
    await desk.type('UANA', 'mute web-2 1h')
    expect(running(desk).map(({ plan }) => plan === undefined)).toEqual([false, true])
  })
})

describe('on the card', () => {
  test.each([
    ['server 30m', 'web-2', 30 * minute],
    ['alert 1d', 'CPU busy on web-2', day],
  ])('%s', async (option, name, ms) => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    const beganMs = desk.clock.nowMs()
    const post = `alert:${alert.id}:C0`
    await desk.press('UANA', desk.cardBlocks(alert), 'mute', { option, post })
    expect(running(desk)[0]).toMatchObject({ name, untilMs: beganMs + ms })
    expect(desk.card(alert)).toContain('🔕 @ana muted')
  })

  test('a card that somebody took meanwhile mutes nothing', async () => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    const blocks = desk.cardBlocks(alert)
    await desk.type('UBEN', 'ack web-2')
    const { said } = await desk.press('UANA', blocks, 'mute', { option: 'server 1h' })
    expect([said.includes('This changed meanwhile'), names(desk)]).toEqual([true, []])
  })

  test('*Custom…* takes what was typed before what was chosen, and says what it did not understand', async () => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'mute', { option: 'custom' })
    const chosen = { subject: '{"words":"server"}', end: '{"words":"1h"}', reason: 'disk' }
    const wrong = await desk.fill('UANA', form, { ...chosen, end_text: 'soon' })
    expect(wrong.problems).toEqual({ end_text: 'Try 2h or until 15:00.' })
    await desk.fill('UANA', form, { ...chosen, end_text: 'until 15:00' })
    expect(running(desk)[0]).toMatchObject({
      name: 'web-2',
      reason: 'disk',
      untilMs: Date.UTC(2026, 10, 28, 15),
    })
  })

  test('*Whole account…* wants a reason', async () => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    const { form } = await desk.press('UANA', desk.cardBlocks(alert), 'mute', { option: 'account' })
    expect((await desk.fill('UANA', form, { end_text: '1h' })).problems).toEqual({ reason: 'Say why.' })
    await desk.fill('UANA', form, { end_text: '1h', reason: 'network' })
    expect(names(desk)).toEqual(['everything'])
  })
})

describe('unmute', () => {
  test('ends it, says so in its message, and names who made it', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-2 2h deploying')
    await desk.clock.runFor(hour)
    const { said } = await desk.type('UBEN', 'unmute web-2')
    expect(said).toContain(
      '🔔 *web-2* was muted 11-28 01:00 – 11-28 02:00 by @ana — deploying (@ben unmuted it)',
    )
    expect(desk.told()[0]).toContain('(@ben unmuted it)')
    expect(desk.told()).toHaveLength(1)
  })

  test('where nobody read of the mute, that it ended is told', async () => {
    const policy = { routes: [{ match: {}, channel: 'C1', mention: null }] }
    const desk = openDesk({ policy })
    await desk.type('UANA', 'mute web-2 2h')
    await desk.type('UBEN', 'unmute web-2', { channel: 'C1' })
    expect(desk.told()[1]).toBe('said C1: 🔔 @ben unmuted *web-2*')
  })

  test('of several it asks, names whose they are, and ends what is still there', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-1 2h')
    await desk.type('UBEN', 'mute web-2 2h disk')
    const question = await desk.type('UANA', 'unmute web-*')
    expect(question.said).toContain('Unmute all 2 of these?\n🔕 @ana muted *web-1*')
    expect(question.said).toContain('🔕 @ben muted *web-2* until 11-28 03:00 — disk')
    await desk.type('UBEN', 'unmute web-2')
    await desk.press('UANA', question.blocks, 'confirm_unmute')
    expect(names(desk)).toEqual([])
  })

  test('says of each that it ended who made it', async () => {
    const desk = openDesk()
    await desk.type('UANA', 'mute web-1 2h')
    await desk.type('UBEN', 'mute web-2 2h disk')
    const question = await desk.type('UANA', 'unmute web-*')
    const { said } = await desk.press('UANA', question.blocks, 'confirm_unmute')
    expect(said).toMatch(/\*web-1\* was muted .* by @ana \(.*\n.*\n.*\*web-2\* was muted .* by @ben — disk/)
  })

  test('says what still hides it', async () => {
    const desk = openDesk()
    desk.open('8398', 'web-2')
    await desk.type('UANA', 'mute web-2 2h')
    const account = await desk.type('UANA', 'mute account 1h network')
    await desk.press('UANA', account.blocks, 'confirm_mute')
    expect((await desk.type('UANA', 'unmute web-2')).said).toContain('Still muted: the whole account is.')
    const again = await desk.type('UANA', 'unmute web-2')
    expect(again.said).toBe("⚠️ web-2 isn't muted. Still muted: the whole account is.\n[unmute account]")
  })

  test('of a server that nobody muted here has the monitoring notify of it', async () => {
    const desk = openDesk()
    const { said } = await desk.type('UANA', 'unmute web-7')
    expect(said).toBe("⚠️ web-7 isn't muted. The monitoring was told to notify of it.")
    expect(desk.world.switches.get('server:web-7')?.told).toBe('on')
  })

  test('while the monitoring is silent, that is said', async () => {
    const desk = openDesk({ api: 'is silent' })
    await desk.type('UANA', 'mute web-2 2h')
    desk.world.put('switches', { ...unknown, id: 'server:web-2' })
    expect((await desk.type('UANA', 'unmute web-2')).said).toContain("The monitoring hasn't confirmed it yet")
  })

  test('a call that muted and may still arrive is rechecked', async () => {
    const desk = openDesk({ api: 'is silent' })
    await desk.type('UANA', 'mute web-2 2h')
    desk.world.put('switches', { ...unknown, id: 'server:web-2', told: 'on', repeatsMs: [1] })
    const { said } = await desk.type('UANA', 'unmute web-2')
    expect(said).toContain("I'll recheck for 30 min in case the mute arrives late")
  })

  test('the account only by whoever may mute it, once somebody decided who that is', async () => {
    const permissions = { ...policyOf().permissions, mute_account: ['UANA'] }
    const desk = openDesk({ policy: { isAccountMuteUnset: false, permissions } })
    const question = await desk.type('UANA', 'mute account 1h network')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    expect((await desk.type('UBEN', 'unmute account')).said).toContain('You may not do this')
    await desk.type('UBEN', 'mute web-2 1h')
    await desk.type('UBEN', 'unmute web-2')
    expect(names(desk)).toEqual(['everything'])
  })

  test('the account by anybody where nobody decided that; nobody extends it', async () => {
    const desk = openDesk({ canMuteAlerts: true, policy: { isAccountMuteUnset: false } })
    const question = await desk.type('UANA', 'mute account 1h network')
    const { blocks } = await desk.press('UANA', question.blocks, 'confirm_mute')
    desk.usePolicy({ isAccountMuteUnset: true })
    expect((await desk.press('UANA', blocks, 'extend')).said).toContain('Nobody may do this until')
    await desk.press('UBEN', blocks, 'unmute')
    expect(names(desk)).toEqual([])
  })

  test('of an alert it names the server that is muted', async () => {
    const desk = openDesk()
    desk.open('8398', 'web-2')
    await desk.type('UANA', 'mute web-2 2h')
    await desk.type('UANA', 'mute #8398 2h')
    expect((await desk.type('UANA', 'unmute #8398')).said).toContain('Still muted: *web-2*.')
  })

  test('of what is only planned the list is offered', async () => {
    const desk = openDesk()
    const question = await desk.type('UANA', 'mute web-2 every sun 02:00-04:00')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    const answer = await desk.type('UANA', 'unmute web-2')
    expect(answer.said).toBe('⚠️ Nothing is muted now, only planned.\n[mutes]')
  })

  test('in the thread of a card it means what hides it', async () => {
    const desk = openDesk()
    const alert = desk.open('8398', 'web-2')
    await desk.type('UANA', 'mute web-2 2h')
    await desk.type('UANA', 'unmute', { threadPost: `alert:${alert.id}:C0` })
    expect(names(desk)).toEqual([])
  })
})

test('*Mute servers…* of a storm mutes those that it showed, or one of them', async () => {
  const desk = openDesk()
  const alerts = ['1', '2', '3'].map((number) => desk.open(number, `web-${number}`))
  const storm = { kind: 'list', data: { of: 'cpu' } } as const
  desk.stand(alerts.slice(0, 2), storm)
  const pressed = await desk.press('UANA', desk.blocksOf('list:1:C0'), 'mute_all', { post: 'list:1:C0' })
  desk.stand(alerts, storm)
  const chosen = { end: '{"words":"1h"}', reason: 'network' }
  await desk.fill('UANA', pressed.form, { ...chosen, servers: '{"words":"host web-2"}' })
  expect(names(desk)).toEqual(['web-2'])
  await desk.fill('UANA', pressed.form, { ...chosen, servers: '{"words":"all"}' })
  expect(names(desk)).toEqual(['web-1', 'web-2'])
})

describe('a running mute and a plan', () => {
  test('*Extend 1 h* goes up to the longest, and the message follows', async () => {
    const limits = { muteDefaultMs: hour, muteMaxMs: 3 * hour, accountMuteMaxMs: hour }
    const desk = openDesk({ policy: { limits } })
    const { blocks } = await desk.type('UANA', 'mute web-2 90m')
    await desk.press('UBEN', blocks, 'extend')
    expect(desk.told()).toEqual([expect.stringContaining('until 03:30 (extended by @ben)')])
    // Who pressed at the same moment extends nothing once more.
    expect((await desk.press('UANA', blocks, 'extend')).said).toContain('This changed meanwhile')
    const now = async () => (await desk.type('UBEN', 'mutes')).blocks
    await desk.press('UBEN', await now(), 'extend')
    expect((await desk.press('UBEN', await now(), 'extend')).said).toContain('It lasts as long as it may')
    expect(running(desk)[0]?.untilMs).toBe(Date.UTC(2026, 10, 28, 4))
  })

  test.each([
    ['skip', 'isSkipped', true],
    ['cancel_plan', 'ended', { atMs: Date.UTC(2026, 10, 28, 1), by: 'cancelled' }],
  ])('%s, once', async (action, field, value) => {
    const desk = openDesk()
    const question = await desk.type('UANA', 'mute web-2 every sun 02:00-04:00')
    const { blocks } = await desk.press('UANA', question.blocks, 'confirm_mute')
    await desk.press('UBEN', blocks, action)
    expect([...desk.world.mutes.values()][0]).toMatchObject({ [field]: value })
    const again = await desk.press('UBEN', blocks, action)
    expect(again.said).toContain('That plan has started, ended or been canceled.')
  })

  test('*Cancel the plan* while a window runs makes that one the last', async () => {
    const desk = openDesk()
    const question = await desk.type('UANA', 'mute web-2 every day 03:00-05:00')
    await desk.press('UANA', question.blocks, 'confirm_mute')
    await desk.clock.runFor(3 * hour)
    const { blocks } = await desk.type('UBEN', 'mutes')
    expect((await desk.press('UBEN', blocks, 'cancel_plan')).said).toContain('canceled the planned mute')
    expect(running(desk)[0]).toMatchObject({ ended: null, plan: expect.anything() })
    expect(running(desk)[0]).not.toHaveProperty('every')
    expect((await desk.press('UBEN', blocks, 'cancel_plan')).said).toContain('been canceled')
  })
})
