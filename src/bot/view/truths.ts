/**
 * What must be said before anything is called fine, the worst first: the board, Home and `status` say the same. Nothing is green while
 * everything is muted, the monitoring cannot be read, or somebody would not be told.
 */
import { day, minute } from '../clock.ts'
import { channelsOf } from '../decide/channels.ts'
import { isInForce } from '../decide/hidden.ts'
import { outageAfter } from '../decide/outage.ts'
import type { Shut } from '../world/facts.ts'
import type { Alert, Mute } from '../world/types.ts'
import { tallyOf, worstMark } from './group.ts'
import { muteSentence } from './mutes.ts'
import type { Scene } from './scene.ts'
import { count, date, escaped, number, person } from './words.ts'

const channelsNamed = 5
const shutToldForMs = day

/** All that is wrong; each line begins with its sign. */
export function troublesOf(scene: Scene): string[] {
  const { world, strangers = 0 } = scene
  const refused = world.fact('tokenRefused') ?? null
  const pager = world.fact('pagerFailing') ?? null
  const account = accountMute(scene)
  const unreadable = world.fact('polled')?.unreadable ?? 0
  const dead = deadPosts(scene)
  return [
    account === null ? '' : muteSentence([account], scene),
    doubtOf(scene) ?? '',
    refused === null
      ? ''
      : `⚠️ Slack refuses the bot: ${escaped(refused)}. Reinstall the app and check its token`,
    ...shutWords(scene),
    pager === null ? '' : `⚠️ The pager has failed since ${date(pager.sinceMs)}: ${escaped(pager.why)}`,
    dead === 0 ? '' : `⚠️ ${count(dead, 'message')} couldn't be shown in Slack; the log says why`,
    strangers === 0 ? '' : '⚠️ A second bot uses this Slack app. Stop one of them',
    onCallDoubt(scene) ?? '',
    unreadable === 0 ? '' : `⚠️ ${count(unreadable, 'record')} of the monitoring couldn't be read`,
  ].filter((line) => line !== '')
}

/** Why what is known of alerts may be wrong; null while it is fresh. */
export function doubtOf({ world }: Scene): string | null {
  const failing = world.fact('failing') ?? null
  if (failing !== null) {
    // One poll that failed is no outage yet.
    const words = failing.count < outageAfter ? "hasn't answered" : 'has been down'
    return `⚠️ *Monitoring ${words} since ${date(failing.sinceMs)}*: ${escaped(failing.why)}`
  }
  return world.fact('polled') === undefined ? "⚪ *The monitoring hasn't been read yet*" : null
}

export function accountMute({ world, nowMs }: Scene): Mute | null {
  const mutes = [...world.activeMutes.values()]
  return mutes.find((mute) => mute.subject === 'account' && isInForce(mute, nowMs)) ?? null
}

/** `🚨 *5 open alerts, 2 critical* · nobody is on 3 · 1 muted`. `isWell`: nothing else is wrong, so no alert is good news. */
export function openWords(alerts: readonly Alert[], scene: Scene, isWell: boolean, where = ''): string {
  const { open, hidden, nobody, held, unlisted } = tallyOf(alerts, scene)
  if (open.length === 0) return `${isWell ? '🟢 ' : ''}*No open alerts${where}*`
  const critical = open.filter(
    ({ severity, unlistedMs }) => severity === 'critical' && unlistedMs === null,
  ).length
  const bad = critical === 0 ? '' : `, ${number(critical)} critical`
  const isAllMuted = hidden.length === open.length
  return [
    `${isAllMuted ? '🔕' : worstMark(open)} *${count(open.length, 'open alert')}${bad}${where}*`,
    ...(nobody.length > 0 ? [`nobody is on ${open.length === 1 ? 'it' : number(nobody.length)}`] : []),
    ...(held.length === open.length ? ['somebody is on each'] : []),
    ...(hidden.length > 0 ? [isAllMuted ? 'all muted' : `${number(hidden.length)} muted`] : []),
    ...(unlisted.length > 0 ? [`⚪ ${number(unlisted.length)} no longer listed`] : []),
  ].join(' · ')
}

/** To the minute, so that a poll every few seconds edits nothing. */
export function lastPollWords({ world }: Scene): string {
  const polled = world.fact('polled')
  return polled === undefined
    ? 'Last good poll: none yet'
    : `Last good poll ${date(polled.atMs - (polled.atMs % minute))}`
}

/** `📟 @ana is on call until T, then @ben`; null where no calendar is set up. */
export function onCallWords({ world, policy, nowMs }: Scene): string | null {
  const known = world.fact('oncall') ?? null
  if (known === null) return policy.onCall === null ? null : "⚠️ The on-call calendar hasn't been read yet"
  const now = known.shifts.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)
  const next = known.shifts.filter(({ fromMs }) => fromMs > nowMs).sort((a, b) => a.fromMs - b.fromMs)[0]
  const then = next === undefined ? '' : `, then ${person(next.person)}`
  const begins = next === undefined ? '' : `; ${person(next.person)} begins ${date(next.fromMs)}`
  if (now.length === 0)
    return known.unread > 0 ? "⚠️ Who's on call now isn't known" : `Nobody is on call now${begins}`
  const untilMs = Math.min(...now.map((shift) => shift.untilMs))
  const who = [...new Set(now.map((shift) => person(shift.person)))].join(' and ')
  return `📟 ${who} ${now.length === 1 ? 'is' : 'are'} on call until ${date(untilMs)}${then}`
}

function onCallDoubt({ world }: Scene): string | null {
  const { why = null, unread = 0, atMs = 0 } = world.fact('oncall') ?? {}
  if (why !== null)
    return `⚠️ Couldn't read the on-call calendar: ${escaped(why)}. Last known from ${date(atMs)}`
  return unread === 0
    ? null
    : `⚠️ ${count(unread, 'entry', 'entries')} of the on-call calendar couldn't be read`
}

/** Channels of routes that refuse; what waits there is told in the default one. After a day of that it is no trouble any more. */
export function shutChannels({ world, policy, defaultChannel, nowMs }: Scene): [string, Shut][] {
  const used = channelsOf(policy, defaultChannel)
  return Object.entries(world.fact('shut') ?? {}).filter(
    ([channel, { sinceMs }]) =>
      channel === defaultChannel || (used.includes(channel) && nowMs - sinceMs < shutToldForMs),
  )
}

function shutWords(scene: Scene): string[] {
  const { defaultChannel } = scene
  const shut = shutChannels(scene)
  const named = shut.slice(0, channelsNamed).map(([channel, { sinceMs, why }]) => {
    const next = channel === defaultChannel ? '' : `. Its alerts go to <#${defaultChannel}>`
    return `⚠️ <#${channel}> has refused messages since ${date(sinceMs)}: ${escaped(why)}${next}`
  })
  const rest = shut.length - named.length
  return rest > 0 ? [...named, `⚠️ ${count(rest, 'more channel')} refused messages`] : named
}

/** They count while something on them is open: old refusals must not make today look bad. */
function deadPosts({ world }: Scene): number {
  let dead = 0
  for (const { state, shows } of world.posts.values())
    if (state === 'dead' && shows.some(({ alert }) => world.open.has(alert) && !isStanding(alert, world)))
      dead += 1
  return dead
}

function isStanding(alert: string, world: Scene['world']): boolean {
  return world
    .postsAbout(alert)
    .some(({ kind, state }) => state === 'live' && (kind === 'alert' || kind === 'list'))
}
