/**
 * The policy file: what it may say, what holds where it says nothing, and what is wrong with it, by file, line and column. Every part
 * has a default; unknown keys are refused.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { minute } from '../clock.ts'
import { momentOf } from '../zone.ts'
import { duration, durationExpected, reportTimes, wallTime, window, zone } from './policy-times.ts'
import type { Policy } from './policy-types.ts'
import { calendarAddress, channelId, mapping, oneOf, read, shown, text } from './shapes.ts'
import { checkYaml } from './yaml-file.ts'

export type PolicyReading =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

const fileCharsMax = 256_000
const rulesMax = 200
const linksMax = 20
const labelsMax = 40
const membersMax = 100
const peopleMax = 500
const stepsMax = 10
const shownMax = 10
/** Slack's limits on a button: on its label, and on its address less what names of alerts may add. */
const labelCharsMax = 75
const urlCharsMax = 1000

const glob = text('text of 1 to 200 characters', (value) => value.length > 0 && value.length <= 200)
/** One, or a list of which one must match. */
const some = <T extends z.ZodType<string>>(one: T, expected: string) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1).max(membersMax)], { error: expected })
const globs = some(glob, 'text of 1 to 200 characters, or a list of such').exactOptional()
const severities = ['critical', 'warning', 'info'] as const
const severityWords = oneOf([...severities, 'none'])
const labelsExpected = `1 to ${labelsMax} labels with what their values match, such as { namespace: "pay-*" }`

const match = mapping(
  {
    role: globs,
    server: globs,
    plugin: globs,
    metric: globs,
    title: globs,
    severity: some(severityWords, `one of ${severities.join(', ')}, none, or a list of such`).exactOptional(),
    lifecycle: oneOf(['start', 'oneoff']).exactOptional(),
    labels: z
      .record(z.string(), some(glob, 'text, or a list of texts'), { error: labelsExpected })
      .refine((given) => Object.keys(given).length > 0 && Object.keys(given).length <= labelsMax, {
        error: labelsExpected,
      })
      .exactOptional(),
  },
  ' ({} matches everything)',
)

const ignored = match.refine((given) => Object.keys(given).length > 0, {
  error: 'a match that names something: {} would leave out every alert',
})

/** Rules of which the first that matches wins: one that matches everything must be the last. */
function firstWins<Rule extends { readonly match: object }>(rule: z.ZodType<Rule>, name: string) {
  return z
    .array(rule, { error: `a list of ${name}` })
    .max(rulesMax, { error: `at most ${rulesMax} ${name}` })
    .superRefine((list, context) => {
      const first = list.findIndex((one) => Object.keys(one.match).length === 0)
      if (first === -1 || first === list.length - 1) return
      const message = 'to be the last, because it matches everything and no later one is ever reached'
      context.addIssue({ code: 'custom', path: [first], message })
    })
    .default([])
}

