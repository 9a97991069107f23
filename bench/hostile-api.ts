/** A monitoring API that answers at once with whatever a measurement wants to have said, as much of it as that is. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const pageRecords = 50

export type HostileApi = {
  readonly url: string
  readonly keys: readonly [string]
  /** Alert records (docs/api.md#alerts) by their number; those that are over have flipped. */
  readonly alerts: Map<number, { readonly record: object; isOpen: boolean }>
  roles: Readonly<Record<string, readonly string[]>>
  /** The points of the one series that it has, each `[min, average, max]`. */
  points: readonly (readonly [number, number, number])[]
  close(): Promise<void>
}

export async function openHostileApi(): Promise<HostileApi> {
  const alerts: HostileApi['alerts'] = new Map()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answerTo(pathname, searchParams)))
  })

  function answerTo(path: string, query: URLSearchParams): object {
    if (path.endsWith('/alerts.json')) return { message: 'ok', results: pageOf(query) }
    if (path.endsWith('/roles.json')) return { message: 'ok', results: api.roles }
    if (path.endsWith('/triggers.json')) return { message: 'ok', results: [] }
    if (!path.endsWith('/metrics.json')) return { message: 'ok' }
    const nowMs = Date.now()
    const timestamps = api.points.map((_, n) => nowMs - (api.points.length - n) * 1_000)
    return { timestamps, metrics: [{ label: 'web-1', units: '%', precision: 2, points: api.points }] }
  }

  /** Newest first. */
  function pageOf(query: URLSearchParams): object[] {
    const isAll = query.get('lifecycle') !== 'start'
    const listed = [...alerts.values()].filter(({ isOpen }) => isAll || isOpen)
    const end = listed.length - Number(query.get('offset') ?? 0)
    return listed
      .slice(Math.max(0, end - pageRecords), Math.max(0, end))
      .toReversed()
      .map(({ record, isOpen }) => ({ ...record, lifecycle: isOpen ? 'start' : 'end' }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api: HostileApi = {
    url: `http://127.0.0.1:${port}`,
    keys: ['bench-key-000003'],
    alerts,
    roles: {},
    points: [],
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return api
}

/** `count` alerts that open now, each on a server of its own. */
export function openAlerts({ alerts }: HostileApi, count: number, name: string): void {
  const first = alerts.size
  const nowMs = Date.now()
  for (let n = 0; n < count; n += 1) {
    const id = first + n + 1
    const time = new Date(nowMs - (count - n)).toISOString()
    const server = `${name}-${n}`
    const record = {
      id,
      time,
      server_name: server,
      server_hostname: server,
      title: `Last minute met or exceeded ${n % 90}.00, increasing to 97.20%`,
      plugin_name: ['CPU', 'Disk', 'Memory'][n % 3],
      metric_name: 'busy',
      metric_value: 97.2,
      url: `https://monitor.example/a/${id}`,
      sparkline_url: `https://monitor.example/a/${id}.png`,
    }
    alerts.set(id, { record, isOpen: true })
  }
}
