/**
 * What becomes of an answer about a mute: an undo goes with its minute, and what the API had not confirmed is said once it has, as
 * long as Slack allows. Only an answer that took the place of a question can be edited: by the response URL of the press. That
 * of a command only adds (docs/slack.md#answering-one-person), and no other way changes what one person sees; a late press of such a button says that it is
 * too late, and the thread says what was confirmed. Nothing is kept of it: after a restart the answer stays, which does as little harm.
 */
import { isSameTerms, type Mute, undoMs } from '../../domain/mute/mute.ts'
import type { Reply } from '../../domain/request/reply.ts'
import type { IsStanding, WhenAnswered } from '../../flow/mute/open-mutes.ts'
import type { Clock } from '../../flow/ports/ports.ts'
import type { Asker } from './asked.ts'
import type { Respond } from './respond.ts'

/** A response URL is taken for so long. */
const editableMs = 30 * 60_000

type Parts = {
  readonly respond: Pick<Respond, 'answer' | 'withoutUndo'>
  readonly clock: Clock
  readonly isStanding: IsStanding
  readonly whenAnswered: WhenAnswered
  readonly leaving: AbortSignal
}

/** Resolves when the answer says all, or is to stay (it is no longer so, or was undone), or at once when `leaving`. */
export async function fadeUndo(
  { asker, reply }: { readonly asker: Asker; readonly reply: Reply },
  parts: Parts,
): Promise<void> {
  const { respond, clock, isStanding, leaving } = parts
  const mutes = undoableIn(reply)
  if (mutes.length === 0) return
  const overMs = Math.max(...mutes.map(({ termsMs }) => termsMs)) + undoMs
  const undoGoes = (ms: number) => clock.wait(Math.min(Math.max(ms - clock.nowMs(), 0), undoMs), leaving)
  if (mutes.every(({ confirmation }) => confirmation === 'confirmed')) {
    await undoGoes(overMs)
    if (!leaving.aborted && (await isStanding(mutes))) await respond.withoutUndo(asker, reply)
    return
  }
  const enough = new AbortController()
  const answered = parts.whenAnswered(mutes, AbortSignal.any([leaving, enough.signal]))
  const first = await Promise.race([answered, undoGoes(overMs).then(() => 'late' as const)])
  if (first !== 'late') {
    const now = first === null ? null : replyNow(reply, first)
    if (now === null || leaving.aborted) return
    await respond.answer(asker, now)
    return fadeUndo({ asker, reply: now }, parts)
  }
  if (leaving.aborted || !(await isStanding(mutes))) return enough.abort(null)
  await respond.withoutUndo(asker, reply)
  const late = await Promise.race([answered, clock.wait(editableMs - undoMs, leaving).then(() => null)])
  enough.abort(null)
  const now = late === null ? null : replyNow(reply, late)
  if (now !== null && !leaving.aborted) await respond.withoutUndo(asker, now)
}

function undoableIn(reply: Reply): Mute[] {
  if (reply.kind === 'account_muted') return [reply.mute]
  if (reply.kind !== 'muted') return []
  return reply.results.flatMap(({ mute, failure }) => (mute !== null && failure === null ? [mute] : []))
}

/** Null: somebody has changed one of them, and the answer is left as it is. */
function replyNow(reply: Reply, now: readonly Mute[]): Reply | null {
  const byId = new Map(now.map((mute) => [mute.muteId, mute]))
  const isChanged = undoableIn(reply).some((told) => {
    const mute = byId.get(told.muteId)
    return mute === undefined || (!isRefused(mute) && (mute.state === 'ended' || !isSameTerms(mute, told)))
  })
  if (isChanged) return null
  if (reply.kind === 'account_muted') {
    const mute = byId.get(reply.mute.muteId)
    return mute === undefined || isRefused(mute)
      ? { kind: 'failed', doing: 'mute_account', words: refusedWords, isUnknown: false }
      : { ...reply, mute }
  }
  if (reply.kind !== 'muted') return null
  const results = reply.results.map((result) => {
    const mute = result.mute === null ? undefined : byId.get(result.mute.muteId)
    if (mute === undefined) return result
    return isRefused(mute) ? { ...result, mute: null, failure: refusedWords } : { ...result, mute }
  })
  return { ...reply, results }
}

const refusedWords = 'the monitoring API refused it'

function isRefused({ endedBy }: Mute): boolean {
  return endedBy === 'interrupted'
}
