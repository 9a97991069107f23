/** Who is on call, in the running bot: whom cards and reminders call, what is told of a change of shift, and what stays known. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { ReminderStep } from '../../../src/bot/domain/card/reminders.ts'
import { parseKept } from '../../../src/bot/domain/oncall/kept.ts'
import type { Shift } from '../../../src/bot/domain/oncall/shift.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { onCallTroubles } from '../../../src/bot/slack/render/text/on-call-words.ts'
import type { WireSettings } from '../../../src/bot/wire.ts'
import { bareWorld } from '../../support/bare-world.ts'
import { openBotInMemory } from '../../support/bot-in-memory.ts'
import { letPass } from '../../support/delivery-world.ts'
import { step } from '../../support/expiry-world.ts'
import { modelPager } from '../../support/model-pager.ts'
import { modelService } from '../../support/model-service.ts'
import { paging } from '../../support/pager-world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Time for a poll. */
const pollMs = 6 * minuteMs

const unread = new OutsideFailure('unreachable', "the calendar's address answered HTTP 500")

/** A world in which ana is on call until 08:00, ben until 20:00, and then nobody until ana is again at 22:00; it is 04:00. */
async function onCallWorld(
  settings: Partial<WireSettings> = {},
  of: { emails?: (email: string) => Promise<string | null> } = {},
) {
  const { clock, store, logger, chat } = await bareWorld()
  const service = modelService({ form: 'flip', nowMs: clock.nowMs })
  const pager = modelPager()
  const startMs = clock.nowMs()
  const shift = (email: string, fromH: number, toH: number): Shift => ({
    startMs: startMs + fromH * hourMs,
    endMs: startMs + toH * hourMs,
    who: { email, name: email.replace(/@.*/, '') },
    isUnclear: false,
  })
  const calendar = {
    shifts: [shift('ana@x.example', -8, 4), shift('ben@x.example', 4, 16), shift('ana@x.example', 18, 28)],
    skipped: 0,
    skippedWhy: null as string | null,
    failure: null as OutsideFailure | null,
    id: 'one',
  }
  const people = new Map([
    ['ana@x.example', 'UANA'],
    ['ben@x.example', 'UBEN'],
  ])
  let hasCalendar = true
  const source = {
    from: 'the calendar',
    shifts: async () => {
      if (calendar.failure !== null) throw calendar.failure
      const { shifts, skipped, skippedWhy } = calendar
      return { shifts, skipped, skippedWhy }
    },
  }
  const open = () =>
    openBotInMemory({
      monitor: service.monitor,
      chat,
      clock,
      store,
      logger,
      pager,
      directory: {
        zoneOf: async () => 'UTC',
        nameOf: async (userId) => userId,
        personIs: async () => 'person' as const,
        membersOf: async () => new Set(),
        findByEmail: of.emails ?? (async () => null),
      },
      ...(hasCalendar ? { onCallSource: { ...source, id: calendar.id } } : {}),
      settings: {
        pollCron: '0 */5 * * * *',
        routes: [{ match: {}, channel: 'C1', mention: 'oncall' }],
        ...(hasCalendar ? { onCall: { people } } : {}),
        ...settings,
      },
    })
  let bot = await open()
  const start = async () => {
    await bot.start()
    await letPass(clock, 0)
  }
  const texts = (isOne: (view: CardView) => boolean) =>
    chat.messages.filter(({ view }) => isOne(view)).map(({ view }) => render(view).text)
  return {
    clock,
    logger,
    chat,
    service,
    pager,
    calendar,
    shift,
    start,
    bot: () => bot,
    pass: (ms: number) => letPass(clock, ms),
    stop: () => bot.stop(),
    restart: async (changed: Partial<WireSettings> = {}, now = { hasCalendar: true }) => {
      await bot.stop()
      Object.assign(settings, changed)
      hasCalendar = now.hasCalendar
      bot = await open()
      await start()
    },
    /** What was handed over at them. */
    handoffs: () => texts((view) => view.kind === 'notice' && view.topic === 'handoff'),
    /** What was told of shifts. */
    told: () => texts((view) => view.kind === 'notice' && view.topic === 'change_notice'),
    cards: () => texts((view) => view.kind === 'alert'),
    reminders: () => texts((view) => view.kind === 'notice' && view.topic === 'unacknowledged'),
    failing: () => texts((view) => view.kind === 'notice' && view.topic === 'page_failed'),
    board: () => texts((view) => view.kind === 'board').at(-1) ?? '',
  }
}

