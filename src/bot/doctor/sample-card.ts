/**
 * `monbot test`: posts a sample card with a picture and the first mention of the routes into the default channel, calls the pager for a
 * test, and takes both back after half a minute, or when it is interrupted.
 */

import type { Dispatcher } from 'undici'
import { readLimited } from '../../shared/setting-files.ts'
import { wayOutOf } from '../call.ts'
import { alertChart } from '../charts/chart.ts'
import { drawChart } from '../charts/draw.ts'
import { type Clock, minute, realClock, second } from '../clock.ts'
import { type Environment, loadSettings } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { silentLog } from '../log.ts'
import { openPager, type PageEvent } from '../pager/pager.ts'
import { openSlack } from '../slack/calls.ts'
import { whyOf } from '../slack/outcomes.ts'
import type { SlackPort } from '../slack/port.ts'
import { viewOf } from '../view/view.ts'
import type { Pass } from '../world/journal.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import { samplesOf } from './samples.ts'

const shownMs = 30 * second
const say = (line: string) => process.stdout.write(`${line}\n`)

/** The doctor decides nothing, so there is nothing to wait for. */
const doctorPass = {} as Pass

/** The exit code. */
export async function showSample(env: Environment): Promise<number> {
  const loaded = loadSettings(env)
  if (!loaded.ok) {
    process.stderr.write(`${loaded.problems.join('\n')}\n`)
    return 78
  }
  const { config, policy } = loaded
  const leaving = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort())
  const way = wayOutOf(config, readLimited)
  const reach = { apiUrl: config.slack.apiUrl, fetch: way.fetch, log: silentLog }
  const slack = openSlack(config.slack.botToken, reach, realClock)
  const nowMs = realClock.nowMs()
  const channel = config.slack.channel ?? policy.routes.at(-1)?.channel ?? ''
  const { scene, samples } = samplesOf(policy, channel, nowMs)
  const sample = samples.find(({ what }) => what === 'an open alert')
  if (sample === undefined) throw new Error('expected a sample of an open alert')
  const view = viewOf({ ...sample.post, picture: await uploaded(slack, nowMs) }, scene)
  const mention = policy.routes.find((route) => route.mention !== null)?.mention ?? ''
  const text = `This is a test of monbot, and goes in half a minute. ${mention}`.trim()
  const first = { type: 'section' as const, text: { type: 'mrkdwn' as const, text } }
  const message = { text: `${text} ${view.text}`, blocks: [first, ...view.blocks] }
  const place = { channel, threadTs: null, isBroadcast: false, key: `test:${nowMs}` }
  const posted = await slack.post(doctorPass, { ...message, ...place })
  if (posted.kind !== 'ok') {
    say(`No card: Slack says ${whyOf(posted)}. The doctor says what to click.`)
    return 1
  }
  say(`A sample card stands in ${channel} for half a minute`)
  for await (const { said } of testPages(config, way.dispatcher, realClock)) say(`Pager: ${said}`)
  await realClock.wait(shownMs, leaving.signal)
  const deleted = await slack.delete(doctorPass, posted.channelId, posted.ts)
  say(deleted.kind === 'ok' ? 'The card was taken back' : 'Slack did not delete the card: please do it')
  return deleted.kind === 'ok' ? 0 : 1
}

/** A chart that looks like one of an alert; null where Slack does not take it. */
async function uploaded(slack: SlackPort, nowMs: number): Promise<{ file: string; key: string } | null> {
  const points = Array.from({ length: 84 }, (_, at) => {
    const mean = at > 60 ? 96 : 40 + 9 * Math.sin(at / 6)
    return { atMs: nowMs - (83 - at) * minute, min: mean - 4, mean, max: mean + 3 }
  })
  const episode = { fromMs: nowMs - 20 * minute, untilMs: null, limit: 90, side: 'high' as const }
  const chart = alertChart(episode, [{ label: '', units: '%', points }], { zone: 'UTC', nowMs })
  if (chart === null) return null
  const file = await slack.upload(await drawChart(chart), 'monbot-test.png', 'A sample chart')
  if (file.kind === 'ok') return { file: file.file, key: 'sample' }
  say(`No picture: ${file.why}`)
  return null
}

/** Calls somebody for a test, and takes it back at once. */
export async function* testPages(
  config: Config,
  dispatcher: Dispatcher,
  clock: Clock,
): AsyncGenerator<Finding> {
  if (config.pager === null) return yield skipped('Pager', 'none is set')
  const pager = openPager(config.pager, dispatcher, clock)
  const nowMs = clock.nowMs()
  const id = `monbot-test:${nowMs}`
  const event: PageEvent = {
    ...{ id, type: 'triggered', dedupKey: id, atMs: nowMs, openedMs: nowMs, severity: 'critical' },
    ...{ server: null, labels: {}, alerts: 1, link: null, by: null, to: null },
    headline: 'Test page by monbot: nothing is wrong',
  }
  const called = await pager.send(doctorPass, event)
  if (called.kind !== 'ok')
    return yield failed('Pager', called.why, 'Check the address, and the key or the secret of the pager.')
  const ended = await pager.send(doctorPass, { ...event, id: `${id}:end`, type: 'resolved' })
  if (ended.kind === 'ok') yield ok('Pager', 'test page sent and resolved')
  else yield warning('Pager', `test page sent, and not resolved: ${ended.why}`, 'Resolve it in the pager.')
}
