/** Renders the answers to queries, each as a message that one person sees, within Slack's limits. */
import type { KnownBlock } from '@slack/types'
import { commands, commandsAbout, type KnownCommand, usageOf } from '../../../domain/command/commands.ts'
import type { Answer, Drawing, TextFile } from '../../../domain/request/answer.ts'
import { escapedWithin, printable } from '../../mrkdwn.ts'
import {
  actionsBlock,
  askButton,
  context,
  type Rendered,
  section,
  spokenText,
} from '../text/message-parts.ts'
import { code, idWords, name } from '../text/phrases.ts'
import { renderAlerts, renderAudit, renderMutes, renderRoles, renderTriggers } from './lists.ts'
import { renderOnCall } from './on-call.ts'
import { renderFileAnswer, renderHandoff, renderReport, renderStatus } from './overviews.ts'

const altLengthMax = 1_000

export function renderAnswer(answer: Answer): Rendered {
  const blocks = blocksOf(answer.kind, answer)
  const alt = drawingOf(answer)?.alt
  // The picture's numbers are in the text too, for people who cannot see it.
  const shown = alt === undefined ? [] : [section(escapedWithin(alt, altLengthMax))]
  return { text: spokenText([...blocks, ...shown]), blocks }
}

/** The file that belongs to an answer: in a direct message to the person, because only a message of their own can hold it. */
export function fileOf(answer: Answer): TextFile | null {
  return answer.kind === 'file' ? answer.file : null
}

/** The picture that belongs to an answer: an image block below the others, once it is uploaded. */
export function drawingOf(answer: Answer): Drawing | null {
  return answer.kind === 'report' || answer.kind === 'chart' ? answer.drawing : null
}

type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>

/** What an answer shows, and what could not be done if there is none: after "Could not". */
type AnswerWords<Kind extends Answer['kind']> = {
  readonly attempt: string
  readonly blocks: (answer: AnswerOf<Kind>) => KnownBlock[]
}

export const answerWords: { readonly [Kind in Answer['kind']]: AnswerWords<Kind> } = {
  help: { attempt: 'show the help', blocks: ({ topic }) => renderHelp(topic) },
  status: { attempt: 'read the status', blocks: ({ status }) => renderStatus(status) },
  oncall: { attempt: 'read who is on call', blocks: ({ health }) => renderOnCall(health) },
  alerts: { attempt: 'list the alerts', blocks: renderAlerts },
  mutes: { attempt: 'list the mutes', blocks: renderMutes },
  roles: { attempt: 'read the roles', blocks: renderRoles },
  triggers: { attempt: 'read the triggers', blocks: renderTriggers },
  handoff: { attempt: 'gather the handoff', blocks: ({ handoff }) => renderHandoff(handoff) },
  report: { attempt: 'make the report', blocks: renderReport },
  audit: { attempt: 'read the audit', blocks: renderAudit },
  file: { attempt: 'make the file', blocks: renderFileAnswer },
  chart: { attempt: 'draw the chart', blocks: renderChart },
  metrics: { attempt: 'list the metrics', blocks: renderMetrics },
}

function blocksOf<Kind extends Answer['kind']>(kind: Kind, answer: AnswerOf<Kind>): KnownBlock[] {
  return answerWords[kind].blocks(answer)
}

const groups = [
  ['act', 'Act on alerts'],
  ['ask', 'Ask'],
  ['rare', 'The account, and rare commands'],
] as const satisfies readonly (readonly [KnownCommand['group'], string])[]

function renderHelp(topic: string | null): KnownBlock[] {
  const about = topic === null ? [] : commandsAbout(topic)
  return about.length === 0 ? overview() : about.map(explained)
}

function overview(): KnownBlock[] {
  return [
    ...groups.map(([group, title]) => {
      const lines = commands
        .filter((command) => command.group === group)
        .map(({ name, summary }) => `${typed(`/mon ${name}`)} ${summary}`)
      return section([`*${title}*`, ...lines].join('\n'))
    }),
    context(
      'Durations: `90s`, `30m`, `1h30m`, `2d`; or a time: `until 15:00`. Most of this is on the cards too. `/mon help mute` shows examples.',
    ),
  ]
}

function explained(command: KnownCommand): KnownBlock {
  const lines = [
    `*${typed(usageOf(command))}*`,
    `${command.summary}.`,
    'Examples:',
    ...command.examples.map((example) => `• ${typed(`/mon ${example}`)}`),
    ...(command.guard === null ? [] : ["Permissions are set in monbot's policy file."]),
  ]
  return section(lines.join('\n'))
}

/** Escapes our own texts but keeps their `*`, so that copied commands work. */
function typed(text: string): string {
  return `\`${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``
}

/** A block takes 25 buttons. */
const metricsShown = 20
const labelCharsMax = 60

function renderChart({ server, metric, alertId, drawing }: AnswerOf<'chart'>): KnownBlock[] {
  const of = alertId === null ? '' : ` · ${idWords(alertId)}`
  const title = section(`📈 *${name(metric)} on ${name(server)}*${of}`)
  if (drawing !== null) return [title]
  const next =
    alertId === null
      ? 'A longer time may show some: `/mon help chart` has examples.'
      : 'The link on the card shows what the monitoring has.'
  return [title, context(`No data in that time. ${next}`)]
}

/** The metrics that fit, with buttons that draw their charts; a metric without a button can be typed. */
function renderMetrics({ server, ms, fitting, metrics }: AnswerOf<'metrics'>): KnownBlock[] {
  const buttons = metrics.slice(0, metricsShown).flatMap((metric, at) => {
    const label = printable(metric, labelCharsMax)
    return askButton(
      { kind: 'chart', server, metric, ms },
      { id: `chart${at}`, label, says: `${label} on ${server}` },
    )
  })
  const rest = metrics.length - buttons.length
  const notes = [
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...(fitting === null ? ['Others: type their name (`/mon help chart`)'] : []),
  ]
  return [
    section(titleOf(server, fitting, metrics.length)),
    ...(buttons.length === 0 ? [] : [actionsBlock(buttons)]),
    ...(notes.length === 0 ? [] : [context(notes.join(' · '))]),
  ]
}

function titleOf(server: string, fitting: string | null, count: number): string {
  if (fitting !== null) return `📈 ${code(fitting)} may be several metrics of *${name(server)}*. Choose one:`
  return count === 0 ? `📈 *No metrics of ${name(server)} are known*` : `📈 *Metrics of ${name(server)}*`
}
