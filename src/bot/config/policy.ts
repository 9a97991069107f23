/**
 * The policy file: what it may say, what holds where it says nothing, and what is wrong with it, by file, line and column. Every part
 * has a default; unknown keys are refused.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isWeb } from '../call.ts'
import { minute, momentOf } from '../clock.ts'
import { webhookSecret } from './settings.ts'
import {
  calendarAddress,
  channelId,
  checkYaml,
  duration,
  durationExpected,
  mapping,
  read,
  reportTimes,
  text,
  wallTime,
  window,
  zone,
} from './shapes.ts'

export type PolicyReading =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Slack's limits on a button: on its label, and on its address less what names of alerts may add. */
const labelCharsMax = 75
const urlCharsMax = 1000

const name = text('text', /./)
/** One, or a list of which one must match. */
const some = (one: z.ZodType<string>, expected: string) =>
  z
    .union([one.transform((value) => [value]), z.array(one).min(1)], {
      error: `${expected}, or a list of such`,
    })
    .exactOptional()
const globs = some(name, 'text')
const severities = ['critical', 'warning', 'info'] as const
const labelsExpected = 'labels with what their values match, such as { namespace: "pay-*" }'

/** All that is given must match. Globs (`*`, `?`, any case) but for labels' values, severity and lifecycle. */
export type Match = z.output<typeof match>
const match = mapping({
  role: globs,
  server: globs,
  plugin: globs,
  metric: globs,
  title: globs,
  severity: some(z.enum([...severities, 'none']), `one of ${severities.join(', ')}, none`),
  lifecycle: z.enum(['start', 'oneoff']).exactOptional(),
  labels: z
    .record(z.string(), z.union([name.transform((value) => [value]), z.array(name).min(1)]), {
      error: labelsExpected,
    })
    .refine((given) => Object.keys(given).length > 0, { error: labelsExpected })
    .exactOptional(),
})

/** Of rules the first that matches wins: one that matches everything must be the last. */
function widestLast(rules: readonly { readonly match: Match }[], context: z.RefinementCtx): void {
  const first = rules.findIndex((one) => Object.keys(one.match).length === 0)
  if (first === -1 || first === rules.length - 1) return
  const message = 'to be the last, because it matches everything and no later one is ever reached'
  context.addIssue({ code: 'custom', path: [first], message })
}

/** Text such as `<!subteam^S1>`, or `oncall`. */
const called = '(?:oncall|<(?:!subteam\\^S[A-Z0-9]+|@[UW][A-Z0-9]+|!here|!channel|!everyone)>)'
const mention = text(
  'a mention in Slack notation, such as <!subteam^S123>, <@U123> or <!here>, or oncall',
  new RegExp(`^${called}(?: ${called})*$`),
)
  .nullable()
  .default(null)

const orNever = z.union([z.literal('never').transform(() => null), duration], {
  error: `${durationExpected}, or never`,
})
// YAML 1.2 reads `on` and `off` as text; people used to YAML 1.1 write `true` and `false`.
const onOrOff = (also: 'auto' | 'on') =>
  z
    .union([z.boolean(), z.enum([also, 'on', 'off'])], { error: `${also} or off` })
    .transform((value) => value !== false && value !== 'off')
const trueOrFalse = z.boolean().default(false)

/** Ids of members (`U…`, `W…`) and user groups (`S…`). */
const allowedExpected = 'everyone, nobody, or a list of user (U…) and user group (S…) ids'
const member = text(allowedExpected, /^[USW][A-Z0-9]{1,20}$/)
const allowed = z.union([z.enum(['everyone', 'nobody']), z.array(member).min(1, allowedExpected)], {
  error: allowedExpected,
})
export type PermissionName = keyof typeof permission
const permission = {
  acknowledge: allowed.default('everyone'),
  add_note: allowed.default('everyone'),
  mute_server: allowed.default('everyone'),
  mute_account: allowed.nullable().default(null),
  add_roles: allowed.default('everyone'),
  add_marker: allowed.default('everyone'),
  set_no_data: allowed.default('everyone'),
  delete_server: allowed.default('nobody'),
  delete_metric: allowed.default('nobody'),
}

