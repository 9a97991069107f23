/** A start while Slack cannot be used: mutes end, alerts are read, and what waited is said once Slack is back. */
import { describe, type TestContext, test } from 'vitest'
import { memoryOf } from '../support/bot-memory.ts'
import { startBot } from '../support/bot-process.ts'
import { patienceMs } from '../support/patience.ts'
import { settingsFor } from '../support/settings.ts'
import { policyFile, soon, truthOf } from '../support/shared-town.ts'
import { called, openTown, type Town, texts } from '../support/town.ts'

const hourMs = 60 * 60_000
/** Slack is tried again after 1, 2, 4 … 60 s. */
const patient = { timeout: patienceMs, interval: 100 }
/** The first bot is killed right after a mute: its card and its marker may be under way, and the next one says so. */
const expected = [
  /slack:not_connected/,
  /socket:failed/,
  /(?:cards|markers):interrupted/,
  /slack:sdk/,
  /card:unknown/,
]

type Away = {
  begins?: (town: Town) => Promise<unknown>
  /** Settings of the start that comes then. */
  readonly settings?: Readonly<Record<string, string>>
  ends?: (town: Town) => Promise<unknown>
  readonly http?: true
  /** What `/readyz` says of it. */
  readonly why: RegExp
}

const all = (effect: Record<string, unknown>) => (town: Town) =>
  town.workspace.acts.fault.from({ method: '*', times: null, effect })
const clear = ({ workspace }: Town) => workspace.acts.clearFaults({})

const ways: Readonly<Record<string, Away>> = {
  'answers 503': { begins: all({ kind: 'status', status: 503 }), ends: clear, why: /http_503/ },
  'answers 429': {
    begins: all({ kind: 'ratelimited', retryAfterSeconds: 2 }),
    ends: clear,
    why: /ratelimited/,
  },
  'answers 503, in HTTP mode': {
    begins: all({ kind: 'status', status: 503 }),
    ends: clear,
    http: true,
    why: /http_503/,
  },
  'drops every connection': { begins: all({ kind: 'reset' }), ends: clear, why: /Slack could not check/ },
  'never answers': { begins: all({ kind: 'hang' }), ends: clear, why: /time_out/ },
  'has no address': { settings: { SLACK_API_URL: 'http://slack.invalid/api/' }, why: /ENOTFOUND|EAI_AGAIN/ },
  'has revoked the bot token': {
    begins: ({ workspace }) => workspace.acts.revoke({ token: 'bot' }),
    ends: ({ workspace }) => workspace.acts.revoke({ token: 'bot', revoked: false }),
    why: /refused SLACK_BOT_TOKEN \(token_revoked\)/,
  },
  'has revoked the app token': {
    begins: ({ workspace }) => workspace.acts.revoke({ token: 'app' }),
    ends: ({ workspace }) => workspace.acts.revoke({ token: 'app', revoked: false }),
    why: /Slack could not open a socket: token_revoked/,
  },
  'has deactivated the app': {
    begins: all({ kind: 'error', error: 'account_inactive' }),
    ends: clear,
    why: /refused SLACK_BOT_TOKEN \(account_inactive\)/,
  },
}

async function story(away: Away, { expect, onTestFinished }: TestContext): Promise<void> {
  const http = away.http === true
  const town = await openTown({ service: { fleet: 3 }, closeLater: onTestFinished, http })
  const { service } = town
  const settings = { MONBOT_CONFIG: policyFile(town, []) }
  const { muted } = truthOf(service)
  const memory = memoryOf(town)
  const first = await town.bot(settings)
  await town.person('ana').types('/mon mute web-1 1h deploying')
  await expect.poll(() => memory.mutes(), soon).toEqual(['web-1 active'])
  await first.kill('SIGKILL')
  memory.passTime(hourMs)

  await away.begins?.(town)
  const bot = await town.bot({ ...settings, ...away.settings })
  const ready = async () => (await fetch(`http://127.0.0.1:${bot.port}/readyz`)).json()
  // The mute ends all the same, and nothing is held up by the waiting.
  await expect.poll(muted, soon).toEqual([])
  const alert = service.openAlert({ server: 'web-2', plugin: 'CPU', metric: 'busy', value: 97, title: 'Hot' })
  const metrics = async () => (await fetch(`http://127.0.0.1:${bot.port}/metrics`)).text()
  await expect.poll(metrics, soon).toMatch(/^monbot_open_alerts 1$/m)
  await expect
    .poll(ready, patient)
    .toMatchObject({ waiting: [{ part: 'slack', why: expect.stringMatching(away.why) }] })
  if (away.ends === undefined) {
    expect(await bot.kill('SIGTERM')).toBe(0)
  } else {
    await away.ends(town)
    await expect.poll(ready, patient).toEqual({ status: 'ready' })
    const told = () => texts(town.cards())
    await expect.poll(told, patient).toContainEqual(expect.stringContaining(called(alert)))
    await expect.poll(told, patient).toContainEqual(expect.stringMatching(/mute of web-1/))
    // The mute is over, so a press is nobody's any more; people can ask again.
    const before = town.person('ana').answers().length
    await town.person('ana').types('/mon status')
    await expect.poll(() => town.person('ana').answers().length, soon).toBe(before + 1)
  }
  expect(bot.output()).not.toMatch(/xoxb-|xapp-/)
  town.expectQuiet({ except: expected })
}

describe('a mute ends in time though at the start Slack', () => {
  test.concurrent.for(Object.entries(ways))('%s', ([, away], context) => story(away, context))
})

test.concurrent('a start that waits for Slack ends in peace when it is asked to', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  await all({ kind: 'hang' })(town)
  const bot = startBot(settingsFor(town))
  onTestFinished(() => void bot.kill('SIGKILL'))
  await expect.poll(() => town.service.requests()['GET /alerts.json'] ?? 0, soon).toBeGreaterThan(0)
  expect(await bot.kill('SIGTERM')).toBe(0)
  expect(bot.lines().at(-1)?.msg).toBe('app:stopped')
})

test.concurrent('a token that is refused only when Slack is back ends the start as well, where no mute is in force', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  await all({ kind: 'status', status: 503 })(town)
  const bot = await town.bot()
  await town.workspace.acts.revoke({ token: 'bot' })
  await clear(town)
  expect(await bot.ended).toBe(78)
  expect(bot.output()).toMatch(/^Slack refused SLACK_BOT_TOKEN \(token_revoked\): .*\.$/m)
})
