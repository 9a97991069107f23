/**
 * Times that people type: how long, until when, from when to when, how often; in the asker's zone. What is only nearly one is offered
 * in the right words and never guessed, and nothing that is meant for later begins now.
 */
import { nearest } from '../../../shared/nearest.ts'
import { day, hour, minute, momentOf, wallOf } from '../../clock.ts'
import { parseDuration, parseEvery } from '../../config/shapes.ts'
import { nextWindow } from '../../decide/mute-times.ts'
import type { Every } from '../../world/types.ts'

export type When =
  | { readonly kind: 'length'; readonly ms: number }
  | { readonly kind: 'until'; readonly atMs: number }
  | { readonly kind: 'fine' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'window'; readonly fromMs: number; readonly untilMs: number; readonly every?: Every }
export type Now = { readonly nowMs: number; readonly zone: string }
/** `instead`: the same words as they would be understood, time and rest. */
export type NoTime = { readonly kind: 'no'; readonly text: string; readonly instead: readonly string[] }
export type TimeReading = { readonly kind: 'when'; readonly when: When; readonly rest: string } | NoTime

/** A clock time that passed so lately may be a slip: tomorrow's is asked about. */
const justPassedMs = 3 * hour
const lengthMaxMs = 366 * day
const tooShort = 'It takes at least a minute.'

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const weekday =
  'mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?'
export const dayWord = `today|tomorrow|${weekday}|\\d{4}-\\d\\d-\\d\\d`
const clock = '(?:(?:[01]?\\d|2[0-3]):[0-5]\\d|24:00)'
const onDay = `(?:(?:${dayWord}) )?`
const number = '\\d{1,6}(?:\\.\\d{1,3})? ?'
const units = [
  'w|weeks?',
  'd|days?',
  '(?:h|hrs?|hours?)(?:\\d\\d?(?![ .\\da-z]))?',
  'm|mins?|minutes?',
  's|secs?|seconds?',
]
const part = `${number}(?:${units.join('|')})`
/** Each unit once, the longest first: `1h 2h` are two times. */
const length = `(?=${part}(?![a-z]))${units.map((unit) => `(?: ?${number}(?:${unit}))?`).join('')}`
const end = '(?=$|[ ,;:.!?])'
const begin = '(?:at|on|starting|beginning|from)'
const zones = '(?:in )?(?:utc|gmt|cet|cest|est|edt|cst|cdt|mst|mdt|pst|pdt|bst|ist)'

function starts(source: string): RegExp {
  return new RegExp(`^(?:${source})`, 'i')
}

function form(source: string): RegExp {
  return starts(`(?:${source})${end}`)
}

const forms = {
  length: form(`(?:for )?(${length})`),
  until: form(`until (${onDay})(${clock})`),
  untilWord: form('until (fine|ended)'),
  window: form(`from (${onDay})(${clock}) ?(?:(?:-|to |until ) ?(${onDay})(${clock})|for (${length}))`),
  every: form(`every (.{1,60}? ${clock} ?(?:(?:-|to |until ) ?${clock}|for ${length}))`),
}

/** Of words that begin with a time, or nearly. Null: they are a reason. */
export function readTime(words: string, now: Now): TimeReading | null {
  const text = words.replaceAll(/\s+/g, ' ').trim()
  if (text === '' || text.startsWith('"')) return null
  const read = readForm(text, now)
  if (read?.kind === 'no') return read
  if (read === null) return nearly(text, now)
  const rest = read.rest.replace(/^[,;:.!?-]+ *|^ *- /, '')
  return secondTime(text, rest, now) ?? { ...read, rest }
}

/** What is understood, or understood and impossible. Null: it is none of the forms. */
function readForm(text: string, now: Now): TimeReading | null {
  const after = (found: string) => text.slice(found.length).trim()
  const is = (when: When, found: string): TimeReading => ({ kind: 'when', when, rest: after(found) })
  const [lasting, words = ''] = forms.length.exec(text) ?? []
  // A capital M may be a month.
  if (lasting !== undefined && !/\dM/.test(words)) {
    // What is longer than anything that is read is cut by the policy.
    const ms = /[1-9]/.test(words) ? (lengthMs(words) ?? lengthMaxMs) : 0
    return ms < minute ? no(tooShort, [`1m ${after(lasting)}`]) : is({ kind: 'length', ms }, lasting)
  }
  const [word, which = ''] = forms.untilWord.exec(text) ?? []
  if (word !== undefined) return is({ kind: which.toLowerCase() === 'fine' ? 'fine' : 'ended' }, word)
  const [until, on = '', time = ''] = forms.until.exec(text) ?? []
  if (until !== undefined) {
    const read = readUntil(on.trim(), time, after(until), now)
    return typeof read === 'number' ? is({ kind: 'until', atMs: read }, until) : read
  }
  const [window, fromOn = '', from = '', toOn = '', to, forWords = ''] = forms.window.exec(text) ?? []
  if (window !== undefined) {
    const fromMs = momentMeant(fromOn.trim(), from, now)
    if (fromMs === null) return no(`${fromOn}${from} has passed.`, [])
    const toMs =
      to === undefined ? fromMs + (lengthMs(forWords) ?? 0) : momentMeant(toOn.trim(), to, now, fromMs)
    if (toMs === null) return no('It ends before it begins.', [])
    return toMs - fromMs < minute ? no(tooShort, []) : is({ kind: 'window', fromMs, untilMs: toMs }, window)
  }
  const [again, days = ''] = forms.every.exec(text) ?? []
  const found = parseEvery(days.replace(/ ?(?:-|\bto\b|\buntil\b) ?(?=\S+$)/i, '-'))
  const every = found && { ...found, zone: now.zone }
  const first = every && nextWindow(every, now.nowMs)
  return again !== undefined && every && first ? is({ kind: 'window', ...first, every }, again) : null
}

