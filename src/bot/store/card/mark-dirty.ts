/** Marks the cards that a plan affects as dirty, each once. */
import type { Kysely, Transaction } from 'kysely'
import { expiringCard } from '../../domain/card/thread-cards.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { subjectsOver } from '../../domain/mute/subject.ts'
import type { Plan } from '../../domain/plan.ts'
import { mutesOf } from '../mute/mutes.ts'
import { isMutedBy, isOfSubject } from '../mute/over-alert.ts'
import type { Tables } from '../open/schema.ts'
import { chunks } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'
import { isMissed, isNotPermanent, ofKinds, revived } from './card-conditions.ts'

/** A mute that is extended again and again has a card about its end each time. */
const expiringMax = 3

const followsAll = ofKinds(({ dirtiedBy }) => dirtiedBy === 'any_alert_or_mute')
const followsMutes = ofKinds(({ dirtiedBy }) => dirtiedBy === 'mutes_of_its_alerts')

/** The cards that the plan names, and those that list open alerts and mutes: boards, and those that say that an active mute ends. */
export async function markConcernedDirty(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  const moved = new Set([...plan.dirtyCards, ...[...plan.folds, ...plan.joins].map(({ cardId }) => cardId)])
  const around = new Set<string>()
  for (const ids of chunks(tx, plan.dirty)) {
    add(moved, await tx.selectFrom('card_alerts').select('card_id').where('alert_id', 'in', ids).execute())
  }
  if (plan.dirtySubjects.includes(null)) add(around, await openCards(tx).execute())
  else {
    for (const some of chunks(tx, [...new Set(plan.dirtySubjects.filter((one) => one !== null))])) {
      add(around, await openCards(tx).where(isOfSubject(some)).execute())
    }
  }
  for (const { mute } of plan.mutes) {
    if (mute.alert?.matchers == null) continue
    add(
      around,
      await openCards(tx)
        .where(isMutedBy(sqlOf(tx), mute.muteId))
        .execute(),
    )
  }
  for (const ids of chunks(
    tx,
    plan.verdicts.map(({ alertId }) => alertId),
  )) {
    add(around, await tx.selectFrom('card_alerts').select('card_id').where('alert_id', 'in', ids).execute())
  }
  // The cards of a server's other alerts say what else is open there.
  for (const some of chunks(tx, serversOpenedOrClosed(plan))) {
    add(
      around,
      await openCards(tx).where('cards.kind', '=', 'alert').where('alerts.hostname', 'in', some).execute(),
    )
  }
  if (plan.alerts.length + plan.folds.length + plan.mutes.length + plan.planned.length > 0) {
    add(around, await tx.selectFrom('cards').select('card_id').where(followsAll).execute())
    // A board that says that nothing is open is updated at once.
    if (await opensTheFirst(tx, plan))
      await tx.updateTable('cards').set({ not_before_ms: 0 }).where(followsAll).execute()
  }
  // Once its question is answered, such a card lists nothing any more: only the mute itself still changes it.
  for (const mute of await mutesConcerned(tx, plan)) around.add(expiringCard(mute).cardId)
  for (const { mute } of plan.mutes) add(around, await lastExpiring(tx, mute).execute())
  // The card on which a mute was requested is urgent: somebody waits for it to show the mute.
  for (const { mute } of plan.mutes) if (around.has(mute.cardId ?? '')) moved.add(mute.cardId ?? '')
  await markCardsDirty(tx, [...moved], { isMoved: true })
  await markCardsDirty(
    tx,
    [...around].filter((cardId) => !moved.has(cardId)),
  )
}

/** Nothing was open before it, and now something is. */
async function opensTheFirst(tx: Transaction<Tables>, plan: Plan): Promise<boolean> {
  const opened = plan.alerts.filter((change) => isOpening(change, plan))
  if (opened.length === 0) return false
  const open = await tx
    .selectFrom('alerts')
    .select('alert_id')
    .where('state', '=', 'open')
    .limit(opened.length + 1)
    .execute()
  return open.length <= opened.length
}

/** The servers on which an alert opened, or stopped being open. */
function serversOpenedOrClosed(plan: Plan): string[] {
  const openedOrClosed = plan.alerts.filter((change) =>
    change.alert.state === 'open' ? isOpening(change, plan) : change.was !== null,
  )
  return [...new Set(openedOrClosed.map(({ alert }) => alert.hostname))]
}

function isOpening({ alert, was }: Plan['alerts'][number], { atMs }: Plan): boolean {
  return alert.state === 'open' && (was === null || (alert.reopenedMs ?? 0) >= atMs)
}

function add(cardIds: Set<string>, rows: readonly { card_id: string }[]): void {
  for (const row of rows) cardIds.add(row.card_id)
}

/** `isMoved`: the alert itself has changed, and not only what is shown around it. */
export async function markCardsDirty(
  db: Kysely<Tables>,
  cardIds: readonly string[],
  { isMoved = false }: { readonly isMoved?: boolean } = {},
): Promise<void> {
  for (const ids of chunks(db, cardIds)) {
    await db
      .updateTable('cards')
      .set((eb) => ({
        wanted: eb('wanted', '+', 1),
        ...(isMoved ? { moved: eb('wanted', '+', 1) } : {}),
      }))
      .where('card_id', 'in', ids)
      .execute()
    // Slack may accept the new content. A board changes every minute, and waits for its turn.
    await db
      .updateTable('cards')
      .set(revived)
      .where('card_id', 'in', ids)
      .where('state', '=', 'dead')
      .where(isNotPermanent)
      .where(isMissed)
      .execute()
  }
}

/** Cards that show an open alert together with its mute; not the pages in a thread. */
function openCards(tx: Transaction<Tables>) {
  return tx
    .selectFrom('alerts')
    .innerJoin('card_alerts', 'card_alerts.alert_id', 'alerts.alert_id')
    .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
    .select('cards.card_id')
    .distinct()
    .where('alerts.state', '=', 'open')
    .where(followsMutes)
}

/** The cards about its end: their buttons must go, and the current end must be shown. One per deadline; earlier ones are far up. */
function lastExpiring(tx: Transaction<Tables>, { muteId }: Mute) {
  return tx
    .selectFrom('cards')
    .select('card_id')
    .where('kind', '=', 'mute_expiring')
    .where('subject_id', '=', muteId)
    .orderBy('created_ms', 'desc')
    .limit(expiringMax)
}

/** Mutes of which the card about their end has changed: those of these alerts and of their servers, and the account's by any. */
async function mutesConcerned(tx: Transaction<Tables>, { alerts, folds, mutes }: Plan): Promise<Mute[]> {
  if (alerts.length + folds.length + mutes.length === 0) return []
  return mutesOf(tx, [null, ...subjectsOver(alerts.map(({ alert }) => alert))])
}
