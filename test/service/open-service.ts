/** A service for one test, on a free port, with a clock by hand; and a way to ask it over real HTTP. */
import { Agent, request } from 'undici'
import { onTestFinished } from 'vitest'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openService, type Service } from '../../src/service/service.ts'

export const key = 'key-of-the-account'

/** 2026-03-01T12:00:00Z, far from any midnight. */
export const startMs = Date.UTC(2026, 2, 1, 12)

export type ClockByHand = { nowMs(): number; pass(ms: number): void }

export function clockByHand(atMs = startMs): ClockByHand {
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
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export type Town = {
  readonly service: Service
  readonly clock: ClockByHand
  /** Below `/api/v2/<key>`. */
  api(path: string, ask?: Ask): Promise<Answer>
  /** From the root of the service; `/control/…` of its control port. */
  ask(path: string, ask?: Ask): Promise<Answer>
  /** Lets time pass, with an evaluation every second. */
  pass(seconds: number): Promise<void>
}

/** Nothing is measured and nothing runs by itself, unless the options say so. */
export async function openTown(options: Partial<ServiceOptions> = {}): Promise<Town> {
  const clock = clockByHand()
  const reported: string[] = []
  const service = await openService({
    key,
    sample: false,
    sampleMs: null,
    nowMs: clock.nowMs,
    controlPort: 0,
    report: (line) => reported.push(line),
    ...options,
  })
  const dispatcher = new Agent()
  onTestFinished(async () => {
    await dispatcher.close()
    await service.close()
    if (reported.length > 0) throw new Error(`the service reported:\n${reported.join('\n')}`)
  })

  async function ask(path: string, { method = 'GET', body, headers = {} }: Ask = {}): Promise<Answer> {
    const base = path.startsWith('/control/') ? service.controlUrl : service.url
    const response = await request(base + path, {
      dispatcher,
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type']).startsWith('application/json') && text !== ''
    const parsed: unknown = isJson ? JSON.parse(text) : text
    return { status: response.statusCode, body: parsed, headers: response.headers }
  }

  return {
    service,
    clock,
    ask,
    api: (path, asked) => ask(`/api/v2/${key}${path}`, asked),
    async pass(seconds) {
      for (let at = 0; at < seconds; at += 1) {
        clock.pass(1_000)
        await service.tick()
      }
    },
  }
}

/** A form as curl sends it. */
export function form(fields: Readonly<Record<string, string>>, method: Ask['method'] = 'POST'): Ask {
  return {
    method,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
