/** `mute` and `unmute` as people type them: target, time, reason. What is nearly one is refused with the whole command as a button. */
import type { Scene } from '../../view/view.ts'
import { escaped } from '../../view/words.ts'
import { type Ask, refuse } from '../action.ts'
import {
  openCalled,
  openInThread,
  type Server,
  serversIn,
  type Target,
  targetMeant,
  typed,
} from './targets.ts'
import { dayWord, type Now, readTime, type When } from './time.ts'

/** `when` null: nothing was said, so it lasts as long as the policy says. `words`: as it is typed after `mute`, with its target named. */
export type MuteWish = {
  readonly target: Target
  readonly when: When | null
  readonly reason: string
  readonly words: string
}

const reasonCharsMax = 300

/** One name, pattern, number or label; in quotes it is a name. */
const name = '(?:[^\\s,"]|"[^"]*")+'
const list = new RegExp(`^${name}(?:\\s*,\\s*${name})*`)
const and = /^(?:and|&|\+|)$/i

export function readMute(words: string, scene: Scene, ask: Ask): MuteWish {
  const now = { nowMs: scene.nowMs, zone: ask.person.zone }
  const known = knownNames(scene)
  // `web-1, 2h`
  const { target, isExact, rest } = split(words.replace(/,\s+(?=\d+ ?[a-z]+$|for |until )/i, ' '))
  if (!isExact && !target.split(/\s*,\s*/).every((one) => known.has(one.replaceAll('"', '').toLowerCase()))) {
    if (target === '' || timeAlone.test(target)) return withoutTarget(words, scene, ask)
    if (/^(?:the|this|it|servers?)$/i.test(target) && rest !== '')
      return refuse(`Leave out \`${target}\`.`, [`mute ${rest}`])
    const here = /^[a-z]+$/i.test(target) && target !== 'account' ? serversHere(scene, ask) : []
    if (here.length > 0)
      return refuse(
        `No server ${escaped(target)}.`,
        here.map((host) => `mute ${host} 1h ${words}`),
      )
  }
  if (/^(?:but|except)\b/i.test(rest))
    refuse("I can't leave servers out. Name those that you mean, or a pattern.")
  const meant = targetMeant(unquoted(target), isExact, scene, ask, (other) => `mute ${other} ${rest}`.trim())
  const named = isExact ? `host ${typed(unquoted(target))}` : target.replaceAll(/\s*,\s*/g, ',')
  const commandOf = (tail: string) => `mute ${named} ${tail}`.trim()
  if (/^(?:off|\?+)$/i.test(rest)) refuse('Mute it, or unmute it?', [commandOf('1h'), `unmute ${named}`])
  const others = serversAtStart(rest, known)
  if (others !== null) {
    const all = [named, ...others.names].join(',')
    return refuse('Put commas between servers.', [
      `mute ${all} ${others.rest}`.trim(),
      commandOf(`1h ${rest}`),
    ])
  }
  const time = readTime(rest, now)
  if (time?.kind === 'no') return refuse(time.text, time.instead.map(commandOf))
  const isSeen =
    isExact || meant.kind !== 'servers' || meant.servers.every(({ host }) => known.has(host.toLowerCase()))
  if (time === null && rest !== '' && !isSeen) {
    const titled = openCalled(words, scene).flatMap(({ number, host }) => [`#${number}`, typed(host)])
    const offers = titled.length > 0 ? titled : [`host ${named} 1h ${rest}`]
    refuse(
      `No server ${escaped(target)}.`,
      offers.map((offer) => `mute ${offer}`),
    )
  }
  const late = time === null ? lateTime(rest, now) : null
  if (late !== null)
    return refuse('The time goes before the reason.', [commandOf(late), commandOf(`1h ${rest}`)])
  const reason = (time?.rest ?? rest).replace(/^"([^"]*)"$/, '$1').trim()
  const when = time?.when ?? null
  return { target: meant, when, reason: reason.slice(0, reasonCharsMax), words: `${named} ${rest}`.trim() }
}

/** `among`: the muted servers, which patterns mean. */
export function readUnmute(words: string, scene: Scene, ask: Ask, among?: readonly Server[]): Target {
  const { target, isExact, rest } = split(words)
  if (target === '')
    return refuse('Name what to unmute: `/mon unmute web-2`. `/mon mutes` lists what is muted.')
  if (rest !== '') {
    const others = serversAtStart(rest, knownNames(scene))?.names ?? []
    return refuse(`I don't understand \`${rest.replaceAll('`', '').slice(0, 60)}\`.`, [
      `unmute ${[target, ...others].join(',')}`,
    ])
  }
  return targetMeant(unquoted(target), isExact, scene, ask, (other) => `unmute ${other}`, among)
}

