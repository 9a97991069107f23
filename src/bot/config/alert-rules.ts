/** Parses the rules of the policy file that match alerts: where they go, how bad they are, and what their cards link to. */
import { z } from 'zod'
import { severities } from '../domain/alert/severity.ts'
import { linkProblem } from '../domain/card/links.ts'
import { channelId, mapping, mention, oneOf, text } from './shapes.ts'

const rulesMax = 200
const linksMax = 20
const patternCharsMax = 200
const labelsMax = 40
/** Slack's limits on a button: on its label, and on its address less what names of alerts may add. */
const labelCharsMax = 75
const urlCharsMax = 1_000

const glob = text(`text of 1 to ${patternCharsMax} characters`, (value) => {
  return value.length > 0 && value.length <= patternCharsMax
})
const pattern = glob.exactOptional()
const labelsExpected = `1 to ${labelsMax} labels with what their values match, such as { namespace: "pay-*" }`
const labels = z.record(z.string(), glob, { error: labelsExpected }).refine(
  (given) => {
    const count = Object.keys(given).length
    return count > 0 && count <= labelsMax
  },
  { error: labelsExpected },
)

const matched = {
  role: pattern,
  server: pattern,
  plugin: pattern,
  metric: pattern,
  title: pattern,
  lifecycle: oneOf(['start', 'oneoff']).exactOptional(),
  labels: labels.exactOptional(),
}
const matchesAll = ' ({} matches everything)'
const match = mapping(matched, matchesAll)
/** What routes, links and reminders match. */
export const matchOfSeverity = mapping(
  { ...matched, severity: oneOf(severities).exactOptional() },
  matchesAll,
)

/** A list of rules of which the first that matches wins. */
function firstMatchWins<Rule extends { readonly match: object }>(
  rule: z.ZodType<Rule>,
  { one, many }: { readonly one: string; readonly many: string },
) {
  return z
    .array(rule, { error: `a list of ${many}` })
    .max(rulesMax, { error: `at most ${rulesMax} ${many}` })
    .superRefine((list, context) => {
      const first = list.findIndex(({ match }) => Object.keys(match).length === 0)
      if (first === -1 || first === list.length - 1) return
      const message = `to be the last ${one}, because it matches everything and no later one is ever reached`
      context.addIssue({ code: 'custom', path: [first], message })
    })
}

export const routes = firstMatchWins(
  mapping({
    match: matchOfSeverity,
    channel: text(channelId.expected, (value) => channelId.shape.test(value)),
    mention,
  }),
  { one: 'route', many: 'routes' },
)

export const severity = firstMatchWins(mapping({ match, is: oneOf(severities) }), {
  one: 'rule',
  many: 'rules of severity',
})

const matchOfIgnored = mapping({
  ...matched,
  severity: oneOf([...severities, 'none']).exactOptional(),
}).refine((given) => Object.keys(given).length > 0, {
  error: 'a match that names something: {} would leave out every alert',
})

export const ignore = z
  .array(mapping({ match: matchOfIgnored }), {
    error: 'a list of rules such as { match: { plugin: Watchdog } }',
  })
  .max(rulesMax, { error: `at most ${rulesMax} rules` })

const link = mapping({
  match: matchOfSeverity,
  text: text(`text of 1 to ${labelCharsMax} characters`, (value) => {
    return value.trim() !== '' && value.length <= labelCharsMax
  }),
  url: z.string({ error: 'an address' }).superRefine((value, context) => {
    const tooLong = value.length > urlCharsMax ? `an address of at most ${urlCharsMax} characters` : null
    const message = tooLong ?? linkProblem(value)
    if (message !== null) context.addIssue({ code: 'custom', message })
  }),
})

export const links = z
  .array(link, { error: 'a list of links' })
  .max(linksMax, { error: `at most ${linksMax} links` })

const labelsShownMax = 10

export const showLabels = z
  .array(glob, { error: `a list of at most ${labelsShownMax} names of labels` })
  .max(labelsShownMax, { error: `at most ${labelsShownMax} names of labels` })
