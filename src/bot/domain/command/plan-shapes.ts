/** How the words of a planned mute look: its days and times, how a plan begins, and what makes of it another one than was understood. */
import { month, weekday, weekdayStem } from './time-text.ts'

export const weekdays = `${weekdayStem}(?:days?)?`
export const wordEnd = '(?=[\\s,;:]|$)'
export const dash = '\\s*(?:-+|–|—|to(?=\\s))\\s*'

const dayShape = `(?:(?:today|tonight|tomorrow|(?:next\\s+)?${weekday})${wordEnd}|\\d{4}-\\d{2}-\\d{2})`
export const timeEnd = '(?=[\\s,;:–—-]|$)'
const noonShape = `(?:noon|midday|midnight)${timeEnd}`
/** Also `22h`, `22.00` and `2200`, which are no times here, where an end follows. */
const clockShape = `(?:${noonShape}|\\d{1,2}(?::\\d{2}|\\s*[ap]\\.?m\\b|(?:h(?:\\d{2})?|\\.\\d{2}|(?<=\\d{2})\\d{2})?\\s*(?=(?:for|to|and|until)\\s|[-–—])))`
/** What names a time soon after may be a plan with a mistyped day. */
const clockSoon = '(?:\\S+\\s+){0,3}\\d{1,2}:\\d{2}'
export const ordinals = {
  '1st': 1,
  first: 1,
  '2nd': 2,
  second: 2,
  '3rd': 3,
  third: 3,
  '4th': 4,
  fourth: 4,
  last: 'last',
} as const
export const ordinal = Object.keys(ordinals).join('|')
const bounds = 'but|not|or|only|from|through|thru|up\\s+to|as\\s+of|starting|beginning|end(?:ing|s)?'
const untils = 'until|till|til|exc(?:ept|luding|l)'
export const ofMonth = '\\s*of\\s+(?:the|every|each)\\s+month'
/** Before the end or a mark, before a time, or before a limit: a `weekly backup` says what is done. */
const oftenEnd = `(?=(?:\\s+only)?\\s*(?:[,;:.!()[\\]&/+]|[-–—]+\\s|$)|\\s+(?:(?:at|from|between|on|the|${ordinal})\\s+)*(?:\\d|${noonShape}|${weekdays}(?![a-z'’]))|\\s+(?:${bounds}|${untils}|for|in|of)\\.?\\s)`
/** Said often enough, but of no plan that can be had. */
export const unplanned = 'hourly|(?:bi-?)?weekly|fortnightly|monthly|quarterly|yearly'
const often = [
  `${weekdayStem}days${wordEnd}`,
  `${weekday}\\s*(?:[-–—,&/+|]|to\\s|and\\s)\\s*${weekdays}${wordEnd}`,
  `(?:daily|nightly|week(?:[ -]?day|night|end)s|(?:work|business)(?:ing)?[ -]?days|mornings|evenings|nights|${unplanned})${oftenEnd}`,
  `(?:${ordinal})\\s+${weekday}${oftenEnd}`,
].join('|')
const afterEvery = [
  `(?:${weekdays}|days?|nights?|mornings?|evenings?|week(?:day|end)?s?|months?|hours?)(?=[\\s,;:&-]|$)`,
  `(?:other|single|first|second|third|fourth|last)${wordEnd}`,
  '\\d',
  `${noonShape}|${clockSoon}`,
].join('|')

/** How a plan begins: the words before its days and times, which are not all needed. */
export const begins = {
  weekly: new RegExp(
    `^(?:(?:every|each)\\s+(?=${afterEvery})|on\\s+(?=week(?:days|ends)${wordEnd})|(?:on\\s+)?(?:the\\s+)?(?=${often}))`,
    'i',
  ),
  once: new RegExp(
    [
      `^from\\s+(?=\\d|${dayShape}|${clockShape}|${clockSoon})`,
      `^(?:at|on|between|(?:start|starting|beginning)(?:\\s+(?:at|on|from))?)\\s+(?=${dayShape}|${clockShape})`,
      `^(?=${dayShape}|${noonShape})`,
    ].join('|'),
    'i',
  ),
}

/** Other words for a time that is not now: a plan has to say it. */
export const otherwiseLater = new RegExp(
  [
    `^(?:next|coming|this|over\\s+the|during\\s+the|at\\s+the)\\s+(?:hour|night|day|evening|afternoon|week(?:end)?|month|quarter|year)${wordEnd}`,
    '^in\\s+(?:\\d\\S*|half|(?:an?|a\\s+few|a\\s+couple\\s+of|some|one|two|three)\\s+(?:min|hour|day|week|moment|while))',
    `^(?:later|soon)${wordEnd}`,
    `^(?:after|before|by|around)\\s+(?:${clockShape}|${dayShape})`,
  ].join('|'),
  'i',
)

/** What joins a second time to a plan, and what makes of it another one than was understood: no reason begins so. */
export const joins = new RegExp(
  `^(?:[([&+/|]\\s*|(?:and|then|also|again|plus|just|to|start|${bounds})\\s+)+`,
  'i',
)
export const amends = new RegExp(
  `^(?:${[
    `(?:${untils}|(?:in|of|for)\\s+${month})(?:\\.|${wordEnd})`,
    '\\d{1,2}(?::\\d{2}|\\s*[ap]\\.?m\\b)',
    'of\\s+(?:the|every|each)\\s+(?:month|quarter|year)',
    '(?:(?:in|on)\\s+)?(?:even|odd|alternat(?:e|ing))\\s+(?:day|night|week|month)',
    '(?:once|twice|\\w+\\s+times)\\s+(?:(?:an?|per)\\s|daily|weekly|monthly)',
    `for\\s+(?:\\d|(?:[\\w-]+\\s+){0,4}(?:hour|day|night|week|month|quarter|year)s?${wordEnd})`,
  ].join('|')})`,
  'i',
)
const near = `(?:\\S+\\s+){0,2}(?:\\d{1,4}[-:./]\\d|${weekdays}|${month}|holidays?|to(?:day|night|morrow)|next|weekdays?|weekends?|winter|summer)(?![a-z])`
/** An exception or a limit, behind what comes again; some words are one only with a time near: `not urgent` is none. */
export const limits = new RegExp(
  `^[([]?\\s*(?:${[
    `(?:to\\s+${month}|but|or|only|through|thru|up\\s+to|as\\s+of|starting|beginning|ending|without|w/o|unless|skip(?:ping)?|besides|apart|minus|other\\s+than)(?:\\.|${wordEnd})`,
    `(?:no|not|from|before|after|by|starts?|ends?|in|during|over)\\s+${near}`,
    `(?:once|(?:\\d+|two|three|four)\\s*(?:x|times|days|nights|weeks|months|years))\\s*(?:[,;:.)]|$)`,
  ].join('|')})`,
  'i',
)
/** How often, in words that are understood only before a time, if at all. */
export const oftenBehind = new RegExp(
  `^(?:(?:on|at)\\s+)?(?:the\\s+)?(?:${[
    "(?:every|each|everyday|weekdays?|weekends?|workdays?)(?![\\p{L}'’])",
    `(?:${ordinal})(?:\\s*(?:and|[&,+/])\\s*(?:${ordinal})|\\s+${weekday}|\\s+of\\s+(?:the|every|each)\\s+\\w+)${wordEnd}`,
  ].join('|')})`,
  'iu',
)