/** `host` before a name, or quotes around it: it is taken as it stands. */
function split(words: string): { target: string; isExact: boolean; rest: string } {
  const [, host = ''] = /^(host\s+)(?=\S)/i.exec(words) ?? []
  const text = words.slice(host.length)
  const target = list.exec(text)?.[0] ?? ''
  const isExact = host !== '' || /^"[^"]*"$/.test(target)
  return { target, isExact, rest: text.slice(target.length).trim() }
}

/** Label values keep theirs for the reader of labels. */
function unquoted(target: string): string {
  return target.includes('=') ? target : target.replaceAll('"', '').replaceAll(/\s*,\s*/g, ',')
}

/** Words that may be a time: where the target stands, and no server is called so, they are one. */
const timeAlone = new RegExp(
  `^(?:[-+~]?\\d+(?:[.,]\\d+)?(?:[a-z]+\\d{0,2}[a-z]*)?|\\d{1,2}:\\d\\d.*|${dayWord}` +
    '|for|un?t[iln]+l*|from|every|each|in|at|on|next|tonight)$',
  'i',
)

/** `mute 1h` in the thread of a card means its server. Elsewhere: what comes after the time may be the target. */
function withoutTarget(words: string, scene: Scene, ask: Ask): MuteWish {
  const here = serversHere(scene, ask).map((host) => `${host} ${words}`.trim())
  if (here[0] !== undefined && here.length === 1) return readMute(here[0], scene, ask)
  if (here.length > 1)
    return refuse(
      'Several servers stand here. Which one?',
      here.map((one) => `mute ${one}`),
    )
  // A bare number may be an alert's.
  const [number] = /^\d{3,}(?=$|\s)/.exec(words) ?? []
  if (number !== undefined && [...scene.world.open.values()].some((one) => one.number.endsWith(number)))
    return refuse(`Alerts are written with \`#\`.`, [`mute #${words}`])
  const time = readTime(words, { nowMs: scene.nowMs, zone: ask.person.zone })
  const rest = time?.kind === 'when' ? time.rest : ''
  const isServer = serversAtStart(rest, knownNames(scene)) !== null
  const swapped = `mute ${rest} ${words.slice(0, words.length - rest.length)}`.trim()
  return refuse('Name what to mute first: `/mon mute web-2 1h`.', isServer ? [swapped] : [])
}

/** As they are typed: the servers of the card in whose thread it was asked. */
function serversHere(scene: Scene, ask: Ask): string[] {
  return [...new Set(openInThread(scene, ask).map(({ host }) => typed(host)))]
}

function knownNames({ world }: Scene): Set<string> {
  return new Set(
    serversIn(world).flatMap(({ host, name: shown }) => [host.toLowerCase(), shown.toLowerCase()]),
  )
}

/** `web-1 and web-2 2h`: further servers without commas. */
function serversAtStart(rest: string, known: ReadonlySet<string>): { names: string[]; rest: string } | null {
  const words = rest.split(/[\s,]+/)
  const isOne = (word: string) => known.has(word.toLowerCase())
  const end = words.findIndex((word) => !isOne(word) && !and.test(word))
  const names = (end === -1 ? words : words.slice(0, end)).filter(isOne)
  return names.length === 0 ? null : { names, rest: end === -1 ? '' : words.slice(end).join(' ') }
}

/** `deploy 2h`, `deploying until 15:00`: the same with the time first; null where the reason holds no time. */
function lateTime(reason: string, now: Now): string | null {
  if (reason.startsWith('"')) return null
  const words = reason.split(' ')
  for (let at = 1; at < words.length; at += 1) {
    const tail = words.slice(at).join(' ')
    if (!/^(?:for\s+\d|\d+(?:\.\d+)?\s*[a-z]|until\s|from\s|every\s|at\s+\d|\d?\d:\d\d)/i.test(tail)) continue
    const before = words.slice(0, at).join(' ')
    const time = readTime(tail, now)
    if (time?.kind === 'when')
      return `${tail.slice(0, tail.length - time.rest.length).trim()} ${before} ${time.rest}`.trim()
    const [offer] = time?.instead ?? []
    if (offer !== undefined && /:/.test(tail)) return `${offer} ${before}`
  }
  return null
}
