/**
 * Removes an undo button after its minute. Only an answer that replaced a question can lose its button, by the response URL of
 * the click: that of a command only adds (docs/slack.md#answering-one-person), and nothing else changes what one person sees. A
 * late click on a button that stayed, as after a restart, says that it is too late.
 */
import type { Mute } from '../../domain/mute/mute.ts'
import { undoMs } from '../../domain/mute/transitions.ts'
import type { Reply } from '../../domain/request/reply.ts'
import type { IsStanding } from '../../flow/mute/standing.ts'
import type { Clock } from '../../flow/ports/ports.ts'
import type { Asker } from './asked.ts'
import type { Respond } from './respond.ts'

/**
 * Waits for the minute and removes the button, unless the answer is no longer true or was undone. Resolves at once when
 * `leaving`.
 */
export async function fadeUndo(
  { asker, reply }: { readonly asker: Asker; readonly reply: Reply },
  parts: {
    readonly respond: Pick<Respond, 'withoutUndo'>
    readonly clock: Clock
    readonly isStanding: IsStanding
    readonly leaving: AbortSignal
  },
): Promise<void> {
  const { respond, clock, isStanding, leaving } = parts
  const mutes = undoableIn(reply)
  if (mutes.length === 0) return
  const overMs = Math.max(...mutes.map(({ termsMs }) => termsMs)) + undoMs
  await clock.wait(Math.min(overMs - clock.nowMs(), undoMs), leaving)
  if (leaving.aborted || !(await isStanding(mutes))) return
  await respond.withoutUndo(asker, reply)
}

function undoableIn(reply: Reply): Mute[] {
  if (reply.kind === 'account_muted') return [reply.mute]
  if (reply.kind !== 'muted') return []
  return reply.results.flatMap(({ mute, failure }) => (mute !== null && failure === null ? [mute] : []))
}
