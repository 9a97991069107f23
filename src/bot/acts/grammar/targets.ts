/** What a mute or another command is about: servers, patterns, one alert, labels, the account. A near miss is offered, never guessed. */
import { globMatcher, isGlob } from '../../../shared/glob.ts'
import { nearest } from '../../../shared/nearest.ts'
import { openIn } from '../../decide/standing.ts'
import { alertOf, alertsOn } from '../../view/alert.ts'
import { numberWords } from '../../view/headline.ts'
import type { Scene } from '../../view/view.ts'
import { escaped, headlineWords, unescaped } from '../../view/words.ts'
import type { Alert } from '../../world/types.ts'
import type { World } from '../../world/world.ts'
import { type Ask, refuse } from '../action.ts'

const serversMax = 2000
const nameCharsMax = 253

export type Server = { readonly host: string; readonly name: string }
export type Target =
  | { readonly kind: 'account' }
  /** `isAsked`: several, or a pattern. */
  | { readonly kind: 'servers'; readonly servers: readonly Server[]; readonly isAsked: boolean }
  | { readonly kind: 'alert'; readonly alert: Alert }
  | {
      readonly kind: 'labels'
      readonly matchers: readonly { readonly label: string; readonly glob: string }[]
    }

/** Servers that monbot has seen: of roles, alerts and mutes. */
export function serversIn(world: World): Server[] {
  const hosts = new Map<string, string>()
  for (const host of Object.values(world.fact('roles')?.servers ?? {}).flat()) hosts.set(host, host)
  for (const { host, server } of world.alerts.values()) hosts.set(host, server)
  for (const { subject, name } of world.activeMutes.values())
    if (subject.startsWith('server:')) hosts.set(subject.slice('server:'.length), name)
  return [...hosts].map(([host, name]) => ({ host, name }))
}

/** One server, by its hostname or its display name, in any case. `isExact`: a name that nobody has seen is taken though others are near. */
export function serverMeant(
  name: string,
  { world }: Scene,
  commandOf: (name: string) => string,
  isExact = false,
): Server & { readonly isKnown: boolean } {
  const known = serversIn(world)
  const wanted = name.toLowerCase()
  const own = known.filter(({ host }) => host.toLowerCase() === wanted)
  const named = own.length > 0 ? own : known.filter((server) => server.name.toLowerCase() === wanted)
  const [server] = named
  if (named.length > 1)
    return refuse(
      `Several servers are called ${escaped(name)}. Which one?`,
      named.map(({ host }) => commandOf(host)),
    )
  if (server !== undefined) return { ...server, isKnown: true }
  if (['', '.', '..'].includes(name) || /[/\\<>]/.test(name) || name.length > nameCharsMax)
    return refuse(`\`${escaped(name, 40)}\` can't be a server's name.`)
  // web-9 is no slip for web-1: the monitoring says whether it exists.
  const digitsOf = (one: string) => one.replaceAll(/\D+/g, ' ').trim()
  const names = known.flatMap(({ host, name: shown }) => [host, shown])
  const siblings = names.filter((one) => digitsOf(one) === digitsOf(name))
  const near = isExact ? [] : nearest(name, siblings, 3)
  if (near.length === 0) return { host: name, name, isKnown: false }
  const hint = near.map((one) => escaped(one)).join(', ')
  return refuse(`No server ${escaped(name)}. Did you mean ${hint}?`, [...near, `"${name}"`].map(commandOf))
}

/**
 * The target of a mute. `commandOf` gives the whole command with other words for the target. `muted`: to unmute, the servers that a
 * pattern may mean.
 */
