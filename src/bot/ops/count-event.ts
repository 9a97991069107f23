/** Maps log events to metrics, because everything that is counted is logged already. */
import { cardOutcomes, failureKinds, type MetricKey } from './metric-table.ts'

/** `by` is added to a counter, or observed by a histogram. */
export type Count = {
  readonly metric: MetricKey
  readonly labels: Readonly<Record<string, string>>
  readonly by: number
}

type Facts = Readonly<Record<string, unknown>>

export function countsOf(event: string, facts: Facts): readonly Count[] {
  switch (event) {
    case 'poll:done':
      return [one('polls', { outcome: 'done' }), took('pollSeconds', facts)]
    case 'poll:failed':
      return [one('polls', { outcome: failureKind(facts) }), took('pollSeconds', facts)]
    case 'poll:held':
    case 'poll:under_way':
    case 'poll:missed':
      return [one('pollsSkipped', { why: event.slice('poll:'.length) })]
    case 'poll:slow':
      return [one('pollsSlow', {})]
    case 'blind:began':
      return [one('outages', {})]
    case 'blind:ended':
      return [{ metric: 'outageTotal', labels: {}, by: Math.max(0, numberOf(facts.outageMs)) / 1000 }]
    case 'storm:began':
      return [one('storms', {}), stormAlerts(facts)]
    case 'storm:grew':
      return [stormAlerts(facts)]
    case 'poll:stale':
      return [retry('plan', 'stale')]
    case 'card:checked':
      return [one('cardLooks', { found: facts.found === null ? 'nothing' : 'message' })]
    case 'card:tidied':
      return [
        one('cardLooks', { found: 'copies' }),
        { metric: 'copiesDeleted', labels: {}, by: numberOf(facts.deleted) },
      ]
    case 'copy:deleted':
      return [{ metric: 'copiesDeleted', labels: {}, by: 1 }]
    case 'card:unchecked':
    case 'card:untidied':
      return [one('cardLooks', { found: 'unread' }), retry('card', 'unread')]
    case 'cards:interrupted':
      return [unknown('card', numberOf(facts.count))]
    case 'markers:interrupted':
      return [unknown('marker', numberOf(facts.count))]
    case 'marker:not_dropped':
      return facts.now === 'unknown'
        ? [unknown('marker')]
        : facts.now === 'wanted'
          ? [retry('marker', 'failed')]
          : []
    case 'mute:not_confirmed':
    case 'mute:not_ended':
    case 'mute:not_said_again':
      return [retry('mute', 'failed')]
    case 'picture:delayed':
      return [retry('picture', 'failed')]
    case 'socket:failed':
      return [retry('socket', 'failed')]
    case 'api:retried':
      return [retry('api', failureKind(facts))]
    case 'api:answered':
      return [
        one('apiRequests', { operation: wordOf(facts.operation), outcome: wordOf(facts.outcome) }),
        { ...took('apiSeconds', facts), labels: { operation: wordOf(facts.operation) } },
      ]
    case 'request:answered':
      return ofRequest(wordOf(facts.act), wordOf(facts.outcome), facts)
    case 'request:not_understood':
    case 'request:unknown':
      return [one('requests', { act: 'unknown', outcome: 'refused' })]
    case 'page:told':
    case 'page:not_told':
    case 'page:refused':
      return [one('pages', { type: wordOf(facts.type), outcome: event.slice('page:'.length) })]
    case 'job:broken':
      return [one('brokenJobs', { work: wordOf(facts.job) })]
    case 'memory:pruned':
      return [{ metric: 'pruned', labels: {}, by: numberOf(facts.rows) }]
    default:
      return ofCard(event, facts)
  }
}

/** `card:shown`, `card:later` …: Slack's response to a post or an update. */
function ofCard(event: string, facts: Facts): readonly Count[] {
  const outcome = cardOutcomes.find((kind) => event === `card:${kind}`)
  if (outcome === undefined || (facts.by !== 'post' && facts.by !== 'update')) return []
  const call = one('cardCalls', { task: facts.by, outcome })
  switch (outcome) {
    case 'unknown':
      // An update can be repeated safely, so it does not matter whether the first one was accepted.
      return facts.by === 'post' ? [call, unknown('card')] : [call, retry('card', outcome)]
    case 'later':
      return [call, retry('card', rateLimits.has(facts.why) ? 'rate_limited' : 'not_sent')]
    case 'unlisted':
    case 'image_refused':
    case 'channel_unavailable':
    case 'no_token':
      return [call, retry('card', outcome)]
    default:
      return [call]
  }
}

const rateLimits: ReadonlySet<unknown> = new Set(['ratelimited', 'rate_limited'])

function ofRequest(act: string, outcome: string, facts: Facts): readonly Count[] {
  const asked = one('requests', { act, outcome })
  if (outcome === 'repeat') return [asked]
  const answered = [asked, took('answerSeconds', facts)]
  return outcome === 'unknown' ? [...answered, unknown('request')] : answered
}

function one(metric: MetricKey, labels: Readonly<Record<string, string>>): Count {
  return { metric, labels, by: 1 }
}

function retry(what: string, reason: string): Count {
  return one('retries', { what, reason })
}

function unknown(what: 'card' | 'marker' | 'request', by = 1): Count {
  return { metric: 'unknownOutcomes', labels: { what }, by }
}

function stormAlerts({ alerts }: Facts): Count {
  return { metric: 'stormAlerts', labels: {}, by: Math.max(0, numberOf(alerts)) }
}

function took(metric: MetricKey, { tookMs }: Facts): Count {
  return { metric, labels: {}, by: Math.max(0, numberOf(tookMs)) / 1000 }
}

function failureKind({ kind }: Facts): string {
  return failureKinds.find((known) => known === kind) ?? 'other'
}

/** A label's value if it is one of our own words: values from outside never become labels. */
function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z_]{1,40}$/.test(value) ? value : 'other'
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
