/** Parses the policy file (routes, permissions, limits, modes): its type, its defaults, and problems by line and column. */
import { createRequire } from 'node:module'
import { z } from 'zod'
import { checkYaml } from '../../shared/yaml-file.ts'
import type { IgnoreRule, Route, SeverityRule } from '../domain/alert/match.ts'
import type { LinkRule } from '../domain/card/links.ts'
import type { Reminders } from '../domain/card/reminders.ts'
import { durationExpected, parseDurationText } from '../domain/command/time-text.ts'
import type { Images } from '../domain/delivery/picture.ts'
import type { PolicyMute } from '../domain/mute/planned.ts'
import type { Limits } from '../domain/mute/until.ts'
import type { Permissions } from '../domain/request/authorise.ts'
import { parseReportTimes, type ReportTimes } from '../domain/request/report-times.ts'
import { ignore, links, matchOfSeverity, routes, severity, showLabels } from './alert-rules.ts'
import { describeValue, type Problem } from './config-error.ts'
import { maintenance, policyMuteOf, windowMsOf } from './maintenance.ts'
import { type OnCallRules, onCall } from './on-call.ts'
import { Secret } from './secret.ts'
import { channelId, channelOrPersonId, mapping, mention, oneOf, text } from './shapes.ts'

export type Policy = {
  /** First match wins. */
  readonly routes: readonly Route[]
  /** How bad an alert is; first match wins. */
  readonly severity: readonly SeverityRule[]
  /** What is shown nowhere but in a count. */
  readonly ignore: readonly IgnoreRule[]
  /** What an alert's card links to; all that match, in this order. */
  readonly links: readonly LinkRule[]
  /** The labels that cards show, in this order; null for the usual ones. */
  readonly showLabels: readonly string[] | null
  readonly permissions: Permissions
  /** Nobody said who may mute the account: before an Alertmanager nobody may. */
  readonly isAccountMuteUnset?: boolean
  readonly limits: Limits
  /** When an alert is escalated. */
  readonly reminders: Reminders
  /** Null: nothing is said of it, and only the environment may name a calendar. */
  readonly onCall: OnCallRules | null
  /** Whether every channel has a message that shows what is open and muted. */
  readonly board: boolean
  /** How a closing alert shows itself (docs/api.md#alerts): its record flips, a second one appears, or the bot finds out. */
  readonly lifecycle: 'auto' | 'flip' | 'pair'
  readonly images: Images
  /** Mutes that it plans. */
  readonly maintenance: readonly PolicyMute[]
  /** The report at its time; null for none. */
  readonly report: ReportPolicy | null
  /** Time zone of charts in channels, an IANA name. */
  readonly timezone: string
}

/** When the report comes, and where. */
export type ReportPolicy = { readonly at: ReportTimes; readonly channel: string }

const membersMax = 100

const memberId = /^[USW][A-Z0-9]{1,20}$/

/** Milliseconds. */
const duration = z.string({ error: durationExpected }).transform((value, context) => {
  const ms = parseDurationText(value)
  if (ms !== null) return ms
  context.addIssue({ code: 'custom', message: durationExpected })
  return z.NEVER
})

const durationOrNever = z.union([z.literal('never').transform(() => null), duration], {
  error: `${durationExpected}, or never`,
})

// YAML 1.2 reads `on` and `off` as text; people used to YAML 1.1 write `true` and `false`.
const onOrOff = z
  .union([z.boolean(), z.enum(['on', 'off'])], { error: 'on or off' })
  .transform((value) => value === true || value === 'on')

const audienceExpected = 'everyone, nobody, or a list of user (U…) and user group (S…) ids'
const member = text(audienceExpected, (value) => memberId.test(value))
const audience = z.union(
  [
    z.enum(['everyone', 'nobody']),
    z.array(member).min(1, audienceExpected).max(membersMax, audienceExpected),
  ],
  { error: audienceExpected },
)

/** Is it a time zone by name? An offset such as `+02:00` is right nowhere all year. */
function isZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return /^[A-Za-z]/.test(value)
  } catch {
    return false
  }
}

const zone = text('an IANA time zone such as UTC or Europe/Berlin', isZone)

const limits = mapping({
  mute_default: duration.prefault('1h'),
  mute_max: duration.prefault('30d'),
  account_mute_max: duration.prefault('4h'),
}).refine((given) => given.mute_default <= given.mute_max, {
  error: 'a duration that is not longer than mute_max',
  path: ['mute_default'],
})

const remindersMax = 10
const remindersExpected =
  'a list such as [{ after: 15m }, { after: 30m, mention: "<!subteam^S1>" }, { after: 1h, channel: C0LEADS, page: true }], or never'

/** At once: as a number, or as a duration of nothing. */
const atOnce = z.union([z.literal(0), z.string().regex(/^0\s*(?:ms|s|m|h|d)?$/i)]).transform(() => 0)

const reminder = mapping({
  after: z.union([atOnce, duration], { error: `${durationExpected}, or 0 beside page: true` }),
  match: matchOfSeverity.exactOptional(),
  page: z.boolean({ error: 'true or false' }).default(false),
  mention,
  channel: text(channelOrPersonId.expected, (value) => channelOrPersonId.shape.test(value))
    .nullable()
    .default(null),
})
  .refine(({ after, page }) => after > 0 || page, {
    error: 'a longer time, or page: true beside it: the card itself tells people at once',
    path: ['after'],
  })
  .transform(({ after, page, ...rest }) => ({
    ...rest,
    afterMs: after,
    ...(page ? { page: true as const } : {}),
  }))

