/** Parses what names alerts where a server may stand: the number of one, or labels of several. */
import { isGlob } from '../../../shared/glob.ts'
import type { Misread } from './words.ts'

type AlertMeant = { readonly alert: string } | { readonly alert: null; readonly matchers: readonly string[] }

/** As a card says it: `#123`, or the ending of a long number, with or without `#`; a server that is called so takes `host`. */
const number = /^(?:#(?:…|\.{2,3})?[\w:.-]+|(?:…|\.{2,3})?\d+)$/
/** A label's name is an identifier, as Prometheus has it. */
const label = /^([A-Za-z_]\w*)=(.+)$/s

/** Null: these are names of servers. */
export function alertMeant(names: readonly string[]): AlertMeant | Misread | null {
  const [first = '', ...others] = names
  if (number.test(first)) {
    if (others.length === 0) return { alert: first }
    return {
      why: 'invalid',
      expected: 'one alert at a time, or a label for several, such as namespace=pay-*',
      came: names.join(','),
    }
  }
  if (!names.some((name) => label.test(name))) return null
  const odd = names.find((name) => !label.test(name))
  if (odd !== undefined) return { why: 'invalid', expected: 'labels such as namespace=pay-*', came: odd }
  return { alert: null, matchers: names.map(matcherOf) }
}

/** `pay-*` as a regular expression, which Alertmanager anchors at both ends. */
function matcherOf(text: string): string {
  const [, name = '', value = ''] = label.exec(text) ?? []
  // One that matches everything would match what has no such label.
  if (/^\*+$/.test(value)) return `${name}=~".+"`
  return isGlob(value) ? `${name}=~${inQuotes(globRegex(value))}` : `${name}=${inQuotes(value)}`
}

function globRegex(glob: string): string {
  return glob
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
}

function inQuotes(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
