/**
 * `/mon chart`: any metric of one or several servers, or an alert's own chart. A card's chart goes into its thread for everybody; one
 * that a command asked for is a file to the asker, which Slack surely shows (docs/slack.md#pictures).
 */
import { durationFor } from '../api/durations.ts'
import { ApiFailure, type MetricQuery, type Series } from '../api/port.ts'
import { day, hour, minute } from '../clock.ts'
import { want } from '../decide/new-post.ts'
import { globMatcher } from '../glob.ts'
import { section } from '../view/blocks.ts'
import { digest, readValue } from '../view/values.ts'
import { duration, escape, headline, metricWords } from '../view/words.ts'
import type { Alert } from '../world/types.ts'
import type { World } from '../world/world.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { typed } from './grammar/plain.ts'
import { lengthMs } from './grammar/time-words.ts'
import { serverNames } from './queries/alert-filter.ts'
import { cannotRead, code, noSuch, say } from './queries/answers.ts'
import { placeFor, wantFile } from './queries/files.ts'
import {
  type KnownMetric,
  knownMetrics,
  type Metric,
  metricMeant,
  similarMetrics,
} from './queries/metric-names.ts'
import { cardOf, tooOld } from './told.ts'

const durationDefaultMs = 5 * hour
const durationMinMs = 10 * minute
const durationMaxMs = 365 * day
const serversMax = 10
/** Until then the one that is there is new enough. */
const againAfterMs = minute
const offersMax = 10

export const chart: Act = {
  names: ['chart'],
  usage: 'chart <server> [metric] [duration] or #<alert>',
  example: 'chart web-2 CPU busy 2d',
  does: 'Draws a metric, by default of the last 5 hours; patterns, `role=` and `env=` draw several servers',
  isCommon: true,
  permission: null,
  command(words, context) {
    if (words.startsWith('#') || (words === '' && context.ask.threadPost !== null)) {
      const meant = alertMeant(words, context.scene(), context.ask, 'chart {}')
      return meant.kind === 'no' ? meant.reply : chartOfAlert(meant.alert, context)
    }
    const question = readQuestion(words)
    return typeof question === 'string' ? { kind: 'refuse', text: question } : answer(question, context)
  },
  presses: {
    chart(press, context) {
      const alert = context.scene().world.alerts.get(readValue(press.value)?.alert ?? '')
      return alert === undefined ? tooOld : chartOfAlert(alert, context)
    },
  },
}

/** In the thread of its card, for everybody, once a few minutes. */
function chartOfAlert(alert: Alert, { scene }: Context): Reply {
  const now = scene()
  const card = cardOf(now, alert)
  if (card === null) return { kind: 'refuse', text: 'That alert has no card in Slack to put a chart under.' }
  if (alert.metric === null && alert.sparklineUrl === null)
    return { kind: 'refuse', text: `${headline(alert)} has no metric to draw.` }
  const { id: thread, channel, forChannel } = card
  const hash = digest(`${alert.id} ${Math.floor(now.nowMs / againAfterMs)}`, 12)
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
  return say([section("I put the chart in the alert's thread")])
}

