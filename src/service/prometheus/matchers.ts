/** Matchers of silences: made of an alert's labels, read from what people write, and matched as an Alertmanager does. Pure. */
import { RE2JS } from 're2js'
import { quoted, Refusal } from '../source.ts'
import type { Matcher } from './look.ts'
import { fleeting, isOfObjects, type Labels, podPattern, quote, workloadOf } from './naming.ts'

/** Of one alert alone: its labels, the pattern of its pod, and `x=""` for what others of its name have and it lacks, where that tells them apart. */
export function matchersOfAlert(labels: Labels, others: readonly Labels[]): string[] {
  const hasPod = labels.pod !== undefined && workloadOf(labels.pod) !== labels.pod
  const isOfReporter = isOfObjects(labels.job)
  const own = Object.entries(labels).filter(([name, value]) => {
    if (value === '' || fleeting.includes(name)) return false
    return !((hasPod || isOfReporter) && name === 'instance')
  })
  const matchers = own.map(([name, value]) =>
    hasPod && name === 'pod' ? `pod=~${quote(podPattern(value))}` : `${name}=${quote(value)}`,
  )
  const isHidden = matching(matchers.map(parseMatcher))
  const absent = new Set<string>()
  for (const other of others) {
    if (!isHidden(other) || [...absent].some((name) => other[name])) continue
    const more = Object.keys(other).filter((name) => !labels[name] && other[name] && !fleeting.includes(name))
    if (more[0] !== undefined) absent.add(more[0])
  }
  return [...matchers.sort(), ...[...absent].map((name) => `${name}=""`)]
}

export function parseMatcher(text: string): Matcher {
  const [, name, operator, said = ''] =
    /^\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(".*"|[^"\s][^"]*|)\s*$/s.exec(text) ?? []
  try {
    const value = said.startsWith('"') ? String(JSON.parse(said)) : said
    if (name !== undefined && operator !== undefined)
      return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') }
  } catch {}
  throw new Refusal(422, `matchers: expected lines such as namespace="pay"; came ${quoted(text)}`)
}

export function writtenMatcher({ name, value, isRegex, isEqual }: Matcher): string {
  const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!='
  return name + operator + quote(value)
}

export function matching(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map(({ name, value, isRegex, isEqual }) => {
    const isIt = isRegex ? compiled(value) : (text: string) => text === value
    return (labels: Labels) => isIt(labels[name] ?? '') === isEqual
  })
  return (labels) => tests.every((isMet) => isMet(labels))
}

/** Alertmanager anchors them. One that cannot be compiled matches nothing: an Alertmanager would have refused it. */
function compiled(pattern: string): (text: string) => boolean {
  try {
    const expression = RE2JS.compile(`^(?:${pattern})$`)
    return (text) => expression.matches(text)
  } catch {
    return () => false
  }
}
