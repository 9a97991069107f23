/** Writes that somebody acknowledged a page in the pager, as a click on the card would. */
import { storable } from '../../domain/base/storable.ts'
import { waitingOf } from '../../domain/card/reminders.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { Page } from '../../domain/page/page.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { takenBy, triesMax } from '../actions/alert-actions.ts'
import { toldBelow } from '../actions/card-alerts.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** `id`: the same when it is heard again; `by`: as the pager names them. */
export type HeardAcknowledgement = { readonly id: string; readonly key: string; readonly by: string }

/** `nothing`: nobody waits for it any more, `repeat`: it was heard before, `unknown`: monbot knows no such page. */
export type HeardOutcome = 'acknowledged' | 'nothing' | 'repeat' | 'unknown' | 'stale'

export type Heard = (heard: HeardAcknowledgement) => Promise<HeardOutcome>

type HeardPorts = {
  readonly store: Pick<
    Store,
    'auditById' | 'cardById' | 'cardsOf' | 'commit' | 'listsOf' | 'pagesByKey' | 'recallByIds'
  >
  readonly clock: Clock
  readonly logger: Logger
  readonly onChanged: () => void
}

const nameCharsMax = 80
const memberId = /^[UW][A-Z0-9]{5,30}$/

export function openHeard(ports: HeardPorts): Heard {
  const { store, logger, onChanged } = ports
  return async (heard) => {
    const auditId = `pager:${heard.id}`
    const outcome = await retryWhenStale<HeardOutcome>(triesMax, async () => {
      if ((await store.auditById(auditId)) !== null) return 'repeat'
      const [page] = await store.pagesByKey([heard.key])
      return page === undefined ? 'unknown' : acknowledge(ports, page, { auditId, by: nameOf(heard.by) })
    })
    logger.info('page:heard', { key: heard.key, outcome })
    if (outcome === 'acknowledged') onChanged()
    return outcome
  }
}

/** A member of the workspace is mentioned as such; of anybody else it is said where they did it. */
function nameOf(by: string): string {
  const given = storable(by).replace(/\s+/g, ' ').trim()
  return memberId.test(given) ? given : `${given.slice(0, nameCharsMax).toWellFormed()} (in the pager)`
}

async function acknowledge(
  { store, clock }: HeardPorts,
  page: Page,
  { auditId, by }: { readonly auditId: string; readonly by: string },
): Promise<'acknowledged' | 'nothing' | 'stale'> {
  const waiting = waitingOf(await store.recallByIds(page.alertIds))
  const [alert, ...others] = waiting
  if (alert === undefined) return 'nothing'
  const atMs = clock.nowMs()
  const isOne = others.length === 0
  const entry: AuditEntry = {
    auditId,
    atMs,
    userId: by,
    via: 'pager',
    act: isOne ? 'acknowledge' : 'acknowledge_all',
    hostname: isOne ? alert.hostname : null,
    alertId: isOne ? alert.alertId : null,
    channel: page.channel,
    outcome: 'done',
    why: null,
    detail: isOne ? {} : { alerts: waiting.length },
  }
  const place = (await store.cardById(page.cardId)) ?? { channel: page.channel, cardId: null }
  const saved = await store.commit({
    ...emptyPlan(atMs),
    alerts: waiting.map((one) => ({ alert: takenBy(by, one, atMs), was: one.version })),
    dirty: waiting.map(({ alertId }) => alertId),
    audit: [entry],
    cards: isOne ? await toldBelow(entry, alert, store) : [changeNotice(entry, place)],
    pages: [{ page: { ...page, heardFrom: by, version: page.version + 1 }, was: page.version }],
  })
  return saved === 'stale' ? 'stale' : 'acknowledged'
}
