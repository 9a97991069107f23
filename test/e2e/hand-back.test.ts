/**
 * Shortly before a mute ends it is handed back to who muted. Nobody waits for an hour: while the bot is stopped its mutes
 * are made older on disk, which for the process that starts then is the same as an hour that has passed.
 */
import { type TestContext, test } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import type { StoriesAt } from '../support/pressed.ts'
import { openAlert, policyFile, soon, threadOf, truthOf } from '../support/shared-town.ts'
import { called, openTown, type Town } from '../support/town.ts'

const minuteMs = 60_000

/** Ana has muted web-1 for an hour, and 51 minutes of it are over. */
async function almostOver({ expect, onTestFinished }: TestContext) {
  const town = await openTown({ service: { fleet: 24 }, closeLater: onTestFinished })
  // An alert opens while a slow machine reads the list for the second time.
  onTestFinished(() => town.expectQuiet({ except: [/listing:incomplete/] }))
  const settings = { MONBOT_CONFIG: policyFile(town, []) }
  let bot = await town.bot(settings)
  /** The bot was stopped for so long. */
  const pass = async (minutes: number) => {
    await bot.kill('SIGTERM')
    memoryOf(town).passTime(minutes * minuteMs)
    bot = await town.bot(settings)
  }
  const ana = town.person('ana')
  const alert = await openAlert(town, 'web-1')
  await ana.chooses('Mute…', 'web-1: 1 h', alert.card())
  await expect.poll(() => threadOf(town, alert.card()), soon).toHaveLength(1)
  // While it is muted, what is new there has no card of its own.
  const hidden = town.service.openAlert({ server: 'web-1', plugin: 'Disk', metric: 'full', value: 91 })
  await expect.poll(() => memoryOf(town).alert(hidden), soon).toBe('open')
  await pass(51)
  const handBack = () => {
    const found = town.thread(alert.card().ts).find(({ text }) => text.startsWith('⏰'))
    if (found === undefined) throw new Error('there is no hand-back in the thread')
    return found
  }
  await expect
    .poll(() => threadOf(town, alert.card()), soon)
    .toContainEqual(expect.stringMatching(/^⏰ <@U0ANA00001>, your mute of web-1 ends .*\nOpen now:\n/))
  return { town, ana, alert, hidden, handBack, pass }
}

const titles = (town: Town) => town.cards().map(({ text }) => text)

const stories: StoriesAt<'hand-back'> = {
  extendMute: async (context) => {
    const { expect } = context
    const { town, ana, alert, handBack, pass } = await almostOver(context)
    expect(handBack().text).toMatch(/🔴 web-1 Disk.*\n🔴 web-1 Load Average/)
    const { ts } = handBack()
    await ana.presses('Extend 1 h', handBack())
    await expect
      .poll(() => threadOf(town, alert.card()), soon)
      .toContainEqual(expect.stringMatching(/^🔕 <@U0ANA00001> extended the mute of web-1: muted until/))
    // Its question is answered, so its buttons go.
    const first = () => town.thread(alert.card().ts).find((reply) => reply.ts === ts)
    await expect.poll(() => first()?.text, soon).toMatch(/^🔕 The mute of web-1 goes on until/)
    expect(JSON.stringify(first()?.blocks)).not.toContain('extend_mute')
    expect(memoryOf(town).mutes()).toEqual(['web-1 active'])
    // Before its new end it is handed back once more.
    await pass(59)
    await expect
      .poll(() => threadOf(town, alert.card()).filter((text) => text.startsWith('⏰')), soon)
      .toHaveLength(1)
    expect(handBack().ts).not.toBe(ts)
  },

  unmuteNow: async (context) => {
    const { expect } = context
    const { town, ana, alert, handBack, hidden } = await almostOver(context)
    expect(truthOf(town.service).muted()).toEqual(['web-1'])
    expect(titles(town).filter((text) => /^🔴 Disk/.test(text))).toEqual([])
    await ana.presses('Unmute now', handBack())
    await expect
      .poll(() => threadOf(town, alert.card()), soon)
      .toContainEqual('🔔 <@U0ANA00001> unmuted web-1: notifications are on again')
    expect(truthOf(town.service).muted()).toEqual([])
    // What it hid and is still open gets its card now.
    await expect
      .poll(() => titles(town), soon)
      .toContainEqual(expect.stringMatching(new RegExp(`^🔴 web-1 Disk.* 91 .*${called(hidden)}`)))
  },
}

test.concurrent.for(Object.entries(stories))('%s', ([_, story], context) => story(context))

test.concurrent('a mute whose time was over while the bot was stopped ends when it starts, and tells what is still open', async (context) => {
  const { expect } = context
  const { town, alert, hidden, pass } = await almostOver(context)
  await pass(15)
  await expect
    .poll(() => threadOf(town, alert.card()), soon)
    .toContainEqual(
      expect.stringMatching(
        /^🔔 The mute of web-1 has ended: notifications are on again\.\nStill open:\n🔴 web-1 Disk.*\n🔴 web-1 Load Average.*\n\d alerts came while it was muted/,
      ),
    )
  expect(truthOf(town.service).muted()).toEqual([])
  expect(memoryOf(town).mutes()).toEqual([])
  await expect
    .poll(() => titles(town), soon)
    .toContainEqual(expect.stringMatching(`^🔴 web-1 Disk.*${called(hidden)}`))
})
