/** The words of `alerts …` as a filter. What no alert here answers to is said: a mistyped filter is never an empty, green list. */

import { globMatcher } from '../../../shared/glob.ts'
import { nearest } from '../../../shared/nearest.ts'
import { isHidden } from '../../decide/hidden.ts'
import type { Scene } from '../../view/scene.ts'
import type { Alert, Severity } from '../../world/types.ts'
import { serversIn } from '../grammar/targets.ts'
import { typed } from '../grammar/words.ts'
import { code } from './answers.ts'

export type AlertFilter = {
  readonly state: 'open' | 'closed' | 'all'
  readonly whose: 'mine' | 'unacked' | null
  readonly severities: readonly Severity[]
  /** `role`, `severity`, or a label; a glob. */
  readonly pairs: readonly { readonly name: string; readonly glob: string }[]
  /** Names and patterns: any of them. */
  readonly servers: readonly string[]
}

/** What nothing here answers to: a sentence, the word as it was read, and what may have been meant in its place. */
export type Unknown = { readonly text: string; readonly word: string; readonly similar: readonly string[] }

const states = ['open', 'closed', 'all'] as const
const whose = ['mine', 'unacked'] as const
const severities = ['critical', 'warning', 'info'] as const
const keywords: ReadonlySet<string> = new Set([...states, ...whose, ...severities])
/** `team="red team"`, `role=web`, `"open"`, `web-1,web-2`. */
const token = /([^\s"=]+)=(?:"([^"]*)"|(\S*))|"([^"]*)"|(\S+)/g

/** A bare keyword wins over a server's name; quotes make it a name. */
export function readFilter(words: string): AlertFilter {
  const pairs: { name: string; glob: string }[] = []
  const servers: string[] = []
  const bare = new Set<string>()
  for (const [, name, quoted, glob, text, word = ''] of words.matchAll(token)) {
    if (name !== undefined) pairs.push({ name, glob: quoted ?? glob ?? '' })
    else if (text !== undefined) servers.push(text)
    else if (keywords.has(word.toLowerCase())) bare.add(word.toLowerCase())
    else servers.push(...word.split(',').filter((part) => part !== ''))
  }
  return {
    state: states.find((word) => bare.has(word)) ?? 'open',
    whose: whose.find((word) => bare.has(word)) ?? null,
    severities: severities.filter((word) => bare.has(word)),
    pairs,
    servers,
  }
}

/** Is an alert meant? `userId`: whose `mine` are. */
export function alertMatcher(filter: AlertFilter, scene: Scene, userId: string): (alert: Alert) => boolean {
  const { world, nowMs } = scene
  const pairs = filter.pairs.map(({ name, glob }) => ({ name, fits: globMatcher(glob) }))
  const servers = filter.servers.map(globMatcher)
  const hosts = pairs.filter(({ name }) => name === 'role').map(({ fits }) => hostsOfRoles(scene, fits))
  const labels = pairs.filter(({ name }) => name !== 'role')
  return (alert) => {
    if (filter.state === 'open' && !world.open.has(alert.id)) return false
    if (filter.state === 'closed' && alert.closedMs === null) return false
    if (filter.whose === 'mine' && alert.holder !== userId) return false
    if (filter.whose === 'unacked' && (alert.holder !== null || isHidden(world, alert, nowMs))) return false
    return (
      (filter.severities.length === 0 || filter.severities.includes(alert.severity)) &&
      (servers.length === 0 || servers.some((fits) => fits(alert.host) || fits(alert.server))) &&
      hosts.every((those) => those.has(alert.host)) &&
      labels.every(({ name, fits }) => valuesOf(alert, name).some(fits))
    )
  }
}

/** The first word that no alert, server or role answers to; `alerts`: all that are known, closed ones too. */
export function unknownOf(filter: AlertFilter, alerts: readonly Alert[], scene: Scene): Unknown | null {
  for (const { name, glob } of filter.pairs) {
    const values = new Set(name === 'role' ? rolesKnown(scene) : alerts.flatMap((one) => valuesOf(one, name)))
    if (name === 'severity') for (const severity of severities) values.add(severity)
    if ([...values].some(globMatcher(glob))) continue
    const word = `${name}=${typed(glob)}`
    if (name === 'role' && values.size === 0) return { text: "I don't know any roles yet", word, similar: [] }
    if (values.size > 0) {
      const similar = nearest(glob, values).map((value) => `${name}=${typed(value)}`)
      return { text: `No ${name === 'role' ? 'server' : 'alert'} here has ${code(word)}`, word, similar }
    }
    const labels = new Set([
      'role',
      'severity',
      ...alerts.flatMap(({ details }) => Object.keys(details.labels)),
    ])
    const similar = nearest(name, labels).map((label) => `${label}=${typed(glob)}`)
    return { text: `No alert here has the label ${code(name)}`, word, similar }
  }
  const servers = [...serversIn(scene.world), ...alerts.map(({ host, server }) => ({ host, name: server }))]
  const names = new Set(servers.flatMap(({ host, name }) => [host, name]))
  const word = filter.servers.find((server) => ![...names].some(globMatcher(server)))
  if (word === undefined) return null
  const similar = nearest(word, new Set([...keywords, ...names])).map(typed)
  const text = similar.length > 0 ? `No server ${code(word)}` : 'No such server. Search: `/mon roles`'
  return { text, word, similar }
}

export function rolesKnown({ world }: Pick<Scene, 'world'>): string[] {
  return Object.keys(world.fact('roles')?.servers ?? {})
}

function hostsOfRoles(scene: Scene, fits: (role: string) => boolean): Set<string> {
  const servers = Object.entries(scene.world.fact('roles')?.servers ?? {})
  return new Set(servers.filter(([role]) => fits(role)).flatMap(([, hosts]) => hosts))
}

function valuesOf({ severity, details }: Alert, name: string): string[] {
  if (name === 'severity') return details.severity === null ? [severity] : [severity, details.severity]
  return Object.hasOwn(details.labels, name) ? [details.labels[name] ?? ''] : []
}
