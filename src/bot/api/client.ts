/** The monitoring API as the program uses it. Reads are tried again, changes never: an answer that is lost leaves open what was done. */
import type { Dispatcher } from 'undici'
import { type Clock, second } from '../clock.ts'
import { type ApiAddress, type Ask, type Call, type Fields, openAsk, send } from './http.ts'
import {
  isHash,
  messageOf,
  parseAlerts,
  parseMutes,
  parseRoles,
  parseSeries,
  parseTriggers,
} from './parse.ts'
import { ApiFailure, type Monitor } from './port.ts'
import { openSweeps } from './sweep.ts'

/** `url`: without `/api/v2` and without the key; a path prefix is fine. */
export type MonitorOptions = ApiAddress & {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly timeoutMs?: number
}

const pictureMax = 2 * 1024 * 1024
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
    sweep: (_, known) => sweeps.open(known),
    head: (wanted) => sweeps.head(wanted),
    triggers: () => read(get('triggers.json'), parseTriggers),
    roles: () => read(get('roles.json'), parseRoles),
    mutes: () => read(get('mutes.json'), parseMutes),
    metrics: (query) => {
      const { name, type, source, server, role, environment, duration, alertNumber } = query
      const named = { metric_name: name, metric_type: type, metric_source_name: source }
      const asked = { ...named, server, role, environment, duration, alert: alertNumber }
      return read(get('metrics.json', asked), parseSeries)
    },
    ...changesOf(ask),
    picture: (address) => pictureOf(dispatcher, address, timeoutMs),
  }
}

type Read = <T>(call: Call, parse: (body: unknown) => T | null) => Promise<T>

function openRead(ask: Ask, clock: Clock): Read {
  return async (call, parse) => {
    const fromMs = clock.steadyMs()
    for (const pauseMs of [...pausesMs, null]) {
      try {
        const parsed = parse(await ask(call))
        if (parsed !== null) return parsed
        throw new ApiFailure('unclear', 'answered something else than was asked for')
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error
        const isPassing = error.kind === 'unclear' || error.kind === 'later'
        const waitMs = Math.max(pauseMs ?? 0, error.retryAfterMs ?? 0)
        const isLate = clock.steadyMs() + waitMs - fromMs > triesMaxMs
        if (!isPassing || pauseMs === null || isLate) throw error
        await clock.wait(waitMs)
      }
    }
    throw new Error('expected an answer or a failure of a read; came neither')
  }
}

function changesOf(ask: Ask) {
  /** `isSilent`: what it answers is not specified, and any object or nothing will do (docs/api.md#not-specified). */
  async function change(call: Call, isSilent = false): Promise<void> {
    const body = await ask(call)
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
      return change(post(['mutes.json'], { id, alert, matchers: lines, until, by, why }))
    },
    endMute: (_, id) => change({ method: 'DELETE', segments: ['mutes', `${id}.json`] }),
  } satisfies Partial<Monitor>
}

function get(name: string, query: Fields = {}): Call {
  return { method: 'GET', segments: [name], query }
}

function post(segments: readonly string[], form: Fields): Call {
  return { method: 'POST', segments, form }
}

async function pictureOf(
  dispatcher: Dispatcher,
  address: string,
  timeoutMs: number,
): Promise<Uint8Array | null> {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  const request = { origin: url.origin, path: url.pathname + url.search, method: 'GET' } as const
  const { status, body } = await send(
    dispatcher,
    { ...request, signal: AbortSignal.timeout(timeoutMs) },
    pictureMax,
  )
  const isPng = body.subarray(0, 8).toString('latin1') === '\u0089PNG\r\n\u001a\n'
  return status === 200 && isPng ? body : null
}
