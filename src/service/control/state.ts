/** The state that an operator may see: servers, switches, markers, open alerts; never a key. */
import type { World } from '../world.ts'

export function tellState(world: World): object {
  const { registry, readings, fleet, source, log, keys, nowMs } = world
  const account = registry.account()
  const rolesOf = new Map<string, string[]>()
  for (const [role, members] of registry.roles()) {
    for (const hostname of members) rolesOf.set(hostname, [...(rolesOf.get(hostname) ?? []), role])
  }
  const isMuted = (hostname: string): boolean =>
    !account.notifications || registry.server(hostname)?.notifications === false
  return {
    now: timeOf(nowMs()),
    account: { notifications: account.notifications },
    keys: keys.count(),
    source: source.state(),
    servers: registry.servers().map(({ hostname, environment, kind, notifications, noDataGroup }) => ({
      hostname,
      kind,
      environment,
      roles: rolesOf.get(hostname) ?? [],
      notifications,
      no_data_notification_group: noDataGroup,
      last_sample: timeOf(readings.lastReportMs(hostname)),
      ...(kind === 'scraped' ? { scrape: fleet.stateOf(hostname) } : {}),
    })),
    markers: registry.markers().map(({ notes, atMs }) => ({ notes, time: timeOf(atMs) })),
    open_alerts: log.openAlerts().map(({ id, hostname, plugin, metric, title, timeMs }) => ({
      id,
      server: hostname,
      plugin,
      metric,
      title,
      time: timeOf(timeMs),
      /** A mute suppresses an alert's notifications, not the alert. */
      muted: isMuted(hostname),
    })),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
