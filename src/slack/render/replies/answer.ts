/** The answers to read-only queries, each as a message that one person sees, within Slack's limits. */

import type { KnownBlock } from '@slack/types'
import type { Answer, Drawing } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { spokenText } from '../text/fitted-lines.ts'
import { type Rendered, section } from '../text/message-parts.ts'
import { renderChart, renderMetrics } from './charts.ts'
import { renderHelp } from './help.ts'
import { renderAlerts, renderAudit, renderMutes, renderRoles, renderTriggers } from './lists.ts'
import { renderHandoff, renderReport, renderStatus } from './overviews.ts'

const altLengthMax = 1_000

export function renderAnswer(answer: Answer): Rendered {
  const blocks = blocksOf(answer.kind, answer)
  const alt = drawingOf(answer)?.alt
  // Not everybody can see a picture, so its numbers are in the text.
  const shown = alt === undefined ? [] : [section(escapedWithin(alt, altLengthMax))]
  return { text: spokenText([...blocks, ...shown]), blocks }
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
  alerts: { attempt: 'list the alerts', blocks: renderAlerts },
  mutes: { attempt: 'list the mutes', blocks: renderMutes },
  roles: { attempt: 'read the roles', blocks: renderRoles },
  triggers: { attempt: 'read the triggers', blocks: renderTriggers },
  handoff: { attempt: 'gather the handoff', blocks: ({ handoff }) => renderHandoff(handoff) },
  report: { attempt: 'make the report', blocks: renderReport },
  audit: { attempt: 'read the audit', blocks: renderAudit },
  chart: { attempt: 'draw the chart', blocks: renderChart },
  metrics: { attempt: 'list the metrics', blocks: renderMetrics },
}

function blocksOf<Kind extends Answer['kind']>(kind: Kind, answer: AnswerOf<Kind>): KnownBlock[] {
  return answerWords[kind].blocks(answer)
}
