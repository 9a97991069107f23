/**
 * The card of one alert: open, taken, muted, no longer listed, closed, or told once; and which picture belongs to it: the metric around its
 * opening. Of one that was over before it was told, and of a chart that somebody asks for, the whole episode; a card that closes keeps the
 * picture of its opening (docs/slack.md#pictures).
 */
import type { KnownBlock } from '@slack/types'
import { day, minute } from '../clock.ts'
import { hidingMutes, othersSilences } from '../decide/hidden.ts'
import { isMatch, rolesOf, troubleOf } from '../decide/matching.ts'
import { isAudible, isLeftOut } from '../decide/standing.ts'
import type { Act, Alert, Mute, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import {
  actions,
  type ButtonValue,
  button,
  type Choice,
  context,
  type Element,
  groupedSelect,
  image,
  menuBlock,
  section,
  valueFor,
} from './blocks.ts'
import {
  altWords,
  closedHeadline,
  numberWords,
  openHeadline,
  reopenedWords,
  unlistedWords,
} from './headline.ts'
import { extendButton, muteSentence } from './mutes.ts'
import type { Scene } from './view.ts'
import { because, date, duration, escaped, isSilence, link, ordinal, person } from './words.ts'

/** A marker so long before an alert is worth a look. */
const markerBeforeMs = 30 * minute
const markersMax = 2
const linksMax = 4
const notesMax = 3
const labelsMax = 5
const rolesMax = 5

export function alertsOn(post: Post | null | undefined, { alerts }: World): Alert[] {
  return [...new Set(post?.shows.map(({ alert }) => alert))].flatMap((id) => alerts.get(id) ?? [])
}

/** The alert that a card tells of: what came back last. */
export function alertOf(post: Post, world: World): Alert | null {
  return alertsOn(post, world).reduce<Alert | null>(
    (a, b) => (a === null || b.firstSeenMs >= a.firstSeenMs ? b : a),
    null,
  )
}

export function alertBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alert = alertOf(post, scene.world)
  return alert === null ? [section('⚪ This alert is too old to be shown')] : cardBlocks(alert, post, scene)
}

export function cardBlocks(alert: Alert, post: Post, scene: Scene): KnownBlock[] {
  const picture = post.picture === null || post.noPicture ? [] : [image(post.picture.file, altWords(alert))]
  if (alert.closedMs !== null && !alert.isOneoff) return [section(closedHeadline(alert)), ...picture]
  const mutes = hidingMutes(scene.world, alert, scene.nowMs)
  const states = stateLines(alert, mutes, scene)
  return [
    section(headLines(alert, isAudible(scene, alert), post.mention).join('\n')),
    ...(states.length === 0 ? [] : [section(states.join('\n'))]),
    ...context([escaped(alert.details.description ?? '', 250)]),
    ...context(aroundParts(alert, scene)),
    ...picture,
    ...(alert.isOneoff
      ? []
      : actions(menuBlock(`act:${alert.number}`, post), cardElements(alert, mutes, scene))),
  ]
}

function headLines(alert: Alert, isHeard: boolean, mention: string | null): string[] {
  const { startedMs, unlistedMs, isOneoff, holder, snooze } = alert
  const calls = mention === null ? [] : [mention]
  if (isOneoff) return [openHeadline(alert), [date(startedMs), ...calls].join(' · ')]
  if (unlistedMs !== null) return [`${openHeadline(alert)} · ${unlistedWords(alert)}`]
  const nobody = isHeard ? ['*Nobody is on it*'] : []
  const does = snooze ? `snoozed it until ${date(snooze.untilMs)}` : 'is on it'
  const whose = holder === null ? nobody : [`👀 ${person(holder)} ${does}`]
  return [openHeadline(alert), [`Since ${date(startedMs)}`, ...whose, ...calls].join(' · ')]
}

function stateLines(alert: Alert, mutes: readonly Mute[], scene: Scene): string[] {
  const names = mutes.map((mute) =>
    muteSentence([mute], scene, mute.subject.startsWith('alert:') ? 'it' : undefined),
  )
  const silences = othersSilences(alert).map(({ kind, by, untilMs, why }) => {
    const whose = by === null ? '' : ` by ${escaped(by, 100)}`
    const until = untilMs === null ? '' : ` until ${date(untilMs)}`
    const did = kind === 'silence' ? 'Silenced in the monitoring' : 'The monitoring holds it back, inhibited'
    return `🔕 ${did}${whose}${until}${because(why ?? '')}`
  })
  return [
    ...names,
    ...silences,
    ...(isLeftOut(scene, alert) ? ['⚪ The policy file ignores it: nobody is called'] : []),
  ]
}

