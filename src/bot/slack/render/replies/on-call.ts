/** Renders the answer to `/mon oncall`: who is on call, who comes next, from where that is known, and what is doubtful. */
import type { KnownBlock } from '@slack/types'
import type { Duty, OnCall } from '../../../domain/oncall/shift.ts'
import type { Health } from '../../../domain/request/answer.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { context, section } from '../text/message-parts.ts'
import { mentioned, nowWords, skippedWords } from '../text/on-call-words.ts'
import { inBlocks, listed, name, sentence } from '../text/phrases.ts'

const nextShown = 5
const namesShown = 5
const whyCharsMax = 300

export function renderOnCall({ onCall, nowMs }: Health): KnownBlock[] {
  if (onCall == null) return [section('No on-call calendar is set: `oncall` in the policy file names one.')]
  const next = onCall.duties.filter(({ startMs }) => startMs > nowMs)
  const lines = [
    `📟 ${nowWords(onCall, nowMs, mentioned, inBlocks)}`,
    ...doubts(onCall, nowMs).map((doubt) => `⚠️ ${doubt}`),
  ]
  const ahead = next.slice(0, nextShown).map(dutyLine)
  const read = onCall.readMs === null ? 'never read' : `read ${inBlocks(onCall.readMs)}`
  return [
    section(lines.join('\n')),
    ...(ahead.length === 0 ? [] : [section(['*Next*', ...ahead].join('\n'))]),
    context(`From ${name(onCall.from)}, ${read}`),
  ]
}

function doubts(onCall: OnCall, nowMs: number): string[] {
  const { failing, readMs, lookUpFailed, duties } = onCall
  const lost = notFoundIn(duties.filter(({ endMs }) => endMs > nowMs))
  const last = readMs === null ? 'Not' : 'Last known: not'
  return [
    ...(failing === null
      ? []
      : [`${last} readable since ${inBlocks(failing.sinceMs)}: ${escapedWithin(failing.why, whyCharsMax)}.`]),
    ...skippedWords(onCall).map(sentence),
    ...(lost.length === 0
      ? []
      : [
          `Not found in Slack: ${listed(lost.map(name), namesShown)}. \`people\` in the policy may name them.`,
        ]),
    ...(lookUpFailed === null ? [] : [`${escapedWithin(lookUpFailed, whyCharsMax)}.`]),
  ]
}

function notFoundIn(duties: readonly Duty[]): readonly string[] {
  return [...new Set(duties.flatMap(({ person }) => (person.userId === null ? [person.name] : [])))]
}

function dutyLine({ startMs, endMs, person }: Duty): string {
  return `• ${inBlocks(startMs)} to ${inBlocks(endMs)} ${mentioned(person)}`
}