/** A moment, or why it is none. */
function readUntil(on: string, time: string, rest: string, now: Now): number | NoTime {
  const atMs = momentMeant(on, time, now)
  const tomorrow = `until tomorrow ${time} ${rest}`
  if (atMs === null) return no(`${on} ${time} has passed.`, on.toLowerCase() === 'today' ? [tomorrow] : [])
  const passedMs = now.nowMs - (momentMeant('today', time, now, Number.NEGATIVE_INFINITY) ?? 0)
  if (on === '' && passedMs >= 0 && passedMs < justPassedMs)
    return no(`${time} has just passed. Tomorrow's?`, [tomorrow])
  if (new RegExp(`^(?:${weekday})$`, 'i').test(on) && passedMs >= 0 && atMs - now.nowMs > 6 * day)
    return no(`${on} ${time} has passed. Next week's?`, [`until ${dateOf(atMs, now.zone)} ${time} ${rest}`])
  return atMs
}

/** The next moment after `afterMs` at which the clock shows this; null if that day has none. */
function momentMeant(on: string, time: string, { nowMs, zone }: Now, afterMs = nowMs): number | null {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const at = (midnight: number) => momentOf(midnight + hours * hour + minutes * minute, zone)
  const midnightOf = (ms: number) => Math.floor(wallOf(ms, zone) / day) * day
  const next = (midnight: number, stepDays: number) =>
    at(midnight) > afterMs ? at(midnight) : at(midnight + stepDays * day)
  const word = on.toLowerCase()
  if (word === '') return next(midnightOf(afterMs), 1)
  const nth = dayNames.indexOf(word.slice(0, 3))
  if (nth !== -1 && word !== 'today') {
    const base = midnightOf(afterMs)
    return next(base + ((nth - new Date(base).getUTCDay() + 7) % 7) * day, 7)
  }
  const midnight = /^\d/.test(word)
    ? Date.parse(`${word}T00:00:00Z`)
    : midnightOf(nowMs) + (word === 'tomorrow' ? day : 0)
  // 2026-02-30 is no day.
  if (Number.isNaN(midnight) || (/^\d/.test(word) && !new Date(midnight).toISOString().startsWith(word)))
    return null
  return at(midnight) > afterMs ? at(midnight) : null
}

type Slip = readonly [
  typed: RegExp,
  offers: readonly string[] | ((...found: string[]) => string[]),
  text?: string,
]