/** `app, web · 2nd this week · "rotating logs" (@ben) · 4 min after *deploy 1.2.3* · Runbook · #8398`. */
function aroundParts(alert: Alert, scene: Scene): string[] {
  const { world } = scene
  const roles = rolesOf(world, alert.host).slice(0, rolesMax)
  const nth = timesThisWeek(world, alert)
  return [
    roles.map((role) => escaped(role, 40)).join(', '),
    shownLabels(alert, scene).join(', '),
    alert.reopened > 0 ? reopenedWords(alert) : '',
    nth > 1 ? `${ordinal(nth)} this week` : '',
    ...notesAbout(alert, world).map(({ data, by }) => `“${escaped(data.text ?? '', 120)}” (${person(by)})`),
    ...markerWords(alert.startedMs, world),
    ...linkWords(alert, scene),
    numberWords(alert),
  ]
}

/** Labels that tell which of several it is, where the headline does not say them. */
function shownLabels(alert: Alert, { policy }: Scene): string[] {
  const said = `${alert.server} ${alert.plugin} ${alert.metric ?? ''} ${alert.title}`
  return [...new Set(['cluster', ...policy.showLabels])]
    .flatMap((name) => {
      const value = Object.hasOwn(alert.details.labels, name) ? (alert.details.labels[name] ?? '') : ''
      return value === '' || said.includes(value) ? [] : [`${escaped(name, 40)}=${escaped(value, 60)}`]
    })
    .slice(0, labelsMax)
}

/** Notes stand in the threads of the messages that show the alert. */
function notesAbout(alert: Alert, world: World): Act[] {
  const lines = world
    .postsAbout(alert.id)
    .flatMap(({ id }) => [...(world.replies.get(id) ?? [])])
    .flatMap((id) => world.acts.get(world.posts.get(id)?.data.act ?? '') ?? [])
  const notes = lines.filter((act) => act.kind === 'note' && (act.alert ?? alert.id) === alert.id)
  return [...new Set(notes)].sort((a, b) => a.atMs - b.atMs).slice(-notesMax)
}

/** How often this trouble opened in the seven days up to its start: later ones change nothing. */
function timesThisWeek(world: World, alert: Alert): number {
  const trouble = troubleOf(alert)
  let times = 0
  for (const other of world.alerts.values()) {
    const isNear = other.startedMs <= alert.startedMs && other.startedMs > alert.startedMs - 7 * day
    if (isNear && other.host === alert.host && troubleOf(other) === trouble) times += 1
  }
  return times
}

/** What was changed shortly before that moment, the newest first. What was marked later changes nothing. */
export function markersBefore(beforeMs: number, { acts }: World): Act[] {
  return [...acts.values()]
    .filter(({ kind, atMs, outcome }) => {
      const isNear = atMs <= beforeMs && atMs > beforeMs - markerBeforeMs
      return kind === 'marker' && isNear && outcome !== 'failed' && outcome !== 'refused'
    })
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, markersMax)
}

/** `4 min after *deploy 1.2.3* by ci`. */
export function markerWords(beforeMs: number, world: World): string[] {
  return markersBefore(beforeMs, world).map(({ atMs, by, subject, data: { name } }) => {
    const who = by === 'somebody' ? '' : ` by ${person(name === undefined ? by : `name:${name}`)}`
    return `${duration(beforeMs - atMs)} after *${escaped(subject, 80)}*${who}`
  })
}

/** The alert's own links, and those of the policy. */
export function linksOf(alert: Alert, scene: Scene): { readonly text: string; readonly url: string }[] {
  const roles = rolesOf(scene.world, alert.host)
  const fill = (url: string) =>
    url.replace(/\{(server|plugin|metric|alert)\}/g, (_, name: string) => {
      const { host: server, plugin, metric, number } = alert
      const filled = { server, plugin, metric: metric ?? '', alert: number }
      return encodeURIComponent(filled[name as keyof typeof filled].toWellFormed())
    })
  const ofPolicy = scene.policy.links
    .filter(({ match }) => isMatch(match, alert, roles))
    .map(({ text, url }) => ({ text, url: fill(url) }))
  return [...alert.details.links, ...ofPolicy].slice(0, linksMax)
}

export function linkWords(alert: Alert, scene: Scene): string[] {
  return linksOf(alert, scene)
    .map(({ text, url }) => link(url, escaped(text.replaceAll('://', ' '), 40) || 'Link'))
    .filter((words) => words.startsWith('<'))
}

