/**
 * A made-up world with one message of each kind, for what is tried out on the real Slack; its alerts come in as those of the API do. And
 * `monbot test`: posts a sample card with a picture and the first mention of the routes into the default channel, calls the pager for a
 * test, and takes both back after half a minute, or when it is interrupted.
 */
import type { WebClient } from '@slack/web-api'
import type { Dispatcher } from 'undici'
import { readLimited } from '../../shared/setting-files.ts'
import { parseAlerts } from '../api/parse.ts'
import { wayOutOf } from '../call.ts'
import { alertChart } from '../charts/chart.ts'
import { drawChart } from '../charts/pictures.ts'
import { type Clock, hour, minute, realClock, second } from '../clock.ts'
import { type Environment, loadSettings } from '../config/load.ts'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import { reconcile } from '../decide/reconcile.ts'
import { newPost } from '../decide/want.ts'
import { silentLog } from '../log.ts'
import { openPager, type PageEvent } from '../pager/pager.ts'
import { openSlack } from '../slack/calls.ts'
import { codeOf, outcomeOf, whyOf } from '../slack/client.ts'
import type { SlackPort } from '../slack/port.ts'
import { type Scene, viewOf } from '../view/view.ts'
import type { Pass } from '../world/journal.ts'
import type { Act, Post } from '../world/types.ts'
import { World } from '../world/world.ts'
import { type Finding, failed, ok, skipped, warning } from './found.ts'

export type Sample = { readonly what: string; readonly post: Post }
type More = { readonly kind: Post['kind'] } & Partial<Post>

const person = 'U0SAMPLE'

export function samplesOf(policy: Policy, channel: string, nowMs: number) {
  const world = new World()
  const base = { replicaName: 'monbot', pager: null, canMuteAlerts: false } as const
  const scene: Scene = { world, policy, nowMs, defaultChannel: channel, ...base }
  world.setFact('polled', { atMs: nowMs - minute, unreadable: 0 })
  reconcile(scene, listingAt(nowMs))
  const [open = '', held = '', closed = '', muted = ''] = world.alerts.keys()
  world.patch('alerts', held, { holder: person, heldMs: nowMs })
  world.patch('alerts', closed, { closedMs: nowMs, closedAfterMs: 24 * minute, closedBy: 'end' })
  const act = (id: string, kind: Act['kind'], data: Act['data']) => {
    const done = { atMs: nowMs, by: person, subject: 'web-4', alert: held, outcome: 'done' } as const
    world.put('acts', { id, kind, data, ...done })
  }
  act('mute', 'mute', { mutes: ['m'] })
  act('note', 'note', { text: 'rotating logs' })
  act('hand', 'hand', { to: person, text: 'please look' })
  const until = { untilMs: nowMs + hour, maxUntilMs: nowMs + hour, untilFine: false, fineMs: null }
  const mute = { id: 'm', subject: 'server:web-4', name: 'web-4', by: person, reason: 'deploying', ...until }
  world.put('mutes', { ...mute, fromMs: nowMs, ended: null, act: 'mute', isConfirmed: true })
  world.setFact('covers', [{ fromMs: nowMs, untilMs: nowMs + hour, person, name: 'Ana' }])
  const sample = (what: string, shown: readonly string[], more: More): Sample => {
    const shows = shown.map((alert) => ({ alert, isQuiet: false, atMs: nowMs }))
    const id = shown.length === 0 ? what : `${more.kind}:sample`
    const post = newPost({ ...more, id, channel, shows }, nowMs)
    world.put('posts', post)
    return { what, post }
  }
  const thread = 'alert:sample'
  const samples = [
    sample('an alert that somebody is on', [held], { kind: 'alert' }),
    sample('an alert that is muted', [muted], { kind: 'alert' }),
    sample('a closed alert', [closed], { kind: 'alert' }),
    sample('a storm', [open, held, closed, muted], { kind: 'list', data: { of: null } }),
    sample('an open alert', [open], { kind: 'alert' }),
    sample('the lines of a storm', [open, held], { kind: 'lines', thread: 'list:sample', data: { page: 0 } }),
    sample('an alert that became critical', [open], { kind: 'aloud', thread, data: { why: 'critical' } }),
    sample('a reminder', [open], { kind: 'remind', thread, data: { step: 0, about: thread } }),
    sample('a question whether somebody is on it', [held], { kind: 'forgotten', thread }),
    sample('a mute', [], { kind: 'said', data: { act: 'mute' } }),
    sample('a note', [], { kind: 'line', thread, data: { act: 'note' } }),
    sample('an alert that was handed over', [held], { kind: 'dm', data: { act: 'hand' } }),
    sample('an outage', [], { kind: 'outage', data: { sinceMs: nowMs, untilMs: null } }),
    sample('an outage that is over', [], { kind: 'outage', data: { sinceMs: nowMs - hour, untilMs: nowMs } }),
    sample('a board', [], { kind: 'board' }),
    sample('a cover', [], { kind: 'shift', data: { atMs: nowMs } }),
    sample('a report', [], { kind: 'report', data: { atMs: nowMs } }),
    sample('a hello', [], { kind: 'hello' }),
  ]
  return { scene, samples }
}

function listingAt(nowMs: number) {
  const results = ['critical', 'warning', 'warning', 'info'].map((severity, at) => ({
    id: 8398 + at,
    lifecycle: 'start',
    time: new Date(nowMs - 24 * minute).toISOString(),
    ...{ server_name: `web-${at + 1}`, server_hostname: `web-${at + 1}`, title: 'CPU busy 97%', severity },
    ...{
      plugin_name: 'CPU',
      metric_name: 'cpu_busy',
      metric_value: 97,
      units: '%',
      limit: 90,
      limit_side: 'high',
    },
    url: 'https://monitoring.example.com/a/8398',
    description: 'The processor has had no time left for five minutes.',
    links: [{ text: 'Runbook', url: 'https://wiki.example.com/cpu' }],
    labels: { namespace: 'pay' },
  }))
  const start = { alerts: parseAlerts({ results }, nowMs)?.alerts ?? [], unreadable: 0, doubt: null }
  return { start, head: { ...start, isWhole: true } }
}

/** Asks Slack whether it would take each kind. Nobody sees any of them. */
export async function* blocksFindings(
  client: WebClient,
  policy: Policy,
  nowMs: number,
): AsyncGenerator<Finding> {
  const { scene, samples } = samplesOf(policy, 'C0SAMPLE', nowMs)
  let taken = 0
  for (const { what, post } of samples) {
    try {
      await client.blocks.validate({ blocks: [...viewOf(post, scene).blocks] })
      taken += 1
    } catch (error) {
      const said = whyOf(outcomeOf(error))
      if (!/^invalid_(?:blocks|message)$/.test(codeOf(error) ?? ''))
        return yield skipped(
          'Slack blocks',
          `not known (${said}): ${taken} of ${samples.length} kinds were taken`,
        )
      yield warning(
        'Slack blocks',
        `Slack refuses ${what}: ${said}`,
        'Please report it: it comes as plain text.',
      )
    }
  }
  if (taken === samples.length) yield ok('Slack blocks', `Slack takes all ${taken} kinds of messages`)
}

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
  const named = policy.routes.find((route) => route.mention !== null)?.mention ?? ''
  // Who is on call is read by the bot, not here.
  const mention = named.replace(/\boncall\b/, '(whoever is on call)')
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
