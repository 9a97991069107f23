/** Mutes one alert's trouble, or what matchers match; ends such a mute. */
import type { Alert } from '../../domain/alert/alert.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { weekMs } from '../../domain/base/duration.ts'
import {
  alertWords,
  hides,
  type Mute,
  type MutedAlert,
  mutesHiding,
  newMute,
} from '../../domain/mute/mute.ts'
import { matchersSubject, troubleSubject } from '../../domain/mute/subject.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { isShortened, isWide } from '../../domain/mute/wide.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import type { AlertAsked, Receipt } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { type Acted, type ActionContext, type ActPorts, notTried, outdated, refused } from './context.ts'
import { endMisplaced } from './misplaced.ts'
import { muteAll } from './mute-all.ts'
import { askToMute, differenceFrom, proposalFor } from './mute-terms.ts'
import { changedTerms, isOldCard } from './stale.ts'
import { alertFor } from './target.ts'
import { carryOut, endOne } from './unmute.ts'

type MuteAlert = ChangeOf<'mute_alert'>
type Asked = AlertAsked & Pick<Receipt, 'open' | 'lastWeek'>

export async function muteAlert(
  ports: ActPorts,
  context: ActionContext,
  change: MuteAlert,
  limits: Limits,
): Promise<Acted> {
  const { shown } = change
  const misplaced = endMisplaced(change, change.alert)
  if (misplaced !== null) return refused(misplaced)
  const meant = await meantBy(ports, context, change)
  if ('reply' in meant) return meant
  const end = { defaultMs: limits.muteDefaultMs, maxMs: limits.muteMaxMs, zone: limits.zone }
  const proposal = await proposalFor(ports, context, change, end)
  if ('reply' in proposal) return proposal
  const { terms, receiptOf } = proposal
  const receipt = await receiptOf([], meant)
  if (shown !== null) {
    const difference = differenceFrom(shown, receipt)
    return difference === null
      ? muteAll(ports, { context, terms, receipt })
      : askToMute(ports, context, receipt, difference)
  }
  const isOld = await isOldCard(context.request, ports.store)
  const isShortening = !isOld && receipt.others.some((mute) => isShortened(mute, receipt))
  const nowMs = ports.clock.nowMs()
  const isToBeAsked = isShortening || isWide(change, terms, { via: context.request.via, nowMs })
  return isToBeAsked ? askToMute(ports, context, receipt) : muteAll(ports, { context, terms, receipt })
}

/** What is to be muted, and what that hides now. */
export async function meantBy(
  ports: ActPorts,
  context: ActionContext,
  change: { readonly alert: string | null; readonly matchers?: readonly string[] | undefined },
): Promise<Asked | Acted> {
  const { alert, matchers = null } = change
  const found = alert === null ? null : await alertFor({ alert }, context, ports)
  if (found !== null && !found.ok) return refused(found.refusal)
  const about = found?.found ?? null
  return matchers === null && about !== null
    ? ofTrouble(ports, about)
    : byMatchers(ports, context, { about, matchers: matchers ?? [] })
}

async function ofTrouble({ store, clock }: ActPorts, alert: Alert): Promise<Asked> {
  const subject = troubleSubject(alert)
  const muted = mutedAlert(alert, null)
  const mute = newMute({ ...nobody, subject, alert: muted, nowMs: clock.nowMs() })
  const open = (await store.openAlerts([subject])).filter((one) => hides(mute, one))
  const lastWeek = await store.countAlerts({ subjects: [subject], sinceMs: clock.nowMs() - weekMs })
  return { subject, muted, alertIds: open.map(({ alertId }) => alertId), open: open.length, lastWeek }
}

/** What they match, the service alone knows. */
async function byMatchers(
  { store, monitor }: ActPorts,
  context: ActionContext,
  { about, matchers }: { readonly about: Alert | null; readonly matchers: readonly string[] },
): Promise<Asked | Acted> {
  if (!(await store.canMuteAlerts())) return refused({ why: 'no_matchers' })
  const alert = about === null ? null : numberOf(about.alertId)
  const preview = await attempt(() => monitor.previewMute({ alert, matchers }))
  if (!preview.ok) return notTried(context, preview.failure)
  const { alerts, hides: open } = preview.value
  const isOfTrouble = about !== null && alerts.includes(numberOf(about.alertId))
  const known = await store.recallByNumbers(alerts)
  const alertIds = known.filter(({ state }) => state === 'open').map(({ alertId }) => alertId)
  const subject = isOfTrouble ? troubleSubject(about) : matchersSubject(matchers)
  return { subject, muted: mutedAlert(isOfTrouble ? about : null, matchers), alertIds, open, lastWeek: null }
}

function mutedAlert(alert: Alert | null, matchers: readonly string[] | null): MutedAlert {
  if (alert === null) return { about: null, isCritical: true, isAtService: true, matchers }
  const { alertId, hostname, serverName, plugin, metric, title, severity, details } = alert
  return {
    about: { alertId, hostname, serverName, plugin, metric, title },
    isCritical: severity === 'critical',
    isAtService: details?.canMute === true,
    matchers,
  }
}

/** For a mute that is only held against alerts. */
const nobody = {
  muteId: '',
  terms: { mode: 'open', untilMs: null, userId: '', reason: '' },
  place: { channel: '', cardId: null },
} as const

/** Ends it as a person wants it: the one that a button showed, or that an alert or matchers name. */
export async function unmuteAlert(
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<'unmute_alert'>,
): Promise<Acted> {
  const { store, clock } = ports
  return carryOut(ports, context, async () => {
    const meant = await muteMeant(ports, context, change)
    if ('reply' in meant) return meant
    const nowMs = clock.nowMs()
    const { request } = context
    const changed = await changedTerms({ request, shown: change.shown }, meant, { store, nowMs })
    return changed === null ? endOne(ports, context, meant, 'person') : outdated(changed, nowMs)
  })
}

async function muteMeant(
  ports: ActPorts,
  context: ActionContext,
  { alert, muteId, matchers = [] }: ChangeOf<'unmute_alert'>,
): Promise<Mute | Acted> {
  const { store } = ports
  const isLive = ({ state, confirmation }: Mute) => state === 'active' || confirmation !== 'confirmed'
  if (muteId !== undefined) {
    const mute = await store.muteById(muteId)
    if (mute === null) return refused({ why: 'unknown_card' })
    if (isLive(mute)) return mute
    return refused({ why: 'alert_not_muted', what: mute.alert === null ? '' : alertWords(mute.alert) })
  }
  const { mutes } = await store.mutes()
  if (alert === null) {
    const subject = matchersSubject(matchers)
    const mute = mutes.find((one) => one.subject === subject)
    return mute ?? refused({ why: 'alert_not_muted', what: matchers.join(', ') })
  }
  const found = await alertFor({ alert }, context, ports)
  if (!found.ok) return refused(found.refusal)
  const [by] = mutesHiding(found.found, mutes)
  if (by?.alert != null) return by
  const what = alertWords({ ...mutedAlert(found.found, null) })
  return refused({ why: 'alert_not_muted', what, ...(by === undefined ? {} : { by }) })
}
