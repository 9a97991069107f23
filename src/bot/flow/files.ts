/**
 * Makes the files that people asked for, and has them posted. What is wanted is on disk until its card is: a kill before that uploads
 * the file once more, which nobody sees, and the card's name is that of the request, so that it is posted once.
 */
import type { Alert } from '../domain/alert/alert.ts'
import { backoffMs } from '../domain/base/backoff.ts'
import { isFinal } from '../domain/base/failure.ts'
import { fileCard } from '../domain/card/thread-cards.ts'
import { emptyPlan } from '../domain/plan.ts'
import type { AuditEntry } from '../domain/request/audit.ts'
import { type Timeline, timelineAlertsMax } from '../domain/request/timeline.ts'
import { keptFile, readWantedFiles, type WantedFile, wantedFiles } from '../domain/request/wanted-file.ts'
import { alertsOnCard } from './actions/card-alerts.ts'
import { attempt } from './attempt.ts'
import { openWatch, type Watch } from './concurrency/watch.ts'
import { attachFile } from './outbox/attach.ts'
import type { Chat, Clock, Directory, Logger } from './ports/ports.ts'
import type { Store } from './ports/store.ts'

const lookEveryMs = 60_000
/** Tried for so long; then its card says why there is none. */
const triesMax = 8
const namesMax = 50

export type FilePorts = {
  readonly store: Pick<
    Store,
    'state' | 'auditById' | 'cardById' | 'recallByIds' | 'timelineFacts' | 'outagesSince' | 'commit'
  >
  readonly chat: Pick<Chat, 'attach' | 'isTakenIn' | 'permalink'>
  readonly directory: Pick<Directory, 'nameOf'>
  readonly clock: Clock
  readonly logger: Logger
  /** Of the times in files, IANA. */
  readonly zone: string
  /** Called when there is a card to be posted. */
  readonly onChanged: () => void
}

export function openFiles(ports: FilePorts): Watch {
  const { store, clock, logger } = ports
  /** Counted here alone: after a restart it is tried as often again. */
  const tries = new Map<string, { readonly count: number; readonly notBeforeMs: number }>()

  async function round(): Promise<number> {
    const wanted = readWantedFiles(await store.state(wantedFiles))
    const nowMs = clock.nowMs()
    const waitOf = ({ auditId }: WantedFile) => (tries.get(auditId)?.notBeforeMs ?? 0) - nowMs
    const next = wanted.toSorted((a, b) => waitOf(a) - waitOf(b))[0]
    if (next === undefined) return lookEveryMs
    const waitMs = waitOf(next)
    if (waitMs > 0) return Math.min(waitMs, lookEveryMs)
    const { auditId } = next
    const count = (tries.get(auditId)?.count ?? 0) + 1
    // Before it is tried: a bug in one file must not keep the others from being made.
    tries.set(auditId, { count, notBeforeMs: nowMs + backoffMs(count) })
    const entry = await store.auditById(auditId)
    if (entry === null || count > triesMax) await settle(next, entry, { why: 'it could not be made' })
    else await make(next, entry, count)
    return 0
  }

  async function make(wanted: WantedFile, entry: AuditEntry, count: number): Promise<void> {
    const timeline = await gather(ports, wanted)
    if (timeline === null) return settle(wanted, entry, { why: 'its alert is forgotten' })
    const came = await attempt(() => attachFile(timeline, ports))
    if (came.ok) {
      const { name, permalink, bytes } = came.value
      const file = { name, permalink, bytes, rows: timeline.alerts.length, total: timeline.count }
      return settle(wanted, entry, { file })
    }
    const { failure } = came
    logger.warn('file:delayed', { auditId: wanted.auditId, why: failure.message })
    if (isFinal(failure) || count >= triesMax) return settle(wanted, entry, { why: failure.message })
    const notBeforeMs = clock.nowMs() + (failure.retryAfterMs ?? backoffMs(count))
    tries.set(wanted.auditId, { count, notBeforeMs })
  }

  /** Writes what came of it, and the card that shows it, in one plan. */
  async function settle(
    wanted: WantedFile,
    entry: AuditEntry | null,
    came: { readonly file: NonNullable<AuditEntry['detail']['file']> } | { readonly why: string },
  ): Promise<void> {
    const { auditId } = wanted
    const isMade = 'file' in came
    const audit =
      entry === null
        ? []
        : [
            isMade
              ? { ...entry, detail: { ...entry.detail, file: came.file } }
              : { ...entry, outcome: 'failed' as const, why: came.why },
          ]
    await store.commit({
      ...emptyPlan(clock.nowMs()),
      audit,
      cards: entry === null ? [] : [fileCard(entry, wanted)],
      state: [{ ...keptFile(wanted), value: null }],
    })
    tries.delete(auditId)
    logger[isMade ? 'info' : 'warn'](isMade ? 'file:made' : 'file:failed', {
      auditId,
      ...(isMade ? { bytes: came.file.bytes } : { why: came.why }),
    })
    ports.onChanged()
  }

  return openWatch('file', { clock, logger }, round)
}

