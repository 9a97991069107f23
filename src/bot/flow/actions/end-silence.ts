/** Ends a silence that somebody made elsewhere, once what it hides was shown and confirmed. */
import type { ListedSilence } from '../../domain/mute/hiding.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import type { AuditDetail, AuditEntry } from '../../domain/request/audit.ts'
import { attempt } from '../attempt.ts'
import { doAtApi } from './at-api.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  notTried,
  outdated,
  refused,
  replyOnly,
} from './context.ts'

/** The audit rows in which the one that ended it is looked for. */
const lookBackEntries = 50

/** One person at a time: the second of two finds it ended, and is told by whom. */
export async function endSilence(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'end_silence'>,
): Promise<Acted> {
  return ports.oneEnd.hold(change.id, () => endNow(ports, context, change))
}

async function endNow(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'end_silence'>,
): Promise<Acted> {
  const { monitor, clock } = ports
  // Read live: what it hides may have changed since the list was shown.
  const read = await attempt(() => monitor.silences())
  if (!read.ok) return notTried(context, read.failure)
  const silence = read.value.find(({ id }) => id === change.id)
  if (silence === undefined) {
    return outdated({ what: 'silence_over', by: await endedBy(ports, change.id) }, clock.nowMs())
  }
  const refusal = isWide(silence) ? await context.may('mute_account') : null
  if (refusal !== null) return refused(refusal)
  const { shown } = change
  if (shown === null || shown !== shownOf(silence)) {
    return question(ports, context, change, { silence, isChanged: shown !== null })
  }
  const { by, untilMs, why, hides, matchers } = silence
  return doAtApi(ports, context, {
    call: () => monitor.endMute(change.id),
    reply: { kind: 'done', act: 'end_silence', by, hides },
    server: null,
    detail: {
      silenceId: change.id,
      text: matchers.join(' '),
      alerts: hides,
      ...(by === null ? {} : { owner: by }),
      ...(untilMs === null ? {} : { untilMs }),
      ...(why === null ? {} : { reason: why }),
    } satisfies AuditDetail,
  })
}

/** Does it hide more than the one alert of which somebody may have thought? */
function isWide({ hides }: ListedSilence): boolean {
  return hides > 1
}

/** What was confirmed. One alert more or less makes no difference, unless it is then another matter than one alert. */
function shownOf(silence: ListedSilence): string {
  return JSON.stringify([silence.matchers, isWide(silence)])
}

async function question(
  { store, clock, ids }: ActPorts,
  { request: { userId } }: ActionContext,
  change: ChangeOf<'end_silence'>,
  asked: { readonly silence: ListedSilence; readonly isChanged: boolean },
): Promise<Acted> {
  const pendingId = ids.make()
  const shown = shownOf(asked.silence)
  await store.keepPending({ pendingId, userId, change: { ...change, shown }, atMs: clock.nowMs() })
  return replyOnly({ kind: 'confirm_silence', ...asked, pendingId })
}

/** Who ended it from here; null: its time was over, or somebody ended it elsewhere. */
async function endedBy({ store }: ActPorts, id: string): Promise<AuditEntry | null> {
  const { entries } = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: lookBackEntries })
  const isEnd = ({ act, outcome, detail }: AuditEntry) =>
    act === 'end_silence' && outcome === 'done' && detail.silenceId === id
  return entries.find(isEnd) ?? null
}
