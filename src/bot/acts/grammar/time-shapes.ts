/** The shapes of times that people type, and what a reader of them answers. Everything is in the asker's zone. */
import { day } from '../../clock.ts'
import { parseDuration } from '../../config/times.ts'
import type { Every } from '../../world/types.ts'
import { wallOf } from '../../zone.ts'

export type When =
  | { readonly kind: 'length'; readonly ms: number }
  | { readonly kind: 'until'; readonly atMs: number }
  | { readonly kind: 'fine' }
  /** Until somebody unmutes it. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'window'; readonly fromMs: number; readonly untilMs: number; readonly every?: Every }

/** The moment of asking, and the asker's zone. */
export type Now = { readonly nowMs: number; readonly zone: string }

/** `instead`: the same words as they would be understood, time and rest. */
export type NoTime = { readonly kind: 'no'; readonly text: string; readonly instead: readonly string[] }
export type TimeReading = { readonly kind: 'when'; readonly when: When; readonly rest: string } | NoTime

export const names =
  'mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?'
export const dayWord = `today|tomorrow|${names}|\\d{4}-\\d\\d-\\d\\d`
export const clock = '(?:[01]?\\d|2[0-3]):[0-5]\\d|24:00'
const unit = '(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)'
export const part = `\\d{1,6}(?:\\.\\d{1,3})?\\s*${unit}`
export const length = `${part}(?:\\s*${part})*(?:\\d{1,2})?`
export const end = '(?=$|[\\s,;:.!?])'
export const zones = '(?:in\\s+)?(?:utc|gmt|cet|cest|est|edt|cst|cdt|mst|mdt|pst|pdt|bst|ist)'

export const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export function shape(source: string): RegExp {
  return new RegExp(`^${source}${end}`, 'i')
}

export const shapes = {
  length: shape(`(?:for\\s+)?(${length})`),
  untilClock: shape(`until\\s+(?:(${dayWord})\\s+)?(${clock})`),
  untilReversed: shape(`until\\s+(${clock})\\s+(?:on\\s+)?(${dayWord})`),
  untilWord: shape('until\\s+(fine|ended)'),
  fromTo: shape(
    `from\\s+(?:(${dayWord})\\s+)?(${clock})\\s*(?:-|\\bto\\b|\\buntil\\b)\\s*(?:(${dayWord})\\s+)?(${clock})`,
  ),
  fromFor: shape(`from\\s+(?:(${dayWord})\\s+)?(${clock})\\s+for\\s+(${length})`),
  everyTo: shape(`every\\s+(.{1,60}?)\\s+(${clock})\\s*(?:-|to|until)\\s*(${clock})`),
  everyFor: shape(`every\\s+(.{1,60}?)\\s+(${clock})\\s+for\\s+(${length})`),
}

/** The milliseconds of `1h30`, `1 hr`, `90m`; null for anything else. */
export function lengthMs(words: string): number | null {
  // In `1h30` the minutes have no unit.
  return parseDuration(words.trim().replace(/^(.*\d\s*(?:h|hrs?|hours?))(\d{1,2})$/i, '$1 $2m'))
}

export function dateOf(ms: number, zone: string): string {
  return new Date(wallOf(ms, zone)).toISOString().slice(0, 10)
}

export function example({ nowMs, zone }: Now): string {
  return `Try \`from ${dateOf(nowMs + day, zone)} 22:00 for 2h\`; a reason goes into quotes`
}

export function unclear(text: string, instead: readonly string[], tried = ''): NoTime {
  const words = text.split(' ').slice(0, 3).join(' ')
  return no(
    `I don't understand \`${words.replaceAll('`', '').slice(0, 60)}\`.${tried === '' ? '' : ` ${tried}`}`,
    instead,
  )
}

export function no(text: string, instead: readonly string[]): NoTime {
  return { kind: 'no', text, instead: instead.map((words) => words.replaceAll(/\s+/g, ' ').trim()) }
}

/** As a reason of an hour's mute. */
export function quoted(reason: string): string {
  return `1h "${reason.replaceAll('"', '')}"`
}
