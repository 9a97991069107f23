/** The monitoring API failed: what did not happen, or what is not known, and what to do next. */

import type { ChangeKind } from '../../../domain/request/actions.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import type { Reply } from '../../../domain/request/reply.ts'
import { escaped } from '../../mrkdwn.ts'
import { actions, command } from '../../vocabulary.ts'
import { actionWords } from '../actions/words.ts'
import { actionsBlock, button, type Rendered, said } from '../text/message-parts.ts'
import { sentence } from '../text/phrases.ts'
import { answerWords } from './answer.ts'

const wordsCharsMax = 300

type Failed = Extract<Reply, { kind: 'failed' }>

/** Offers a retry for what was certainly not done, or does no harm if done twice. */
export function renderFailed(reply: Failed): Rendered {
  const { pendingId } = reply
  if (pendingId === undefined) return said(() => failedLines(reply))
  const says = 'Try again: what you asked for'
  const again = button({ actionId: actions.confirm, label: 'Try again', value: pendingId, says })
  return said(() => failedLines(reply), [actionsBlock([again])])
}

function failedLines({ doing, words, isUnknown }: Failed): string[] {
  const why = sentence(escaped(words, wordsCharsMax))
  if (!isChange(doing)) return [`⚠️ Could not ${answerWords[doing].attempt}. ${why}`, 'Try again in a minute.']
  const { attempt, doubt } = actionWords[doing]
  if (isUnknown) return [`⚠️ Tried to ${attempt}; whether that worked is not known.`, why, doubt]
  const next = `try again in a minute. \`${command} status\` shows what is wrong.`
  return [`⚠️ Could not ${attempt}. ${why}`, `Nothing changed: ${next}`]
}

function isChange(doing: ChangeKind | Answer['kind']): doing is ChangeKind {
  return Object.hasOwn(actionWords, doing)
}
