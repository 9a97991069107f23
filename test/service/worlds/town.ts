/** A service for one test, in this process, with a clock by hand; and the ways in which clients ask it. */
import { request } from 'undici'
import { onTestFinished } from 'vitest'
import { openService, type Service, type ServiceOptions } from '../../../src/service/service.ts'

export const key = 'key-of-the-account'
/** 2026-03-01T12:00:00Z, far from any midnight. */
export const startMs = Date.UTC(2026, 2, 1, 12)
export const minute = 60_000
export const day = 24 * 60 * minute

export type Clock = { nowMs(): number; pass(ms: number): void }

export function clockByHand(atMs = startMs): Clock {
  let now = atMs
  return {
    nowMs: () => now,
    pass(ms) {
      now += ms
    },
  }
}

export type Answer = {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what comes back is compared as a whole
  readonly body: any
  readonly headers: Record<string, unknown>
}
export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export type Town = {
  readonly service: Service
  readonly clock: Clock
  readonly reported: readonly string[]
  /** Below `/api/v2/<key>`. */
  api(path: string, ask?: Ask): Promise<Answer>
  /** From the root; `/control/…` of the control port. */
  ask(path: string, ask?: Ask): Promise<Answer>
  form(method: 'POST' | 'PATCH' | 'DELETE', path: string, fields?: Record<string, string>): Promise<Answer>
  /** The alerts of a list, of all pages. */
  alerts(lifecycle?: string): Promise<Answer['body'][]>
  pass(seconds: number, everyS?: number): Promise<void>
}

/** Of the test that it is for: of those that run at the same time, each has its own. */
export type Finished = (work: () => void | Promise<void>) => void

/** Nothing is measured and nothing runs by itself, unless the options say so. */
export async function openTown(
  options: Partial<ServiceOptions> = {},
  finished: Finished = onTestFinished,
): Promise<Town> {
  const clock = clockByHand()
  const reported: string[] = []
  const service = await openService({
    key,
    sample: false,
    sampleMs: null,
    controlPort: 0,
    nowMs: clock.nowMs,
    report: (line) => reported.push(line),
    ...options,
  })
  finished(() => service.close())
  const ask = (path: string, asked: Ask = {}) =>
    send((path.startsWith('/control') ? service.controlUrl : service.url) + path, asked)
  const api = (path: string, asked?: Ask) => ask(`/api/v2/${key}${path}`, asked)
  return {
    service,
    clock,
    reported,
    ask,
    api,
    form: (method, path, fields = {}) => api(path, { method, ...formOf(fields) }),
    async alerts(lifecycle = 'start') {
      const all: Answer['body'][] = []
      for (let offset = 0; ; offset += 50) {
        const { results } = (await api(`/alerts.json?lifecycle=${lifecycle}&offset=${offset}`)).body
        all.push(...results)
        if (results.length < 50) return all
      }
    },
    async pass(seconds, everyS = seconds) {
      for (let passed = 0; passed < seconds; passed += everyS) {
        clock.pass(everyS * 1000)
        await service.tick()
      }
    },
  }
}

export function formOf(fields: Record<string, string>): Pick<Ask, 'body' | 'headers'> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { body: new URLSearchParams(fields).toString(), headers }
}

export async function send(url: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<Answer> {
  const answer = await request(url, { method, headers, reset: true, ...(body === undefined ? {} : { body }) })
  const text = await answer.body.text()
  const isJson = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
}