/** Null: no alert of it is remembered. */
async function gather(ports: FilePorts, wanted: WantedFile): Promise<Timeline | null> {
  const { store, clock, zone } = ports
  const card = wanted.cardId === null ? null : await store.cardById(wanted.cardId)
  const onCard = card === null ? null : await alertsOnCard(card.cardId, store)
  const isList = wanted.alertId === null
  const [named] = wanted.alertId === null ? [] : await store.recallByIds([wanted.alertId])
  // In a thread of many the alert alone; on a card of its own, all times that it came.
  const isOwnCard = card?.kind === 'alert'
  const all = isList || isOwnCard ? (onCard ?? []) : named === undefined ? [] : [named]
  const alerts = all.toSorted((a, b) => a.startedMs - b.startedMs).slice(-timelineAlertsMax)
  const alert = named ?? alerts.at(-1)
  if (alert === undefined) return null
  const atMs = clock.nowMs()
  const fromMs = Math.min(...alerts.map(({ startedMs }) => startedMs))
  const toMs = untilMs(alerts, atMs)
  const facts = await store.timelineFacts({
    alertIds: alerts.map(({ alertId }) => alertId),
    hostnames: [...new Set(alerts.map(({ hostname }) => hostname))],
    cardIds: card === null ? [] : [card.cardId],
    fromMs,
    toMs,
  })
  const outages = (await store.outagesSince(fromMs)).filter(({ sinceMs }) => sinceMs <= toMs)
  const people = [
    ...facts.acts.flatMap(({ userId, detail }) => [userId, detail.owner, detail.to]),
    ...facts.notes.map(({ userId }) => userId),
    // Whoever is mentioned in a reason or a note.
    ...Array.from(JSON.stringify(facts).matchAll(/<@([UW][A-Z0-9]+)/g), ([, userId]) => userId),
  ].filter((userId) => typeof userId === 'string')
  const ts = card?.ts ?? null
  const link =
    card === null || ts === null
      ? null
      : await attempt(() => ports.chat.permalink({ channel: card.channel, ts }))
  return {
    kind: 'timeline',
    ...facts,
    alert,
    alerts: alerts.length === 0 ? [alert] : alerts,
    count: Math.max(1, all.length),
    isList,
    outages,
    atMs,
    zone,
    names: await namesOf(ports, people),
    link: link?.ok === true ? link.value : null,
  }
}

function untilMs(alerts: readonly Alert[], nowMs: number): number {
  return alerts.reduce((last, { closedMs }) => Math.max(last, closedMs ?? nowMs), 0)
}

/** Whoever cannot be looked up is called by their id. */
async function namesOf(
  { directory }: Pick<FilePorts, 'directory'>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const userId of [...new Set(userIds)].slice(0, namesMax)) {
    const found = await attempt(() => directory.nameOf(userId))
    if (found.ok) names.set(userId, found.value)
  }
  return names
}
