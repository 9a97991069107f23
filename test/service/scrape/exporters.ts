/** Exporters for tests: real HTTP servers on loopback, good and bad ones. */
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FleetConfig, ScrapeConfig, Target } from '../../../src/service/config/read-config.ts'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { openTown, type Town } from '../open-service.ts'
import { alertsOf } from '../records.ts'

export const textType = 'text/plain; version=0.0.4; charset=utf-8'

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
}

/** Answers the address. */
export function exporter(listener: RequestListener): Promise<string> {
  return listen(createServer(listener))
}

/** An exporter that shows what `show` says at the time. */
export function exporterOf(show: () => string, type = textType): Promise<string> {
  return exporter((_, response) => {
    response.setHeader('content-type', type)
    response.end(show())
  })
}

/** Something that listens and speaks as `onSocket` does. */
export function listener(onSocket: (socket: Socket) => void): Promise<string> {
  return listen(createTcpServer(onSocket))
}

export function targetOf(server: string, url: string, given: Partial<Target> = {}): Target {
  return { server, url, environment: 'production', roles: [], authorization: null, tls: null, ...given }
}

export function configOf(
  targets: readonly Target[],
  given: Partial<ScrapeConfig> & Partial<Omit<FleetConfig, 'scrape'>> = {},
): FleetConfig {
  const { triggers = null, customMetrics = [], prometheus = null, forgetMs = 86_400_000, ...times } = given
  return {
    scrape: { intervalMs: 15_000, timeoutMs: 1_000, noDataMs: 60_000, targets, ...times },
    triggers,
    customMetrics,
    prometheus,
    forgetMs,
  }
}

export const nothingHere = 'http://127.0.0.1:1/metrics'

/** A town whose service tells things, which are answered too. */
export async function openFleetTown(
  config: FleetConfig,
  options: Partial<ServiceOptions> = {},
): Promise<Town & { readonly lines: string[] }> {
  const lines: string[] = []
  const town = await openTown({ ...options, config, report: (line) => lines.push(line) })
  return { ...town, lines }
}

/** Lets time pass with a scrape and an evaluation every 15 seconds. */
export async function pass(town: Town, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 15) {
    town.clock.pass(15_000)
    await town.service.tick()
  }
}

export async function scrapeOf(
  town: Town,
  hostname: string,
): Promise<{ failure: string | null } | undefined> {
  const { servers } = (await town.ask('/control/state')).body as {
    servers: { hostname: string; scrape?: { failure: string | null }[] }[]
  }
  return servers.find((one) => one.hostname === hostname)?.scrape?.[0]
}

export const openOn = async (town: Town): Promise<string[]> =>
  (await alertsOf(town, '?lifecycle=start')).map((one) => `${one.server_hostname} ${one.metric_name}`)