/** The last one or two words may be a duration: `2d`, `2 weeks`. A sentence where it cannot be. */
function readQuestion(words: string): Question | string {
  const [, first = '', rest = ''] = /^((?:[^\s"]|"[^"]*")+)\s*(.*)$/.exec(words) ?? []
  const servers = first
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((name) => name.replaceAll('"', ''))
    .filter(Boolean)
  if (servers.length === 0) return 'Which server? For example `/mon chart web-2 CPU busy 2d`'
  if (servers.length > serversMax)
    return `Name at most ${serversMax} servers, or use a pattern such as \`web-*\`.`
  const [, metric = rest, durationText = ''] = /^(.*?)\s*((?:\d[\d.]*\s*[a-z]+\s*\d*)+)$/i.exec(rest) ?? []
  const durationMs = durationText === '' ? durationDefaultMs : lengthMs(durationText)
  if (durationMs === null)
    return { servers, metric: rest.replaceAll('"', ''), durationMs: durationDefaultMs, durationText: '' }
  if (durationMs < durationMinMs || durationMs > durationMaxMs) return 'A chart shows 10 minutes to 365 days.'
  return { servers, metric: metric.replaceAll('"', '').trim(), durationMs, durationText }
}

/** `servers`: names, patterns, `role=…`, `env=…`. `durationText`: as it was typed, to offer it again. */
type Question = {
  readonly servers: readonly string[]
  readonly metric: string
  readonly durationMs: number
  readonly durationText: string
}

async function answer(question: Question, context: Context): Promise<Reply> {
  const { servers, metric, durationMs, durationText } = question
  const names = servers.map(serverTyped).join(',')
  const triggers = await context.reads.monitor.triggers().catch(() => [])
  const { world } = context.scene()
  const alerts = [...world.alerts.values()].filter(isOnAny(servers))
  const known = knownMetrics(
    alerts,
    triggers.map((one) => one.metric),
  )
  const commandOf = (name: string) => `chart ${names} ${name} ${durationText}`.trim()
  if (metric === '' && known.length === 0)
    return {
      kind: 'refuse',
      text: `I know no metric of ${code(names)} yet. Name one: \`/mon chart ${escape(names)} cpu_busy\``,
    }
  const meant = metricMeant(metric, known)
  if (meant.kind === 'several') return whichMetric(meant.metrics, commandOf)
  try {
    const found = await firstWithPoints(servers, meant.guesses, durationMs, context)
    if (found === null) return unknownMetric(question, known, commandOf, context)
    const title = `${meant.words} on ${servers.join(', ')}`
    const { name: metricName, type: metricType, source } = found.metric
    const hosts = found.servers.map((server) => hostOf(server, world))
    const wish = { servers: hosts, metricName, metricType, source, durationMs, title }
    const place = placeFor(context.ask)
    const where = place.post === undefined ? 'your direct messages' : 'the thread'
    const told = `I put the chart of ${escape(title)} (${duration(durationMs)}) into ${where}`
    return wantFile({ file: 'chart', chart: wish, ...place }, told, context)
  } catch (error) {
    return cannotRead('the metric', error)
  }
}

/** The first guess of which the API has points, and for which of the servers. */
async function firstWithPoints(
  servers: readonly string[],
  guesses: readonly Metric[],
  durationMs: number,
  { reads, scene }: Context,
): Promise<{ readonly metric: Metric; readonly servers: readonly string[] } | null> {
  for (const metric of guesses) {
    const found: string[] = []
    for (const server of servers) {
      const series = await readSeries(reads.monitor, queryOf(metric, server, durationMs, scene().world))
      if (series.some(({ points }) => points.length > 0)) found.push(server)
    }
    if (found.length > 0) return { metric, servers: found }
  }
  return null
}

/** None where the API knows no such server or metric: the guess was wrong. */
async function readSeries(
  monitor: Context['reads']['monitor'],
  query: MetricQuery,
): Promise<readonly Series[]> {
  try {
    return await monitor.metrics(query)
  } catch (error) {
    if (error instanceof ApiFailure && ['missing', 'refused'].includes(error.kind)) return []
    throw error
  }
}

/** As the drawing asks it too. */
function queryOf(metric: Metric, server: string, durationMs: number, world: World): MetricQuery {
  const [, key = '', value = ''] = /^(role|env)=(.+)$/.exec(server) ?? []
  return {
    ...metric,
    server: key === '' ? hostOf(server, world) : null,
    role: key === 'role' ? value : null,
    environment: key === 'env' ? value : null,
    duration: durationFor(durationMs),
    alertNumber: null,
  }
}

function whichMetric(metrics: readonly KnownMetric[], commandOf: (name: string) => string): Reply {
  const offers = metrics.slice(0, offersMax).map((one) => ({
    label: metricWords(one),
    command: commandOf(one.plugin === '' ? one.metric : `${one.plugin} ${one.metric}`),
  }))
  return { kind: 'refuse', text: 'Which metric?', offers }
}

function unknownMetric(
  { servers, metric }: Question,
  known: readonly KnownMetric[],
  commandOf: (name: string) => string,
  { scene }: Context,
): Reply {
  const names = [...serverNames(scene())]
  const stranger = servers.find((server) => !/^(role|env)=/.test(server) && !names.some(globMatcher(server)))
  if (stranger !== undefined)
    return { kind: 'refuse', text: `No server ${code(stranger)}. Search: \`/mon roles\`` }
  return noSuch(
    `No metric ${code(metric)} on ${code(servers.join(', '))}`,
    similarMetrics(metric, known),
    commandOf,
  )
}

function isOnAny(servers: readonly string[]): (alert: Alert) => boolean {
  const matchers = servers.map(globMatcher)
  return ({ host, server }) => matchers.some((fits) => fits(host) || fits(server))
}

/** People write the display name, the API takes the hostname. */
function hostOf(name: string, world: World): string {
  const isMeant = globMatcher(name)
  const alerts = [...world.alerts.values()]
  return alerts.some(({ host }) => isMeant(host))
    ? name
    : (alerts.find(({ server }) => isMeant(server))?.host ?? name)
}

/** Typed back: `role=` stays a filter, another name may need quotes. */
function serverTyped(server: string): string {
  const [, filter = '', name = server] = /^((?:role|env)=)(.+)$/.exec(server) ?? []
  return `${filter}${typed(name)}`
}
