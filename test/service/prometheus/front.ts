/** The service in front of a real Prometheus, and how a test asks it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { openService, type Service } from '../../../src/service/service.ts'
import { settingsOf } from './made.ts'
import { type Ending, tempFolder } from './programs.ts'

const key = 'key-of-the-account'

export type Listed = {
  readonly id: number
  readonly lifecycle: string
  readonly server_hostname: string
  readonly plugin_name: string
  readonly title: string
  readonly time: string
  readonly metric_value: number | null
  readonly url: string
  readonly labels?: Readonly<Record<string, string>>
  readonly description?: string
  readonly links?: readonly { readonly text: string; readonly url: string }[]
  readonly trouble?: string
  readonly muted_by?: readonly {
    readonly kind: string
    readonly id?: string
    readonly by?: string
    readonly until?: string
    readonly why?: string
    readonly ours: boolean
  }[]
  readonly units?: string
  readonly limit?: number
  readonly limit_side?: string
  readonly can_mute?: true
}

export type Front = {
  readonly service: Service
  readonly file: string
  /** What it reported, a line each. */
  readonly reported: readonly string[]
  ask(
    path: string,
    form?: Readonly<Record<string, string>>,
    method?: 'GET' | 'POST' | 'DELETE',
  ): Promise<{
    readonly status: number
    readonly body: { readonly message: string } & Record<string, unknown>
  }>
  alerts(lifecycle: 'start' | 'end' | 'all'): Promise<readonly Listed[]>
  /** Who is open, as `ALERT on SERVER`; a sentence where that cannot be known. */
  open(): Promise<readonly string[]>
}

export async function openFront(
  t: Ending,
  at: { readonly prometheus: string; readonly alertmanagers: readonly string[] },
  given: Partial<ServiceOptions> = {},
): Promise<Front> {
  const file = given.file ?? join(tempFolder(t), 'monitor.db')
  const reported: string[] = []
  const service = await openService({
    key,
    file,
    prometheus: settingsOf(at),
    report: (line) => reported.push(line),
    ...given,
  })
  t.onTestFinished(() => service.close())
  const base = `${service.url}/api/v2/${key}`

  const front: Front = {
    service,
    file,
    reported,
    async ask(path, form, method = form === undefined ? 'GET' : 'POST') {
      const response = await request(base + path, {
        method,
        ...(form === undefined
          ? {}
          : {
              body: new URLSearchParams(form).toString(),
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }),
      })
      return { status: response.statusCode, body: (await response.body.json()) as never }
    },
    async alerts(lifecycle) {
      const { status, body } = await front.ask(`/alerts.json?lifecycle=${lifecycle}`)
      if (status !== 200) throw new Error(`${status}: ${body.message}`)
      return body.results as never
    },
    async open() {
      const { status, body } = await front.ask('/alerts.json?lifecycle=start')
      if (status !== 200) return [`${status}: ${body.message}`]
      const found = body.results as readonly Listed[]
      return found.map((one) => `${one.plugin_name} on ${one.server_hostname}`).sort()
    },
  }
  return front
}

/** In front of a Prometheus: passes everything on but what it is told to refuse. */
export async function openProxy(
  t: Ending,
  to: string,
): Promise<{ readonly url: string; refuses: string | null }> {
  const proxy = { url: '', refuses: null as string | null }
  const server = createServer(async (asked, answer) => {
    const { pathname } = new URL(asked.url ?? '/', to)
    if (pathname === proxy.refuses) {
      answer.writeHead(503).end('too many queries')
      return
    }
    const { statusCode, body } = await request(new URL(asked.url ?? '/', to), {
      method: asked.method === 'POST' ? 'POST' : 'GET',
      headers: { 'content-type': asked.headers['content-type'] ?? 'text/plain' },
      ...(asked.method === 'POST' ? { body: asked } : {}),
    })
    answer.writeHead(statusCode).end(await body.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.onTestFinished(() => void server.close())
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

/** An exporter whose series are set by hand; those with an `instance` of their own keep it where the job honours labels. */
export async function openShop({ onTestFinished }: Ending): Promise<{
  readonly url: string
  set(series: string, value: number | null): void
}> {
  const values = new Map<string, number>()
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end([...values].map(([series, value]) => `${series} ${value}\n`).join(''))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    set(series, value) {
      if (value === null) values.delete(series)
      else values.set(series, value)
    },
  }
}
