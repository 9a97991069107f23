/** Reads what a form shows before it is opened. */

import { isGlob } from '../../../shared/glob.ts'
import { type Alert, isLive } from '../../domain/alert/alert.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { subjectWords } from '../../domain/alert/subject-words.ts'
import { factsOfTitle } from '../../domain/alert/title-facts.ts'
import { manyMarker } from '../../domain/mute/marker.ts'
import { troubleSubject } from '../../domain/mute/subject.ts'
import { type Limits, longestMs } from '../../domain/mute/until.ts'
import { othersMutes } from '../../domain/mute/wide.ts'
import { handGiven } from '../../domain/request/alert-actions.ts'
import type { Intent } from '../../domain/request/intent.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { alertsOnCard, allClosed, openOf, unknownCard } from './card-alerts.ts'
import type { ActPorts } from './context.ts'
import { hiddenBy } from './mute-terms.ts'
import { alertOf } from './target.ts'

type FormAsk = Omit<Extract<Intent, { kind: 'open_form' }>, 'kind'> & {
  readonly userId: string
  readonly cardId?: string | null
}

/**
 * Opens a form for somebody with the permission, which is checked again when the form is submitted. `cardId`: the card that was
 * clicked.
 */
export async function openForm(
  { store, clock, servers, monitor }: Pick<ActPorts, 'store' | 'clock' | 'servers' | 'monitor'>,
  { form: name, alertId, given: typed, userId, cardId = null }: FormAsk,
  limits: Limits,
): Promise<Reply> {
  const isOfServer = name === 'delete_server' && typed !== null
  if (isOfServer && isGlob(typed)) {
    const expected = 'the name of one server'
    return { kind: 'refused', refusal: { why: 'invalid', expected, came: typed, topic: 'server delete' } }
  }
  // The name that is to be typed again is the server's own, whatever case it was given in.
  const [given = typed] = isOfServer ? await servers.meant([typed]) : []
  const isTyped = name === 'hand_to' && alertId === null && typed !== null
  const found = isTyped
    ? await alertOf({ text: handGiven(typed).alert, isPressed: false }, { store, servers })
    : null
  if (found?.ok === false) return { kind: 'refused', refusal: found.refusal }
  const [alert = null] =
    found !== null ? [found.found] : alertId === null ? [] : await store.recallByIds([alertId])
  if (alertId !== null && alert === null) {
    return { kind: 'refused', refusal: { why: 'unknown_card', alert: numberOf(alertId) } }
  }
  const hostname = alert?.hostname ?? given
  // From the menu of a card of many: all of its servers, whose list is confirmed once the form is sent.
  const ofCard = name === 'mute_server' && hostname === null && cardId !== null
  const onCard = cardId === null ? [] : await alertsOnCard(cardId, store)
  if (onCard === null && alertId === null && (ofCard || name === 'add_marker')) {
    return { kind: 'refused', refusal: unknownCard }
  }
  const isHandOfCard = name === 'hand_to' && alert === null && cardId !== null
  if (isHandOfCard && onCard === null) return { kind: 'refused', refusal: unknownCard }
  const open = ofCard || isHandOfCard ? openOf(onCard ?? []) : []
  // A form that could not be sent is no help.
  const isOver = alert === null ? isHandOfCard && open.length === 0 : !isLive(alert)
  if (name === 'hand_to' && isOver) {
    const changed = alert === null ? allClosed(onCard ?? []) : ({ what: 'closed', alert } as const)
    return { kind: 'stale', changed, nowMs: clock.nowMs() }
  }
  const hostnames = ofCard
    ? [...new Set(open.map((one) => one.hostname))]
    : hostname === null
      ? []
      : [hostname]
  const hidden = { open: 0, lastWeek: 0 }
  const ofAlert =
    name === 'mute_alert' && alert !== null ? await hiddenByAlert(alert, { store, clock, monitor }) : null
  const hides =
    ofAlert !== null
      ? ofAlert
      : name === 'mute_account'
        ? await hiddenBy(null, store, clock.nowMs())
        : name === 'mute_server' && hostnames.length > 0
          ? await hiddenBy(hostnames, store, clock.nowMs())
          : hidden
  const subjects = ofAlert !== null ? ofAlert.subjects : hostnames
  const isOne = ofAlert !== null || (name === 'mute_server' && !ofCard)
  const muted = name === 'mute_account' ? [] : isOne ? subjects : null
  const isMarker = name === 'add_marker'
  return {
    kind: 'form',
    form: {
      name,
      alert,
      given,
      ...(ofCard ? { serversOnCard: hostnames.length } : {}),
      ...(isHandOfCard ? { alertsOnCard: open.length } : {}),
      ...(ofAlert?.matchers == null ? {} : { matchers: ofAlert.matchers }),
      hidesNow: hides.open,
      hidLastWeek: hides.lastWeek,
      others: muted === null ? [] : othersMutes(userId, muted, (await store.mutes([null, ...muted])).mutes),
      maxMs: longestMs(limits, name === 'mute_account'),
      prefill: isMarker ? markerWords(alert, onCard ?? []) : '',
    },
  }
}

/** As the service says it, where it can mute the alert; else what monbot knows. */
async function hiddenByAlert(
  alert: Alert,
  { store, clock, monitor }: Pick<ActPorts, 'store' | 'clock' | 'monitor'>,
) {
  const subjects = [troubleSubject(alert)]
  const hidden = await hiddenBy(subjects, store, clock.nowMs())
  if (alert.details?.canMute !== true) return { ...hidden, subjects, matchers: null }
  const preview = await attempt(() => monitor.previewMute({ alert: numberOf(alert.alertId), matchers: null }))
  // Without an answer it can still be muted, with the matchers that nobody edited.
  if (!preview.ok) return { ...hidden, subjects, matchers: null }
  return { ...hidden, open: preview.value.hides, subjects, matchers: preview.value.matchers }
}

/** The prefilled marker text for an alert, or for all of a card's alerts; empty if the form is opened from elsewhere. */
function markerWords(alert: Alert | null, onCard: readonly Alert[]): string {
  if (alert !== null) {
    // A title of another form may say more than a value and its limit.
    const title = factsOfTitle(alert.title) === null && alert.title !== '' ? `: ${alert.title}` : ''
    return `${subjectWords(alert)} on ${alert.serverName}${title} (#${numberOf(alert.alertId)})`
  }
  return onCard.length === 0 ? '' : manyMarker(onCard)
}
