/** `/metrics` of the service, in the text format of Prometheus: how it is, without a key and without names. */
import { version } from '../shared/program.ts'
import type { Desk } from './api/operation.ts'

type Row = readonly [name: string, type: string, help: string, values: Readonly<Record<string, number>>]

export function metricsText(desk: Desk, requests: Readonly<Record<string, number>>): string {
  const { ledger, loop, mutes, servers, nowMs } = desk
  const open = ledger.open()
  const hidden = open.filter(({ mutedBy = [] }) => mutedBy.some(({ isOurs }) => !isOurs))
  const reading = loop.last()
  const byOperation = Object.entries(requests).map(([of, n]) => [`{operation=${JSON.stringify(of)}}`, n])
  const build = `{version="${version}",node="${process.versions.node}"}`
  const rows: readonly Row[] = [
    [
      'build_info',
      'gauge',
      'Always 1; its labels say which version of the service and of Node runs',
      { [build]: 1 },
    ],
    ['open_alerts', 'gauge', 'Alerts that are open', { '': open.length }],
    [
      'hidden_alerts',
      'gauge',
      'Open alerts that somebody else silenced, or that are inhibited',
      { '': hidden.length },
    ],
    ['servers', 'gauge', 'Servers that are known', { '': servers.all().length }],
    ['mutes', 'gauge', 'Mutes that clients asked for', { '': mutes.count() }],
    ['source_up', 'gauge', '1 while what it watches can be read', { '': reading === null ? 0 : 1 }],
    [
      'reading_age_seconds',
      'gauge',
      'Time since the last good reading',
      { '': (nowMs() - loop.goodMs()) / 1000 },
    ],
    ['doubts', 'gauge', '1 while a reading may not be all', { '': reading?.doubt == null ? 0 : 1 }],
    ['requests_total', 'counter', 'Requests to the API by operation', Object.fromEntries(byOperation)],
  ]
  const text = rows.map(([name, type, help, values]) => {
    const full = `monbot_service_${name}`
    const lines = Object.entries(values).map(([labels, value]) => `${full}${labels} ${value}`)
    return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
  })
  return `${text.join('\n')}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`
}
