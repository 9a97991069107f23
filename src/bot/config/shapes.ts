/** Shapes of what people write into settings and the policy file, with durations, days, clock times and polls, and how is told what is wrong. */
import { createRequire } from 'node:module'
import { createTask, parse, validate } from 'node-cron'
import { z } from 'zod'
import { isWeb } from '../call.ts'
import { day, hour, isZone, minute, second } from '../clock.ts'

/** A mapping without unknown keys; the message for an unknown key lists the valid ones. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) => `${code === 'unrecognized_keys' ? 'one' : 'a mapping'} of ${keys}`,
  })
}

/** A text of this form. */
export function text(expected: string, form: RegExp | ((value: string) => boolean)) {
  const isGood = form instanceof RegExp ? (value: string) => form.test(value) : form
  return z.string({ error: expected }).refine(isGood, { error: expected })
}

/** A text that `parse` understands; null is a no. */
export function read<Value>(expected: string, parse: (text: string) => Value | null) {
  return z.string({ error: expected }).transform((value, context): Value => {
    const parsed = parse(value)
    if (parsed !== null) return parsed
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const kinds = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['record', 'a mapping'],
  ['string', 'text'],
])

/** What was expected, where a shape does not say it itself. */
export const expectedOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`
  return issue.code === 'invalid_type' ? kinds.get(issue.expected) : undefined
}

export const channelId = text('a channel id such as C0123456789', /^[CG][A-Z0-9]{1,20}$/)

/** In the clear only to this machine, since such addresses are often secrets. */
export const calendarAddress = text('the https:// address of a calendar', (value) => {
  const isHere = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[:/]/i.test(value)
  return isWeb(value) && value.length <= 2000 && (isHere || /^https:/i.test(value))
})

const shownCharsMax = 60
/** A token of Slack, or an address with a password. */
const looksSecret = /\bx(?:ox[a-z]|app)-|whsec_|:\/\/[^/\s]*:[^/\s]*@/

/** What came, for a problem. Whatever holds one of `secrets`, or looks like one, is told by its length only. */
export function shown(value: unknown, secrets: readonly string[]): string {
  if (value === undefined || value === null || value === '') return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return 'a mapping'
  const all = String(value)
  if (looksSecret.test(all) || secrets.some((secret) => all.includes(secret)))
    return `a value of ${all.length} characters that holds a secret`
  const cut = all.length > shownCharsMax ? `${all.slice(0, shownCharsMax)}…` : all
  return typeof value === 'string' ? JSON.stringify(cut) : cut
}

type Place = readonly PropertyKey[]
type Checked<Shape extends z.ZodType> =
  | { readonly ok: true; readonly value: z.output<Shape> }
  | { readonly ok: false; readonly problems: readonly string[] }

/**
 * Checks a YAML or JSON text against a shape, and says of each problem where it stands: `policy.yml:3:5 routes[0].channel`.
 * `isSecret`: what stands at such a place is never told.
 */
export function checkYaml<Shape extends z.ZodType>(
  source: string,
  file: string,
  shape: Shape,
  isSecret: (place: Place) => boolean,
): Checked<Shape> {
  // 70 modules, which a bot without a file does without.
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  const lines = new yaml.LineCounter()
  const document = yaml.parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const problem = (offset: number, name: Place, expected: string, came: string) => {
    const { line, col } = lines.linePos(offset)
    return `${`${file}:${line}:${col} ${nameOf(name)}`.trimEnd()}: expected ${expected}; came ${came}`
  }
  /** Of the value, or of its nearest parent if it is missing. */
  const offsetOf = (place: Place): number => {
    const node = place.length === 0 ? document.contents : document.getIn(place, true)
    if (yaml.isNode(node)) return node.range?.[0] ?? 0
    return place.length === 0 ? 0 : offsetOf(place.slice(0, -1))
  }
  const broken = [...document.errors, ...document.warnings]
  if (broken.length > 0) {
    const problems = broken.map(({ message, pos }) => problem(pos[0], [], 'YAML', shown(message, [])))
    return { ok: false, problems }
  }
  const checked = shape.safeParse(document.toJS() ?? {}, { reportInput: true, error: expectedOf })
  if (checked.success) return { ok: true, value: checked.data }
  const problems = checked.error.issues.flatMap((issue) => {
    const { path, message, input } = issue
    if (issue.code !== 'unrecognized_keys') {
      const isHidden = typeof input === 'string' && (path.length === 0 || isSecret(path))
      const came = isHidden ? `a text of ${input.length} characters` : shown(input, [])
      return problem(offsetOf(path), path, message, came)
    }
    // Where the space behind the colon is missing, the value is in the key, and may be a secret.
    return issue.keys.map((key) =>
      problem(
        offsetOf([...path, key]),
        path,
        message,
        `the unknown key ${shown(key.replace(/:.+/s, ':…'), [])}`,
      ),
    )
  })
  return { ok: false, problems }
}

/** `routes[0].channel` */
function nameOf(place: Place): string {
  return place.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}

const durationMaxMs = 366 * day
const unitMs: Readonly<Record<string, number>> = { s: second, m: minute, h: hour, d: day, w: 7 * day }
const unit = '(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)'
const part = `(\\d{1,6}(?:\\.\\d{1,3})?)\\s*(${unit})`
const wholeDuration = new RegExp(`^(?:${part}\\s*)+$`, 'i')
const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const clock = '([01]?\\d|2[0-4]):([0-5]\\d)'
const dayMinutes = day / minute

export const durationExpected = 'a duration with a unit, such as 90s, 1h30m or 30d'

export const duration = read(durationExpected, parseDuration)
export const zone = read('an IANA time zone such as UTC or Europe/Berlin', (text) =>
  isZone(text) ? text : null,
)
export const window = read(
  'days and times, such as "tue 02:00-04:00", "day 22:00-02:00" or "mon,wed 02:00 for 2h" (at most a day)',
  parseEvery,
)
export const wallTime = read('a day and a time, such as 2026-12-01 22:00', parseWallTime)
export const reportTimes = read(
  'days and a time, such as mon 09:00, "mon, thu 09:00" or every day 08:00',
  parseTimes,
)

/** Days 0 (Sunday) to 6, and minutes after midnight. */
type Times = { readonly days: readonly number[]; readonly atMinutes: number }

/** Whole milliseconds above 0; a number alone is none. */
export function parseDuration(text: string): number | null {
  // A capital M may have been meant as a month.
  if (!wholeDuration.test(text.trim()) || /\dM/.test(text)) return null
  const parts = text.matchAll(new RegExp(part, 'gi'))
  const ms = [...parts].reduce((sum, [, count, name = '']) => {
    return sum + Number(count) * (unitMs[name.charAt(0).toLowerCase()] ?? 0)
  }, 0)
  return ms > 0 && ms <= durationMaxMs ? Math.round(ms) : null
}

/** `tue 02:00-04:00`, `day 22:00 for 1h`: at most a day long. */
export function parseEvery(text: string): (Times & { readonly lengthMs: number }) | null {
  const shape = new RegExp(`^(.+?)\\s+${clock}\\s*(?:[-–]\\s*${clock}|for\\s+(.+))$`, 'i')
  const [, days = '', hours, minutes, endHours, endMinutes, length] = shape.exec(text.trim()) ?? []
  const times = parseTimes(`${days} ${hours}:${minutes}`)
  if (times === null) return null
  const endMinute = Number(endHours) * 60 + Number(endMinutes)
  const span = (endMinute - times.atMinutes + dayMinutes) % dayMinutes
  const lengthMs = length === undefined ? span * minute : parseDuration(length)
  if (lengthMs === null || lengthMs < minute || lengthMs > day || endMinute > dayMinutes) return null
  return { ...times, lengthMs }
}

/** `mon, thu 09:00`, `every weekday 08:00`. */
function parseTimes(text: string): Times | null {
  const shape = new RegExp(`^(?:every\\s+)?(.+?)\\s+(?:at\\s+)?${clock}$`, 'i')
  const [, words = '', hours, minutes] = shape.exec(text.trim()) ?? []
  const days = parseDays(words.toLowerCase())
  const atMinutes = Number(hours) * 60 + Number(minutes)
  return days === null || !(atMinutes < dayMinutes) ? null : { days, atMinutes }
}

function parseDays(words: string): number[] | null {
  if (/^(?:days?|daily)$/.test(words)) return [0, 1, 2, 3, 4, 5, 6]
  if (/^(?:weekdays?|mon(?:day)?-fri(?:day)?)$/.test(words)) return [1, 2, 3, 4, 5]
  const named = words.split(/\s*,\s*|\s+(?:and\s+)?/).map((word) => {
    const name = word.replace(/(?<=day)s$/, '')
    return name.length < 3 ? -1 : dayNames.findIndex((one) => one.startsWith(name))
  })
  return named.includes(-1) ? null : [...new Set(named)].sort((a, b) => a - b)
}

/** What the clock shows, as if it were UTC. */
function parseWallTime(text: string): number | null {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d)$/.exec(text.trim()) ?? []
  const ms = Date.parse(`${date}T${time}:00Z`)
  // 2026-02-30 would be the second of March.
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(`${date}T${time}`) ? null : ms
}

/** A longer gap between two polls is warned of: the seconds may be missing. */
export const seldomMs = 5 * minute

/** A node-cron expression, in the machine's own time zone, with at most an hour between two polls. */
export function isPollCron(expression: string): boolean {
  return validate(expression) && longestGapMs(expression) <= hour
}

/** The longest time between two polls, by the wall clock; infinite for a schedule that leaves out days. */
export function longestGapMs(expression: string): number {
  const { second: seconds, minute: minutes, hour: hours, dayOfMonth, month, dayOfWeek } = parse(expression)
  if (dayOfMonth.length < 31 || month.length < 12 || dayOfWeek.length < 7) return Number.POSITIVE_INFINITY
  const inHour = minutes.flatMap((m) => seconds.map((s) => m * minute + s * second))
  const [firstMs = 0, lastMs = 0] = [inHour[0], inHour.at(-1)]
  const gaps = inHour.slice(1).map((atMs, at) => atMs - (inHour[at] ?? 0))
  const next = [...hours.slice(1), 24 + (hours[0] ?? 0)]
  return Math.max(...gaps, ...hours.map((h, at) => ((next[at] ?? 0) - h) * hour + firstMs - lastMs))
}

/** When a poll is due next after a moment. node-cron parses the expression; its timers are not used. */
export function nextPollMs(expression: string): (afterMs: number) => number {
  const task = createTask(expression, () => undefined)
  return (afterMs) => {
    const firstMs = (Math.floor(afterMs / second) + 1) * second
    for (let ms = firstMs; ms < firstMs + hour; ms += second) if (task.match(new Date(ms))) return ms
    return firstMs + hour
  }
}
