/**
 * `/mon chart`: any metric of one or several servers, or an alert's own chart. A card's chart goes into its thread for everybody; one
 * that a command asked for is a file to the asker, which Slack surely shows (docs/slack.md#pictures). The API lists no metrics: alerts and
 * triggers name them, and a name that nothing mentions is guessed by its type.
 */
import { isGlob } from '../../shared/glob.ts'
import { nearest } from '../../shared/nearest.ts'
import { guessesOfPlugin, type MetricKey, measured, queryFor, serverFilter } from '../api/port.ts'
import { day, hour, minute } from '../clock.ts'
import { want } from '../decide/want.ts'
import { digest, readValue } from '../view/blocks.ts'
import type { Scene } from '../view/view.ts'
import { duration, escaped, headline, metricWords } from '../view/words.ts'
import type { Alert } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { type Action, type Context, type Reply, refuse, tooOld } from './action.ts'
import { alertMatcher, readFilter, unknownOf } from './alerts.ts'
import { code, noSuch, readable, say } from './answers.ts'
import { wantFile } from './files.ts'
import { alertMeant, typed } from './grammar/targets.ts'
import { lengthMs } from './grammar/time.ts'
import { cardOf } from './tell.ts'

const forUsualMs = 5 * hour
const forMinMs = 10 * minute
const forMaxMs = 365 * day
const serversMax = 10
const namesMax = 40

export const chart: Action = {
  names: ['chart'],
  usage: 'chart <server> [metric] [duration] or #<alert>',
  example: 'chart web-2 CPU busy 2d',
  does: 'Draws a metric, by default of the last 5 hours; patterns, `role=` and `env=` draw several servers',
  isCommon: true,
  permission: null,
  command(words, context) {
    const isOfThread = context.ask.threadPost !== null && (words === '' || lengthMs(words) !== null)
    if (!words.startsWith('#') && !isOfThread) return answer(readQuestion(words), context)
    const rules = { hasText: true, mayBeClosed: true } as const
    const { alert, rest } = alertMeant(words, context.scene(), context.ask, 'chart {}', rules)
    if (rest === '') return chartOfAlert(alert, context)
    const metric = `${alert.plugin} ${alert.metric ?? ''}`
    return answer(readQuestion(`${typed(alert.host)} ${metric} ${rest}`), context)
  },
  presses: {
    chart(press, context) {
      const alert = context.scene().world.alerts.get(readValue(press.value)?.alert ?? '')
      return alert === undefined ? refuse(tooOld) : chartOfAlert(alert, context)
    },
  },
}

/** In the thread of its card, for everybody, as it is now. */
function chartOfAlert(alert: Alert, { ask, scene }: Context): Reply {
  const now = scene()
  const card = cardOf(now, alert)
  if (card === null) return refuse('That alert has no card in Slack to put a chart under.')
  if (alert.metric === null && alert.sparklineUrl === null)
    refuse(`${headline(alert)} has no metric to draw.`)
  const { id: thread, channel, forChannel } = card
  const hash = digest(ask.key, 12)
  const shows = [{ alert: alert.id, isQuiet: true, atMs: now.nowMs }]
  want(now.world, now.nowMs, {
    id: `chart:${thread}:${hash}`,
    kind: 'chart',
    channel,
    forChannel,
    thread,
    shows,
    urgency: 0,
  })
  return say("I put the chart in the alert's thread")
}

/** `servers`: names, patterns, `role=…`, `env=…`. `length`: the duration as it was typed, to offer it again. */
type Question = {
  readonly servers: readonly string[]
  readonly metric: string
  readonly forMs: number
  readonly length: string
}

