/**
 * The real process and a monitoring API that goes wrong while one alert opens and another closes: the bot lives, says so in a
 * sentence, and once it is over each alert has one card that is true. Every row of faults: test/bot/flow/poll.bad-api.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import type { BotProcess } from '../support/bot-process.ts'
import { type FaultRow, faultRows } from '../support/fault-rows.ts'
import { patienceMs } from '../support/patience.ts'
import { policyFile } from '../support/shared-town.ts'
import { apiKey, type Card, openTown, type Town } from '../support/town.ts'

const soon = { timeout: patienceMs, interval: 50 }
const sidesMax = 3

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

type Side = { readonly town: Town; readonly bot: BotProcess }

/** A fault affects the whole API, so tests that run concurrently have a town each. */
let sides: readonly Side[]
const free: Side[] = []

beforeAll(async () => {
  const closers: (() => Promise<void>)[] = []
  const open = async (): Promise<Side> => {
    const town = await openTown({ closeLater: (close) => closers.push(close) })
    return { town, bot: await town.bot({ MONBOT_CONFIG: policyFile(town, []), LOG_LEVEL: 'debug' }) }
  }
  sides = await Promise.all(Array.from({ length: sidesMax }, open))
  free.push(...sides)
  return async () => {
    for (const close of closers) await close()
  }
})

const cards = () => sides.flatMap(({ town }) => town.cards())

/** `red`, `green`: one word for each card of the alert, by words that it alone has, and for each line of a list. */
const lights = (among: readonly Card[], alert: string) =>
  among
    // Cards that still wait for Slack's pace when more come become one card and its list.
    .flatMap(({ text }) => (/^(?:🔴|🟢)/u.test(text) ? [text] : text.split('\n')))
    .filter((text) => new RegExp(`${alert}\\b`).test(text))
    .map((text) => ({ '🔴': 'red', '🟢': 'green' })[text.match(/🔴|🟢/u)?.[0] ?? ''] ?? text)

async function story({ what, fault, why }: FaultRow, { expect, onTestFinished }: TestContext): Promise<void> {
  const side = await vi.waitUntil(() => free.pop(), { timeout: patienceMs, interval: 20 })
  onTestFinished(() => void free.push(side))
  const { bot, town } = side
  const { service } = town
  const polls = () => bot.logged('poll:done').length
  const opens = (server: string) => ({ server, alertId: service.openAlert({ server, plugin: 'CPU' }) })
  const shows = ({ server }: ReturnType<typeof opens>) =>
    lights(town.cards(), `(?:🔴|🟢) ${server.replace('^', String.raw`\^`)} CPU`)

  const closing = opens(`${what}, closing`)
  await expect.poll(() => shows(closing), soon).toEqual(['red'])
  const told = bot.logged('poll:failed').length
  const polled = polls()
  service.orderFault({ ...fault, path: 'alerts.json', times: 10_000 })
  const opening = opens(`${what}, opening`)
  service.closeAlert(closing.alertId)
  // The first may have begun before.
  if (why === null) await expect.poll(polls, soon).toBeGreaterThan(polled + 1)
  else {
    await expect.poll(() => bot.logged('poll:failed').length, soon).toBeGreaterThan(told)
    expect(bot.logged('poll:failed')[told]?.why).toMatch(why)
  }
  service.clearFaults()
  await expect.poll(() => [shows(opening), shows(closing)], soon).toEqual([['red'], ['green']])
  expect(bot.child.exitCode).toBeNull()
  service.closeAlert(opening.alertId)
  await expect.poll(() => shows(opening), soon).toEqual(['green'])
}

describe('an alert opens and another closes during', () => {
  test.concurrent.for(faultRows.filter(({ what }) => rows.includes(what)))('$what', story)

  test('what was listed only then has one card each, which is closed, and calls nobody', async () => {
    const listedOnlyThen = [
      '900000000000777 absurd',
      // The same number on another server is another alert.
      '900000000000777 unknown server',
      '900719925474099301 absurd',
      '900719925474099303 absurd',
    ]
    const known = () =>
      sides.map(({ town }) =>
        memoryOf(town)
          .alerts()
          .filter((one) => listedOnlyThen.includes(one)),
      )
    await expect.poll(() => [...new Set(known().flat())].toSorted(), soon).toEqual(listedOnlyThen.toSorted())
    const shown = () =>
      sides.map(({ town }) => lights(town.cards(), '(?:🔴|🟢) (?:absurd|unknown server) Absurd'))
    await expect.poll(shown, soon).toEqual(known().map((alerts) => alerts.map(() => 'green')))
    for (const { metadata, text } of cards()) {
      const number = /^alert:(9007?\d{9,})/.exec(metadata?.event_payload.card ?? '')?.[1]
      if (number !== undefined) expect(text).toContain(`#…${number.slice(-4)}`)
    }
    for (const card of cards()) expect(JSON.stringify(card)).not.toMatch(/<!(?:channel|here|everyone)/)
  })
})

test('answers of a gigabyte, one after the other, do not stay in its memory', async () => {
  const [{ bot, town }] = sides as [Side]
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
      { timeout: patienceMs, interval: 20 },
    )
    .toBeGreaterThan(recovered)
  expect(mostMb - beforeMb).toBeLessThan(100)
})

test('after all of it no word of it holds the key, nothing was a bug, and it ends in peace', async () => {
  for (const { bot } of sides) {
    expect(bot.lines().filter(({ level }) => ['error', 'fatal'].includes(level))).toEqual([])
    expect(await bot.kill('SIGTERM')).toBe(0)
    expect(bot.output()).not.toContain(apiKey)
  }
  expect(JSON.stringify(cards())).not.toContain(apiKey)
})
