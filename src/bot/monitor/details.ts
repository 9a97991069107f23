/**
 * Parses the optional fields of a record (docs/api.md#more-than-the-plain-api). What is wrong is left out and counted, never
 * the record: a label that is too long must not hide an alert.
 */
import type { AlertRecord } from '../domain/alert/alert.ts'
import type { AlertLink, Details, Labels, MutedBy } from '../domain/alert/details.ts'
import type { Limit } from '../domain/alert/reading.ts'
import { parseInstant } from './instant.ts'

const labelsMax = 40
const labelCharsMax = 256
/** Names and values together, as UTF-8. */
const labelsBytesMax = 4_096
/** A list has 300 characters of it; more is no reason to lose it. */
const descriptionCharsMax = 1_000
const linksMax = 5
/** A button shows the first 75. */
const linkTextCharsMax = 100
/** Slack's limit on a button's address. */
const linkUrlCharsMax = 3_000
const mutedByMax = 5
const unitsCharsMax = 40
const wordsCharsMax = 300
const troubleShape = /^\w{1,64}$/
const muteIdShape = /^[\w.:-]{1,100}$/

type Entry = Readonly<Record<string, unknown>>
type Counted = { leftOut: number }

export function parseDetails(entry: Entry): Pick<AlertRecord, 'details' | 'mutedBy' | 'leftOut'> {
  const counted: Counted = { leftOut: 0 }
  const has = (name: string) => Object.hasOwn(entry, name) && entry[name] !== null
  const read = <Value>(name: string, parse: (value: unknown, counted: Counted) => Value | null) => {
    if (!has(name)) return null
    const value = parse(entry[name], counted)
    if (value === null) counted.leftOut += 1
    return value
  }
  const labels = read('labels', labelsOf)
  const description = read('description', descriptionOf)
  const links = read('links', linksOf)
  const trouble = read('trouble', (value) => shaped(value, troubleShape))
  const canMute = read('can_mute', (value) => (typeof value === 'boolean' ? value : null))
  const mutedBy = read('muted_by', mutedByOf)
  const units = read('units', unitsOf)
  const limit = read('limit', (value) => limitOf(value, entry.limit_side))
  if (!has('limit') && has('limit_side')) counted.leftOut += 1
  const leftOut = counted.leftOut === 0 ? {} : { leftOut: counted.leftOut }
  if (!fields.some(has)) return leftOut
  const details: Details = {
    labels: labels ?? {},
    description: description ?? '',
    links: links ?? [],
    trouble,
    canMute: canMute ?? false,
    ...(units === null ? {} : { units }),
    ...(limit === null ? {} : { limit }),
  }
  // Unreadable, it is muted all the same.
  const isMuted = mutedBy === null && has('muted_by')
  return { details, ...(isMuted || mutedBy?.length ? { mutedBy: mutedBy ?? [unknownMute] } : {}), ...leftOut }
}

const fields = ['labels', 'description', 'links', 'trouble', 'can_mute', 'muted_by', 'units', 'limit']

/** Empty for a value without one. */
function unitsOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= unitsCharsMax ? value.trim() : null
}

/** A limit of which nobody says on which side it is says nothing. */
function limitOf(value: unknown, side: unknown): Limit | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return side === 'high' || side === 'low' ? { value, side } : null
}

const unknownMute: MutedBy = { kind: 'silence', id: null, by: null, untilMs: null, why: null, isOurs: false }

function labelsOf(value: unknown, counted: Counted): Labels | null {
  if (!isEntry(value)) return null
  const given = Object.entries(value)
  const labels: [string, string][] = []
  let bytes = 0
  for (const [name, text] of given) {
    const isFit =
      typeof text === 'string' && name !== '' && Math.max(name.length, text.length) <= labelCharsMax
    const size = isFit ? Buffer.byteLength(name) + Buffer.byteLength(text) : 0
    if (!isFit || labels.length === labelsMax || bytes + size > labelsBytesMax) {
      counted.leftOut += 1
      continue
    }
    bytes += size
    labels.push([name, text])
  }
  // As it came, where nothing is wrong: thousands of objects of one parser share their names.
  if (labels.length === given.length) return value as Labels
  // fromEntries defines own properties, so that a label called `__proto__` is one like any other.
  return Object.fromEntries(labels)
}

function descriptionOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, descriptionCharsMax).toWellFormed() : null
}

function linksOf(value: unknown, counted: Counted): readonly AlertLink[] | null {
  if (!Array.isArray(value)) return null
  const links = value.flatMap((one) => linkOf(one) ?? [])
  counted.leftOut += value.length - Math.min(links.length, linksMax)
  return links.slice(0, linksMax)
}

function linkOf(value: unknown): AlertLink | null {
  if (!isEntry(value) || typeof value.text !== 'string' || typeof value.url !== 'string') return null
  const { text, url } = value
  if (text.trim() === '' || url.length > linkUrlCharsMax || !/^https?:\/\/[^\s]+$/i.test(url)) return null
  const parsed = URL.parse(url)
  // Whoever reads `https://bank.example@evil.example` takes it for the bank's.
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null
  return { text: text.slice(0, linkTextCharsMax).toWellFormed(), url }
}

function mutedByOf(value: unknown, counted: Counted): readonly MutedBy[] | null {
  if (!Array.isArray(value)) return null
  counted.leftOut += Math.max(0, value.length - mutedByMax)
  return value.slice(0, mutedByMax).map((one) => muteOf(one, counted))
}

function muteOf(value: unknown, counted: Counted): MutedBy {
  if (!isEntry(value)) {
    counted.leftOut += 1
    return unknownMute
  }
  const part = <Value>(name: string, parse: (given: unknown) => Value | null): Value | null => {
    const found = parse(value[name])
    if (found === null && value[name] !== undefined && value[name] !== null) counted.leftOut += 1
    return found
  }
  return {
    kind:
      part('kind', (given) => (given === 'silence' || given === 'inhibition' ? given : null)) ?? 'silence',
    id: part('id', (given) => shaped(given, muteIdShape)),
    by: part('by', wordsOf),
    untilMs: part('until', parseInstant),
    why: part('why', wordsOf),
    isOurs: part('ours', (given) => (typeof given === 'boolean' ? given : null)) ?? false,
  }
}

/** One silence of `mutes.json`, which is said as in `muted_by`. */
export function parseMutedBy(value: unknown): MutedBy {
  return muteOf(value, { leftOut: 0 })
}

function wordsOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, wordsCharsMax).toWellFormed() : null
}

function shaped(value: unknown, shape: RegExp): string | null {
  return typeof value === 'string' && shape.test(value) ? value : null
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