const link = mapping({
  match,
  text: text(
    `text of 1 to ${labelCharsMax} characters`,
    (value) => value.trim() !== '' && value.length <= labelCharsMax,
  ),
  url: text(
    'an http:// or https:// address without user name; {server}, {plugin}, {metric} and {alert} may stand behind its host',
    isLinkPattern,
  ),
})

export type ReminderStep = Policy['reminders'][number]
const step = mapping({
  after: z.union([z.literal(0), duration], { error: `${durationExpected}, or 0 beside page: true` }),
  match: match.nullable().default(null),
  mention,
  /** Another channel, or a person's direct messages; null: the card's thread, and its channel. */
  channel: text(
    'a channel id such as C0123456789, or a user id such as U0123456789',
    /^[CGUW][A-Z0-9]{1,20}$/,
  )
    .nullable()
    .default(null),
  page: trueOrFalse,
}).refine(({ after, page }) => after > 0 || page, {
  error: 'a longer time, or page: true beside it: the card itself tells people at once',
  path: ['after'],
})
const stepsExpected = 'never, or a list such as [{ after: 15m }, { after: 1h, channel: C0LEADS, page: true }]'
const reminders = z.preprocess(
  (value) => (value === 'never' ? [] : value),
  z.array(step, { error: stepsExpected }).superRefine((steps, context) => {
    const at = steps.findIndex(({ after }, n) => n > 0 && after <= (steps[n - 1]?.after ?? 0))
    const message = 'a longer time than that of the reminder before it'
    if (at !== -1) context.addIssue({ code: 'custom', path: [at, 'after'], message })
  }),
)

const onCall = mapping({
  ical: calendarAddress.nullable().default(null),
  pagerduty: text('the id of a PagerDuty schedule, such as PABC123', /^[A-Z0-9]{5,20}$/)
    .nullable()
    .default(null),
  people: z.record(z.string(), member).default({}),
  handoff: trueOrFalse,
}).refine(({ ical, pagerduty }) => ical === null || pagerduty === null, {
  error: 'one of ical and pagerduty',
  path: ['pagerduty'],
})

