/** `/metrics` of the service, in the text format of Prometheus: how it is, without a key and without names. */
import type { Desk } from './api/operation.ts'

export function metricsText(desk: Desk, requests: Readonly<Record<string, number>>): string {
  const reading = desk.loop.last()
  const rows: readonly (readonly [
    name: string,
    type: string,
    help: string,
    values: readonly (readonly [string, number])[],
  ])[] = [
    ['monitor_open_alerts', 'gauge', 'Alerts that are open', [['', desk.ledger.open().length]]],
    ['monitor_servers', 'gauge', 'Servers that are known', [['', desk.servers.all().length]]],
    ['monitor_mutes', 'gauge', 'Mutes that clients asked for', [['', desk.mutes.count()]]],
    ['monitor_source_up', 'gauge', '1 while what it watches can be read', [['', reading === null ? 0 : 1]]],
    [
      'monitor_source_doubt',
      'gauge',
      '1 while a reading may not be all',
      [['', reading?.doubt == null ? 0 : 1]],
    ],
    [
      'monitor_requests_total',
      'counter',
      'Requests to the API by operation',
      Object.entries(requests).map(
        ([template, n]) => [`{operation=${JSON.stringify(template)}}`, n] as const,
      ),
    ],
    ['process_resident_memory_bytes', 'gauge', 'Memory of the process', [['', process.memoryUsage.rss()]]],
  ]
  return rows
    .map(([name, type, help, values]) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...values.map(([labels, value]) => `${name}${labels} ${value}`),
        '',
      ].join('\n'),
    )
    .join('')
}
