/** `mute` and `unmute` as people type them: target, time, reason. What is nearly one is refused with the whole command as a button. */
import type { Scene } from '../../view/scene.ts'
import { escaped } from '../../view/words.ts'
import type { Ask } from '../act.ts'
import { openInThread } from './alert-ref.ts'
import { typed } from './plain.ts'
import {
  type Refused,
  refuse,
  type Server,
  serversIn,
  type Target,
  type TargetReading,
  targetMeant,
} from './targets.ts'
import { dayWord, lengthMs, type When } from './time-shapes.ts'
import { readTime } from './time-words.ts'

export type MuteWords =
  | {
      readonly kind: 'mute'
      readonly target: Target
      /** Null: none was given. */
      readonly when: When | null
      readonly reason: string
      /** As it is typed after `mute`, with its target named. */
      readonly words: string
    }
  | Refused

const reasonCharsMax = 300

/** One name, pattern, number or label; in quotes it is a name. */
const name = '(?:[^\\s,"]|"[^"]*")+'
const list = new RegExp(`^${name}(?:\\s*,\\s*${name})*`)

export function readMute(words: string, scene: Scene, ask: Ask): MuteWords {
  const now = { nowMs: scene.nowMs, zone: ask.person.zone }
  const { target, isExact, rest } = split(words)
  const isNamed = isExact || isKnown(target, scene)
  if (!isNamed && (target === '' || timeAlone.test(target))) return withoutTarget(words, scene, ask)
  if (!isNamed && /^(?:the|servers?)$/i.test(target) && rest !== '')
    return refuse(`Leave out \`${target}\`.`, [`mute ${rest}`])
  if (!isNamed && /^[a-z]+$/i.test(target) && target !== 'account' && openInThread(scene, ask).length > 0)
    return withoutTarget(`1h ${words}`, scene, ask, `No server ${escaped(target)}.`)
  const reading = targetMeant(unquoted(target), isExact, scene, ask, (other) =>
    `mute ${other} ${rest}`.trim(),
  )
  if (reading.kind === 'no') return reading
  const named = isExact ? `host ${typed(unquoted(target))}` : target.replaceAll(/\s*,\s*/g, ',')
  const commandOf = (tail: string) => `mute ${named} ${tail}`.trim()
  const others = serversAtStart(rest, scene)
  if (others !== null) {
    const all = [named, ...others.names].join(',')
    const explicit = `1h ${rest}`
    return refuse('Put commas between servers.', [`mute ${all} ${others.rest}`.trim(), commandOf(explicit)])
  }
  const time = readTime(rest, now)
  if (time?.kind === 'no') return refuse(time.text, time.instead.map(commandOf))
  const reason = time === null ? rest : time.rest
  const late = time === null ? lateTime(reason, now) : null
  if (late !== null)
    return refuse('The time goes before the reason.', [...late.map(commandOf), commandOf(`1h ${reason}`)])
  return {
    kind: 'mute',
    target: reading.target,
    when: time?.when ?? null,
    reason: reasonOf(reason),
    words: `${named} ${rest}`.trim(),
  }
}

/** `among`: the muted servers, which patterns mean. */
export function readUnmute(words: string, scene: Scene, ask: Ask, among?: readonly Server[]): TargetReading {
  const { target, isExact, rest } = split(words)
  if (target === '')
    return refuse('Name what to unmute: `/mon unmute web-2`. `/mon mutes` lists what is muted.')
  if (rest !== '') {
    const names = [target, ...rest.split(/[\s,]+/).filter((word) => !/^(?:and|&|\+)$/i.test(word))]
    const isNames = names.length > 1 && serversAtStart(rest, scene) !== null
    return refuse(
      `I don't understand \`${rest.replaceAll('`', '').slice(0, 60)}\`.`,
      isNames ? [`unmute ${names.join(',')}`] : [`unmute ${target}`],
    )
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
function withoutTarget(words: string, scene: Scene, ask: Ask, why: string | null = null): MuteWords {
  const alerts = openInThread(scene, ask)
  const servers = new Map(alerts.map(({ host, server }) => [host, server]))
  const commands = [...servers].map(([host]) => `mute ${typed(host)} ${words}`.trim())
  const [command] = commands
  if (why !== null) return refuse(why, commands)
  if (command !== undefined && commands.length === 1)
    return readMute(command.slice('mute '.length), scene, ask)
  if (commands.length > 1) return refuse('Several servers stand here. Which one?', commands)
  // A bare number may be an alert's.
  const [number] = /^\d{3,}(?=$|\s)/.exec(words) ?? []
  if (number !== undefined && [...scene.world.open.values()].some((one) => one.number.endsWith(number)))
    return refuse(`Alerts are written with \`#\`.`, [`mute #${words}`])
  const time = readTime(words, { nowMs: scene.nowMs, zone: ask.person.zone })
  const rest = time?.kind === 'when' ? time.rest : ''
  const [first = ''] = list.exec(rest) ?? []
  const swapped = `mute ${rest} ${words.slice(0, words.length - rest.length)}`.replaceAll(/\s+/g, ' ').trim()
  return refuse('Name what to mute first: `/mon mute web-2 1h`.', isKnown(first, scene) ? [swapped] : [])
}

/** All of a list are servers, patterns or numbers that mean something here. */
function isKnown(target: string, scene: Scene): boolean {
  const names = knownNames(scene)
  const parts = target.split(',').map((part) => part.trim().replaceAll('"', '').toLowerCase())
  return target !== '' && parts.every((part) => names.has(part))
}

function knownNames({ world }: Scene): Set<string> {
  return new Set(
    serversIn(world).flatMap(({ host, name: shown }) => [host.toLowerCase(), shown.toLowerCase()]),
  )
}

/** `web-1 web-2 2h`: further servers without commas. */
function serversAtStart(rest: string, scene: Scene): { names: string[]; rest: string } | null {
  const words = rest.split(' ').filter((word) => word !== '')
  const known = knownNames(scene)
  const names: string[] = []
  let at = 0
  for (; at < words.length; at += 1) {
    const word = (words[at] ?? '').replaceAll(',', '')
    if (known.has(word.toLowerCase())) names.push(word)
    else if (!/^(?:and|&|\+|)$/i.test(word)) break
  }
  return names.length === 0 ? null : { names, rest: words.slice(at).join(' ') }
}

/** `deploy 2h`, `deploying until 15:00`: the same with the time first; null where the reason holds no time. */
function lateTime(reason: string, now: { nowMs: number; zone: string }): string[] | null {
  if (reason.startsWith('"')) return null
  const words = reason.split(' ')
  for (let at = 1; at < words.length; at += 1) {
    const tail = words.slice(at).join(' ')
    if (!/^(?:for\s+\d|\d+(?:\.\d+)?\s*[a-z]|until\s|from\s|every\s|at\s+\d|\d?\d:\d\d)/i.test(tail)) continue
    const before = words.slice(0, at).join(' ')
    const time = readTime(tail, now)
    if (time?.kind === 'when') {
      const moved = tail.slice(0, tail.length - time.rest.length).trim()
      return [[moved, before, time.rest].join(' ').trim()]
    }
    if (time !== null && time.instead.length > 0 && lengthMs(words[at] ?? '') === null && /:/.test(tail))
      return time.instead.slice(0, 1).map((text) => `${text} ${before}`)
  }
  return null
}

function reasonOf(text: string): string {
  const [, quoted] = /^"([^"]*)"$/.exec(text) ?? []
  return (quoted ?? text).trim().slice(0, reasonCharsMax)
}