const called = '(?:oncall|<(?:!subteam\\^S[A-Z0-9]{1,20}|@[UW][A-Z0-9]{1,20}|!here|!channel|!everyone)>)'
const mentionShape = new RegExp(`^${called}(?: ${called}){0,9}$`)
const mention = text(
  'a mention in Slack notation, such as <!subteam^S123>, <@U123> or <!here>, or oncall',
  (value) => mentionShape.test(value),
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
const trueOrFalse = z.boolean({ error: 'true or false' }).default(false)

const allowedExpected = 'everyone, nobody, or a list of user (U…) and user group (S…) ids'
const member = text(allowedExpected, (value) => /^[USW][A-Z0-9]{1,20}$/.test(value))
const allowed = z.union(
  [z.enum(['everyone', 'nobody']), z.array(member).min(1, allowedExpected).max(membersMax, allowedExpected)],
  { error: allowedExpected },
)

const link = mapping({
  match,
  text: text(`text of 1 to ${labelCharsMax} characters`, (value) => {
    return value.trim() !== '' && value.length <= labelCharsMax
  }),
  url: text(
    'an http:// or https:// address without user name; {server}, {plugin}, {metric} and {alert} may stand behind its host',
    isLinkPattern,
  ),
})

const atOnce = z.union([z.literal(0), z.string().regex(/^0\s*[a-z]*$/i)]).transform(() => 0)
const step = mapping({
  after: z.union([atOnce, duration], { error: `${durationExpected}, or 0 beside page: true` }),
  match: match.nullable().default(null),
  mention,
  channel: text('a channel id such as C0123456789, or a user id such as U0123456789', (value) =>
    /^[CGUW][A-Z0-9]{1,20}$/.test(value),
  )
    .nullable()
    .default(null),
  page: trueOrFalse,
}).refine(({ after, page }) => after > 0 || page, {
  error: 'a longer time, or page: true beside it: the card itself tells people at once',
  path: ['after'],
})
const stepsExpected = `never, or a list of at most ${stepsMax} such as [{ after: 15m }, { after: 1h, channel: C0LEADS, page: true }]`
const reminders = z.preprocess(
  (value) => (value === 'never' ? [] : value),
  z
    .array(step, { error: stepsExpected })
    .max(stepsMax, { error: stepsExpected })
    .superRefine((steps, context) => {
      const at = steps.findIndex(({ after }, n) => n > 0 && after <= (steps[n - 1]?.after ?? 0))
      if (at === -1) return
      const message = 'a longer time than that of the reminder before it'
      context.addIssue({ code: 'custom', path: [at, 'after'], message })
    }),
)

const onCall = mapping({
  ical: calendarAddress.nullable().default(null),
  pagerduty: text('the id of a PagerDuty schedule, such as PABC123', (value) =>
    /^[A-Z0-9]{5,20}$/.test(value),
  )
    .nullable()
    .default(null),
  people: z
    .record(z.string().min(1).max(200), member, { error: 'a mapping of e-mails or names to user ids (U…)' })
    .refine((given) => Object.keys(given).length <= peopleMax, { error: `at most ${peopleMax} people` })
    .default({}),
  handoff: trueOrFalse,
}).refine(({ ical, pagerduty }) => ical === null || pagerduty === null, {
  error: 'one of ical and pagerduty',
  path: ['pagerduty'],
})

const namesExpected = `servers and patterns with commas between them (at most ${membersMax}), or account`
const names = read(namesExpected, (value) => {
  const found = value.split(',').map((name) => name.trim())
  const isGood = found.length <= membersMax && found.every((name) => name !== '' && name.length <= 253)
  return isGood ? found : null
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
  reason: z.string({ error: 'text' }).max(300, { error: 'at most 300 characters' }).default(''),
})
  .refine(({ every, from }) => (every === null) !== (from === null), {
    error: 'either every, or from with for',
  })
  .refine(({ from, for: length }) => (from === null) === (length === null), {
    error: 'a duration beside from, and none beside every',
    path: ['for'],
  })

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
/** Those that tell on Kubernetes which of several it is, the widest first. */
const usualLabels = [
  ...['namespace', 'deployment', 'statefulset', 'daemonset', 'job_name', 'persistentvolumeclaim'],
  ...['pod', 'container', 'node', 'mountpoint', 'device'],
]
const labelName = text('the name of a label', (value) => /^[\w.\-/]{1,100}$/.test(value))
const lifecycleExpected = 'flip, or pair where a second record tells the end'

const policyShape = mapping({
  routes: firstWins(mapping({ match, channel: channelId, mention }), 'routes'),
  severity: firstWins(mapping({ match, is: oneOf(severities) }), 'rules'),
  ignore: z
    .array(mapping({ match: ignored }), { error: 'a list of rules such as { match: { severity: none } }' })
    .max(rulesMax, { error: `at most ${rulesMax} rules` })
    .prefault([{ match: { severity: 'none' } }]),
  links: z
    .array(link, { error: 'a list of links' })
    .max(linksMax, { error: `at most ${linksMax} links` })
    .default([]),
  show_labels: z
    .array(labelName, { error: 'a list of names of labels' })
    .max(shownMax, { error: `at most ${shownMax} labels` })
    .default(usualLabels),
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
  board: onOrOff('on').prefault('on'),
  report: mapping({ at: reportTimes, channel: channelId }).nullable().default(null),
  lifecycle: z.enum(['flip', 'pair'], { error: lifecycleExpected }).default('flip'),
  images: onOrOff('auto').prefault('auto'),
  timezone: zone.default('UTC'),
  maintenance: z
    .array(maintenance, { error: 'a list such as [{ mute: "web-*", every: "tue 02:00-04:00" }]' })
    .max(rulesMax, { error: `at most ${rulesMax} windows` })
    .default([]),
}).superRefine(({ maintenance: entries, limits }, context) => {
  const at = entries.findIndex((one) => (one.every?.lengthMs ?? one.for ?? 0) > limits.mute_max)
  if (at === -1) return
  const message = 'a window that is not longer than mute_max'
  context.addIssue({ code: 'custom', path: ['maintenance', at], message })
})

/** What holds where there is no file, or where it says nothing. */
export function defaultPolicy(): Policy {
  return policyOf(policyShape.parse({}))
}

/** `fileName` stands in the problems: `policy.yml:3:5 routes[0].channel: expected …; came …`. */
export function readPolicy(source: string, fileName: string): PolicyReading {
  if (source.length > fileCharsMax)
    return {
      ok: false,
      problems: [`${fileName}: expected at most ${fileCharsMax} characters; came ${source.length}`],
    }
  // 70 modules, which a bot without a policy file does without.
  const yaml = createRequire(import.meta.url)('yaml') as Parameters<typeof checkYaml>[0]
  const checked = checkYaml(
    yaml,
    { source, file: fileName },
    () => policyShape,
    // The address of a calendar is a secret, wherever somebody writes it.
    (value, place) =>
      place[0] === 'oncall' && typeof value === 'string'
        ? `a value of ${value.length} characters`
        : shown(value, []),
  )
  if (checked.value !== null) return { ok: true, policy: policyOf(checked.value), warnings: [] }
  const problems = checked.problems.map(
    ({ at, expected, came }) => `${at}: expected ${expected}; came ${came}`,
  )
  return { ok: false, problems }
}

/** For editors: the schema of `yaml-language-server` in the first line of a file. */
export function policySchema(): object {
  const schema = z.toJSONSchema(policyShape, { io: 'input', unrepresentable: 'any' })
  const { reminders: steps } = schema.properties ?? {}
  // The word is replaced before the list is checked, which a schema cannot say.
  if (schema.properties && typeof steps === 'object')
    schema.properties.reminders = { anyOf: [{ const: 'never' }, steps] }
  return { title: 'The policy of monbot', ...schema }
}

function policyOf(given: z.output<typeof policyShape>): Policy {
  const { permissions, limits, oncall, timezone } = given
  return {
    routes: given.routes,
    severity: given.severity,
    ignore: given.ignore.map((one) => one.match),
    links: given.links,
    showLabels: given.show_labels,
    permissions: { ...permissions, mute_account: permissions.mute_account ?? 'everyone' },
    isAccountMuteUnset: permissions.mute_account === null,
    limits: {
      muteDefaultMs: limits.mute_default,
      muteMaxMs: limits.mute_max,
      accountMuteMaxMs: limits.account_mute_max,
    },
    reminders: given.reminders.map(({ after, ...one }) => ({ afterMs: after, ...one })),
    flapSettleMs: given.flap_settle,
    forgottenAfterMs: given.forgotten_after,
    onCall: oncall,
    board: given.board,
    report: given.report === null ? null : { ...given.report.at, channel: given.report.channel },
    lifecycle: given.lifecycle,
    images: given.images,
    timezone,
    maintenance: given.maintenance.map((entry) => entryOf(entry, timezone)),
  }
}

function entryOf(entry: z.output<typeof maintenance>, timezone: string): Policy['maintenance'][number] {
  const own = entry.zone ?? timezone
  const fromMs = entry.from === null ? null : momentOf(entry.from, own)
  // Another reason is the same plan.
  const plan = JSON.stringify([entry.mute, entry.every, fromMs, entry.for, own])
  return {
    id: createHash('sha256').update(plan).digest('base64url').slice(0, 12),
    mute: entry.mute,
    every: entry.every === null ? null : { ...entry.every, zone: own },
    fromMs,
    untilMs: fromMs === null || entry.for === null ? null : fromMs + entry.for,
    reason: entry.reason,
  }
}

/** Names are filled in behind the host alone: an alert must not decide where a link leads. */
function isLinkPattern(value: string): boolean {
  const filled = value.replaceAll(/\{(?:server|plugin|metric|alert)\}/g, 'x')
  const url = URL.parse(filled)
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(value) ?? []
  return isWeb && !host.includes('{') && !/[{}]/.test(filled) && value.length <= urlCharsMax
}
