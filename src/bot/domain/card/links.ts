/** The links on an alert's card: a runbook, a dashboard. Those that came with it, then the policy's. */
import type { Alert } from '../alert/alert.ts'
import { numberOf } from '../alert/episode.ts'
import { type AlertMatch, isMatch } from '../alert/match.ts'

/** A rule for a link. `url` is an http(s) address in which `{server}`, `{plugin}`, `{metric}` and `{alert}` are filled in. */
export type LinkRule = { readonly match: AlertMatch; readonly text: string; readonly url: string }

export type CardLink = Pick<LinkRule, 'text' | 'url'>

const values: ReadonlyMap<string, (alert: Alert) => string | null> = new Map([
  ['server', ({ hostname }: Alert) => hostname],
  ['plugin', ({ plugin }: Alert) => plugin],
  ['metric', ({ metric }: Alert) => metric],
  ['alert', ({ alertId }: Alert) => numberOf(alertId)],
])

const placeholder = /\{([^{}]*)\}/g
/** Slack's limit on a button's address. */
const urlCharsMax = 3_000

/** What is wrong with the address of a rule; null if it is valid. */
export function linkProblem(url: string): string | null {
  const known = [...values.keys()].map((name) => `{${name}}`).join(', ')
  if (/[{}]/.test(url.replace(placeholder, (all, name: string) => (values.has(name) ? 'x' : all)))) {
    return `an address with no other braces than ${known}`
  }
  const parsed = URL.parse(url.replace(placeholder, 'x'))
  if (parsed === null || !/^https?:\/\//i.test(url)) return 'an address that begins with https:// or http://'
  if (parsed.username !== '' || parsed.password !== '') return 'an address without a user or a password'
  if (hasSteps(url)) return 'an address without the steps . and ..'
  const [, host = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? []
  return host.includes('{') ? `an address whose host is fixed: ${known} may stand behind it only` : null
}

/**
 * The alert's own links, then those of the policy that match, in its order, without those that need something that the alert does
 * not have, and without what the alert links to itself.
 */
export function linksOf(alert: Alert, rules: readonly LinkRule[]): CardLink[] {
  const own = (alert.details?.links ?? []).map(({ text, url }) => ({ text, url: URL.parse(url)?.href ?? '' }))
  const matching = rules.flatMap(({ match, text, url }) => {
    const filled = isMatch(alert, match) ? filledIn(url, alert) : null
    return filled === null ? [] : [{ text, url: filled }]
  })
  const fitting = own.filter(({ url }) => url !== '' && url.length <= urlCharsMax)
  return [...fitting, ...matching.filter(({ url }) => !fitting.some((one) => one.url === url))]
}

/** Null where a value is missing, or would lead elsewhere than the address of the policy does. */
function filledIn(url: string, alert: Alert): string | null {
  let isWhole = true
  const filled = url.replace(placeholder, (_, name: string) => {
    const value = values.get(name)?.(alert) ?? ''
    if (value === '') isWhole = false
    return encodeURIComponent(value.toWellFormed())
  })
  const parsed = URL.parse(filled)
  // A server called `..` would take a step up, and no encoding keeps it from that.
  if (!isWhole || parsed === null || hasSteps(filled)) return null
  return parsed.href.length > urlCharsMax ? null : parsed.href
}

function hasSteps(url: string): boolean {
  const [path = ''] = url.split(/[?#]/)
  return /[/\\](?:\.|%2e){1,2}(?:[/\\]|$)/i.test(path)
}
