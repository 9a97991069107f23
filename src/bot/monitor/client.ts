/** Implements the port `Monitor`: the client for the operations of docs/api.md#operations. */
import { setImmediate } from 'node:timers/promises'
import { openAgent } from '../../shared/outward.ts'
import type { MutedBy } from '../domain/alert/details.ts'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { AlertMute, Clock, Monitor, Page } from '../flow/ports/ports.ts'
import { type Address, addressOf, assertSegment } from './address.ts'
import { readAnswer, readChanged } from './answer.ts'
import { exchange } from './exchange.ts'
import { parsePreview } from './mutes.ts'
import { holdsSecret, type Redact, redactorOf } from './redact.ts'
import { defaultLimits, type Limits, openRetryBudget, repeat } from './repeat.ts'
import { parseAlerts, parseMetrics, parseRoles, parseSilences, parseTriggers } from './wire.ts'

/** The API takes no more at once (docs/api.md#operations). */
const metricsPerDeletionMax = 20

export type MonitorOptions = {
  /** `{base_url}` of the API; a path prefix and a trailing slash are fine. */
  readonly baseUrl: string
  readonly apiKey: { reveal(): string }
  /** Clock for the waits between attempts of a read; the time limit of an attempt itself is always real time. */
  readonly clock: Clock
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  readonly limits?: Partial<Limits>
  /** Called with each failure after which a read is retried. */
  readonly onRetry?: (failure: OutsideFailure) => void
}

/**
 * Connects the client. Every call throws only `OutsideFailure`, with messages that may be shown to people. Reads are retried a
 * few times, changes never. An unusable address or key is a `rejected` failure at once. `stopReads` aborts pending reads and
 * fails later ones; `close` does so with changes too, and frees the connections.
 */
export function connectMonitor(
  options: MonitorOptions,
): Monitor & { stopReads(): Promise<void>; close(): Promise<void> } {
  const key = options.apiKey.reveal()
  const address = addressOf(options.baseUrl, key)
  const redact = redactorOf([address.base, address.origin, key])
  const { read, change, ask, stopReads, close } = openCalls(options, address, redact)

  return {
    async alerts({ lifecycle, offset }) {
      if (!Number.isSafeInteger(offset) || offset < 0) {
        throw new OutsideFailure('rejected', `an offset must be a whole number from 0; came ${offset}`)
      }
      const query = { lifecycle, offset: String(offset) }
      return withoutKey(await read('alerts.json', query, (body) => parseAlerts(body, lifecycle)), key)
    },
    triggers: () => read('triggers.json', {}, parseTriggers),
    roles: () => read('roles.json', {}, parseRoles),
    async metrics(question) {
      const query = {
        metric_name: question.metric,
        metric_type: question.type,
        metric_source_name: question.source,
        server: question.server,
        environment: question.environment,
        role: question.role,
        duration: question.duration,
        display: question.display,
        alert: question.alert,
      }
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      )
      return read('metrics.json', Object.fromEntries(given), parseMetrics)
    },
    setServerNotifications: async (hostname, on) =>
      change('POST', server(hostname), { notifications: String(on) }),
    setAccountNotifications: (on) => change('POST', ['account'], { notifications: String(on) }),
    async silences() {
      const found = await read('mutes.json', {}, parseSilences)
      return found.map((one) => saidWithoutKey(one, key))
    },
    async endMute(id) {
      assertSegment(id, "a mute's id")
      return change('DELETE', ['mutes', `${id}.json`], null)
    },
    muteAlert: async ({ muteId, ...mute }) =>
      change('POST', ['mutes.json'], muteForm({ id: muteId, ...mute })),
    previewMute: async (of) => {
      const form = muteForm({ id: previewId, untilMs: null, by: '', why: '', ...of })
      return parsePreview(await ask('POST', ['mutes.json'], { ...form, preview: 'true' }))
    },
    // The path is not specified (docs/api.md#not-specified); this one changes the server's other setting.
    setNoDataGroup: async (hostname, group) =>
      change('POST', server(hostname), { no_data_notification_group: group }, false),
    async addRoles(hostname, roles) {
      const names = joined(roles, 'role name', Number.POSITIVE_INFINITY, redact)
      return change('POST', server(hostname, 'roles', 'add'), { roles: names })
    },
    addMarker: (notes) => change('POST', ['markers'], { notes }),
    deleteServer: async (hostname) => change('DELETE', server(hostname), null),
    async deleteCustomMetrics(names) {
      const metrics = joined(names, 'metric name', metricsPerDeletionMax, redact)
      return change('DELETE', ['metrics'], { metrics }, false)
    },
    stopReads,
    close,
  }
}

