/**
 * `/mon alerts`: what is open, nobody's first, then critical, then the newest; a storm is one row. What a filter does not know is said,
 * and nothing is green that is muted or unknown.
 */
import { globMatcher } from '../../shared/glob.ts'
import { nearest } from '../../shared/nearest.ts'
import { day } from '../clock.ts'
import { isHidden } from '../decide/hidden.ts'
import { isLeftOut } from '../decide/standing.ts'
import { type Column, context, sections, viewOfBlocks, viewOfTable } from '../view/blocks.ts'
import { accountMute, doubtOf, lastPollWords } from '../view/board.ts'
import { briefTrouble, numberWords, serverLink } from '../view/headline.ts'
import { muteSentence } from '../view/mutes.ts'
import { rowBlock, rowLine, rowsOf } from '../view/rows.ts'
import type { Scene, View } from '../view/view.ts'
import { count, date, duration, person } from '../view/words.ts'
import type { Alert, Severity } from '../world/types.ts'
import type { Action, Context, Reply } from './action.ts'
import { code, noSuch, pageBlocks, pageOf, readPage } from './answers.ts'
import { serversIn, typed } from './grammar/targets.ts'
import { alertsSince } from './past.ts'

const onPage = 15
/** As far back as closed ones are listed. */
const reachMs = 30 * day

export const alerts: Action = {
  names: ['alerts'],
  usage:
    'alerts [open|closed|all|mine|unacked] [critical|warning|info] [role=…] [severity=…] [<label>=…] [server]',
  example: 'alerts critical role=web',
  does: 'Lists alerts, by default the open ones, and those first that nobody is on',
  isCommon: true,
  permission: null,
  command: listAlerts,
}

export async function listAlerts(words: string, context: Context): Promise<Reply> {
  const { rest, page } = readPage(words)
  const filter = readFilter(rest)
  const { world, nowMs } = context.scene()
  const isPast = filter.state !== 'open'
  const known = isPast ? await alertsSince(context, nowMs - reachMs) : [...world.alerts.values()]
  const unknown = unknownOf(filter, known, context.scene())
  if (unknown !== null)
    noSuch(unknown.text, unknown.similar, (word) => `alerts ${rest.replace(unknown.word, () => word)}`)
  const { person } = context.ask
  return {
    kind: 'say',
    render(scene) {
      const { open, alerts } = scene.world
      const all = isPast ? known.map((alert) => alerts.get(alert.id) ?? alert) : [...open.values()]
      const isMeant = alertMatcher(filter, scene, person.id)
      const meant = all.filter((alert) => isMeant(alert) && !isLeftOut(scene, alert))
      return alertsView(meant, { filter, words: rest, page }, scene)
    },
  }
}

type Question = { readonly filter: AlertFilter; readonly words: string; readonly page: number }

function alertsView(meant: readonly Alert[], question: Question, scene: Scene): View {
  const { filter, words, page } = question
  const account = accountMute(scene)
  const doubts = [account === null ? '' : muteSentence([account], scene), doubtOf(scene) ?? '']
  const isSure = doubts.every((line) => line === '')
  const shown = pageOf(rowsOf(meant, scene), page, onPage)
  const green = isSure && filter.state === 'open' && filter.whose === null ? '🟢 ' : ''
  const before = [...doubts, titleOf(meant, question, green)]
  const after = [...pageBlocks(shown, `alerts ${words}`.trim()), ...context([lastPollWords(scene)])]
  if (filter.state === 'closed') {
    const closed = shown.items.flatMap((row) => row.alerts)
    const lineOf = (alert: Alert) => rowLine({ alerts: [alert], list: null }, scene)
    return viewOfTable(before, closed, lineOf, closedColumns, after)
  }
  const rows = shown.items.map((row, at) => rowBlock(row, at, scene))
  return viewOfBlocks([...sections(before), ...rows, ...after])
}

/** Nothing can be pressed beside what is closed, and people compare it. */
const closedColumns: readonly Column<Alert>[] = [
  ['Server', serverLink],
  ['Alert', (alert) => briefTrouble(alert).replaceAll('*', '')],
  ['Closed', ({ closedMs }) => date(closedMs ?? 0)],
  ['Open for', ({ closedAfterMs }) => (closedAfterMs === null ? '' : duration(closedAfterMs)), 'right'],
  ['Who', ({ holder }) => (holder === null ? '' : person(holder))],
  ['No.', numberWords],
]

/** `green`: what is before it where there are none. */
function titleOf(meant: readonly Alert[], { filter, words }: Question, green: string): string {
  const { state, whose } = filter
  const kind = state === 'all' ? '' : `${state} `
  const isSaid = words === '' || [state, whose].some((word) => word === words.toLowerCase())
  const about = isSaid ? '' : ` for ${code(words)}`
  if (whose === 'mine') return `*${meant.length === 0 ? 'You have no' : 'Your'} ${kind}alerts*${about}`
  const nobody = whose === 'unacked' ? ' that nobody is on' : ''
  if (meant.length > 0) return `*${count(meant.length, `${kind}alert`)}${nobody}*${about}`
  return `${green}*No ${kind}alerts${nobody}*${about}`
}

type AlertFilter = {
  readonly state: 'open' | 'closed' | 'all'
  readonly whose: 'mine' | 'unacked' | null
  readonly severities: readonly Severity[]
  /** `role`, `severity`, or a label; a glob. */
  readonly pairs: readonly { readonly name: string; readonly glob: string }[]
  /** Names and patterns: any of them. */
  readonly servers: readonly string[]
}

/** What nothing here answers to: a sentence, the word as it was read, and what may have been meant in its place. */
type Unknown = { readonly text: string; readonly word: string; readonly similar: readonly string[] }

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