test('a card calls whoever is on call when it is made, and nobody else afterwards', async () => {
  const world = await onCallWorld()
  world.service.open({ hostname: 'web-1' })
  await world.start()
  expect(world.cards()).toEqual([expect.stringContaining('<@UANA>')])
  await world.pass(5 * hourMs)
  world.service.open({ hostname: 'web-2' })
  await world.pass(pollMs)
  const [first, second] = world.cards()
  expect(first).toContain('<@UANA>')
  expect(first).not.toContain('<@UBEN>')
  expect(second).toContain('<@UBEN>')
})

test('at a change of shift the channel is told once, across restarts, and a gap is said', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.pass(4 * hourMs - minuteMs)
  expect(world.told()).toEqual([])
  await world.pass(2 * minuteMs)
  expect(world.told()).toEqual([expect.stringMatching(/^📟 <@UBEN> is on call until .* · before: <@UANA>$/)])
  await world.restart()
  await world.pass(hourMs)
  expect(world.told()).toHaveLength(1)
  await world.pass(12 * hourMs)
  expect(world.told().at(-1)).toMatch(/^📟 Nobody is on call until .* · before: <@UBEN>$/)
  await world.pass(2 * hourMs)
  expect(world.told().at(-1)).toMatch(/^📟 <@UANA> is on call until [^·]*$/)
  expect(world.told()).toHaveLength(3)
})

test('with handoff: true the handoff of the shift that is over comes with the line, once, across restarts', async () => {
  const people = new Map([['ana@x.example', 'UANA']])
  const world = await onCallWorld({ onCall: { people, handoff: true } })
  await world.start()
  world.service.open({ hostname: 'web-1' })
  await world.pass(4 * hourMs - minuteMs)
  expect(world.handoffs()).toEqual([])
  await world.pass(2 * minuteMs)
  expect(world.told()).toHaveLength(1)
  expect(world.handoffs()).toEqual([
    expect.stringMatching(
      /^Handoff · [\s\S]*1 alert opened since [\s\S]*Open: 1 \(1 unacknowledged\)[\s\S]*in the last 12 h/,
    ),
  ])
  await world.restart()
  await world.pass(hourMs)
  expect(world.handoffs()).toHaveLength(1)
  await world.pass(12 * hourMs)
  expect(world.handoffs()).toHaveLength(2)
})

test('without it there is none', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.pass(5 * hourMs)
  expect([world.told().length, world.handoffs()]).toEqual([1, []])
})

test('what changed twice while the bot was down is told as it is now, and what is as before not at all', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.stop()
  await world.pass(19 * hourMs)
  await world.restart()
  expect(world.told()).toEqual([])
  await world.stop()
  world.calendar.shifts.push(world.shift('ben@x.example', 20, 30))
  await world.pass(2 * hourMs)
  await world.restart()
  await world.pass(6 * minuteMs)
  expect(world.told()).toEqual([expect.stringMatching(/^📟 <@UBEN> is on call/)])
})

test('while nobody is on call a card calls nobody, and says so', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.pass(17 * hourMs)
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('📟 nobody is on call')
  expect(world.cards().at(-1)).not.toContain('<@')
})

test.each([
  // The call fails half an hour after the alert opens; shifts change after 4, 16 and 18 hours.
  ['in the shift of its card', 3 * hourMs, 'UANA', 'UANA'],
  ['after that shift', 4 * hourMs - 15 * minuteMs, 'UANA', 'UBEN'],
  ['after a time without anybody', 18 * hourMs - 15 * minuteMs, null, 'UANA'],
  ['when nobody is on call any more', 16 * hourMs - 15 * minuteMs, 'UBEN', null],
])('that a call fails is said to whoever is on call then: %s', async (_, afterMs, onCard, onNotice) => {
  const reminders = { steps: [paging(30)], flapSettleMs: null, staleAckAfterMs: null }
  const world = await onCallWorld({ reminders, pollCron: '* * * * *' })
  const mentions = (text: string | undefined) => text?.match(/(?<=<@)\w+/g) ?? null
  const nobody = 'nobody is on call'
  world.pager.will('away')
  await world.start()
  await world.pass(afterMs)
  world.service.open({ hostname: 'web-1' })
  await world.pass(2 * minuteMs)
  expect(mentions(world.cards()[0])).toEqual(onCard === null ? null : [onCard])
  await world.pass(40 * minuteMs)
  const [failing, ...none] = world.failing()
  expect(none).toEqual([])
  expect(mentions(failing)).toEqual(onNotice === null ? null : [onNotice])
  expect(failing?.includes(nobody)).toBe(onNotice === null)
})