const reminders = z.preprocess(
  (value) => (value === 'never' ? [] : value),
  z
    .array(reminder, { error: remindersExpected })
    .max(remindersMax, { error: `at most ${remindersMax} reminders` })
    .superRefine((steps, context) => {
      const at = steps.findIndex(({ afterMs }, n) => n > 0 && afterMs <= (steps[n - 1]?.afterMs ?? 0))
      if (at === -1) return
      const message = 'a longer time than that of the reminder before it'
      context.addIssue({ code: 'custom', path: [at, 'after'], message })
    }),
)

const reportExpected = 'days and a time, such as mon 09:00, "mon, thu 09:00" or every day 08:00'

const report = mapping({
  at: z.string({ error: reportExpected }).transform((value, context) => {
    const times = parseReportTimes(value)
    if (times !== null) return times
    context.addIssue({ code: 'custom', message: reportExpected })
    return z.NEVER
  }),
  channel: text(channelId.expected, (value) => channelId.shape.test(value)),
})

/** Everything a policy file may contain; every part has a default, and unknown keys are refused. */
export const policyFile = mapping({
  routes: routes.default([]),
  severity: severity.default([]),
  ignore: ignore.default([{ match: { severity: 'none' } }]),
  links: links.default([]),
  show_labels: showLabels.optional(),
  permissions: mapping({
    acknowledge: audience.default('everyone'),
    add_note: audience.default('everyone'),
    mute_server: audience.default('everyone'),
    mute_account: audience.optional(),
    add_roles: audience.default('everyone'),
    add_marker: audience.default('everyone'),
    set_no_data: audience.default('everyone'),
    delete_server: audience.default('nobody'),
    delete_metric: audience.default('nobody'),
  }).prefault({}),
  limits: limits.prefault({}),
  reminders: reminders.prefault([{ after: '15m' }]),
  flap_settle: durationOrNever.prefault('2m'),
  forgotten_after: durationOrNever.prefault('4h'),
  oncall: onCall.optional(),
  board: onOrOff.prefault(true),
  report: report.nullable().default(null),
  lifecycle: oneOf(['auto', 'flip', 'pair']).default('auto'),
  images: oneOf(['auto', 'off']).default('auto'),
  timezone: zone.default('UTC'),
  maintenance: maintenance(zone).default([]),
}).superRefine(({ maintenance: windows, limits: { mute_max: maxMs } }, context) => {
  for (const [at, window] of windows.entries()) {
    if (windowMsOf(window) <= maxMs) continue
    const message = 'a window that is not longer than mute_max'
    context.addIssue({ code: 'custom', path: ['maintenance', at], message })
  }
})

/** Converts the file to the bot's policy: durations become milliseconds. */
export function policyOf({
  limits: given,
  reminders: steps,
  flap_settle: flapSettleMs,
  forgotten_after: staleAckAfterMs,
  show_labels: labels,
  oncall,
  permissions: { mute_account: accountMute, ...others },
  maintenance: windows,
  ...rest
}: z.output<typeof policyFile>): Policy {
  const limitsMs = {
    muteDefaultMs: given.mute_default,
    muteMaxMs: given.mute_max,
    accountMuteMaxMs: given.account_mute_max,
  }
  return {
    ...rest,
    showLabels: labels ?? null,
    onCall: oncall ?? null,
    maintenance: windows.map((window) => policyMuteOf(window, rest.timezone)),
    permissions: { ...others, mute_account: accountMute ?? 'everyone' },
    ...(accountMute === undefined ? { isAccountMuteUnset: true } : {}),
    limits: limitsMs,
    reminders: { steps, flapSettleMs, staleAckAfterMs },
  }
}

/** The parts of the file, by their keys, of which two good texts of it say something else. */
export function policyParts(before: string, after: string): string[] {
  const [old, now] = [before, after].map((source) => {
    const given: unknown = source === '' ? {} : (loadYaml().parse(source) ?? {})
    return policyFile.parse(given)
  })
  const keys = Object.keys(policyFile.shape) as (keyof typeof policyFile.shape)[]
  return keys.filter((key) => inFull(old?.[key]) !== inFull(now?.[key]))
}

/** A part as text, for a comparison only: it holds secrets. */
function inFull(part: unknown): string | undefined {
  return JSON.stringify(part, function (this: unknown, key, value) {
    // As it was before `toJSON`, which hides a secret.
    const given: unknown = Object(this)[key]
    if (given instanceof Secret) return given.reveal()
    return given instanceof Map ? [...given] : value
  })
}

const fileCharsMax = 256_000
/** Loads the YAML parser, 70 modules that a bot without a policy file does not need. */
const loadYaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml')

type PolicyReading = { readonly policy: Policy | null; readonly problems: readonly Problem[] }

/**
 * Parses the file's text (empty text gives all defaults). Never throws: a problem's `setting` starts with
 * `path:line:column`. `secrets` are values that must not appear in problems.
 */
export function readPolicy(source: string, path: string, secrets: readonly string[]): PolicyReading {
  if (source.length > fileCharsMax) {
    // How much longer it is is not known, because only its start is read (see `shared/limited-file.ts`).
    const expected = `a YAML file of at most ${fileCharsMax} characters`
    return { policy: null, problems: [{ setting: path, expected, came: 'more' }] }
  }
  if (source === '') return { policy: policyOf(policyFile.parse({})), problems: [] }
  // An address of a calendar is a secret, wherever somebody writes it.
  const shown = (value: unknown, place: readonly PropertyKey[]) =>
    place[0] === 'oncall' && typeof value === 'string'
      ? `a value of ${value.length} characters`
      : describeValue(value, secrets)
  const { value, problems } = checkYaml(loadYaml(), { source, file: path }, () => policyFile, shown)
  return {
    policy: value === null ? null : policyOf(value),
    problems: problems.map(({ at: setting, expected, came }) => ({ setting, expected, came })),
  }
}
