/** The monitoring API failed: what did not happen, or what is not known, and what to do next. */

import type { ChangeKind } from '../../../domain/request/actions.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import type { Reply } from '../../../domain/request/reply.ts'
import { escaped } from '../../mrkdwn.ts'
import { actions, command } from '../../vocabulary.ts'
import { actionsBlock, button, type Rendered, said } from '../text/message-parts.ts'
import { sentence } from '../text/phrases.ts'

const wordsCharsMax = 300

type Failed = Extract<Reply, { kind: 'failed' }>

/** What was surely not done, or does no harm when it is done twice, is offered once more. */
export function renderFailed(reply: Failed): Rendered {
  const { pendingId } = reply
  if (pendingId === undefined) return said(() => failedLines(reply))
  const says = 'Try again what you asked for'
  const again = button({ actionId: actions.confirm, label: 'Try again', value: pendingId, says })
  return said(() => failedLines(reply), [actionsBlock([again])])
}

function failedLines({ doing, words, isUnknown }: Failed): string[] {
  const why = sentence(escaped(words, wordsCharsMax))
  if (!isChange(doing)) return [`⚠️ Could not ${reading[doing]}. ${why}`, 'Try again in a minute.']
  const { act, doubt } = changing[doing]
  if (isUnknown) return [`⚠️ Tried to ${act}; it is not known whether that worked.`, why, doubt]
  const next = `try again in a minute. \`${command} status\` shows what is wrong.`
  return [`⚠️ Could not ${act}. ${why}`, `Nothing changed: ${next}`]
}

const again = 'Try again in a minute: doing it twice does no harm.'
const mute =
  'monbot switches notifications on again until the API confirms it, and repeats that for 30 min in case the API mutes it late. A mute from before stays as it was.'
const unmute =
  'monbot has not muted it, and does not go on by itself. Try again: doing it twice does no harm.'

/** What was tried, and what monbot or the person does where it is not known whether it was done. */
const changing: Record<ChangeKind, { readonly act: string; readonly doubt: string }> = {
  mute_server: { act: 'mute the server', doubt: mute },
  unmute_server: { act: 'unmute the server', doubt: unmute },
  mute_account: { act: 'mute the whole account', doubt: mute },
  unmute_account: { act: 'unmute the whole account', doubt: unmute },
  extend_mute: { act: 'extend the mute', doubt: again },
  undo_mute: { act: 'undo the mute', doubt: unmute },
  add_roles: { act: 'add the roles', doubt: again },
  add_marker: {
    act: 'drop the marker',
    doubt: 'monbot does not repeat it, or there might be two: look at a chart before you do.',
  },
  acknowledge: { act: 'acknowledge the alert', doubt: again },
  acknowledge_all: { act: 'acknowledge the alerts', doubt: again },
  add_note: { act: 'add the note', doubt: 'Look at the thread before you try again.' },
  set_no_data: { act: 'set the no-data group', doubt: again },
  delete_server: {
    act: 'delete the server',
    doubt: 'monbot does not repeat it. Ask again in a minute: a server that is gone is then not found.',
  },
  delete_metrics: {
    act: 'delete the metrics',
    doubt: 'monbot does not repeat it. Ask again in a minute: a metric that is gone is then not found.',
  },
}

const reading: Record<Answer['kind'], string> = {
  help: 'show the help',
  status: 'read the status',
  alerts: 'list the alerts',
  mutes: 'list the mutes',
  roles: 'read the roles',
  triggers: 'read the triggers',
  handoff: 'gather the handoff',
  report: 'make the report',
  audit: 'read the audit',
  chart: 'draw the chart',
}

function isChange(doing: ChangeKind | Answer['kind']): doing is ChangeKind {
  return Object.hasOwn(changing, doing)
}