/** What people type in place of a form, and what is offered for it, as far as that is understood. */
const slips: readonly Slip[] = [
  [/^(?:for ?ever|indefinitely|permanently)\b/i, ['until ended']],
  [/^(?:for )?half an hour\b/i, ['30m']],
  [/^(?:for )?an? (hour|day|week)\b/i, ['1 $1']],
  [/^(?:till?|un?t[iln]+|unitl) /i, ['until ']],
  [/^(?:frm|form) /i, ['from ']],
  [
    /^until (?:(?:it|it's|its|all|everything|is|are) )*(?:healthy|ok|okay|good|green|well|recovered|fine)\b/i,
    ['until fine'],
  ],
  [
    /^until (?:(?:i|we|someone|somebody|is) )*(?:unmuted?|further notice|forever|the end|end|cancell?ed|stopped)\b/i,
    ['until ended'],
  ],
  [
    /^until (?:(?:it|it's|is) )*(?:closed|resolved|over|done|fixed|finished|solved)\b/i,
    ['until fine', 'until ended'],
  ],
  [form(`until (${clock}) (?:on )?(${dayWord})`), ['until $2 $1'], 'The day goes before the time.'],
  [new RegExp(`^until (${onDay})(\\d\\d?)(?::(\\d\\d))? ?(am|pm)\\b`, 'i'), in24, 'I take 24 hours.'],
  [form(`until (${onDay})(\\d\\d?)[.h]?([0-5]\\d)`), ['until $1$2:$3']],
  [form(`until (${onDay})(\\d\\d?)(?!:)`), bothHalves, 'I take 24 hours.'],
  [form(`(?:until|till?) (${dayWord})`), ['until $1 09:00', 'until $1 18:00'], 'Until what time?'],
  [form(`between (${onDay}${clock}) and (${onDay}${clock})`), ['from $1 to $2']],
  [starts(`until (?=${length})`), ['']],
  [/^until (\S+)/i, untilWords],
  [/^from now (?:for )?/i, ['']],
  [starts(`(from ${onDay}${clock}) (?=${length})`), ['$1 for ']],
  [form(`(from ${onDay}${clock})`), ['$1 for 1h', '$1 for 2h'], 'Until when?'],
  [starts(`(?:${begin} )?(?=${onDay}${clock})`), ['from ']],
  [form(`(?:${begin} )?(${onDay}${clock})`), ['until $1', 'from $1 for 1h']],
  [/^(?:each|ever) /i, ['every ']],
  [/^(?:daily|everyday|nightly) /i, ['every day ']],
  [/^(?:on )?weekdays /i, ['every weekday ']],
  [starts(`(?:on )?((?:${weekday})(?:[-,] ?(?:${weekday}))+) (?=${clock})`), ['every $1 ']],
  [/^every weekends?\b/i, ['every sat,sun']],
  [/^(?:for )?(\d+)M\b/, ['$1m']],
  [/^(?:for )?(\d+) ?mo(?:nths?)?\b/i, (_, months) => [`${30 * Number(months)}d`]],
  [/^(?:for )?[-+~]/, ['']],
  [/^(?:for )?(\d+),(?=\d)/i, ['$1.']],
  [/^(?:for )?(\d+)([smhdw])[a-z]{1,2}(?= |$)/i, ['$1$2']],
  [/^(?:for )?(0?[1-9]|1\d|2[0-4])(?= |$)/i, ['$1m', '$1h']],
  [/^(?:for )?([1-9]\d*)(?= |$)/i, ['$1m']],
  // Behind another time:
  [/^((?:for )?\d+(?:h|hrs?|hours?)) (\d\d?)$/i, ['$1$2m'], 'Minutes need a unit.'],
  [form(`(?:for )?(${length}),? (?:${begin} )?(${onDay}${clock})`), ['from $2 for $1']],
  [new RegExp(`^from ${onDay}(${clock}.*) (?:every|each|on) (\\S+?)s?$`, 'i'), ['every $2 $1']],
]

function in24(_: string, on: string, hours: string, minutes = '00', half = ''): string[] {
  return [`until ${on}${(Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)}:${minutes}`]
}

function bothHalves(_: string, on: string, hours: string): string[] {
  const halves = Number(hours) <= 12 ? [Number(hours), Number(hours) + 12] : [Number(hours)]
  return halves.map((one) => `until ${on}${String(one).padStart(2, '0')}:00`)
}

function untilWords(_: string, word: string): string[] {
  const long = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const near = nearest(word, ['fine', 'ended', 'today', 'tomorrow', ...long], 2)
  return near.flatMap((one) => [`until ${one}`, `until ${one} 09:00`])
}

/** The first slip that it may be. */
function slipIn(text: string, now: Now): NoTime | null {
  for (const [typed, offers, said = ''] of slips) {
    const found = typed.exec(text)
    if (found === null) continue
    const rest = text.slice(found[0].length)
    const all =
      typeof offers === 'function'
        ? offers(...found).map((one) => one + rest)
        : offers.map((one) => text.replace(typed, one))
    const instead = all.map((one) => one.replaceAll(/ +/g, ' ')).filter((one) => isRead(one, now))
    if (instead.length > 0) return no(said, instead)
  }
  return null
}

function isRead(text: string, now: Now): boolean {
  const read = readForm(text, now)
  return read?.kind === 'no' || (read !== null && !second.test(read.rest))
}

const moment = `(?:noon|midnight|night|evening|morning|afternoon|week(?:end)?|month|hour|min(?:ute)?|day|tonight|tomorrow|\\d\\d?(?:st|nd|rd|th)|${weekday})s?`
const few = '(?:the|an?|about|\\d+|two|five|ten|few)'

/** `soon`, `over the weekend`, `in ten minutes`, `deploy tomorrow`, `deploy at 22`. */
const later = [
  '^(?:nightly|daily|tonight|tomorrow|overnight|weekends?|later|soon|eod|when|once|before|after|not now|from now|between \\d\\d?)\\b',
  `^(?:(?:at|in|on|over|from|as|this|starting|beginning|by|around) )+(?:${few} )*${moment}\\b`,
  '^\\d\\d?(?:[:.]\\d\\d)? ?[ap]m\\b',
  '^[^"].* (?:tomorrow|tonight|later)$',
  `^(?:[^"].* )?(?:at|starts?|starting|begins?) \\d\\d?(?: ?(?:h|am|pm|o'clock))?(?=$|[ ,;])`,
]

/** What is meant for later or for a time, where a reason may stand. */
const noReason = new RegExp(
  [
    '^(?:each|every|next)\\b',
    `^in ${part}${end}`,
    `^(?:until|till?)\\b|^for(?: ?ever)?$|^from(?:$| (?:(?:${dayWord})\\b|\\d))`,
    `^${begin} (?:(?:${dayWord})\\b|\\d\\d?:)`,
    `^(?:${dayWord})(?=$| (?:(?:${dayWord})\\b|\\d|(?:at|from|for|until|to)\\b))`,
    '^(?:for )?[-+~]?\\d',
    ...later,
  ].join('|'),
  'i',
)

/** Words that nearly are a time. Null: a reason. */
function nearly(text: string, now: Now): NoTime | null {
  const slip = slipIn(text, now)
  const [number, word = ''] = /^((?:for )?[-+~]?\d[^ :]*)(?= |$)/i.exec(text) ?? []
  const isReason = number === undefined ? !/^(?:until|from|for)\b/i.test(text) : /^\d+[a-z]* /i.test(text)
  const asReason = isReason ? [`1h "${text.replaceAll('"', '')}"`] : []
  const unclear = `I don't understand \`${cited(number === undefined ? text : word)}\`.`
  if (slip !== null)
    return no(slip.text || unclear, [...slip.instead, ...(number === undefined ? [] : asReason)])
  if (!noReason.test(text)) return null
  return no(number === undefined ? `${unclear} ${hint(text, now)}` : unclear, asReason)
}

/** A time where a reason stands, behind another time. */
const second = new RegExp(
  [
    `^(?:every|each) (?:other )?(?:day|night|week|month|${weekday}|\\d\\d?:)`,
    `^next (?:week|month|${weekday})`,
    `^${begin} (?:(?:${dayWord})\\b|\\d\\d?:)`,
    `^(?:${dayWord}) \\d\\d?:`,
    '^\\d\\d?:\\d\\d\\b|^\\d\\d?$',
    `^(?:until|till?) (?:(?:${dayWord})\\b|\\d|fine|ended)`,
    `^(?:for )?${length}${end}`,
    `^(?:and|but|except) (?:not )?(?:on )?(?:${weekday})s?\\b`,
    `^(?:on )?(?:weekdays|(?:${weekday})s)\\b`,
    `^(?:${zones}|[ap]m)${end}`,
    `^[^"].* \\d\\d?:\\d\\d\\b`,
    ...later,
  ].join('|'),
  'i',
)

/** A second time after the first is no reason, unless it stands in quotes. */
function secondTime(text: string, rest: string, now: Now): NoTime | null {
  if (!second.test(rest)) return null
  if (form(zones).test(rest)) return no(`Times are in your own time zone, ${now.zone}.`, [])
  const slip = slipIn(text, now)
  if (slip !== null && slip.text !== '') return slip
  const quoted = `${text.slice(0, text.length - rest.length).trim()} "${rest.replaceAll('"', '')}"`
  const words = /(?:\S+ )?(?<!\S)\d\d?:\d\d/.exec(rest)?.[0] ?? rest.split(' ').slice(0, 2).join(' ')
  return no(`There is a second time, \`${words.replaceAll('`', '')}\`.`, [...(slip?.instead ?? []), quoted])
}

function hint(text: string, { nowMs, zone }: Now): string {
  const date = dateOf(nowMs + day, zone)
  if (/^until\b/i.test(text)) return `Try \`until 18:00\`, \`until ${date} 09:00\` or \`until fine\``
  const example = /^every\b/i.test(text) ? 'every tue 02:00-04:00' : `from ${date} 22:00 for 2h`
  return `Try \`${example}\`; a reason goes into quotes`
}

function cited(text: string): string {
  return text.split(' ').slice(0, 3).join(' ').replaceAll('`', '').slice(0, 60)
}

/** The milliseconds of `1h30`, `1 hr`, `90m`; null for anything else. */
export function lengthMs(words: string): number | null {
  // In `1h30` the minutes have no unit.
  return parseDuration(words.trim().replace(/^(.*\d\s*(?:h|hrs?|hours?))(\d{1,2})$/i, '$1 $2m'))
}

function dateOf(ms: number, zone: string): string {
  return new Date(wallOf(ms, zone)).toISOString().slice(0, 10)
}

function no(text: string, instead: readonly string[]): NoTime {
  return { kind: 'no', text, instead: instead.map((words) => words.trim()) }
}
