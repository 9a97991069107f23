/**
 * Which metric of a server a person means, and how the API is asked for it. The API lists no metrics: alerts and triggers name them, and
 * a name that nothing mentions is guessed by its type.
 */
import { nearest } from '../../shared/nearest.ts'
import { guessesOfPlugin, type MetricKey } from '../api/port.ts'
import { metricWords } from '../view/words.ts'

/** `plugin` is empty where only a trigger names it. */
export type KnownMetric = { readonly plugin: string; readonly metric: string }

/** `guesses`: what to ask the API for, the likeliest first. */
type Meant =
  | { readonly kind: 'one'; readonly words: string; readonly guesses: readonly MetricKey[] }
  | { readonly kind: 'several'; readonly metrics: readonly KnownMetric[] }

const typed = /^(cpu|disk|memory|network|process|plugin|custom_metric):(.*?) +(\S+)$/i
const guessesMax = 12

/** Each once, those of alerts first. */
export function knownMetrics(
  alerts: readonly { readonly plugin: string; readonly metric: string | null }[],
  triggers: readonly string[],
): KnownMetric[] {
  const told = alerts.flatMap(({ plugin, metric }) => (metric ? [{ plugin, metric }] : []))
  const others = triggers
    .filter((metric) => metric !== '' && !told.some((one) => one.metric === metric))
    .map((metric) => ({ plugin: '', metric }))
  return [...new Map([...told, ...others].map((one) => [`${one.plugin}\n${one.metric}`, one])).values()]
}

/** `text`: a key, words, a plugin, or `disk:/ disk_used_percent`. Empty: whatever is known. */
export function metricMeant(text: string, known: readonly KnownMetric[]): Meant {
  const exact = typed.exec(text)
  if (exact !== null) {
    const [, type = '', source = '', name = ''] = exact
    return { kind: 'one', words: name, guesses: [{ name, type: type.toLowerCase(), source: source || null }] }
  }
  const fits = (namesOf: (one: KnownMetric) => readonly string[]) =>
    known.filter((one) => text === '' || namesOf(one).some((name) => isSame(name, text)))
  const named = fits(namesOfMetric)
  const fitting = named.length > 0 ? named : fits(({ plugin }) => [plugin])
  const [first, ...more] = fitting
  if (more.length > 0) return { kind: 'several', metrics: fitting }
  if (first === undefined) return { kind: 'one', words: text, guesses: guessesOf(text, known) }
  const { plugin, metric } = first
  const guesses = plugin === '' ? guessesOf(metric, known) : guessesOfPlugin(plugin, metric)
  return { kind: 'one', words: metricWords(first), guesses }
}

export function similarMetrics(text: string, known: readonly KnownMetric[]): string[] {
  return nearest(text, new Set(known.flatMap((one) => [metricWords(one), one.metric])))
}

function guessesOf(text: string, known: readonly KnownMetric[]): MetricKey[] {
  const name = text.includes(' ') ? text.toLowerCase().replaceAll(/\s+/g, '_') : text
  const guesses: MetricKey[] = [
    { name, type: 'cpu', source: null },
    { name, type: 'memory', source: null },
    { name, type: 'disk', source: '/' },
    { name, type: 'network', source: 'eth0' },
    { name: text, type: 'custom_metric', source: text },
    ...[...new Set(known.map(({ plugin }) => plugin))].flatMap((plugin) => guessesOfPlugin(plugin, name)),
  ].filter(({ source }) => source !== '')
  // `disk_used_percent` is of a disk: the disks that alerts have named come first.
  const kind = name.startsWith('swap_') ? 'memory' : (name.split('_')[0] ?? '')
  const isKnown = ({ source }: MetricKey) => known.some(({ plugin }) => plugin.endsWith(` ${source}`))
  const likely = guesses.filter(({ type }) => type === kind)
  const ranked = [...likely.filter(isKnown), ...likely, ...guesses]
  return [...new Map(ranked.map((one) => [JSON.stringify(one), one])).values()].slice(0, guessesMax)
}

function namesOfMetric(one: KnownMetric): string[] {
  const { plugin, metric } = one
  const words = metricWords(one)
  const behind = words.startsWith(`${plugin} `) ? words.slice(plugin.length) : words
  return [metric, `${plugin} ${metric}`, words, behind, metricWords({ plugin: '', metric })]
}

/** Equal for people: case and the signs between words aside. */
function isSame(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[\s_.:·-]+/g, ' ')
      .trim()
  return plain(a) === plain(b)
}