test('where events of the calendar cannot be read nobody is never on call: it is not known, and said why', async () => {
  const world = await onCallWorld({ board: true })
  world.calendar.shifts = world.calendar.shifts.slice(0, 1)
  Object.assign(world.calendar, { skipped: 2, skippedWhy: 'unknown time zone *Mars*' })
  await world.start()
  await world.pass(minuteMs)
  expect(world.board()).toMatch(
    /^⚠️ .*On-call calendar partly unreadable.*2 events of the on-call calendar cannot be read: unknown time zone ∗Mars∗/s,
  )
  expect(world.board()).toMatch(
    /📟 ana on call until .*, then not known \(2 events of the on-call calendar cannot be read\)/,
  )
  await world.pass(5 * hourMs)
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.told()).toEqual([])
  expect(world.cards().at(-1)).toContain('📟 not known who is on call')
  expect(world.board()).toMatch(/📟 Not known who is on call \(2 events/)
  // Mended, the gap is one.
  Object.assign(world.calendar, { skipped: 0, skippedWhy: null })
  await world.pass(pollMs)
  expect(world.told()).toEqual(['📟 Nobody is on call · before: <@UANA>'])
  expect(world.board()).not.toContain('cannot be read')
})

test('a change of shift says that events of the calendar cannot be read', async () => {
  const world = await onCallWorld()
  Object.assign(world.calendar, { skipped: 1, skippedWhy: 'unknown time zone Mars' })
  await world.start()
  await world.pass(4 * hourMs + minuteMs)
  expect(world.told()).toEqual([
    expect.stringMatching(
      /^📟 <@UBEN> is on call .* · 1 event of the on-call calendar cannot be read: unknown time zone Mars$/,
    ),
  ])
})

test('what an older version kept of events that cannot be read is taken up, without why', () => {
  const old = { readMs: 1, knownUntilMs: 9, duties: [], skipped: 2, failing: null, lookUpFailed: null }
  const kept = parseKept(JSON.stringify({ id: 'one', ...old }), 'one')
  expect(kept).toEqual(old)
  const onCall = kept === null ? null : { ...kept, from: 'the calendar' }
  expect(onCallTroubles({ onCall, nowMs: 2 })).toEqual(['2 events of the on-call calendar cannot be read'])
})

test('while the calendar cannot be read the shifts go on as last known, and each place says so', async () => {
  const world = await onCallWorld({ board: true })
  await world.start()
  await world.pass(minuteMs)
  expect(world.board()).toMatch(/\n📟 ana on call until .*, then ben\n/)
  world.calendar.failure = unread
  await world.pass(10 * minuteMs)
  expect(world.board()).toMatch(/then ben \(last known: the on-call calendar is not readable since [^)]*\)/)
  expect(world.board()).not.toContain("can't read who is on call")
  await world.pass(20 * minuteMs)
  expect(world.board()).toMatch(/^⚠️/)
  expect(world.board()).toMatch(
    /can't read who is on call since .*: the calendar's address answered HTTP 500/i,
  )
  // Ben's shift begins while it cannot be read, and across a restart.
  await world.restart()
  await world.pass(4 * hourMs)
  expect(world.told()).toEqual([expect.stringMatching(/^📟 <@UBEN> is on call .* last known: /)])
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('<@UBEN>')
  world.calendar.failure = null
  await world.pass(2 * minuteMs)
  expect(world.board()).not.toContain('last known')
  expect(
    world.logger.entries.filter(({ event, level }) => event === 'oncall:unread' && level === 'warn'),
  ).toHaveLength(1)
})

test('a month after the last reading nobody knows who is on call, and nothing is told of it', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.stop()
  world.calendar.failure = unread
  await world.pass(32 * 24 * hourMs)
  await world.restart()
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('📟 not known who is on call')
  expect(world.told()).toEqual([])
})

test('a calendar that was never read is not known, and another one forgets what the first said', async () => {
  const world = await onCallWorld()
  await world.start()
  await world.stop()
  world.calendar.failure = unread
  world.calendar.id = 'two'
  await world.restart()
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('📟 not known who is on call')
})