const investigate = mapping({
  url: text('an http:// or https:// URL without user name and #', (url) => isWeb(url) && !/[#\s]/.test(url)),
  secret: webhookSecret.nullable().default(null),
})

const names = read('servers and patterns with commas between them, or account', (value) => {
  const found = value.split(',').map((one) => one.trim())
  return found.includes('') ? null : found
})
const maintenance = mapping({
  mute: names,
  every: window.nullable().default(null),
  from: wallTime.nullable().default(null),
  for: duration
    .refine((ms) => ms >= minute, { error: 'at least a minute' })
    .nullable()
    .default(null),
  zone: zone.nullable().default(null),
  reason: text('text of at most 300 characters', /^.{0,300}$/s).default(''),
})
  .refine(({ every, from }) => (every === null) !== (from === null), {
    error: 'either every, or from with for',
  })
  .refine(({ from, for: length }) => (from === null) === (length === null), {
    error: 'a duration beside from, and none beside every',
    path: ['for'],
  })

/** Those that tell on Kubernetes which of several it is, the widest first. */
const usualLabels = [
  ...['namespace', 'deployment', 'statefulset', 'daemonset', 'job_name', 'persistentvolumeclaim'],
  ...['pod', 'container', 'node', 'mountpoint', 'device'],
]

const policyFile = mapping({
  routes: z
    .array(mapping({ match, channel: channelId, mention }))
    .superRefine(widestLast)
    .default([]),
  severity: z
    .array(mapping({ match, is: z.enum(severities) }))
    .superRefine(widestLast)
    .default([]),
  ignore: z
    .array(
      mapping({
        match: match.refine((given) => Object.keys(given).length > 0, {
          error: 'a match that names something: {} would leave out every alert',
        }),
      }),
    )
    .prefault([{ match: { severity: 'none' } }]),
  links: z.array(link).default([]),
  show_labels: z.array(text('the name of a label', /^[\w.\-/]{1,100}$/)).default(usualLabels),
  permissions: mapping(permission).prefault({}),
  limits: mapping({
    mute_default: duration.prefault('1h'),
    mute_max: duration.prefault('30d'),
    account_mute_max: duration.prefault('4h'),
  })
    .prefault({})
    .refine(({ mute_default, mute_max }) => mute_default <= mute_max, {
      error: 'at most mute_max',
      path: ['mute_default'],
    }),
  reminders: reminders.prefault([{ after: '15m' }]),
  flap_settle: orNever.prefault('2m'),
  forgotten_after: orNever.prefault('4h'),
  oncall: onCall.nullable().default(null),
  investigate: investigate.nullable().default(null),
  board: onOrOff('on').prefault('on'),
  report: mapping({ at: reportTimes, channel: channelId }).nullable().default(null),
  lifecycle: z.enum(['flip', 'pair']).default('flip'),
  images: onOrOff('auto').prefault('auto'),
  timezone: zone.default('UTC'),
  maintenance: z.array(maintenance).default([]),
})

/** The policy of the team as the program reads it: with all defaults filled in. */
export type Policy = ReturnType<typeof policyOf>
function policyOf(given: z.output<typeof policyFile>) {
  const { permissions, limits, timezone, report } = given
  return {
    routes: given.routes,
    severity: given.severity,
    ignore: given.ignore.map((one) => one.match),
    links: given.links,
    showLabels: given.show_labels,
    permissions: { ...permissions, mute_account: permissions.mute_account ?? 'everyone' },
    /** Nobody said who may mute the account: in front of an Alertmanager nobody may. */
    isAccountMuteUnset: permissions.mute_account === null,
    limits: {
      muteDefaultMs: limits.mute_default,
      muteMaxMs: limits.mute_max,
      accountMuteMaxMs: limits.account_mute_max,
    },
    reminders: given.reminders.map(({ after, ...one }) => ({ afterMs: after, ...one })),
    /** Null: never. */
    flapSettleMs: given.flap_settle,
    forgottenAfterMs: given.forgotten_after,
    onCall: given.oncall,
    investigate: given.investigate,
    board: given.board,
    report: report === null ? null : { ...report.at, channel: report.channel },
    lifecycle: given.lifecycle,
    images: given.images,
    timezone,
    maintenance: given.maintenance.map((entry) => entryOf(entry, timezone)),
  }
}

function entryOf(entry: z.output<typeof maintenance>, timezone: string) {
  const own = entry.zone ?? timezone
  const fromMs = entry.from === null ? null : momentOf(entry.from, own)
  // Another reason is the same plan.
  const plan = JSON.stringify([entry.mute, entry.every, fromMs, entry.for, own])
  return {
    /** By which a window is known again. */
    id: createHash('sha256').update(plan).digest('base64url').slice(0, 12),
    /** Servers and patterns, or `account`. */
    mute: entry.mute,
    every: entry.every === null ? null : { ...entry.every, zone: own },
    fromMs,
    untilMs: fromMs === null || entry.for === null ? null : fromMs + entry.for,
    reason: entry.reason,
  }
}

/** What holds where there is no file, or where it says nothing. */
export function defaultPolicy(): Policy {
  return policyOf(policyFile.parse({}))
}

/** `fileName` stands in the problems. */
export function readPolicy(source: string, fileName: string): PolicyReading {
  // As while an editor or a full disk writes it: it must not end routes and permissions.
  if (source.trim() === '')
    return { ok: false, problems: [`${fileName}: expected a policy; came an empty file`] }
  // Secrets, and addresses that often are: wherever somebody writes them.
  const isSecret = ([part]: readonly PropertyKey[]) => part === 'oncall' || part === 'investigate'
  const checked = checkYaml(source, fileName, policyFile, isSecret)
  return checked.ok ? { ok: true, policy: policyOf(checked.value) } : checked
}

/** Names are filled in behind the host alone: an alert must not decide where a link leads. */
function isLinkPattern(value: string): boolean {
  const filled = value.replaceAll(/\{(?:server|plugin|metric|alert)\}/g, 'x')
  const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(value) ?? []
  return isWeb(filled) && !host.includes('{') && !/[{}]/.test(filled) && value.length <= urlCharsMax
}
