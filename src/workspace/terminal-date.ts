// Slack's dates (`<!date^…>` and the rich_text date) as words, in one time zone.
// Tokens: https://docs.slack.dev/messaging/formatting-message-text#date-formatting

/** `now` makes "today" and "3 minutes ago" possible; without it dates are written out. */
export type Clock = { readonly timeZone?: string; readonly now?: Date }

const dayMs = 86_400_000

function ordinal(day: number): string {
  const teen = day % 100 >= 11 && day % 100 <= 13
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

type Parts = Readonly<Record<'weekday' | 'month' | 'year' | 'day' | 'hour' | 'minute' | 'second', string>>

function partsOf(at: Date, timeZone: string | undefined): Parts {
  const format = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    month: 'long',
    year: 'numeric',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  const given = new Map(format.formatToParts(at).map(({ type, value }) => [type as string, value]))
  const part = (name: string): string => given.get(name) ?? ''
  return {
    weekday: part('weekday'),
    month: part('month'),
    year: part('year'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}

const isoDay = (at: Date, timeZone: string | undefined): string => {
  const { year, month, day } = partsOf(at, timeZone)
  return `${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}`
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

function near(at: Date, { now, timeZone }: Clock): string | undefined {
  if (now === undefined) return undefined
  const day = isoDay(at, timeZone)
  const names: [string, number][] = [
    ['today', 0],
    ['yesterday', -dayMs],
    ['tomorrow', dayMs],
  ]
  return names.find(([, shiftMs]) => isoDay(new Date(now.getTime() + shiftMs), timeZone) === day)?.[0]
}

const spans: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

function ago(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const [unit, size] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(seconds / size), unit)
}

/** The time of day, `14:02:31`. An unknown time zone is a RangeError of Intl that names it. */
export function timeOfDay(at: Date, { timeZone }: Clock): string {
  const { hour, minute, second } = partsOf(at, timeZone)
  return `${hour}:${minute}:${second}`
}

/** The format with its tokens filled in; undefined when the second is no moment, so that the fallback is shown. */
export function formatDate(unixSeconds: number, format: string, clock: Clock): string | undefined {
  const at = new Date(unixSeconds * 1000)
  if (!Number.isInteger(unixSeconds) || Number.isNaN(at.getTime())) return undefined
  const { weekday, month, year, day, hour, minute, second } = partsOf(at, clock.timeZone)
  const dayNumber = Number(day)
  const date = `${month} ${dayNumber}`
  const short = `${month.slice(0, 3)} ${dayNumber}, ${year}`
  const long = `${weekday}, ${month} ${ordinal(dayNumber)}, ${year}`
  const word = near(at, clock)
  const tokens = new Map([
    ['date_num', isoDay(at, clock.timeZone)],
    ['date_slash', isoDay(at, clock.timeZone).split('-').reverse().join('/')],
    ['date', date],
    ['date_pretty', word ?? date],
    ['date_short', short],
    ['date_short_pretty', word ?? short],
    ['date_long', long],
    ['date_long_pretty', word ?? long],
    ['date_long_full', `${date}, ${year}`],
    ['day_divider_pretty', word ?? `${weekday}, ${month} ${ordinal(dayNumber)}`],
    ['time', `${hour}:${minute}`],
    ['time_secs', `${hour}:${minute}:${second}`],
    ['ago', clock.now === undefined ? `${short} ${hour}:${minute}` : ago(at, clock.now)],
  ])
  return format.replace(/\{([a-z_]+)\}/g, (token: string, name: string) => tokens.get(name) ?? token)
}