const steps: readonly ReminderStep[] = [
  { afterMs: 15 * minuteMs, mention: null, channel: null },
  { afterMs: 30 * minuteMs, mention: 'oncall <@UBOSS>', channel: null },
]

test('a reminder calls whoever is on call by then, and no step comes twice because of a new shift', async () => {
  const reminders = { steps, flapSettleMs: null, staleAckAfterMs: null }
  const world = await onCallWorld({ reminders })
  await world.start()
  await world.pass(4 * hourMs - 25 * minuteMs)
  world.service.open({ hostname: 'web-1' })
  await world.pass(24 * minuteMs)
  expect(world.reminders()).toEqual([expect.stringContaining('<@UANA>')])
  await world.pass(18 * minuteMs)
  expect(world.reminders()).toHaveLength(2)
  expect(world.reminders().at(-1)).toContain('<@UBEN> <@UBOSS>')
  await world.pass(6 * hourMs)
  expect(world.reminders()).toHaveLength(2)
})

const team = '<!subteam^STEAM>'

test.each<[string, number, readonly string[]]>([
  ['before the first', 5, [team, team]],
  ['between them', 20, ['<@UANA>', team]],
])(
  'a reminder calls the team that the route names since it names nobody on call: %s',
  async (_, at, expected) => {
    const reminders = {
      steps: [15, 30].map((after) => step(after)),
      flapSettleMs: null,
      staleAckAfterMs: null,
    }
    const world = await onCallWorld({ reminders })
    await world.start()
    world.service.open({ hostname: 'web-1' })
    await world.pass(pollMs + at * minuteMs)
    await world.restart({ routes: [{ match: {}, channel: 'C1', mention: team }] }, { hasCalendar: false })
    await world.pass(hourMs)
    const said = world.reminders()
    expect(said).toHaveLength(expected.length)
    for (const [n, name] of expected.entries()) expect(said[n]).toContain(name)
    expect(said.at(-1)).not.toContain('<@UANA>')
  },
)

test('that a call fails is said to the team that the route names since there is no calendar', async () => {
  const reminders = { steps: [paging(15)], flapSettleMs: null, staleAckAfterMs: null }
  const world = await onCallWorld({ reminders, pollCron: '* * * * *' })
  world.pager.will('away')
  await world.start()
  world.service.open({ hostname: 'web-1' })
  while (world.pager.last() === undefined) await world.pass(15_000)
  expect(world.failing()).toEqual([])
  await world.restart({ routes: [{ match: {}, channel: 'C1', mention: team }] }, { hasCalendar: false })
  await world.pass(10 * minuteMs)
  const [failing, ...none] = world.failing()
  expect(none).toEqual([])
  expect(failing).toContain(team)
  expect(failing).not.toContain('<@UANA>')
})

test('a step whose time the policy changes does not come again because somebody else is on call by then', async () => {
  const late = { steps: steps.slice(1), flapSettleMs: null, staleAckAfterMs: null }
  const world = await onCallWorld({ reminders: late })
  await world.start()
  await world.pass(3 * hourMs)
  world.service.open({ hostname: 'web-1' })
  await world.pass(40 * minuteMs)
  expect(world.reminders()).toEqual([expect.stringContaining('<@UANA>')])
  Object.assign(late, { steps: [{ ...steps[1], afterMs: 90 * minuteMs }] })
  await world.restart()
  await world.pass(3 * hourMs)
  expect(world.reminders()).toHaveLength(1)
})

test('people are found by e-mail, kept while Slack does not answer, and said where they are not found', async () => {
  let isAway = false
  const emails = async (email: string) => {
    if (isAway)
      throw new OutsideFailure('unreachable', 'Slack could not look up a person by e-mail (ECONNREFUSED)')
    return email.startsWith('ana') ? 'UANA' : null
  }
  const world = await onCallWorld({ onCall: { people: new Map() }, board: true }, { emails })
  await world.start()
  isAway = true
  await world.pass(10 * minuteMs)
  expect(world.bot().health().onCall).toMatchObject({ lookUpFailed: expect.stringContaining('ECONNREFUSED') })
  world.service.open({ hostname: 'web-1' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('<@UANA>')
  isAway = false
  await world.pass(4 * hourMs)
  expect(world.told().at(-1)).toMatch(/ben \(not found in Slack\) is on call/)
  world.service.open({ hostname: 'web-2' })
  await world.pass(pollMs)
  expect(world.cards().at(-1)).toContain('📟 who is on call was not found in Slack')
})
