/** How the API may know a metric of an alert. It lists no metrics, and an alert gives only its plugin's display name. */

/** As `metrics.json` takes it. */
export type MetricKey = { readonly name: string; readonly type: string; readonly source: string | null }

/** The likeliest first: `Disk /` is a disk's volume; what does not begin with a type is a plugin, or a metric of its own. */
export function guessesOfPlugin(plugin: string, name: string): MetricKey[] {
  const [, kind = '', source = ''] = /^(CPU|Memory|Disk|Network|Process)(?: (.+))?$/.exec(plugin) ?? []
  const builtIn = kind === '' ? [] : [{ name, type: kind.toLowerCase(), source: source || null }]
  return [...builtIn, { name, type: 'plugin', source: plugin }, { name, type: 'custom_metric', source: name }]
}
