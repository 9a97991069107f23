/**
 * The monitoring API over HTTP. Reads are tried again, changes never: an answer that is lost leaves open what was done. The key is part of
 * every path, so nothing of a request leaves this file: no failure, no log and no record holds an address or the key.
 */
import type { Dispatcher } from 'undici'
import { type Answer, call, NoAnswer } from '../call.ts'
import { type Clock, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import {
  isHash,
  messageOf,
  parseAlerts,
  parseJson,
  parseMarkers,
  parseMutes,
  parseRoles,
  parseSeries,
  parseTriggers,
} from './parse.ts'
import { ApiFailure, type FailureKind, type Monitor, muteName } from './port.ts'
import { openSweeps } from './sweep.ts'

/** `url`: without `/api/v2` and without the key; a path prefix is fine. */
export type MonitorOptions = ApiAddress & {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly timeoutMs?: number
}

const pictureBytesMax = 2 * 1024 * 1024
/** A read that failed is tried again after these pauses, unless it would take longer than this in all. */
const pausesMs = [250, second, 2 * second]
const triesMaxMs = 5 * second

export function openMonitor(options: MonitorOptions): Monitor {
  const { dispatcher, clock, timeoutMs = 10 * second } = options
  const ask = openAsk(options, dispatcher, timeoutMs)
  const read = openRead(ask, clock)
  const sweeps = openSweeps((lifecycle, offset) => {
    const query = { lifecycle, offset: String(offset) }
    return read(get('alerts.json', query), (body) => parseAlerts(body, clock.nowMs()))
  }, clock)
  return {
    sweep: sweeps.open,
    head: sweeps.head,
    triggers: () => read(get('triggers.json'), parseTriggers),
    roles: () => read(get('roles.json'), parseRoles),
    markers: () => read(get('markers.json'), parseMarkers),
    mutes: () => read(get('mutes.json'), parseMutes),
    metrics: (query) => {
      const { name, type, source, server, role, environment, duration, alertNumber } = query
      const named = { metric_name: name, metric_type: type, metric_source_name: source }
      const asked = { ...named, server, role, environment, duration, alert: alertNumber }
      return read(get('metrics.json', asked), parseSeries)
    },
    ...changesOf(ask),
    picture: (address) => pictureOf(dispatcher, address),
  }
}

type Read = <T>(asked: ApiCall, parse: (body: unknown) => T | null) => Promise<T>

function openRead(ask: Ask, clock: Clock): Read {
  return async (asked, parse) => {
    const once = async () => {
      const parsed = parse(await ask(asked))
      if (parsed === null) throw new ApiFailure('unclear', 'answered something else than was asked for')
      return parsed
    }
    const fromMs = clock.steadyMs()
    for (const pauseMs of pausesMs) {
      try {
        return await once()
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error
        const waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0)
        const isPassing = error.kind === 'unclear' || error.kind === 'later'
        if (!isPassing || clock.steadyMs() + waitMs - fromMs > triesMaxMs) throw error
        await clock.wait(waitMs)
      }
    }
    return once()
  }
}

function changesOf(ask: Ask) {
  /** `isSilent`: what it answers is not specified, and any object or nothing will do (docs/api.md#not-specified). */
  async function change(asked: ApiCall, isSilent = false): Promise<void> {
    const body = await ask(asked)
    const isAnswer = messageOf(body) !== null || (isSilent && (body === null || isHash(body)))
    if (!isAnswer) throw new ApiFailure('unclear', 'answered without a message')
  }
  return {
    setServer: (_, host, isOn) => change(post(['servers', host], { notifications: String(isOn) })),
    setAccount: (_, isOn) => change(post(['account'], { notifications: String(isOn) })),
    setNoDataGroup: (_, host, group) =>
      change(post(['servers', host], { no_data_notification_group: group }), true),
    addRoles: (_, host, roles) => change(post(['servers', host, 'roles', 'add'], { roles: roles.join(',') })),
    addMarker: (_, notes) => change(post(['markers'], { notes })),
    deleteServer: (_, host) => change({ method: 'DELETE', segments: ['servers', host] }),
    deleteMetrics: (_, names) =>
      change({ method: 'DELETE', segments: ['metrics'], form: { metrics: names.join(',') } }, true),
    putMute: (_, id, { alert, matchers, untilMs, by, why }) => {
      const until = untilMs === null ? null : new Date(untilMs).toISOString()
      const lines = matchers?.join('\n') ?? null
      return change(
        post(['mutes.json'], { id: muteName(id), alert, matchers: lines, until, by, why: why || null }),
      )
    },
    endMute: (_, id) => change({ method: 'DELETE', segments: ['mutes', `${muteName(id)}.json`] }),
  } satisfies Partial<Monitor>
}

