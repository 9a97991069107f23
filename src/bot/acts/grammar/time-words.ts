/**
 * Times that people type: how long, until when, from when to when, how often; in the asker's zone. What is only nearly one is offered
 * in the right words and never guessed, and nothing that is meant for later begins now.
 */
import { day, hour, minute } from '../../clock.ts'
import { parseEvery } from '../../config/times.ts'
import { nextWindow } from '../../decide/windows.ts'
import { momentOf, wallOf } from '../../zone.ts'
import {
  dateOf,
  dayNames,
  dayWord,
  lengthMs,
  type Now,
  no,
  quoted,
  shapes,
  type TimeReading,
  unclear,
} from './time-shapes.ts'
import { in24, nearly, nearlyFrom, nearlyUntil, secondTime } from './time-slips.ts'

/** A clock time that passed so lately may be a slip: tomorrow's is asked about. */
const justPassedMs = 3 * hour
const lengthMaxMs = 366 * day

/** Of words that begin with a time, or nearly. Null: they are a reason. */
export function readTime(text: string, now: Now): TimeReading | null {
  if (text === '' || text.startsWith('"')) return null
  const readOne = (words: string) =>
    readLength(words) ?? readUntil(words, now) ?? readFrom(words, now) ?? readEvery(words, now)
  const read = readOne(text)
  if (read?.kind !== 'when') return read ?? nearly(text, now, readOne)
  const rest = read.rest.replace(/^[,;:.!?-]+\s*|^\s*-\s+/, '')
  return secondTime(read.when, text, rest, now) ?? { ...read, rest }
}

function readLength(text: string): TimeReading | null {
  const [whole, words = ''] = shapes.length.exec(text) ?? []
  // A capital M may be a month.
  if (whole === undefined || /\dM/.test(words)) return null
  // What is longer than anything that is read is cut by the policy.
  const ms = /[1-9]/.test(words) ? (lengthMs(words) ?? lengthMaxMs) : 0
  const rest = text.slice(whole.length).trim()
  if (ms < minute) return no('A mute lasts at least a minute.', [`1m ${rest}`])
  if (/^\d{1,2}$/.test(rest) && /h|hrs?|hours?$/i.test(words))
    return no(`I don't understand \`${text}\`.`, [`${words}${rest}m`])
  return { kind: 'when', when: { kind: 'length', ms }, rest }
}

function readUntil(text: string, now: Now): TimeReading | null {
  if (!/^until(?=\s|$)/i.test(text)) return null
  const word = shapes.untilWord.exec(text)
  if (word !== null) {
    const kind = word[1]?.toLowerCase() === 'fine' ? 'fine' : 'ended'
    return { kind: 'when', when: { kind }, rest: text.slice(word[0].length).trim() }
  }
  const reversed = shapes.untilReversed.exec(text)
  if (reversed !== null) {
    const [whole, time, on] = reversed
    return no('The day goes before the time.', [`until ${on} ${time}${text.slice(whole.length)}`])
  }
  const found = shapes.untilClock.exec(text)
  if (found === null) return nearlyUntil(text, now)
  const [whole, on, time = ''] = found
  const rest = text.slice(whole.length).trim()
  const half = /^(am|pm)\b\s*/i.exec(rest)
  if (half !== null)
    return no('I take 24 hours.', [
      `until ${on ? `${on} ` : ''}${in24(time, half[1] ?? '')} ${rest.slice(half[0].length)}`,
    ])
  const { atMs, passedMs } = momentMeant(on, time, now, now.nowMs)
  const tomorrow = `until tomorrow ${time} ${rest}`
  if (atMs === null || atMs <= now.nowMs)
    return no(`${on} ${time} has passed.`, on?.toLowerCase() === 'today' ? [tomorrow] : [])
  if (on === undefined && passedMs !== null && passedMs < justPassedMs)
    return no(`${time} has just passed. Tomorrow's?`, [tomorrow])
  if (on !== undefined && passedMs !== null)
    return no(`${on} ${time} has passed. Next week's?`, [`until ${dateOf(atMs, now.zone)} ${time} ${rest}`])
  return { kind: 'when', when: { kind: 'until', atMs }, rest }
}

