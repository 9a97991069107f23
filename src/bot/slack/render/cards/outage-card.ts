/** Renders the card about outages of the API: since when, why and what to do; afterwards each outage, with what was found. */

import { unusableWords } from '../../../domain/alert/unreadable.ts'
import { formatRoughly } from '../../../domain/base/duration.ts'
import { keyRefusedWords } from '../../../domain/base/failure.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { Found, ToldOutage } from '../../../domain/outage/outage.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { context, type Rendered, said, section, textOf } from '../text/message-parts.ts'
import { counted, fromTo, inBlocks, inText, sentence, type When } from '../text/phrases.ts'

const whyLengthMax = 600
/** An unstable API may have dozens of outages an hour: only the latest are listed one by one. */
const outagesShown = 8

export function renderOutage({ outages }: CardView<'outage'>): Rendered {
  const last = outages.at(-1)
  if (last === undefined) throw new Error('a card of no outage')
  if (last.outage.untilMs === null) return renderLasting(last, outages.slice(0, -1))
  if (outages.length > 1)
    return said((when) => [
      `⚪ Monitoring back · ${counted(outages.length, 'outage')}:`,
      ...outageLines(outages, when),
    ])
  return said((when) => [`⚪ Monitoring back after ${spanWords(last, when)} · ${foundWords(last)}`])
}

function renderLasting({ outage: { sinceMs, why } }: ToldOutage, earlier: readonly ToldOutage[]): Rendered {
  const [how, what] = why.includes(unusableWords)
    ? ['unreadable', 'new alerts may not appear']
    : ['down', "new alerts won't appear"]
  const recent = (when: When) =>
    `⚫ *Monitoring ${how} since ${when(sinceMs)}: ${what}* — ${escapedWithin(why, whyLengthMax)}`
  const next = [
    'What is open may have changed.',
    why.includes(keyRefusedWords)
      ? 'Check `MONITOR_API_KEY`, and restart monbot with the right one.'
      : 'Retrying.',
  ].join(' ')
  const before = (when: When) =>
    earlier.length === 0
      ? []
      : [[`Before that, ${counted(earlier.length, 'outage')}:`, ...outageLines(earlier, when)].join('\n')]
  return {
    text: textOf([sentence(recent(inText)), next, ...before(inText)], ' '),
    blocks: [section(recent(inBlocks)), context(next), ...before(inBlocks).map(section)],
  }
}

/** A line for each outage, the latest last; beyond `outagesShown` the earlier ones share one line. */
function outageLines(outages: readonly ToldOutage[], when: When): string[] {
  const shown = outages.slice(-outagesShown)
  const rest = outages.slice(0, -outagesShown)
  return [
    ...(rest.length === 0 ? [] : [`• ${counted(rest.length, 'earlier one')}, ${sumWords(rest)}`]),
    ...shown.map((outage) => `• ${spanWords(outage, when)} · ${foundWords(outage)}`),
  ]
}

/** How long an outage was: `44 s (02:48 – 02:49)`. */
function spanWords({ outage: { sinceMs, untilMs } }: ToldOutage, when: When): string {
  const endMs = untilMs ?? sinceMs
  return `${formatRoughly(endMs - sinceMs)} (${fromTo(sinceMs, endMs, when)})`
}

function sumWords(outages: readonly ToldOutage[]): string {
  const lengthMs = outages.reduce(
    (sum, { outage }) => sum + (outage.untilMs ?? outage.sinceMs) - outage.sinceMs,
    0,
  )
  const total = (field: keyof Found) => outages.reduce((sum, { found }) => sum + (found?.[field] ?? 0), 0)
  const found = { opened: total('opened'), stillOpen: total('stillOpen'), closed: total('closed') }
  const isSure = outages.every(({ outage }) => outage.sureMs !== null)
  return `${formatRoughly(lengthMs)} in all · ${newsWords(found, isSure)}`
}

function foundWords({ outage, found }: ToldOutage): string {
  return newsWords(found ?? { opened: 0, stillOpen: 0, closed: 0 }, outage.sureMs !== null)
}

/**
 * What was found afterwards: `caught up: 3 opened, 2 still open; 5 closed`. "Nothing missed" is said only once that is certain.
 */
function newsWords({ opened, stillOpen, closed }: Found, isSure: boolean): string {
  const open =
    stillOpen === 0
      ? ', none still open'
      : stillOpen === opened
        ? `, ${opened === 1 ? 'still' : 'all still'} open`
        : `, ${stillOpen} still open`
  const parts = [
    ...(opened === 0 ? [] : [`${opened} opened${open}`]),
    ...(closed === 0 ? [] : [`${closed} closed`]),
  ]
  if (parts.length === 0) return isSure ? 'caught up, nothing missed' : 'still catching up'
  return isSure ? `caught up: ${parts.join('; ')}` : `${parts.join('; ')} so far`
}
