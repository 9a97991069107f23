/** Mutes the whole account: only as confirmed in the form, with a reason, and not for long. */

import { endText } from '../../domain/command/mute-text.ts'
import type { Limits } from '../../domain/mute/until.ts'
import type { Change } from '../../domain/request/actions.ts'
import { type Acted, type ActionContext, type ActPorts, refused, said } from './context.ts'
import { openForm } from './form.ts'
import { muteAll } from './mute-all.ts'
import { askToMute, differenceFrom, proposalFor } from './mute-terms.ts'

type MuteAccount = Extract<Change, { kind: 'mute_account' }>

/** Mutes of single servers are kept as they are. */
export async function muteAccount(
  ports: ActPorts,
  context: ActionContext,
  change: MuteAccount,
  limits: Limits,
): Promise<Acted> {
  const { shown } = change
  if (shown === null) {
    const form = { form: 'mute_account', alertId: null, given: givenBy(change) } as const
    return said(await openForm(ports, form, limits))
  }
  const reason = change.reason.trim()
  const maxMs = limits.accountMuteMaxMs
  if (reason === '') return refused({ why: 'reason_missing' })
  if (change.end.kind === 'default') {
    return refused({ why: 'invalid', expected: 'a duration, such as 30m', came: '' })
  }
  if (change.end.kind === 'healthy') {
    const expected = 'a time, such as 30m or until 15:00: the account has no health of its own to wait for'
    return refused({ why: 'invalid', expected, came: 'until healthy' })
  }
  if (change.end.kind === 'unmuted') return refused({ why: 'too_long', maxMs })
  const end = { defaultMs: maxMs, maxMs, zone: limits.zone }
  const proposal = await proposalFor(ports, context, change, end)
  if ('reply' in proposal) return proposal
  const { terms, receiptOf } = proposal
  const receipt = await receiptOf(null)
  const difference = differenceFrom(shown, receipt)
  return difference === null
    ? muteAll(ports, { context, terms, receipt })
    : askToMute(ports, context, receipt, difference)
}

/** What the command already gave, as typed text for the form. */
function givenBy({ end, reason }: MuteAccount): string | null {
  const text = `${endText(end)} ${reason}`.trim()
  return text === '' ? null : text
}