const onAlert: readonly Choice[] = [
  ['Hand to…', 'hand'],
  ['Snooze 1 h', 'snooze 1'],
  ['Snooze 4 h', 'snooze 4'],
  ['Add note…', 'note'],
  ['Page now…', 'page'],
  ['Timeline', 'timeline'],
  ['Investigate', 'investigate'],
]
const onList = onAlert.filter(([, words]) => words === 'note' || words === 'page')
const addRoles: Choice = ['Add roles…', 'roles']
const dropMarker: Choice = ['Drop marker…', 'marker']

/** Without a pager or an investigator nobody is offered one. */
export function moreSelect(isList: boolean, value: ButtonValue, { pager, policy }: Scene): Element {
  const missing = [pager === null ? 'page' : '', policy.investigate === null ? 'investigate' : '']
  const own = (isList ? onList : onAlert).filter(([, words]) => !missing.includes(words))
  const groups = [
    [isList ? 'These alerts' : 'This alert', own],
    ['Monitoring', isList ? [dropMarker] : [addRoles, dropMarker]],
  ] as const
  return groupedSelect('more', 'More…', groups, value)
}

function cardElements(alert: Alert, mutes: readonly Mute[], scene: Scene): (Element | null)[] {
  const value = valueFor(alert, scene)
  return [
    ...holderButtons(alert, value),
    ...(mutes.length > 0 ? unmuteButtons(mutes, value) : [muteSelect(alert, value, scene)]),
    alert.metric === null ? null : button({ id: 'chart', label: 'Chart', value }),
    alert.unlistedMs === null ? null : button({ id: 'close', label: 'It closed', value }),
    moreSelect(false, value, scene),
  ]
}

export function holderButtons(alert: Alert, value: ButtonValue): Element[] {
  if (alert.holder === null)
    return [button({ id: 'acknowledge', label: 'Acknowledge', style: 'primary', value })]
  return [
    button({ id: 'take_over', label: 'Take over', value }),
    button({ id: 'hand_back', label: 'Hand back', value }),
  ]
}

/** What mutes everything is ended by its own button only where nothing narrower hides the alert. */
export function unmuteButtons(mutes: readonly Mute[], value: ButtonValue): (Element | null)[] {
  const narrow = mutes.filter(({ subject }) => subject !== 'account')
  const meant = narrow.length > 0 ? narrow : mutes
  const label = narrow.length > 0 ? 'Unmute' : 'Unmute everything'
  const withMutes = { ...value, mutes: meant.map(({ id }) => id) }
  return [button({ id: 'unmute', label, value: withMutes }), extendButton(meant, withMutes)]
}

const serverMutes: readonly Choice[] = [
  ['30 min', 'server 30m'],
  ['1 h', 'server 1h'],
  ['4 h', 'server 4h'],
  ["Until it's fine", 'server fine'],
]
const alertMutes: readonly Choice[] = [
  ['1 h', 'alert 1h'],
  ['1 day', 'alert 1d'],
]

function muteSelect(alert: Alert, value: ButtonValue, scene: Scene): Element {
  const others: Choice[] = [['Custom…', 'custom']]
  if (mayMuteAccount(scene)) others.push(['Whole account…', 'account'])
  return groupedSelect(
    'mute',
    'Mute…',
    [
      [`Server ${alert.server}`, serverMutes],
      [scene.canMuteAlerts ? 'This alert' : 'This alert, in Slack only', alertMutes],
      ['Other', others],
    ],
    value,
  )
}

/** Nobody may where the policy says so, and in front of an Alertmanager unless it says otherwise. */
function mayMuteAccount({ policy, canMuteAlerts }: Scene): boolean {
  return policy.permissions.mute_account !== 'nobody' && !(policy.isAccountMuteUnset && canMuteAlerts)
}

/** Where a message stands in Slack; null while it does not. */
export function permalink(post: Post | undefined, world: World): string | null {
  const teamUrl = world.fact('slack')?.teamUrl
  if (post?.ts == null || teamUrl === undefined) return null
  return `${teamUrl}archives/${post.channelId ?? post.channel}/p${post.ts.replace('.', '')}`
}

/** `key`: equal for the same picture. */
export type PictureWish = { readonly key: string; readonly alert: string }

export function pictureOf(post: Post, scene: Scene): PictureWish | null {
  // A chart that somebody asked for is drawn all the same.
  const isWanted = post.kind === 'chart' || (post.kind === 'alert' && scene.policy.images)
  if (!isWanted) return null
  const alert = alertOf(post, scene.world)
  if (alert === null || alert.isOneoff || isSilence(alert)) return null
  if (alert.metric === null && alert.sparklineUrl === null) return null
  return { key: `${alert.id} ${alert.closedMs === null ? 'open' : 'closed'}`, alert: alert.id }
}
