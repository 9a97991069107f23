/**
 * Handing an alert to somebody, by the real bot: killed at each step between the hand and its direct message, and to somebody
 * whom Slack lets no message through to.
 */
import { type TestContext, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { policyFile, soon, told } from '../support/shared-town.ts'
import { called, openTown, type Town } from '../support/town.ts'

/** A post under way when the bot was killed is posted again only once Slack's history must have it: after a minute. */
const late = { timeout: 2 * patienceMs, interval: 40 }
const closely = { timeout: patienceMs, interval: 1 }
const except = [/card:unknown/, /cards:interrupted/, /poll:failed/, /card:no_person/]
const disk = { server: 'web-1', plugin: 'Disk', metric: 'used', value: 95, title: 'Disk /data is full' }

async function handed({ expect, onTestFinished: closeLater }: TestContext) {
  const town = await openTown({ service: { fleet: 12 }, closeLater })
  const settings = { MONBOT_CONFIG: policyFile(town, []) }
  const bot = await town.bot(settings)
  const id = town.service.openAlert(disk)
  const lines = (line: RegExp) => told(town).filter((text) => line.test(text)).length
  await expect.poll(() => lines(new RegExp(called(id))), soon).toBeGreaterThan(0)
  return { town, settings, bot, id, lines }
}

const direct = (town: Town) => town.person('ben').inbox()
const moments: Readonly<Record<string, (town: Town, lines: (line: RegExp) => number) => Promise<boolean>>> = {
  'as soon as Slack was told that the command came': async () => true,
  'when the thread was told': async (_, lines) => lines(/^👋 <@U0ANA00001> handed /) > 0,
  'when the direct message is there': async (town) => (await direct(town)).length > 0,
}

test.concurrent.for(Object.entries(moments))('killed %s', async ([_, when], context) => {
  const { expect } = context
  const { town, settings, bot, lines } = await handed(context)
  await town.person('ana').types('/mon hand web-1 <@U0BEN00001> off to bed')
  await expect.poll(() => when(town, lines), closely).toBe(true)
  await bot.kill('SIGKILL')
  await town.bot(settings)
  // What was not on disk yet is asked for again, as its person would.
  if (lines(/^👋 /) === 0) await town.person('ana').types('/mon hand web-1 <@U0BEN00001> off to bed')
  await expect.poll(() => direct(town), late).toHaveLength(1)
  expect(await direct(town)).toEqual([
    expect.stringMatching(/^👋 <@U0ANA00001> handed you this alert\n“off to bed”/),
  ])
  await expect.poll(() => lines(/^👋 <@U0ANA00001> handed .* to <@U0BEN00001>: off to bed$/), late).toBe(1)
  town.expectQuiet({ except })
})

test('somebody whom Slack lets no message through to has it, and the thread says that they were not told', async (context) => {
  const { expect } = context
  const { town, lines } = await handed(context)
  const refused = { kind: 'error', error: 'user_disabled' } as const
  await town.workspace.acts.fault({ method: 'conversations.open', effect: refused })
  await town.person('ana').types('/mon hand web-1 <@U0BEN00001>')
  const line = /^⚠️ <@U0BEN00001> got no direct message from monbot: their account is deactivated\./
  await expect.poll(() => lines(line), soon).toBe(1)
  expect(await direct(town)).toEqual([])
  town.expectQuiet({ except })
})

test('a one-off is handed as an open alert is: a direct message says so, and what becomes of it', async ({
  expect,
  onTestFinished: closeLater,
}) => {
  const town = await openTown({ service: { fleet: 12 }, closeLater })
  await town.bot({ MONBOT_CONFIG: policyFile(town, []) })
  const id = town.service.oneoff({ server: 'web-1', plugin: 'Backup', title: 'Backup took long' })
  await expect.poll(() => town.cards().length, soon).toBe(1)
  const [ana, ben] = [town.person('ana'), town.person('ben')]
  await ana.types(`/mon hand ${id} <@U0BEN00001> have a look`)
  const had = /^👋 <@U0ANA00001> handed you this alert\n“have a look”\n🔵 web-1 .*👀 <@U0BEN00001>/
  await expect.poll(() => direct(town), soon).toEqual([expect.stringMatching(had)])
  await ana.types(`/mon take ${id}`)
  const has = /^👀 <@U0ANA00001> has it now\n🔵 web-1 /
  await expect.poll(() => ben.inbox(), soon).toEqual([expect.stringMatching(has)])
  town.expectQuiet({ except })
})
