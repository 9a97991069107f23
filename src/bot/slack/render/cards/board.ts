/** Renders the board: what is open, what is muted and how monbot is doing, in one message per channel. */
import type { KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { hiddenLast, mutedElsewhere } from '../../../domain/mute/hiding.ts'
import { comingFirst } from '../../../domain/mute/planned.ts'
import { elsewhereParts } from '../text/elsewhere-words.ts'
import { isDoubtful, lastKnown, lastPollWords, troublesOf, troubleTitle } from '../text/health-words.ts'
import { alertCharsMin, alertLine, mutedLines } from '../text/list-lines.ts'
import {
  context,
  fitted,
  type Rendered,
  type Room,
  section,
  sectionsOf,
  spokenText,
} from '../text/message-parts.ts'
import { onCallLine } from '../text/on-call-words.ts'
import { counted, inBlocks, mutedParts, sentence } from '../text/phrases.ts'
import { plannedLine } from '../text/planned-lines.ts'

const openRoom: Room = {
  charsMax: 6_000,
  linesMax: 15,
  more: (left) => `and ${left} more: \`/mon alerts\``,
}
const mutesRoom: Room = {
  charsMax: 2_500,
  linesMax: 10,
  more: (left) => `and ${left} more: \`/mon mutes\``,
}

const plannedRoom: Room = {
  charsMax: 1_500,
  linesMax: 3,
  more: (left) => `and ${left} more planned: \`/mon mutes\``,
}

export function renderBoard({
  open,
  lost = [],
  mutes,
  planned = [],
  elsewhere,
  health,
}: CardView<'board'>): Rendered {
  const troubles = troublesOf({ ...health, mutes })
  const outside = mutedElsewhere(open, mutes)
  const alertOf = (alert: Alert) =>
    alertLine(alert, { mutes, charsMax: alertCharsMin, isCompact: true, hasLongId: false })
  const blocks: KnownBlock[] = [
    section(
      [
        glance(
          {
            open: open.length,
            critical: open.filter(({ severity }) => severity === 'critical').length,
            unknown: lost.length,
            muted: [...mutedParts(mutes), ...elsewhereParts(outside)],
            isDoubtful: isDoubtful(health),
            isElsewhere: (elsewhere?.open ?? 0) > 0,
          },
          troubles.length === 0 ? null : troubleTitle({ ...health, mutes }),
        ),
        ...onCallLine(health, true),
        ...troubles.map(sentence),
      ].join('\n'),
    ),
    ...sectionsOf(fitted([...hiddenLast(open), ...lost], alertOf, openRoom)),
    ...sectionsOf(fitted(mutedLines(mutes, outside), (line) => line, mutesRoom)),
    ...sectionsOf(fitted(comingFirst(planned), (coming) => plannedLine(coming, inBlocks), plannedRoom)),
    context([...elsewhereWords(elsewhere), lastPollWords(health)].join(' · ')),
  ]
  return { text: spokenText(blocks), blocks }
}

/** `In other channels: 3 open, 1 muted`; nothing where nothing is. */
function elsewhereWords(
  { open, muted }: NonNullable<CardView<'board'>['elsewhere']> = { open: 0, muted: 0 },
) {
  const parts = [...(open === 0 ? [] : [`${open} open`]), ...(muted === 0 ? [] : [`${muted} muted`])]
  return parts.length === 0 ? [] : [`In other channels: ${parts.join(', ')}`]
}

/** `🔴 *3 open alerts · 1 muted · monitoring OK*`; an empty board says that nothing is open. */
function glance(
  {
    open,
    critical,
    unknown,
    muted,
    isDoubtful: doubtful,
    isElsewhere,
  }: {
    open: number
    critical: number
    unknown: number
    muted: readonly string[]
    isDoubtful: boolean
    isElsewhere: boolean
  },
  trouble: string | null,
): string {
  const mark = trouble !== null ? '⚠️' : critical > 0 ? '🚨' : open > 0 ? '🔴' : unknown > 0 ? '⚪' : '🟢'
  const none = `${unknown > 0 ? '0 open alerts' : 'No open alerts'}${isElsewhere ? ' here' : ''}`
  const parts = [
    `${open === 0 ? none : counted(open, 'open alert')}${doubtful ? lastKnown : ''}`,
    ...(critical === 0 ? [] : [`${critical} critical`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...muted,
    ...(trouble !== null ? [trouble] : open + unknown + muted.length > 0 ? ['monitoring OK'] : []),
  ]
  return `${mark} *${parts.join(' · ')}*`
}
