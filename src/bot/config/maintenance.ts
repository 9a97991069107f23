/** Parses the mutes that the policy file plans. */
import { z } from 'zod'
import { wallClock } from '../domain/base/wall-clock.ts'
import { parseEvery, parseFrom } from '../domain/command/plan-text.ts'
import { durationExpected, parseDurationText } from '../domain/command/time-text.ts'
import { openWords } from '../domain/command/words.ts'
import { muteMinMs } from '../domain/mute/mute.ts'
import {
  lengthMsOf,
  type PlannedRule,
  type PolicyMute,
  recurringMaxMs,
  windowOn,
} from '../domain/mute/planned.ts'
import { mutedServersMax } from '../domain/mute/wide.ts'
import { mapping } from './shapes.ts'

const windowsMax = 100
const reasonCharsMax = 200
const muteExpected = `servers between commas, such as "web-*, db-1", at most ${mutedServersMax}`
const everyExpected =
  'days and times, such as "tue 02:00-04:00", "day 22:00-02:00" or "1st sun 02:00 for 2h", from 00:00 on (24:00 is only an end)'
const fromExpected = 'a day and a time, such as 2026-12-01 22:00, from 00:00 on (24:00 is only an end)'
const whichExpected = 'either every, or from with for'

type Rule = Extract<PlannedRule, { is: 'weekly' }>
type Moment = NonNullable<ReturnType<typeof parseFrom>>

function read<Value>(expected: string, parse: (text: string) => Value | null) {
  return z.string({ error: expected }).transform((text, context): Value => {
    const value = parse(text)
    if (value !== null) return value
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const names = read(muteExpected, (text) => {
  const words = openWords(text)
  const found = words.names()
  return found.length === 0 || found.length > mutedServersMax || !words.isAtEnd() ? null : found
})

const every = read<Rule>(everyExpected, (text) => {
  const rule = parseEvery(text)
  if (rule === null) return null
  const ms = lengthMsOf(rule)
  return ms < muteMinMs || ms >= recurringMaxMs ? null : rule
})

const from = read<Moment>(fromExpected, parseFrom)
const lasting = read(durationExpected, (text) => {
  const ms = parseDurationText(text)
  return ms === null || ms < muteMinMs ? null : ms
})

/** `zone`: how a time zone is read. */
export function maintenance(zone: z.ZodType<string>) {
  const window = mapping({
    mute: names,
    every: every.exactOptional(),
    from: from.exactOptional(),
    for: lasting.exactOptional(),
    zone: zone.exactOptional(),
    reason: z
      .string({ error: 'text' })
      .max(reasonCharsMax, { error: `at most ${reasonCharsMax} characters` })
      .default(''),
  }).refine(
    (given) =>
      given.every === undefined
        ? given.from !== undefined && given.for !== undefined
        : given.from === undefined && given.for === undefined,
    { error: whichExpected },
  )
  return z
    .array(window, {
      error: 'a list such as [{ mute: "web-*", every: "tue 02:00-04:00", reason: patch day }]',
    })
    .max(windowsMax, { error: `at most ${windowsMax} windows` })
}

type Window = z.output<ReturnType<typeof maintenance>>[number]

/** With the zone of the channels where it names none. */
export function policyMuteOf(
  { mute, every, from, for: ms = 0, zone, reason }: Window,
  timezone: string,
): PolicyMute {
  const own = { names: mute, zone: zone ?? timezone, reason }
  if (every !== undefined) return { ...own, rule: every }
  const { dateMs = 0, minute = 0 } = from ?? {}
  const window = windowOn(dateMs, { minute, length: { ms } }, wallClock(own.zone))
  return { ...own, rule: { is: 'once', ...window } }
}

/** How long one of its windows lasts, milliseconds. */
export function windowMsOf({ every, for: ms = 0 }: Window): number {
  return every === undefined ? ms : lengthMsOf(every)
}