function get(name: string, query: Fields = {}): ApiCall {
  return { method: 'GET', segments: [name], query }
}

function post(segments: readonly string[], form: Fields): ApiCall {
  return { method: 'POST', segments, form }
}

async function pictureOf(dispatcher: Dispatcher, address: string): Promise<Uint8Array | null> {
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return null
  const { status, body } = await call(dispatcher, address)
  const isPng = body.subarray(0, 8).toString('latin1') === '\u0089PNG\r\n\u001a\n'
  return status === 200 && isPng && body.length <= pictureBytesMax ? body : null
}

/** Fields without a value are not sent. */
export type Fields = Readonly<Record<string, string | null>>
type ApiCall = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly segments: readonly string[]
  readonly query?: Fields
  readonly form?: Fields
}
type ApiAddress = { readonly url: string; readonly key: Secret }
/** Makes one request; the JSON of a success, null for an empty one. Throws `ApiFailure`. */
export type Ask = (asked: ApiCall) => Promise<unknown>

function openAsk({ url, key }: ApiAddress, dispatcher: Dispatcher, withinMs: number): Ask {
  const base = new URL(url)
  const prefix = base.pathname.replace(/\/+$/, '')
  return async ({ method, segments, query, form }) => {
    const path = pathOf(base.origin, prefix, ['api', 'v2', key.reveal(), ...segments])
    const address = base.origin + (query === undefined ? path : `${path}?${fieldsOf(query)}`)
    const body = form === undefined ? null : fieldsOf(form).toString()
    const type = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { accept: 'application/json', ...type }
    try {
      return readAnswer(await call(dispatcher, address, { method, headers, body, withinMs }), key.reveal())
    } catch (error) {
      if (error instanceof NoAnswer) throw new ApiFailure(error.isSent ? 'unclear' : 'later', error.message)
      throw error
    }
  }
}

/** Exactly these segments: `encodeURIComponent('..')` is `..`, and `DELETE servers/..` would reach the account. */
function pathOf(origin: string, prefix: string, segments: readonly string[]): string {
  const isName = (segment: string) => segment !== '' && segment.length <= 1_000 && segment.isWellFormed()
  const path = segments.every(isName) ? `${prefix}/${segments.map(encodeURIComponent).join('/')}` : ''
  if (new URL(origin + path).pathname === path) return path
  throw new ApiFailure('refused', "that can't be the name of a server")
}

function fieldsOf(given: Fields): URLSearchParams {
  const fields = Object.entries(given).filter((field): field is [string, string] => field[1] !== null)
  return new URLSearchParams(fields)
}

/** The JSON of a success, null for an empty one; throws what any other answer means (docs/api.md#errors). */
function readAnswer({ status, afterMs, body }: Answer, key: string): unknown {
  const text = body.toString('utf8').trim()
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && text === '') return null
  let json: unknown
  try {
    json = parseJson(text, key)
  } catch {
    if (isSuccess) throw new ApiFailure('unclear', `returned HTTP ${status} without JSON`)
  }
  if (isSuccess) return json
  throw refusalOf(status, messageOf(json), afterMs)
}

/** Only a message in its own words proves that the API said it: a proxy answers 403 and 404 too, whatever is behind it. */
function refusalOf(status: number, message: string | null, retryAfterMs: number | null): ApiFailure {
  const returned = `returned HTTP ${status}`
  const fail = (kind: FailureKind, words: string) => new ApiFailure(kind, words, retryAfterMs)
  if (status === 401 || (status === 403 && message !== null)) return fail('key', 'the API key was refused')
  if (status === 429 || (status === 503 && message !== null)) return fail('later', returned)
  if (message === null || status < 400 || status >= 500 || status === 407 || status === 408)
    return fail('unclear', returned)
  return fail(status === 404 ? 'missing' : 'refused', message)
}
