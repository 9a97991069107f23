/** A service that scrapes, for one test: with a clock by hand and its log. */
import type { FleetConfig } from '../../../src/service/config/read-config.ts'
import type { ServiceOptions } from '../../../src/service/options.ts'
import { openTown, type Town } from '../open-service.ts'
import { alertsOf } from '../records.ts'

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
    servers: { hostname: string; scrape?: { failure: string | null } }[]
  }
  return servers.find((one) => one.hostname === hostname)?.scrape
}

export const openOn = async (town: Town): Promise<string[]> =>
  (await alertsOf(town, '?lifecycle=start')).map((one) => `${one.server_hostname} ${one.metric_name}`)
