/** A clock time as people type it, `15:00`, `3:00 pm`, `3pm`, and the words that would make it a different time. */

const time = /^(\d{1,2})(?::(\d{2}))?(?:[ \t]*([ap])\.?m\.?)?(?=[\s,;]|$)/i

/** The time at the start of a text, in 24-hour form, and where it ends; null if there is none. */
export function leadingClock(
  text: string,
): { readonly hour: number; readonly minute: number; readonly end: number } | null {
  const found = time.exec(text)
  if (found === null) return null
  const [all, hours, minutes, half] = found
  // A bare number may mean anything.
  if (minutes === undefined && half === undefined) return null
  const [typed, minute] = [Number(hours), Number(minutes ?? 0)]
  if (minute > 59) return null
  if (half === undefined) return typed > 23 ? null : { hour: typed, minute, end: all.length }
  if (typed < 1 || typed > 12) return null
  return { hour: (typed % 12) + (half.toLowerCase() === 'p' ? 12 : 0), minute, end: all.length }
}

const weekday = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?'
const month = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*'
const day = new RegExp(
  `^(?:${[
    'today|tonight|tomorrow|next',
    `(?:on[ \\t]+)?${weekday}`,
    `(?:on[ \\t]+)?(?:the[ \\t]+)?\\d{1,2}(?:st|nd|rd|th|\\.)?[ \\t]+(?:of[ \\t]+)?${month}`,
    `(?:on[ \\t]+)?${month}[ \\t]+\\d{1,2}(?:st|nd|rd|th)?`,
    '(?:on[ \\t]+)?the[ \\t]+\\d{1,2}(?:st|nd|rd|th)',
    '(?:on[ \\t]+)?(?:\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}(?:[./]\\d{0,4})?)',
    "in[ \\t]+the[ \\t]+(?:morning|afternoon|evening)|at[ \\t]+night|o['’]?clock",
    '(?:utc|gmt|cest|cet|[ecmp][sd]t|bst|ist|jst)(?:[+-]\\d{1,2}(?::?\\d{2})?)?',
  ].join('|')})(?=[\\s,;:.!]|$)`,
  'i',
)

/** Does a text begin with a day, a part of the day or a time zone? After a clock time these are not a reason. */
export function isDayNext(text: string): boolean {
  return day.test(text)
}