function readFrom(text: string, now: Now): TimeReading | null {
  if (!new RegExp(`^from\\s+(?:(?:${dayWord}|now)\\b|\\d)`, 'i').test(text)) return null
  const [whole, on, time = '', endOn, endTime = ''] = shapes.fromTo.exec(text) ?? []
  const [lasting, lastingOn, lastingTime = '', words = ''] = shapes.fromFor.exec(text) ?? []
  const ms = lengthMs(words)
  const isTo = whole !== undefined
  const { atMs: fromMs } = momentMeant(isTo ? on : lastingOn, isTo ? time : lastingTime, now, now.nowMs)
  if (!isTo && (lasting === undefined || ms === null)) return nearlyFrom(text, now)
  if (fromMs === null || fromMs <= now.nowMs)
    return no(`${isTo ? on : lastingOn} ${isTo ? time : lastingTime} has passed.`, [])
  const untilMs = isTo ? momentMeant(endOn, endTime, now, fromMs).atMs : fromMs + (ms ?? 0)
  if (untilMs === null || untilMs <= fromMs) return no('It ends before it begins.', [])
  if (untilMs - fromMs < minute) return no('A mute lasts at least a minute.', [])
  const rest = text.slice((whole ?? lasting ?? '').length).trim()
  return { kind: 'when', when: { kind: 'window', fromMs, untilMs }, rest }
}

function readEvery(text: string, now: Now): TimeReading | null {
  if (!/^every(?=\s|$)/i.test(text)) return null
  const [whole, days = '', time = '', endTime = ''] = shapes.everyTo.exec(text) ?? []
  const [lasting, lastingDays = '', lastingTime = '', words = ''] = shapes.everyFor.exec(text) ?? []
  const ms = lengthMs(words)
  const isTo = whole !== undefined
  const found = isTo
    ? parseEvery(`${days} ${time}-${endTime}`)
    : ms !== null && parseEvery(`${lastingDays} ${lastingTime} for ${Math.round(ms / minute)}m`)
  const tried = 'Try `every tue 02:00-04:00`, `every weekday 22:00 for 1h`; a reason goes into quotes'
  const weekends = text.replace(/^every\s+weekends?\b/i, 'every sat,sun')
  if (found === null || found === false)
    return unclear(text, [weekends === text ? quoted(text) : weekends], tried)
  const every = { ...found, zone: now.zone }
  const first = nextWindow(every, now.nowMs)
  if (first === null) return unclear(text, [], tried)
  return {
    kind: 'when',
    when: { kind: 'window', ...first, every },
    rest: text.slice((whole ?? lasting ?? '').length).trim(),
  }
}

/** `passedMs`: how long ago the clock showed it today; null if it did not. */
function momentMeant(
  on: string | undefined,
  time: string,
  { nowMs, zone }: Now,
  afterMs: number,
): { readonly atMs: number | null; readonly passedMs: number | null } {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const today = Math.floor(wallOf(on === undefined ? afterMs : nowMs, zone) / day) * day
  const at = (midnight: number) => momentOf(midnight + hours * hour + minutes * minute, zone)
  const word = on?.toLowerCase() ?? ''
  if (word === 'today' || word === 'tomorrow')
    return { atMs: at(today + (word === 'today' ? 0 : day)), passedMs: null }
  if (/^\d/.test(word)) {
    const midnight = Date.parse(`${word}T00:00:00Z`)
    const isReal = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(word)
    return { atMs: isReal ? at(midnight) : null, passedMs: null }
  }
  const stepDays = word === '' ? 1 : 7
  const ahead = word === '' ? 0 : (dayNames.indexOf(word.slice(0, 3)) - new Date(today).getUTCDay() + 7) % 7
  let midnight = today + ahead * day
  let passedMs: number | null = null
  while (at(midnight) <= afterMs) {
    if (midnight === today) passedMs = nowMs - at(midnight)
    midnight += stepDays * day
  }
  return { atMs: at(midnight), passedMs }
}
