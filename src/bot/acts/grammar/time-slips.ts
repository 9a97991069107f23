/** Times that are only nearly right, and second ones: refused, with the words that would be understood. */
import { nearest } from '../../../shared/nearest.ts'
import { day } from '../../clock.ts'
import {
  clock,
  dateOf,
  dayWord,
  end,
  example,
  length,
  type NoTime,
  type Now,
  names,
  no,
  part,
  quoted,
  shape,
  shapes,
  type TimeReading,
  unclear,
  type When,
  zones,
} from './time-shapes.ts'

const fineWords =
  /^until\s+(?:(?:it|it's|its|all|everything|is|are)\s+)*(?:healthy|ok|okay|good|green|well|recovered|recovery|fine)\b\s*/i
const endedWords =
  /^until\s+(?:(?:i|we|someone|somebody|is)\s+)*(?:unmuted?|further notice|forever|the end|end|cancell?ed|stopped)\b\s*/i
const overWords = /^until\s+(?:(?:it|it's|is)\s+)*(?:closed|resolved|over|done|fixed|finished|solved)\b\s*/i

/** What people write in place of a time after `until`. */
export function nearlyUntil(text: string, { nowMs, zone }: Now): NoTime {
  const rest = (found: RegExp) => text.replace(found, '')
  if (fineWords.test(text)) return unclear(text, [`until fine ${rest(fineWords)}`])
  if (endedWords.test(text)) return unclear(text, [`until ended ${rest(endedWords)}`])
  if (overWords.test(text))
    return unclear(text, [`until fine ${rest(overWords)}`, `until ended ${rest(overWords)}`])
  const [digits, before = '', h = '', m = ''] =
    shape(`until\\s+((?:(?:${dayWord})\\s+)?)([01]?\\d|2[0-3])[.h]?([0-5]\\d)`).exec(text) ?? []
  if (digits !== undefined) return unclear(text, [`until ${before}${h}:${m}${text.slice(digits.length)}`])
  const [number, on = '', hours = '', half = ''] =
    shape(`until\\s+((?:(?:${dayWord})\\s+)?)(\\d{1,2})\\s*(am|pm)?`).exec(text) ?? []
  if (number !== undefined && Number(hours) <= 24) {
    const options = half === '' ? [`${hours}:00`, ...laterHalf(Number(hours))] : [in24(`${hours}:00`, half)]
    return no(
      options.length > 1 ? 'Which one?' : 'I take 24 hours.',
      options.map((time) => `until ${on}${time.padStart(5, '0')}${text.slice(number.length)}`),
    )
  }
  const [dayOnly, weekday] = shape(`until\\s+(${dayWord})`).exec(text) ?? []
  if (dayOnly !== undefined)
    return no(
      'Until what time?',
      ['09:00', '18:00'].map((time) => `until ${weekday} ${time}${text.slice(dayOnly.length)}`),
    )
  const ofLength = text.replace(/^until\s+/i, '')
  if (shapes.length.test(ofLength)) return unclear(text, [ofLength])
  const [, word = '', more = ''] = /^until\s+(\S+)\s*(.*)$/i.exec(text) ?? []
  const near = nearest(word, ['fine', 'ended', 'today', 'tomorrow', ...longDays], 2)
  const date = dateOf(nowMs + day, zone)
  return unclear(
    text,
    near.map((one) => `until ${one} ${more}`),
    `Try \`until 18:00\`, \`until ${date} 09:00\` or \`until fine\``,
  )
}

const longDays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function laterHalf(hours: number): string[] {
  if (hours < 12 && hours > 0) return [`${hours + 12}:00`]
  return hours === 12 ? ['24:00'] : []
}

export function nearlyFrom(text: string, now: Now): NoTime {
  const fromNow = /^from\s+now\s+(?=\S)/i
  if (fromNow.test(text)) return unclear(text, [text.replace(fromNow, '').replace(/^for\s+/i, '')])
  const [begin, more = ''] = [
    shape(`from\\s+(?:(?:${dayWord})\\s+)?(?:${clock})`).exec(text)?.[0],
    text.slice(shape(`from\\s+(?:(?:${dayWord})\\s+)?(?:${clock})`).exec(text)?.[0].length ?? 0).trim(),
  ]
  if (begin === undefined) return unclear(text, [], example(now))
  if (shapes.length.test(more)) return unclear(text, [`${begin} for ${more}`])
  return no('Until when?', [`${begin} for 1h ${more}`, `${begin} for 2h ${more}`])
}

export function in24(time: string, half: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const isPm = half.toLowerCase() === 'pm'
  return `${String((hours % 12) + (isPm ? 12 : 0)).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

const onDay = `(?:${dayWord})\\b`
const numbered = '\\d{1,2}:'

/** What is meant for later, where a reason may stand. */
const later = startsWith([
  '(?:each|next|tonight|tomorrow)\\b',
  `(?:at|on|starting|beginning)\\s+(?:${onDay}|${numbered})`,
  `(?:${dayWord})(?=$|\\s+(?:${onDay}|\\d|(?:at|from|for|until|to)\\b))`,
  `in\\s+${part}${end}`,
])

/** Words that nearly are a time: later ones, a clock alone, a number without its unit, misspelt ones. Null: a reason. */
export function nearly(
  text: string,
  now: Now,
  readTimeOf: (words: string) => TimeReading | null,
): NoTime | null {
  const [first = ''] = text.split(/\s/, 1)
  const more = text.slice(first.length).trim()
  if (/^(?:for|until|from|every)$/i.test(text)) return unclear(text, [], example(now))
  if (/^(?:for\s*ever)\b/i.test(text))
    return unclear(text, [`until ended ${text.replace(/^for\s*ever\s*/i, '')}`])
  const rewritten = [
    text.replace(/^(?:each|ever)\s+/i, 'every '),
    text.replace(/^(?:daily|everyday|nightly)\s+/i, 'every day '),
    text.replace(/^(?:on\s+)?weekdays\s+/i, 'every weekday '),
    text.replace(
      new RegExp(`^(?:at|on|starting|beginning)\\s+|^(?=(?:${dayWord}|${clock})\\b)`, 'i'),
      'from ',
    ),
    /^til+$|^un?t[iln]+l*$/i.test(first) || nearest(first, ['until'], 1).length > 0 ? `until ${more}` : text,
    /^frm$|^form$/i.test(first) ? `from ${more}` : text,
  ].filter((words) => words !== text && words !== '')
  for (const words of rewritten) {
    const read = readTimeOf(words)
    if (read?.kind === 'when') return unclear(text, [tidied(words)])
    if (read?.kind === 'no' && read.instead.length > 0 && later.test(text)) return unclear(text, read.instead)
  }
  if (later.test(text)) return unclear(text, [quoted(text)], example(now))
  const [alone] = shape(`(${clock})`).exec(text) ?? []
  if (alone !== undefined) return unclear(text, [`until ${text}`, `from ${alone} for 1h ${more}`])
  const lengths = nearLengths(text)
  if (lengths !== null) {
    const asReason = lengths.hasMore || lengths.instead.length === 0 ? [`1h ${text}`] : []
    return no(`I don't understand \`${lengths.words}\`.`, [...lengths.instead, ...asReason])
  }
  return null
}

/** `22:00-02:00` as monbot itself writes it. */
function tidied(words: string): string {
  return words.replace(/^(from .*?\d\d?:\d\d)\s*-\s*(?=\d)/, '$1 to ')
}

/** `30`, `30mn`, `1,5h`, `-1h`, `3 disks`: what begins with a number stands where a time does. */
function nearLengths(text: string): { words: string; instead: string[]; hasMore: boolean } | null {
  const [words = '', sign = '', whole = '', fraction = '', letters = '', more = ''] =
    /^(?:for\s+)?([-+~]?)(\d{1,4})(?:[,.](\d{1,2}))?([a-z]*)(?=$|[\s,;:.!?])\s*(.*)$/i.exec(text) ?? []
  if (words === '')
    return /^(?:for\s+)?[-+~]?\d/i.test(text)
      ? { words: text.split(' ')[0] ?? '', instead: [], hasMore: true }
      : null
  const value = Number(`${whole}.${fraction || 0}`)
  const asTyped = words.slice(0, words.length - more.length).trim()
  const hasMore = more !== ''
  const ofUnit = letters.charAt(0).toLowerCase()
  if (letters === '') {
    const hours = value <= 24 ? [`${value}h ${more}`] : []
    return { words: asTyped, hasMore, instead: value > 0 ? [`${value}m ${more}`, ...hours] : [] }
  }
  if (fraction !== '' && ofUnit === 'h')
    return { words: asTyped, hasMore, instead: [`${Math.round(value * 60)}m ${more}`] }
  const isUnit = 'smhdw'.includes(ofUnit) && value > 0 && (letters.length <= 3 || sign !== '')
  return { words: asTyped, hasMore, instead: isUnit ? [`${value}${ofUnit} ${more}`] : [] }
}

/** A time where a reason stands, behind another time. */
const second = startsWith([
  `(?:every|each)\\s+(?:other\\s+)?(?:day|night|week|month|${names}|${numbered})`,
  '(?:tomorrow|tonight)\\b',
  `next\\s+(?:week|month|${names})`,
  `(?:from|at|on|starting)\\s+(?:${onDay}|${numbered})`,
  `(?:${dayWord})\\s+${numbered}`,
  `${numbered}\\d\\d\\b`,
  `(?:until|till?)\\s+(?:${onDay}|\\d|fine|ended)`,
  `for\\s+${length}${end}`,
  `(?:and|but|except)\\s+(?:not\\s+)?(?:on\\s+)?(?:${names})s?\\b`,
  `(?:on\\s+)?(?:weekdays|weekends|daily|(?:${names})s)\\b`,
  `(?:${zones}|[ap]m)${end}`,
])

function startsWith(alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join('|')})`, 'i')
}

/** A second time after the first is no reason, unless it stands in quotes. */
export function secondTime(when: When, text: string, rest: string, now: Now): NoTime | null {
  const isWindow = when.kind === 'window'
  const found = second.exec(rest) ?? (isWindow ? shapes.length.exec(rest) : null)
  if (found === null) return null
  if (new RegExp(`^(?:${zones})${end}`, 'i').test(rest))
    return no(`Times are in your own time zone, ${now.zone}.`, [])
  const time = text.slice(0, text.length - rest.length).trim()
  const quotedToo = `${time} "${rest.replaceAll('"', '')}"`
  const from = rest.replace(/^(?:at|on|starting|from)\s+/i, '')
  const [begin] = shape(`(?:(?:${dayWord})\\s+)?(?:${clock})`).exec(from) ?? []
  const isMovable = begin !== undefined && when.kind === 'length'
  const planned = isMovable
    ? [`from ${begin} for ${time.replace(/^for\s+/i, '')} ${from.slice(begin.length).trim()}`]
    : []
  // `from 22:00 for 2h every day`: how often goes first.
  const [, often] = /^(?:every|each|on)\s+(\S+)$/i.exec(rest) ?? []
  const ownTime = time
    .replace(new RegExp(`^from\\s+(?:(?:${dayWord})\\s+)?`, 'i'), '')
    .replace(/\s+to\s+/, '-')
  const repeated = often !== undefined && isWindow ? [`every ${often.replace(/s$/, '')} ${ownTime}`] : []
  const words = rest.split(' ').slice(0, 2).join(' ')
  return no(`There is a second time, \`${words.replaceAll('`', '')}\`.`, [...repeated, ...planned, quotedToo])
}
