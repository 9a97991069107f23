/** The answers about charts: what a picture shows, and which ones there are to choose from. */
import type { KnownBlock } from '@slack/types'
import { numberOf } from '../../../domain/alert/episode.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { commandOf } from '../../../domain/request/queries.ts'
import { printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { actionsBlock, button, context, section } from '../text/message-parts.ts'
import { code, name } from '../text/phrases.ts'

type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>

/** A block takes 25 buttons. */
const metricsShown = 20
const labelCharsMax = 60
const valueCharsMax = 2_000

export function renderChart({ server, metric, alertId, drawing }: AnswerOf<'chart'>): KnownBlock[] {
  const of = alertId === null ? '' : ` · #${name(numberOf(alertId))}`
  const title = section(`📈 *${name(metric)} on ${name(server)}*${of}`)
  if (drawing !== null) return [title]
  const next =
    alertId === null
      ? 'A longer time may show some: `/mon help chart` has examples.'
      : 'The link on the card shows what the monitoring has.'
  return [title, context(`No data in that time. ${next}`)]
}

/** A button draws the chart; what has none can be typed. */
export function renderMetrics({ server, ms, fitting, metrics }: AnswerOf<'metrics'>): KnownBlock[] {
  const buttons = metrics.slice(0, metricsShown).flatMap((metric, at) => {
    const value = commandOf({ kind: 'chart', server, metric, ms })
    if (value.length > valueCharsMax) return []
    const label = printable(metric, labelCharsMax)
    return [button({ actionId: `${actions.ask}:chart${at}`, label, value, says: `${label} on ${server}` })]
  })
  const rest = metrics.length - buttons.length
  const notes = [
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...(fitting === null
      ? ['known from its alerts and the triggers; any other can be typed: `/mon help chart`']
      : []),
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
