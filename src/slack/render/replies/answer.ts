/** What only asked, answered: every answer as a message that one person sees, within Slack's limits. */

import type { KnownBlock } from '@slack/types'
import { numberOf } from '../../../domain/alert/episode.ts'
import type { Answer, Drawing } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { spokenText } from '../text/fitted-lines.ts'
import { context, type Rendered, section } from '../text/message-parts.ts'
import { name } from '../text/phrases.ts'
import { renderHelp } from './help.ts'
import { renderAlerts, renderAudit, renderMutes, renderRoles, renderTriggers } from './lists.ts'
import { renderHandoff, renderReport, renderStatus } from './overviews.ts'

const altLengthMax = 1_000

export function renderAnswer(answer: Answer): Rendered {
  const blocks = blocksOf(answer)
  const alt = drawingOf(answer)?.alt
  // A picture says nothing to who cannot see it, so its numbers stand in the text.
  const shown = alt === undefined ? [] : [section(escapedWithin(alt, altLengthMax))]
  return { text: spokenText([...blocks, ...shown]), blocks }
}

/** The picture that belongs to an answer: an image block below the others, once it is uploaded. */
export function drawingOf(answer: Answer): Drawing | null {
  return answer.kind === 'report' || answer.kind === 'chart' ? answer.drawing : null
}

function blocksOf(answer: Answer): KnownBlock[] {
  switch (answer.kind) {
    case 'help':
      return renderHelp(answer.topic)
    case 'status':
      return renderStatus(answer.status)
    case 'alerts':
      return renderAlerts(answer)
    case 'mutes':
      return renderMutes(answer)
    case 'roles':
      return renderRoles(answer)
    case 'triggers':
      return renderTriggers(answer)
    case 'handoff':
      return renderHandoff(answer.handoff)
    case 'report':
      return renderReport(answer)
    case 'audit':
      return renderAudit(answer)
    case 'chart':
      return renderChart(answer)
  }
}

function renderChart(answer: Extract<Answer, { kind: 'chart' }>): KnownBlock[] {
  const { server, metric, alertId, drawing } = answer
  const of = alertId === null ? '' : ` · #${name(numberOf(alertId))}`
  const title = section(`📈 *${name(metric)} on ${name(server)}*${of}`)
  if (drawing !== null) return [title]
  const next =
    alertId === null
      ? 'A longer time may show some: `/mon help chart` has examples.'
      : 'The link on the card shows what the monitoring has.'
  return [title, context(`The monitoring has no numbers of it in that time. ${next}`)]
}
