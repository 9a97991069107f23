/** Charts from the engine: the rule's own expression over time, and the usual metrics of a host by template. */
import { wordsOf } from '../metrics.ts'
import type { Block, Point, Source, Window } from '../source.ts'
import type { Asker } from './ask.ts'
import { agree } from './identity.ts'
import { type QuerySeries, seriesOf } from './look.ts'
import { escapeRegex, type Naming, quote } from './naming.ts'
import { readExpression, withMatchers } from './promql.ts'
import type { Reader } from './read.ts'

/** `$h`: matchers of the host; `$s`: the volume or the interface. */
const templates: Readonly<Record<string, string>> = {
  'cpu cpu_busy': '100 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle",$h}[5m])) * 100',
  'plugin last_minute': 'node_load1{$h}',
  'memory memory_used_percent':
    '(1 - node_memory_MemAvailable_bytes{$h} / node_memory_MemTotal_bytes{$h}) * 100',
  'disk disk_used_percent':
    '(1 - node_filesystem_avail_bytes{mountpoint="$s",$h} / node_filesystem_size_bytes{mountpoint="$s",$h}) * 100',
  'network network_in':
    'sum by (instance) (rate(node_network_receive_bytes_total{device="$s",$h}[5m])) / 1024',
  'network network_out':
    'sum by (instance) (rate(node_network_transmit_bytes_total{device="$s",$h}[5m])) / 1024',
}

export function openPlots(
  engine: Asker | null,
  naming: Naming,
  reader: Reader,
  nowMs: () => number,
): Pick<Source, 'series' | 'course'> {
  async function ask(query: string, { fromMs, stepMs, count }: Window): Promise<QuerySeries[]> {
    if (engine === null) return []
    // Several questions a point, so that its lowest and highest are seen; the last one is now.
    const step = Math.max(15, Math.round(stepMs / 1000 / 4))
    const endS = Math.min(nowMs(), fromMs + stepMs * count) / 1000
    const startS = endS - Math.floor((endS - fromMs / 1000) / step) * step
    if (endS <= startS) return []
    // VictoriaMetrics rounds the times of what it may cache.
    const form = { query, start: String(startS), end: String(endS), step: String(step), nocache: '1' }
    return seriesOf(engine.name, await engine.query('/api/v1/query_range', form))
  }

  function hostMatcher(hosts: readonly string[]): string {
    const instances = hosts.flatMap((host) => {
      const known = naming.targetsOf(host).flatMap(({ instance }) => instance ?? [])
      return known.length > 0 ? known : [`${host.split('/').at(-1)}`]
    })
    return `instance=~${quote([...new Set(instances)].map(escapeRegex).join('|'))}`
  }

  return {
    /** The left side of its rule's comparison, and the right one if it is no number, restricted to what has the alert's labels. */
    async course(alert, window) {
      const rule = reader.ruleOf(alert)
      if (rule === null || engine === null || reader.isElsewhere(alert)) return null
      const expression = readExpression(rule.query)
      // Labels that a rule adds are in no series, those of an engine in series of several.
      const own = Object.entries(alert.labels ?? {}).filter(
        ([name]) => name !== 'alertname' && !Object.hasOwn(rule.labels, name),
      )
      const wanted = own.filter(([name]) => !reader.isExternal(name))
      const matchers = wanted.map(([name, value]) => `${name}=${quote(value)}`).join(',')
      const isOfAlert = ({ metric }: QuerySeries) => agree(Object.fromEntries(own), metric)
      const blocks: Block[] = []
      for (const drawn of expression?.drawn ?? [rule.query]) {
        const narrow = expression?.isPlain === true ? await ask(withMatchers(drawn, matchers), window) : []
        // Something on the way may have added a label that no series has, as vmalert does.
        const [first] = (narrow.length > 0 ? narrow : await ask(drawn, window)).filter(isOfAlert)
        const label = blocks.length === 0 ? alert.host : `${alert.host} (compared with)`
        if (first !== undefined) blocks.push({ label, points: pointsOf(first, window) })
      }
      return { units: alert.units ?? '', precision: 2, blocks }
    },

    async series(key, hosts, window) {
      const template = templates[`${key.type} ${key.metric}`]
      const [rule] = reader.rulesNamed(key.metric)
      if (template !== undefined) {
        const query = template.replaceAll('$s', key.source.replace(/["\\]/g, ''))
        const found = await ask(query.replaceAll('$h', hostMatcher(hosts)), window)
        const hostOf = ({ metric }: QuerySeries) => naming.nameOfTarget(metric)
        return { ...wordsOf(key), blocks: united(found, hostOf, hosts, window) }
      }
      if (rule === undefined) return null
      const { drawn = [rule.query], units = '' } = readExpression(rule.query) ?? {}
      const hostOf = ({ metric }: QuerySeries) => naming.nameOf({ ...rule.labels, ...metric }).host
      const blocks = united(await ask(drawn[0] ?? rule.query, window), hostOf, hosts, window)
      return { ...wordsOf({ ...key, type: 'custom_metric' }), units, blocks }
    },
  }
}

function pointsOf({ values = [] }: QuerySeries, { fromMs, stepMs, count }: Window): (Point | null)[] {
  const buckets: number[][] = Array.from({ length: count }, () => [])
  for (const [at, text] of values) {
    const value = Number(text)
    if (Number.isFinite(value)) buckets[Math.floor((at * 1000 - fromMs) / stepMs)]?.push(value)
  }
  return buckets.map((bucket) => {
    if (bucket.length === 0) return null
    const mean = bucket.reduce((sum, value) => sum + value, 0) / bucket.length
    return [Math.min(...bucket), mean, Math.max(...bucket)] as const
  })
}

/** Of the servers that were asked for. Two series of one (two ports, two volumes) are one block of the worse of both. */
function united(
  found: readonly QuerySeries[],
  hostOf: (one: QuerySeries) => string | null,
  hosts: readonly string[],
  window: Window,
): Block[] {
  const byHost = Map.groupBy(found, hostOf)
  return hosts.flatMap((label) => {
    const own = (byHost.get(label) ?? []).map((one) => pointsOf(one, window))
    const [first] = own
    if (first === undefined) return []
    const points = first.map((_, n) => {
      const there = own.flatMap((block) => (block[n] == null ? [] : [block[n]]))
      return there.sort((a, b) => b[2] - a[2])[0] ?? null
    })
    return [{ label, points }]
  })
}