/** Reads and changes, each on connections of its own. */
function openCalls(options: MonitorOptions, address: Address, redact: Redact) {
  const limits: Limits = { ...defaultLimits, ...options.limits }
  const pool = {
    connections: limits.connectionsMax,
    connect: { timeout: limits.attemptMs },
    // One limit covers the whole attempt (see `exchange`); these two would only end it with a different code.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  }
  const closing = new AbortController()
  const budget = openRetryBudget(options.clock, limits.retriesPerMinuteMax)
  const reads = openAgent(pool)
  // A new connection for each change: the other end may have closed an idle one, and a change is not retried.
  const changes = openAgent({ ...pool, pipelining: 0 })

  async function read<T>(
    file: string,
    query: Record<string, string>,
    parse: (body: unknown) => T,
  ): Promise<T> {
    const fields = new URLSearchParams(query)
    const path = address.pathTo([file], fields.size === 0 ? undefined : fields)
    const ask = { origin: address.origin, path, method: 'GET', form: null } as const
    const body = await repeat(
      async (attemptMs) => {
        const answer = await exchange(reads, ask, { attemptMs, bodyBytesMax: limits.bodyBytesMax })
        return readAnswer(answer, redact, options.clock.nowMs())
      },
      limits,
      {
        clock: options.clock,
        random: options.random,
        closing: closing.signal,
        budget,
        onRetry: options.onRetry ?? (() => undefined),
      },
    )
    // Other work runs between the two, because validating a long list takes time as well.
    await setImmediate()
    return parse(body)
  }

  async function change(
    method: 'POST' | 'DELETE',
    segments: readonly string[],
    form: Record<string, string> | null,
    /** False if the specification does not show the answer's shape. */
    isShown = true,
  ): Promise<string> {
    const path = address.pathTo(segments)
    const fields = form === null ? null : new URLSearchParams(form)
    const answer = await exchange(changes, { origin: address.origin, path, method, form: fields }, limits)
    return readChanged(answer, redact, { nowMs: options.clock.nowMs(), isShown })
  }

  /** Like a change, for an answer that is more than a message. */
  async function ask(method: 'POST', segments: readonly string[], form: Record<string, string>) {
    const request = { origin: address.origin, path: address.pathTo(segments), method }
    const answer = await exchange(changes, { ...request, form: new URLSearchParams(form) }, limits)
    return readAnswer(answer, redact, options.clock.nowMs())
  }

  async function stopReads(): Promise<void> {
    closing.abort()
    await reads.destroy()
  }

  return {
    read,
    change,
    ask,
    stopReads,
    async close() {
      await Promise.all([stopReads(), changes.destroy()])
    },
  }
}

/** Nothing is kept under it. */
const previewId = 'preview'

/** Matchers one per line, as the service reads them (docs/api.md#mutes). */
function muteForm(mute: Omit<AlertMute, 'muteId'> & { readonly id: string }): Record<string, string> {
  const { id, alert, matchers, untilMs, by, why } = mute
  return {
    id,
    ...(alert === null ? {} : { alert }),
    ...(matchers === null ? {} : { matchers: matchers.join('\n') }),
    ...(untilMs === null ? {} : { until: new Date(untilMs).toISOString() }),
    ...(by === '' ? {} : { by }),
    ...(why === '' ? {} : { why }),
  }
}

function server(hostname: string, ...further: readonly string[]): readonly string[] {
  assertSegment(hostname, 'a hostname')
  return ['servers', hostname, ...further]
}

/** Names joined by commas; a comma inside one would split it in two. */
function joined(names: readonly string[], what: string, namesMax: number, redact: Redact): string {
  if (names.length < 1 || names.length > namesMax) {
    const expected = namesMax === Number.POSITIVE_INFINITY ? '1 or more' : `1 to ${namesMax}`
    throw new OutsideFailure('rejected', `expected ${expected} ${what}s; came ${names.length}`)
  }
  const wrong = names.find((name) => name.trim() === '' || name.includes(','))
  if (wrong !== undefined) {
    const came = redact(JSON.stringify(wrong))
    throw new OutsideFailure('rejected', `a ${what} must not be empty or hold a comma; came ${came}`)
  }
  return names.join(',')
}

/** Records are shown to people: a link with the key in it is dropped, and the key is blanked in other text. */
function withoutKey(page: Page, key: string): Page {
  const clean = (url: string): string => (holdsSecret(url, key) ? '' : url)
  const blank = (text: string): string => text.replaceAll(key, '[hidden]')
  const records = page.records.map((record) => ({
    ...record,
    alertId: blank(record.alertId),
    title: blank(record.title),
    plugin: blank(record.plugin),
    serverName: blank(record.serverName),
    url: clean(record.url),
    ...(record.mutedBy === undefined
      ? {}
      : { mutedBy: record.mutedBy.map((one) => saidWithoutKey(one, key)) }),
  }))
  return { ...page, records }
}

/** Who silenced, and why, is written by anybody. */
function saidWithoutKey<Said extends Pick<MutedBy, 'by' | 'why'>>(said: Said, key: string): Said {
  const blank = (text: string | null) => text?.replaceAll(key, '[hidden]') ?? null
  return { ...said, by: blank(said.by), why: blank(said.why) }
}