export function targetMeant(
  words: string,
  isExact: boolean,
  scene: Scene,
  ask: Ask,
  commandOf: (target: string) => string,
  muted?: readonly Server[],
): Target {
  const among = muted ?? serversIn(scene.world)
  if (isExact) return serversMeant(words, true, scene, commandOf, muted)
  const lower = words.toLowerCase()
  if (lower === 'account') return { kind: 'account' }
  if (['*', 'all', 'everything', 'everyone'].includes(lower))
    refuse('Everything is the account.', [commandOf('account')])
  if (/^#…?\d+$/.test(words))
    return {
      kind: 'alert',
      alert: alertMeant(words, scene, ask, commandOf('{}'), { mayBeClosed: true }).alert,
    }
  if (words.includes('=')) return labelsMeant(words, scene)
  const isSlip = nearest(lower, ['account'], 1).length > 0 && lower.length > 3
  if (isSlip && !among.some(({ host, name }) => [host, name].some((one) => one.toLowerCase() === lower)))
    return refuse(`No server ${escaped(words)}. Did you mean the account?`, [commandOf('account')])
  return serversMeant(words, false, scene, commandOf, muted)
}

function serversMeant(
  words: string,
  isExact: boolean,
  scene: Scene,
  commandOf: (target: string) => string,
  muted: readonly Server[] | undefined,
): Target {
  const among = muted ?? serversIn(scene.world)
  const names = [...new Set(words.split(',').filter((name) => name !== ''))]
  if (names.length === 0) refuse("That can't be a server's name.")
  const numbers = isExact ? [] : names.filter((name) => /^#\d/.test(name))
  if (numbers.length > 0) refuse('Name one alert at a time.', numbers.map(commandOf))
  const isPattern = (name: string) => !isExact && isGlob(name)
  const servers = new Map<string, Server>()
  for (const name of names) {
    if (isPattern(name)) {
      const matches = globMatcher(name)
      const fits = among.filter((server) => matches(server.host) || matches(server.name))
      if (fits.length === 0)
        return refuse(
          muted === undefined
            ? `No server matches \`${name.replaceAll('`', '')}\`. Search: \`/mon roles\``
            : `No server that matches \`${name.replaceAll('`', '')}\` is muted.`,
        )
      for (const server of fits) servers.set(server.host, server)
      continue
    }
    const others = (other: string) => names.map((one) => (one === name ? other : typed(one))).join(',')
    const meant = serverMeant(name, scene, (other) => commandOf(others(other)), isExact)
    if (!meant.isKnown && names.length > 1)
      return refuse(
        `No server ${escaped(name)}. To mute a server I haven't seen, name it alone: \`/mon mute ${escaped(name)}\``,
      )
    servers.set(meant.host, { host: meant.host, name: meant.name })
  }
  if (servers.size > serversMax)
    return refuse(`That means ${servers.size} servers; at most ${serversMax} can be muted at once.`)
  const isAsked = servers.size > 1 || names.some(isPattern)
  return { kind: 'servers', servers: [...servers.values()], isAsked }
}

function labelsMeant(words: string, { world, canMuteAlerts }: Scene): Target {
  if (!canMuteAlerts)
    return refuse('Labels can be muted only in front of an Alertmanager. Name servers, or a pattern.')
  const pairs = [...words.matchAll(/([A-Za-z_][\w.-]*)=("[^"]*"|[^,"~]+)(?:,|$)/g)]
  if (pairs.map(([pair]) => pair).join('') !== words)
    return refuse('Write labels as `namespace=pay-*,team="red team"`.')
  const matchers = pairs.map(([, label = '', glob = '']) => ({ label, glob: glob.replaceAll('"', '') }))
  const labels = new Set([...world.alerts.values()].flatMap(({ details }) => Object.keys(details.labels)))
  const unknown = matchers.find(({ label }) => !labels.has(label))?.label
  if (unknown !== undefined) {
    const near = nearest(unknown, labels, 2).map((one) => escaped(one))
    const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
    return refuse(`No alert here has the label \`${escaped(unknown)}\`.${hint}`)
  }
  matchers.sort((a, b) => (a.label < b.label ? -1 : 1))
  return { kind: 'labels', matchers }
}

/** Phones make smart quotes and long dashes, Slack makes links and escapes, fingers make stars for bold. */
export function plainWords(typed: string): string {
  return unescaped(typed.replaceAll(/<(?:(?:https?|mailto):[^<>|]*\|([^<>|]*)|(https?:[^<>|]*))>/g, '$1$2'))
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[‒–—−]/g, '-')
    .replaceAll(/(^|\s)\*([^\s*][^*]*)\*(?=\s|,|$)/g, '$1$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

type Word = { readonly text: string; readonly isQuoted: boolean }

/** Words between spaces; quotes join several into one, and say that it is a name. */
export function wordsOf(plain: string): Word[] {
  const found = plain.matchAll(/"([^"]*)"|(\S+)/g)
  return [...found].map(([, quoted, bare]) =>
    quoted === undefined ? { text: bare ?? '', isQuoted: false } : { text: quoted, isQuoted: true },
  )
}

