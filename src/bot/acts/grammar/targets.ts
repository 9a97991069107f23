/** What a mute or another command is about: servers, patterns, one alert, labels, the account. A near miss is offered, never guessed. */
import { globMatcher, isGlob } from '../../../shared/glob.ts'
import { nearest } from '../../../shared/nearest.ts'
import type { Scene } from '../../view/scene.ts'
import { escaped } from '../../view/words.ts'
import type { Alert } from '../../world/types.ts'
import type { World } from '../../world/world.ts'
import { type Ask, refuse } from '../action.ts'
import { alertMeant } from './alert-ref.ts'
import { typed } from './words.ts'

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
    refuse('To mute every server, mute the account.', [commandOf('account')])
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
