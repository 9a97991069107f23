/** An undo goes with its minute, where Slack lets an answer be changed; and an answer that is no longer so is left alone. */
import { expect, test } from 'vitest'
import { actingWorld, muting } from '../support/acting-world.ts'
import { letPass } from '../support/delivery-world.ts'
import { inboundTown } from '../support/inbound.ts'
import { eventually } from '../workspace/neighbour.ts'

const undo = 'undo_mute'
const inAlerts = { user: 'ana', channel: '#alerts' } as const

/** The workspace, the answers, and what they are about, by one clock. */
async function undoTown() {
  const world = await actingWorld({ isRunning: true })
  const { clock, bot } = world
  const { isStanding, whenAnswered } = bot.inbound() ?? expect.fail('the bot is started')
  const town = await inboundTown({
    handle: world.handle,
    ports: { isStanding, whenAnswered },
    clock,
    workspace: { nowMs: clock.nowMs },
  })
  const { workspace, answers } = town
  const last = () => workspace.ephemerals('ana').at(-1)
  const press = async (actionId: string) =>
    workspace.acts.click({ ...inAlerts, ts: String(last()?.ts), actionId })
  const types = async (text: string, answer: RegExp) => {
    await workspace.acts.command({ ...inAlerts, command: '/mon', text })
    await eventually(`the answer to ${text}`, () => answer.test(answers('ana').at(-1) ?? ''))
  }
  const hasUndo = () => JSON.stringify(last()).includes(undo)
  /** Mutes web-1 for three days, which is asked about first. */
  const mutes = async () => {
    await types('mute web-1 3d', /^Mute web-1/)
    await press('confirm')
    await eventually('the mute', () => hasUndo())
  }
  return { ...town, ...world, last, press, types, hasUndo, mutes }
}

test('An undo stood below its answer for ever', async () => {
  const { mutes, clock, hasUndo, answers, last } = await undoTown()
  await mutes()
  const [said] = answers('ana')
  await letPass(clock, 59_000)
  expect(hasUndo()).toBe(true)
  await letPass(clock, 1_000)
  await eventually('the button to go', () => !hasUndo())
  expect(answers('ana')).toEqual([said])
  expect(JSON.stringify(last()?.blocks)).toContain('*web-1* is muted')
})

test('what was undone within the minute stays undone after it', async () => {
  const { mutes, clock, press, answers } = await undoTown()
  await mutes()
  await letPass(clock, 30_000)
  await press(undo)
  await eventually('the answer', () => /^↩️ Undone/.test(answers('ana')[0] ?? ''))
  await letPass(clock, 90_000)
  expect(answers('ana')).toEqual([expect.stringMatching(/^↩️ Undone: web-1 is unmuted/)])
})

test('an undo under way at the end of the minute is waited for, and its answer stands', async () => {
  const { mutes, clock, press, answers, script } = await undoTown()
  await mutes()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  script.meanwhile = () => {
    asked()
    return answered
  }
  await letPass(clock, 59_000)
  await press(undo)
  await isAsked
  await letPass(clock, 5_000)
  answer()
  await eventually('the answer', () => /^↩️ Und/.test(answers('ana')[0] ?? ''))
  await letPass(clock, 5_000)
  expect(answers('ana')).toEqual([expect.stringMatching(/^↩️ Undone: web-1 is unmuted/)])
})

test.each([
  ['within the minute, the undo with it', 20_000, 30_000, true],
  ['after the minute, without an undo', 80_000, 70_000, false],
])(
  'a mute that the API confirms later is confirmed in the same answer: %s',
  async (_, awayMs, backMs, isUndoable) => {
    const { mutes, clock, hasUndo, answers, script } = await undoTown()
    script.next = 'refused'
    await mutes()
    expect(answers('ana')).toEqual([
      expect.stringMatching(/web-1 is muted in Slack until .*\n.*not confirmed it yet/),
    ])
    await letPass(clock, awayMs)
    script.next = 200
    await letPass(clock, backMs)
    const confirmed = /web-1 is muted until/
    await eventually('the answer that it is muted', () => confirmed.test(answers('ana')[0] ?? ''))
    expect(hasUndo()).toBe(isUndoable)
    await letPass(clock, 60_000)
    await eventually('the button to go', () => !hasUndo())
    expect(answers('ana')).toEqual([expect.stringMatching(confirmed)])
  },
)

test('a mute that the API refuses later is said to be refused in the same answer', async () => {
  const { mutes, clock, hasUndo, answers, script } = await undoTown()
  script.next = 'refused'
  await mutes()
  script.next = 401
  await letPass(clock, 90_000)
  await eventually('the refusal', () => /refused/.test(answers('ana')[0] ?? ''))
  expect(answers('ana')).toHaveLength(1)
  expect(hasUndo()).toBe(false)
})

test('an answer whose mute somebody replaced meanwhile is not said again', async () => {
  const { mutes, clock, does, confirms, hasUndo } = await undoTown()
  await mutes()
  const longer = muting('web-1', { end: { kind: 'for', ms: 5 * 3_600_000 } })
  const asked = await does(longer, { userId: 'U0BEN' })
  expect(await confirms(asked, { userId: 'U0BEN' })).toMatchObject({ kind: 'muted' })
  await letPass(clock, 90_000)
  expect(hasUndo()).toBe(true)
})

test('the answer to a command cannot be changed: it keeps its button, and a late press says so', async () => {
  const { types, clock, press, hasUndo, answers } = await undoTown()
  await types('mute web-2 1h', /web-2 is muted/)
  await letPass(clock, 60_000)
  expect(answers('ana')).toHaveLength(1)
  expect(hasUndo()).toBe(true)
  await press(undo)
  await eventually('the refusal', () => answers('ana').length === 2)
  expect(answers('ana')[1]).toBe('Too late to undo.')
})

test('a button that waits for the end of its minute holds up no stop', async () => {
  const { mutes, slack, clock, hasUndo } = await undoTown()
  await mutes()
  await slack.stop()
  await letPass(clock, 90_000)
  expect(hasUndo()).toBe(true)
})
