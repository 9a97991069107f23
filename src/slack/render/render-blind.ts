/** The API could not be read: since when, why and what to do; afterwards one line with what was found. */
import type { Found } from '../../domain/blind.ts'
import type { CardView } from '../../domain/card.ts'
import { formatDuration } from '../../domain/duration.ts'
import { keyRefusedWords } from '../../domain/failure.ts'
import { escapedWithin } from '../mrkdwn.ts'
import { context, type Rendered, section, textOf } from './message-parts.ts'
import { inBlocks, inText, sentence, type When } from './phrases.ts'

const whyLengthMax = 600

export function renderBlind({ blind, found }: Extract<CardView, { kind: 'blind' }>): Rendered {
  const { sinceMs, untilMs, why, times } = blind
  if (untilMs !== null) {
    const line = (when: When) => {
      const how = times > 1 ? `, ${times} times` : ''
      const span = `from ${when(sinceMs)} to ${when(untilMs)} (${formatDuration(untilMs - sinceMs)}${how})`
      return [`⚪ Could not read alerts ${span}.`, ...(found === null ? [] : [foundWords(found)])].join(' ')
    }
    return { text: textOf([line(inText)], ''), blocks: [section(line(inBlocks))] }
  }
  const head = (when: When) =>
    `⚫ *Blind since ${when(sinceMs)}: no alerts can be read* — ${escapedWithin(why, whyLengthMax)}`
  const next = [
    'What is open may have changed, and new alerts are not seen.',
    why.includes(keyRefusedWords)
      ? 'Check `MONITOR_API_KEY`, and start monbot anew with the right one.'
      : 'monbot keeps trying by itself.',
    ...(times > 1 ? [`It began ${times} times.`] : []),
  ].join(' ')
  return {
    text: textOf([sentence(head(inText)), next], ' '),
    blocks: [section(head(inBlocks)), context(next)],
  }
}

/** `Found since: 3 opened, 2 of them still open; 5 closed.` */
function foundWords({ opened, stillOpen, closed }: Found): string {
  if (opened === 0 && closed === 0) return 'Nothing new was found.'
  const open =
    stillOpen === 0
      ? ', none of them still open'
      : stillOpen === opened
        ? `, ${opened === 1 ? 'still' : 'all still'} open`
        : `, ${stillOpen} of them still open`
  const parts = [
    ...(opened === 0 ? [] : [`${opened} opened${open}`]),
    ...(closed === 0 ? [] : [`${closed} closed`]),
  ]
  return `Found since: ${parts.join('; ')}.`
}
