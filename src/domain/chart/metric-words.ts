/** What people call a metric: the API gives only its key, such as `cpu_busy`. */

/** Written large: what a person would spell out. */
const acronyms: ReadonlySet<string> = new Set([
  'cpu',
  'io',
  'http',
  'tcp',
  'udp',
  'dns',
  'ssl',
  'tls',
  'api',
  'id',
])

/** `cpu_busy` is "CPU busy", `last_minute` "Last minute"; a name that people wrote themselves stays as it is. */
export function metricWords(metric: string): string {
  if (!/^[a-z0-9]+(?:[_.-][a-z0-9]+)*$/.test(metric)) return metric
  const [first = '', ...rest] = metric
    .split(/[_.-]/)
    .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')
}

/** What a chart is of: `CPU busy`, `Disk / · Disk used percent`; the plugin is not repeated where the metric begins with it. */
export function chartWords(plugin: string, metric: string): string {
  if (metric === '') return plugin
  const words = metricWords(metric)
  if (plugin === '' || isSameName(words, plugin)) return words
  return words.toLowerCase().startsWith(`${plugin.toLowerCase()} `) ? words : `${plugin} · ${words}`
}

/** Equal for people: case, underscores and spaces aside. */
export function isSameName(a: string, b: string): boolean {
  return comparable(a) === comparable(b)
}

function comparable(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_.·-]+/g, ' ')
    .trim()
}
