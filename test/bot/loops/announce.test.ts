/** The announcer: cheap where nothing changed, and no record hinders another one. */
import { expect, it } from 'vitest'
import { hour, minute, second } from '../../../src/bot/clock.ts'
import { isHidden } from '../../../src/bot/decide/hidden.ts'
import { reconcile } from '../../../src/bot/decide/reconcile.ts'
import { type Log, silentLog } from '../../../src/bot/log.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import { listingOf, saidOf } from '../decide/listing.ts'
import { openLittle } from '../decide/little.ts'
import { openBot } from '../worlds/bot.ts'
import { muteOf, policyOf } from '../worlds/builders.ts'

it('changes nothing when it looks again', () => {
  const little = openLittle({ board: true })
  little.open({ number: '1' }, { number: '2', severity: 'critical' })
  little.wait(10 * second)
  const { version } = little.world
  little.wait(30 * second)
  expect(little.world.version).toBe(version)
})

it('sets a record aside that cannot be decided, says so once, and tells the others', () => {
  const little = openLittle()
  little.open({ number: '1' })
  const alert = little.alert('1')
  const poison = {
    ...alert,
    id: 'poison',
    key: 'poison',
    get host(): string {
      throw new Error('bad record')
    },
  }
  // Past the check of put, as an old row of the disk might be.
  little.world.open.set('poison', poison)
  little.world.alerts.set('closed', {
    ...alert,
    id: 'closed',
    details: null as never,
    closedMs: little.state.nowMs,
  })
  const lines: string[] = []
  const log: Log = { ...silentLog, error: (event) => void lines.push(event) }
  little.state.nowMs += 10 * second
  const other = saidOf({ number: '2', host: 'db-1', startedMs: little.state.nowMs })
  reconcile(little.scene(), listingOf([...little.state.listed, other]))
  announce(little.scene(), log)
  expect(lines).toEqual(['record:set_aside', 'record:set_aside'])
  lines.length = 0
  little.state.nowMs += 10 * second
  announce(little.scene(), log)
  expect(lines).toEqual([])
  expect(little.cards()).toEqual(['C0 ! 1', 'C0 ! 2'])
})

it('sees a change of mutes at once, whatever was remembered of them', () => {
  const little = openLittle()
  little.open({ number: '1' })
  const { world, state } = little
  const alert = little.alert('1')
  const is = () => isHidden(world, alert, state.nowMs)
  expect(is()).toBe(false)
  world.put('mutes', muteOf({ id: 'a', subject: 'server:web-1', untilMs: state.nowMs + hour }))
  expect(is()).toBe(true)
  world.patch('mutes', 'a', { ended: { atMs: state.nowMs, by: 'UANA' } })
  expect(is()).toBe(false)
  world.put('mutes', muteOf({ id: 'b', subject: 'server:web-1', fromMs: state.nowMs + hour }))
  expect(is()).toBe(false)
  state.nowMs += hour
  expect(is()).toBe(true)
})

it('says on a board that the policy turned it off, and writes on it again once it is on', async () => {
  const on = policyOf({ board: true })
  const bot = openBot({ policy: on })
  bot.start()
  await bot.clock.runFor(2 * minute)
  const [board] = bot.slack.standing()
  expect(bot.slack.pinned).toEqual([board?.ts])
  bot.usePolicy(policyOf())
  await bot.clock.runFor(2 * minute)
  expect(board?.text).toBe('There is no board here any more, by the policy file')
  bot.usePolicy(on)
  await bot.clock.runFor(2 * minute)
  expect(board?.text).toContain('Last good poll')
  bot.usePolicy(policyOf())
  await bot.clock.runFor(2 * minute)
  if (board !== undefined) bot.deleteByPerson(board)
  await bot.clock.runFor(2 * minute)
  expect(bot.slack.standing()).toEqual([])
  bot.usePolicy(on)
  await bot.clock.runFor(2 * minute)
  expect(bot.slack.standing()).toHaveLength(1)
})

it('a cover outlives a kill, and its message is edited once its time is up', async () => {
  const bot = openBot({ policy: policyOf() })
  bot.start()
  await bot.clock.runFor(minute)
  const fromMs = bot.clock.nowMs()
  const cover = { person: 'U0ANA', name: 'Ana', fromMs, untilMs: fromMs + hour }
  bot.press(({ world }) => world.setFact('covers', [cover]))
  await bot.clock.runFor(minute)
  const [message] = bot.slack.standing()
  expect(message?.text).toContain('is on call until')
  bot.kill()
  bot.start()
  await bot.clock.runFor(hour)
  expect(message?.text).toContain('was on call')
  expect(bot.slack.standing()).toEqual([message])
})