/** Typed back, so that it is read as it was. */
export function typed(name: string): string {
  return /[\s",=]/.test(name) || name === '' ? `"${name.replaceAll('"', '')}"` : name
}

const digitsMin = 3

/** `hasText`: a note or a person may follow. `mayBeClosed`: what closed within the world's memory can be meant too. */
type Rules = { readonly hasText?: true; readonly mayBeClosed?: true }

/**
 * `words` begin with the alert; `rest` is the text behind it. `command`: what a button runs for one of several, with the alert's number
 * in place of `{}`. Where nothing is named the thread's alert is meant.
 */
export function alertMeant(
  words: string,
  scene: Scene,
  ask: Ask,
  command: string,
  { hasText, mayBeClosed }: Rules = {},
): { readonly alert: Alert; readonly rest: string } {
  const open = openIn(scene)
  const [first] = wordsOf(words)
  const commandFor = (name: string, rest: string) => command.replace('{}', () => `${name} ${rest}`.trim())
  const offersOf = (alerts: readonly Alert[], rest: string) =>
    alerts.map((alert) => ({
      label: `${headlineWords(alert)} ${numberWords(alert)}`,
      command: commandFor(`#${alert.number}`, rest),
    }))
  const which = (alerts: readonly Alert[], why: string, rest: string) =>
    refuse(`${why} Which one?`, offersOf(alerts, rest))
  const one = (alert: Alert, rest: string) =>
    alert.closedMs === null || mayBeClosed === true
      ? { alert, rest }
      : refuse(`${escaped(headlineWords(alert))} is closed.`)
  const named = first && (byNumber(first, scene) ?? byTitle(words, open) ?? byServer(first, open))
  if (named) {
    const { alerts, length, why } = named
    const rest = words.slice(length).trim()
    const [alert] = alerts
    if (alert === undefined || alerts.length > 1) return which(alerts, why, rest)
    if (rest === '' || hasText === true) return one(alert, rest)
    return refuse(`I don't understand \`${escaped(rest, 60)}\`.`, [commandFor(words.slice(0, length), '')])
  }
  const isText = first === undefined || (hasText === true && !/^#\d/.test(first.text))
  const ofThread = isText ? inThread(scene, ask) : []
  if (ofThread.length > 1) return which(ofThread, 'Several alerts stand here.', words)
  if (ofThread[0] !== undefined) return one(ofThread[0], words)
  if (first === undefined)
    return refuse(`Which alert? Name its number or its server: \`/mon ${commandFor('#2874', '')}\``)
  const names = open.flatMap(({ server, host }) => [server, host])
  const similar = nearest(first.text, names, 3)
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.map((name) => escaped(name)).join(', ')}?`
  const rest = hasText === true ? words.slice(first.text.length).trim() : ''
  const here = hasText === true ? [] : openInThread(scene, ask)
  return refuse(`No open alert \`${escaped(first.text, 60)}\`.${hint}`, [
    ...similar.map((name) => commandFor(typed(name), rest)),
    ...offersOf(here, rest),
  ])
}

/** At least one alert, how many characters name it, and why there may be several. */
type Named = { readonly alerts: readonly Alert[]; readonly length: number; readonly why: string }

function namedBy(alerts: readonly Alert[], length: number, why: string): Named | null {
  return alerts.length === 0 ? null : { alerts, length, why }
}

/** An ending of its number, with or without `#`; open ones before closed ones, the whole number before an ending. */
function byNumber({ text, isQuoted }: Word, { world }: Scene): Named | null {
  const [, digits] = /^#?…?(\d+)$/.exec(text) ?? []
  if (isQuoted || digits === undefined || (digits.length < digitsMin && !text.startsWith('#'))) return null
  const ending = [...world.alerts.values()].filter(({ number }) => number.endsWith(digits))
  const wholeFirst = (alerts: Alert[]) => {
    const whole = alerts.filter(({ number }) => number === digits)
    return whole.length > 0 ? whole : alerts
  }
  const open = wholeFirst(ending.filter(({ id }) => world.open.has(id)))
  const meant = open.length > 0 ? open : wholeFirst(ending).slice(-1)
  return namedBy(meant, text.length, `Several alerts end in ${digits}.`)
}

/** *Title on server*, as monbot itself writes it: the longest that fits. */
function byTitle(words: string, open: readonly Alert[]): Named | null {
  const lower = `${words.toLowerCase()} `
  const named = open.map((alert) => ({ alert, name: headlineWords(alert).toLowerCase() }))
  const fits = named.filter(({ name }) => lower.startsWith(`${name} `))
  const longest = Math.max(0, ...fits.map(({ name }) => name.length))
  const alerts = fits.filter(({ name }) => name.length === longest).map(({ alert }) => alert)
  return namedBy(alerts, longest, 'Several alerts have that name.')
}

function byServer({ text, isQuoted }: Word, open: readonly Alert[]): Named | null {
  const wanted = text.toLowerCase()
  const alerts = open.filter(({ host, server }) =>
    [host, server].some((name) => name.toLowerCase() === wanted),
  )
  const why = `${escaped(text)} has ${alerts.length} open alerts.`
  return namedBy(alerts, text.length + (isQuoted ? 2 : 0), why)
}

/** Of a card whose alert is closed that one. */
function inThread(scene: Scene, ask: Ask): Alert[] {
  const open = openInThread(scene, ask)
  const post = scene.world.posts.get(ask.threadPost ?? '')
  const last = post?.kind === 'alert' ? alertOf(post, scene.world) : null
  return open.length > 0 || last === null ? open : [last]
}

/** Open alerts with whose *title on server* the words begin. */
export function openCalled(words: string, scene: Scene): readonly Alert[] {
  return byTitle(words, openIn(scene))?.alerts ?? []
}

export function openInThread({ world }: Scene, { threadPost }: Ask): Alert[] {
  return alertsOn(world.posts.get(threadPost ?? ''), world).filter(({ id }) => world.open.has(id))
}