/** The last words may be a duration: `2d`, `2 weeks`. */
function readQuestion(words: string): Question {
  const [, first = '', rest = ''] = /^((?:[^\s"]|"[^"]*")+)\s*(.*)$/.exec(words) ?? []
  const servers = [...first.matchAll(/(?:[^,"]|"[^"]*")+/g)].map(([name]) => name.replaceAll('"', ''))
  if (servers.length === 0) refuse('Which server? For example `/mon chart web-2 CPU busy 2d`')
  if (servers.length > serversMax)
    refuse(`Name at most ${serversMax} servers, or use a pattern such as \`web-*\`.`)
  const [, metric = '', length = ''] = /^(.*?)(?:^|\s)((?:\d[\d.]*\s*[a-z]+\s*\d*)+)$/i.exec(rest) ?? []
  const forMs = length === '' ? null : lengthMs(length)
  if (forMs !== null && (forMs < forMinMs || forMs > forMaxMs))
    refuse('A chart shows 10 minutes to 365 days.')
  const named = (forMs === null ? rest : metric).replaceAll('"', '').trim()
  return { servers, metric: named, forMs: forMs ?? forUsualMs, length: forMs === null ? '' : length }
}

async function answer(question: Question, context: Context): Promise<Reply> {
  const { servers, metric, forMs, length } = question
  const names = servers.map((server) => serverTyped(server)).join(',')
  const commandOf = (name: string) => `chart ${names} ${name} ${length}`.trim()
  const triggers = await context.reads.monitor.triggers().catch(() => [])
  const scene = context.scene()
  const { world } = scene
  const filters = servers.map((server) =>
    alertMatcher(readFilter(`all ${serverTyped(server, true)}`), scene, ''),
  )
  const alerts = [...world.alerts.values()].filter((alert) => filters.some((isOn) => isOn(alert)))
  const known = knownMetrics(alerts, triggers)
  if (metric === '' && known.length === 0)
    refuse(`I know no metric of ${code(names)} yet. Name one: ${code(`/mon chart ${names} cpu_busy`)}`)
  const meant = metricMeant(metric, known)
  if (meant.kind === 'several') return whichMetric(meant.metrics, commandOf)
  const hosts = servers.map((server) => hostOf(server, world))
  const found = await readable('the metric', firstWithPoints(hosts, meant.guesses, forMs, context))
  if (found === null) return nothingFound(question, meant.words, known, commandOf, scene)
  const title = `${meant.words} on ${servers.join(', ')}`
  const { name: metricName, type: metricType, source } = found.metric
  const wish = { servers: found.servers, metricName, metricType, source, durationMs: forMs, title }
  const { person, threadPost } = context.ask
  const place = threadPost === null ? { to: person.id } : { post: threadPost }
  const where = threadPost === null ? 'sent you the chart of' : 'put into the thread the chart of'
  const told = `I ${where} ${escaped(title)} (${duration(forMs)})`
  return wantFile({ file: 'chart', chart: wish, ...place }, told, context)
}

/** The first guess of which the API has points, and for which of the servers. */
async function firstWithPoints(
  servers: readonly string[],
  guesses: readonly MetricKey[],
  forMs: number,
  { reads }: Context,
): Promise<{ readonly metric: MetricKey; readonly servers: readonly string[] } | null> {
  for (const metric of guesses) {
    const found: string[] = []
    for (const server of servers)
      if ((await measured(reads.monitor, queryFor(metric, server, forMs))).length > 0) found.push(server)
    if (found.length > 0) return { metric, servers: found }
  }
  return null
}

function whichMetric(metrics: readonly KnownMetric[], commandOf: (name: string) => string): Reply {
  const names = metrics.map((one) => escaped(metricWords(one), 60))
  const offers = metrics.map((one) => ({
    label: metricWords(one),
    command: commandOf(`${one.plugin} ${one.metric}`.trim()),
  }))
  return refuse(`Which metric? ${names.slice(0, namesMax).join(', ')}`, offers)
}

/** No such server, no such metric, or nothing measured in that time: the API does not tell them apart. */
function nothingFound(
  { servers, metric }: Question,
  words: string,
  known: readonly KnownMetric[],
  commandOf: (name: string) => string,
  scene: Scene,
): Reply {
  const named = servers.filter((server) => !serverFilter.test(server))
  const unknown = unknownOf({ ...readFilter(''), servers: named }, [...scene.world.alerts.values()], scene)
  if (unknown !== null) return noSuch(unknown.text, unknown.similar, (name) => `chart ${name} ${metric}`)
  const names = new Set(known.flatMap((one) => [metricWords(one), one.metric]))
  const similar = nearest(metric, names).filter((name) => ![metric, words].includes(name))
  return noSuch(
    `The monitoring has no data of ${code(words)} on ${code(servers.join(', '))}`,
    similar,
    commandOf,
  )
}

/** People write the display name, the API takes the hostname. */
function hostOf(name: string, { alerts }: World): string {
  const wanted = name.toLowerCase()
  return isGlob(name)
    ? name
    : ([...alerts.values()].find(({ server }) => server.toLowerCase() === wanted)?.host ?? name)
}

/** Typed back, and read as a name: `role=` stays a filter. */
function serverTyped(server: string, isName = false): string {
  const [, filter, value = server] = serverFilter.exec(server) ?? []
  if (filter !== undefined) return `${filter}=${typed(value)}`
  return isName ? `"${server}"` : typed(server)
}

/** `plugin` is empty where only a trigger names it. */
export type KnownMetric = { readonly plugin: string; readonly metric: string }

/** `guesses`: what to ask the API for, the likeliest first. */
type Meant =
  | { readonly kind: 'one'; readonly words: string; readonly guesses: readonly MetricKey[] }
  | { readonly kind: 'several'; readonly metrics: readonly KnownMetric[] }

const typedMetric = /^(cpu|disk|memory|network|process|plugin|custom_metric):(.*?) +(\S+)$/i
const guessesMax = 12

/** Each once, those of alerts first. */
export function knownMetrics(
  alerts: readonly Pick<Alert, 'plugin' | 'metric'>[],
  triggers: readonly { metric: string }[],
): KnownMetric[] {
  const told = alerts.flatMap(({ plugin, metric }) => (metric ? [{ plugin, metric }] : []))
  const named = new Set(['', ...told.map(({ metric }) => metric)])
  const others = triggers.flatMap(({ metric }) => (named.has(metric) ? [] : [{ plugin: '', metric }]))
  return [...new Map([...told, ...others].map((one) => [`${one.plugin}\n${one.metric}`, one])).values()]
}

/** `text`: a key, words, a plugin, or `disk:/ disk_used_percent`. Empty: whatever is known. */
export function metricMeant(text: string, known: readonly KnownMetric[]): Meant {
  const exact = typedMetric.exec(text)
  if (exact !== null) {
    const [, type = '', source = '', name = ''] = exact
    return { kind: 'one', words: name, guesses: [{ name, type: type.toLowerCase(), source: source || null }] }
  }
  const fits = (namesOf: (one: KnownMetric) => readonly string[]) =>
    known.filter((one) => text === '' || namesOf(one).some((name) => isSame(name, text)))
  const named = fits(namesOfMetric)
  const fitting = named.length > 0 ? named : fits(({ plugin }) => [plugin])
  const [first, ...more] = fitting
  if (more.length > 0) return { kind: 'several', metrics: fitting }
  if (first === undefined) return { kind: 'one', words: text, guesses: guessesOf(text, known) }
  const { plugin, metric } = first
  const guesses = plugin === '' ? guessesOf(metric, known) : guessesOfPlugin(plugin, metric)
  return { kind: 'one', words: metricWords(first), guesses }
}

function guessesOf(text: string, known: readonly KnownMetric[]): MetricKey[] {
  const name = text.includes(' ') ? text.toLowerCase().replaceAll(/\s+/g, '_') : text
  const guesses: MetricKey[] = [
    { name, type: 'cpu', source: null },
    { name, type: 'memory', source: null },
    { name, type: 'disk', source: '/' },
    { name, type: 'network', source: 'eth0' },
    { name: text, type: 'custom_metric', source: text },
    ...[...new Set(known.map(({ plugin }) => plugin))].flatMap((plugin) => guessesOfPlugin(plugin, name)),
  ].filter(({ source }) => source !== '')
  // `disk_used_percent` is of a disk: the disks that alerts have named come first.
  const kind = name.startsWith('swap_') ? 'memory' : (name.split('_')[0] ?? '')
  const isKnown = ({ source }: MetricKey) => known.some(({ plugin }) => plugin.endsWith(` ${source}`))
  const likely = guesses.filter(({ type }) => type === kind)
  const ranked = [...likely.filter(isKnown), ...likely, ...guesses]
  return [...new Map(ranked.map((one) => [JSON.stringify(one), one])).values()].slice(0, guessesMax)
}

function namesOfMetric(one: KnownMetric): string[] {
  const { plugin, metric } = one
  const words = metricWords(one)
  const behind = words.startsWith(`${plugin} `) ? words.slice(plugin.length) : words
  return [metric, `${plugin} ${metric}`, words, behind, metricWords({ plugin: '', metric })]
}

/** Equal for people: case and the signs between words aside. */
function isSame(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[\s_.:·-]+/g, ' ')
      .trim()
  return plain(a) === plain(b)
}
