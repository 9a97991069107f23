/**
 * The real process and a monitoring API that goes wrong while one alert opens and another closes: the bot lives, says so in a
 * sentence, and once it is over each alert has one card that is true. Every row of faults: test/flow/bad-api.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotProcess } from '../support/bot-process.ts'
import { faultRows } from '../support/fault-rows.ts'
import { policyFile } from '../support/shared-town.ts'
import { apiKey, type Card, openTown, type Town } from '../support/town.ts'

const soon = { timeout: 30_000, interval: 50 }
const storyMs = 60_000

/** What a process of its own adds something to: its HTTP client, its memory, its words in Slack. */
const rows = [
  'a 422',
  'a 429',
  'a 502 with a page',
  'a page for an answer',
  'a gigabyte',
  'a body that is cut',
  'a reset',
  'numbers for alerts',
  'lists in lists, 100,000 deep',
  'missing and absurd fields',
  'ids beyond 2^53',
  'ids that come twice, with another title',
  'fields called __proto__',
  'times a year ahead',
  'times in 1970',
]

let town: Town
let bot: BotProcess

beforeAll(async () => {
  const closers: (() => Promise<void>)[] = []
  town = await openTown({ closeLater: (close) => closers.push(close) })
  bot = await town.bot({ MONBOT_CONFIG: policyFile(town, []) })
  return async () => {
    for (const close of closers) await close()
  }
})

const cardsOf = (alertId: number | string): Card[] =>
  town.cards().filter(({ text }) => new RegExp(`#${alertId}\\b`).test(text))

/** `red`, `green`: one word for each card of the alert. */
const lights = (alertId: number | string) =>
  cardsOf(alertId).map(({ text }) => (text.startsWith('🔴') ? 'red' : text.startsWith('🟢') ? 'green' : text))

const polls = () => Math.floor((town.service.requests()['GET /alerts.json'] ?? 0) / 2)

describe('an alert opens and another closes during', () => {
  test.each(faultRows.filter(({ what }) => rows.includes(what)))(
    '$what',
    async ({ what, fault, why }) => {
      const { service } = town
      const closing = service.openAlert({ server: `${what}, closing`, plugin: 'CPU' })
      await expect.poll(() => lights(closing), soon).toEqual(['red'])
      const told = bot.logged('poll:failed').length
      const polled = polls()
      service.orderFault({ ...fault, path: 'alerts.json', times: 10_000 })
      const opening = service.openAlert({ server: `${what}, opening`, plugin: 'CPU' })
      service.closeAlert(closing)
      if (why === null) await expect.poll(polls, soon).toBeGreaterThan(polled + 3)
      else {
        await expect.poll(() => bot.logged('poll:failed').length, soon).toBeGreaterThan(told)
        expect(bot.logged('poll:failed')[told]?.why).toMatch(why)
      }
      service.clearFaults()
      await expect.poll(() => [lights(opening), lights(closing)], soon).toEqual([['red'], ['green']])
      expect(bot.child.exitCode).toBeNull()
      service.closeAlert(opening)
      await expect.poll(() => lights(opening), soon).toEqual(['green'])
    },
    storyMs,
  )

  test('what was listed only then has one card each, which is closed, and calls nobody', async () => {
    const listedOnlyThen = ['900000000000777', '900719925474099301', '900719925474099303']
    await expect.poll(() => listedOnlyThen.map(lights), soon).toEqual(Array(3).fill(['green']))
    for (const card of town.cards()) expect(JSON.stringify(card)).not.toMatch(/<!(?:channel|here|everyone)/)
  })
})

test(
  'answers of a gigabyte, one after the other, do not stay in its memory',
  async () => {
    const residentMb = () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(bot.child.pid)], { encoding: 'utf8' })) / 1024
    const beforeMb = residentMb()
    const recovered = bot.logged('poll:recovered').length
    town.service.orderFault({ path: 'alerts.json', times: 3, status: 200, body: 'gigabyte' })
    let mostMb = 0
    await expect
      .poll(
        () => {
          mostMb = Math.max(mostMb, residentMb())
          return bot.logged('poll:recovered').length
        },
        { timeout: storyMs, interval: 20 },
      )
      .toBeGreaterThan(recovered)
    expect(mostMb - beforeMb).toBeLessThan(100)
  },
  storyMs,
)

test('after all of it no word of it holds the key, nothing was a bug, and it ends in peace', async () => {
  expect(bot.lines().filter(({ level }) => ['error', 'fatal'].includes(level))).toEqual([])
  expect(await bot.kill('SIGTERM')).toBe(0)
  expect(bot.output()).not.toContain(apiKey)
  expect(JSON.stringify(town.cards())).not.toContain(apiKey)
})
