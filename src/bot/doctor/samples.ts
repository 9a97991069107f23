/** A made-up world with one message of each kind, for what is tried out on the real Slack. Its alerts come in as those of the API do. */
import type { WebClient } from '@slack/web-api'
import { parseAlerts } from '../api/parse.ts'
import { hour, minute } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import { newPost } from '../decide/new-post.ts'
import { reconcile } from '../decide/reconcile.ts'
import { codeOf, outcomeOf, whyOf } from '../slack/outcomes.ts'
import type { Scene } from '../view/scene.ts'
import { viewOf } from '../view/view.ts'
import type { Act, Post } from '../world/types.ts'
import { World } from '../world/world.ts'
import { type Finding, ok, skipped, warning } from './finding.ts'

export type Sample = { readonly what: string; readonly post: Post }
type More = { readonly kind: Post['kind'] } & Partial<Post>

const person = 'U0SAMPLE'

export function samplesOf(policy: Policy, channel: string, nowMs: number) {
  const world = new World()
  const base = { replicaName: 'monbot', pager: null, canMuteAlerts: false } as const
  const scene: Scene = { world, policy, nowMs, defaultChannel: channel, ...base }
  world.setFact('polled', { atMs: nowMs - minute, unreadable: 0, ignored: 0 })
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
    sample('a reminder', [open], { kind: 'remind', thread, data: { step: 0, round: 1, about: thread } }),
    sample('a question whether somebody is on it', [held], { kind: 'forgotten', thread }),
    sample('a mute', [], { kind: 'said', data: { act: 'mute' } }),
    sample('a note', [], { kind: 'line', thread, data: { act: 'note' } }),
    sample('an alert that was handed over', [held], { kind: 'dm', data: { act: 'hand' } }),
    sample('an outage', [], { kind: 'outage', data: { sinceMs: nowMs, untilMs: null } }),
    sample('an outage that is over', [], { kind: 'outage', data: { sinceMs: nowMs - hour, untilMs: nowMs } }),
    sample('a board', [], { kind: 'board' }),
    sample('a change of shift', [], { kind: 'shift', data: { atMs: nowMs } }),
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
