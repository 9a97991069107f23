/**
 * A mute: what people decided about notifications of the account, of one server or of one alert. What the API was told of it is its
 * switch.
 */
import type { Alert } from '../alert/alert.ts'
import { subjectWords } from '../alert/subject-words.ts'
import { type Subject, troubleSubject } from './subject.ts'

/** `timed`: until `untilMs`; `healthy`: until the server was well for a while, at `untilMs` at the latest; `open`: until unmuted. */
export type MuteMode = 'timed' | 'healthy' | 'open'

/**
 * Why it ended: its time came, the server was well, somebody ended or undid it, the API never confirmed it, or the API does not
 * know the server any more (`gone`: whether notifications are on nobody can say), or somebody ended it at the Alertmanager.
 */
export type MuteEndedBy = 'deadline' | 'healthy' | 'person' | 'undo' | 'interrupted' | 'gone' | 'elsewhere'

/** What a repeated mute replaced, for the undo. */
export type MuteTerms = {
  readonly mode: MuteMode
  readonly untilMs: number | null
  readonly userId: string
  readonly reason: string
}

/** Where something is posted: a channel, and the card of that channel in whose thread it goes, if there is one. */
export type Place = { readonly channel: string; readonly cardId: string | null }

/** The alert that a mute is about, as it was then: the mute goes on when its number is forgotten. */
export type AboutAlert = Pick<Alert, 'alertId' | 'hostname' | 'serverName' | 'plugin' | 'metric' | 'title'>

/** What a mute of one alert hides. */
export type MutedAlert = {
  /** Null: chosen by labels, and not from an alert. */
  readonly about: AboutAlert | null
  /** It was critical then. What becomes so later is not hidden: nobody has decided that. */
  readonly isCritical: boolean
  /** The service mutes it; false: monbot alone hides it, and the monitoring still notifies others. */
  readonly isAtService: boolean
  /** As somebody wrote them, in Alertmanager's notation: what they match, the service says (`mutedBy`). Null: this trouble alone. */
  readonly matchers: readonly string[] | null
}

/** What held before; `hostname` null: on the account. */
export type Before = MuteTerms & { readonly hostname: string | null }

/** Times are epoch milliseconds. One active row a subject at most. */
export type Mute = MuteTerms & {
  readonly muteId: string
  readonly subject: Subject
  /** Of a mute of one alert; null: of a server or the account. */
  readonly alert: MutedAlert | null
  /** As decided, whatever the API says. */
  readonly state: 'active' | 'ended'
  /**
   * What the API said to its present terms, or to its end: nothing yet, yes (or nobody waits for it any more), or, to an end,
   * no for so long that everybody was told.
   */
  readonly confirmation: 'waiting' | 'confirmed' | 'stuck'
  /** When the first of its terms began: it has hidden alerts since then. */
  readonly startedMs: number
  /** When the present terms were given; an undo is possible for a minute after. */
  readonly termsMs: number
  /** The terms that the present ones replaced; `isUnconfirmed`: the API never confirmed those, so a refusal ends the mute. */
  readonly previous: (MuteTerms & { readonly isUnconfirmed?: true; readonly alert?: MutedAlert }) | null
  /** Where changes of it are announced: the channel, and the card whose thread it is. */
  readonly channel: string
  readonly cardId: string | null
  /** When its owner was asked to extend or end it; null before. */
  readonly expiryNoticeMs: number | null
  readonly endedMs: number | null
  readonly endedBy: MuteEndedBy | null
  /** The person who ended it; null when nobody did. */
  readonly endedByUserId: string | null
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

/** The mutes of some subjects; null: all. Those of the account come with them, and those by matchers, as they may hide these too. */
export type Over = string | readonly Subject[] | null

/** Terms can be taken back for this long after they were given. */
export const undoMs = 60_000
/** A shorter mute would be over before anybody read of it. */
export const muteMinMs = 60_000

/** What of an alert decides whether a mute hides it. */
export type Hideable = Parameters<typeof troubleSubject>[0] & Pick<Alert, 'hostname' | 'severity' | 'mutedBy'>

/** Does one of these hide the alert: its own mute, its server's or the account's? */
export function isHidden(alert: Hideable, mutes: readonly Mute[]): boolean {
  const active = indexed(mutes, 'active')
  if (active.bySubject.has(alert.hostname) || active.bySubject.has(null)) return true
  return ownMute(alert, active) !== undefined
}

/** All of these that hide it, or keep it silent as long as the API has not confirmed their end: its own, its server's, the account's. */
export function mutesHiding(alert: Hideable, mutes: readonly Mute[]): readonly Mute[] {
  const live = indexed(mutes, 'live')
  const found = [ownMute(alert, live), live.bySubject.get(alert.hostname), live.bySubject.get(null)]
  return found.filter((mute) => mute !== undefined)
}

/** The mute that is shown for an alert: its own before its server's before the account's; null when it is not muted. */
export function muteOf(alert: Hideable, mutes: readonly Mute[]): Mute | null {
  return mutesHiding(alert, mutes)[0] ?? null
}

/** Does this mute hide the alert, for as long as it is in force? */
export function hides(mute: Mute, alert: Hideable): boolean {
  if (mute.alert === null) return mute.subject === null || mute.subject === alert.hostname
  return isOfTrouble(mute, alert) || isMatched(mute, alert)
}

function isOfTrouble({ subject, alert: muted }: Mute, alert: Hideable): boolean {
  if (muted === null || (alert.severity === 'critical' && !muted.isCritical)) return false
  return subject === troubleSubject(alert)
}

function isMatched({ muteId, alert: muted }: Mute, { mutedBy = [] }: Hideable): boolean {
  return muted?.matchers != null && mutedBy.some(({ id }) => id === muteId)
}

/** The servers and troubles of these mutes; null: all, as what some match by their matchers may be anywhere. */
export function subjectsUnder(mutes: readonly Mute[]): readonly string[] | null {
  const subjects = mutes.flatMap(({ subject, alert }) => (alert?.matchers == null ? (subject ?? []) : []))
  return subjects.length < mutes.length ? null : subjects
}

/** Looked up by its trouble, and by the names of what the service says mutes it: never compared with every mute. */
function ownMute(alert: Hideable, { bySubject, byMatchers, hasAlerts }: Index): Mute | undefined {
  if (!hasAlerts) return undefined
  const own = bySubject.get(troubleSubject(alert))
  if (own !== undefined && isOfTrouble(own, alert)) return own
  const by = alert.mutedBy?.find(({ id }) => id !== null && byMatchers.has(id))
  return by?.id == null ? undefined : byMatchers.get(by.id)
}

/** Of active mutes, and of ended ones that the API may still hold: `asked` and `ending` wait for its answer. */
export type MuteStanding = 'asked' | 'active' | 'ending'

export function standingOf({ state, confirmation }: Mute): MuteStanding {
  if (state === 'ended') return 'ending'
  return confirmation === 'waiting' ? 'asked' : 'active'
}

/** Does it, as far as people know, keep its server silent: decided, or ended and perhaps not at the API yet? */
export function isInForce({ state, endedBy, confirmation }: Mute): boolean {
  return state === 'active' || (confirmation !== 'confirmed' && endedBy !== 'interrupted')
}

/** Did the API ever confirm any of its terms? */
export function wasConfirmed({ confirmation, previous }: Mute): boolean {
  return confirmation === 'confirmed' || (previous !== null && previous.isUnconfirmed !== true)
}

/** Something else is muted, until then where its end is known; null: it has none, or is being unmuted. */
type Silence = { readonly untilMs: number | null }

/** What stays muted, whatever becomes of one mute: by the account's; an alert by its server's; of a server some alerts by their own. */
export type Silenced = {
  readonly accountMuted?: Silence
  readonly serverMuted?: Silence
  readonly alertsMuted?: number
}

/** `of`: the mute that is over; null: several, of which only what is said of all is said. */
export function silencedBy(
  mutes: readonly Mute[],
  of: Pick<Mute, 'subject' | 'alert'> | null = null,
): Silenced {
  const { bySubject } = indexed(mutes, 'live')
  const silence = (subject: Subject) => {
    const mute = bySubject.get(subject)
    return mute === undefined ? null : { untilMs: mute.state === 'active' ? mute.untilMs : null }
  }
  const account = silence(null)
  const host = of?.alert == null ? null : hostnameOf(of)
  const server = host === null ? null : silence(host)
  const own = of === null || of.alert !== null ? null : of.subject
  const alerts = own === null ? 0 : mutes.filter((mute) => isOfAlertOn(mute, own)).length
  return {
    ...(account === null ? {} : { accountMuted: account }),
    ...(server === null ? {} : { serverMuted: server }),
    ...(alerts === 0 ? {} : { alertsMuted: alerts }),
  }
}

function isOfAlertOn(mute: Mute, hostname: string): boolean {
  return mute.state === 'active' && mute.alert?.about?.hostname === hostname
}

type BySubject = ReadonlyMap<Subject, Mute>
type Index = {
  readonly bySubject: BySubject
  /** Those by matchers, by their id. */
  readonly byMatchers: ReadonlyMap<string, Mute>
  readonly hasAlerts: boolean
}

/** Each list is indexed once, as thousands of alerts may be looked up among thousands of mutes. */
const read = new WeakMap<readonly Mute[], Readonly<Record<'live' | 'active', Index>>>()

function indexed(mutes: readonly Mute[], which: 'live' | 'active'): Index {
  const known = read.get(mutes)
  if (known !== undefined) return known[which]
  const active = mutes.filter(({ state }) => state === 'active')
  // Of one subject, the active one counts before any that is ending.
  const live = [...active, ...mutes.filter((mute) => mute.state !== 'active' && isInForce(mute))]
  const found = { live: indexOf(live), active: indexOf(active) }
  read.set(mutes, found)
  return found[which]
}

function indexOf(mutes: readonly Mute[]): Index {
  const byMatchers = mutes.filter(({ alert }) => alert?.matchers != null)
  return {
    bySubject: new Map(mutes.toReversed().map((mute) => [mute.subject, mute])),
    byMatchers: new Map(byMatchers.map((mute) => [mute.muteId, mute])),
    hasAlerts: mutes.some(({ alert }) => alert !== null),
  }
}

/** The active ones by their subject. */
export function activeBySubject(mutes: readonly Mute[]): BySubject {
  return indexed(mutes, 'active').bySubject
}

/** The first row of a mute: active from its decision on, and not confirmed yet. */
export function newMute(decided: {
  readonly muteId: string
  readonly subject: Subject
  readonly alert?: MutedAlert | null
  readonly terms: MuteTerms
  readonly place: Place
  readonly nowMs: number
}): Mute {
  const { muteId, subject, alert = null, terms, place, nowMs } = decided
  return {
    ...terms,
    ...place,
    muteId,
    subject,
    alert,
    state: 'active',
    confirmation: isByMonbot({ alert }) ? 'confirmed' : 'waiting',
    startedMs: nowMs,
    termsMs: nowMs,
    previous: null,
    expiryNoticeMs: null,
    endedMs: null,
    endedBy: null,
    endedByUserId: null,
    version: 1,
  }
}

/** Muting again keeps the one row and replaces its terms; what they were is kept for the undo, and for a refusal. */
export function replaceTerms(
  mute: Mute,
  terms: MuteTerms,
  place: Place,
  nowMs: number,
  alert: MutedAlert | null = mute.alert,
): Mute {
  const doubt = mute.confirmation === 'confirmed' ? {} : { isUnconfirmed: true as const }
  const own = mute.alert === null ? {} : { alert: mute.alert }
  const previous = { ...termsOf(mute), ...own, ...doubt }
  return next(mute, {
    ...terms,
    ...place,
    alert,
    confirmation: isByMonbot({ alert }) ? 'confirmed' : 'waiting',
    termsMs: nowMs,
    previous,
    expiryNoticeMs: null,
  })
}

/**
 * The undo, or a refusal: the terms before are in force again. Throws where there were none. An undo is not undone: `termsMs`
 * is put back so far that a second press finds nothing to take back.
 */
export function restoreTerms(mute: Mute, nowMs: number): Mute {
  if (mute.previous === null) throw new Error(`The mute ${mute.muteId} has no terms before its present ones`)
  const { isUnconfirmed, ...terms } = mute.previous
  return next(mute, {
    ...terms,
    confirmation: isUnconfirmed ? mute.confirmation : 'confirmed',
    termsMs: Math.min(mute.startedMs, nowMs - undoMs),
    previous: null,
    expiryNoticeMs: null,
  })
}

/** The deadline moves. The mute still belongs to the person who asked for it, and its owner is asked again before the new end. */
export function extendTerms(mute: Mute, untilMs: number): Mute {
  return next(mute, { untilMs, expiryNoticeMs: null })
}

/** Its owner is about to be asked to extend or end it. */
export function withExpiryNotice(mute: Mute, nowMs: number): Mute {
  return next(mute, { expiryNoticeMs: nowMs })
}

/** It is over from this decision on, and the API is to be told. What never was confirmed just was not to be, at its time. */
export function endMute(
  mute: Mute,
  end: { readonly by: MuteEndedBy; readonly userId: string | null; readonly nowMs: number },
): Mute {
  const isTime = end.by === 'deadline' || end.by === 'healthy'
  const endedBy = isTime && !wasConfirmed(mute) ? 'interrupted' : end.by
  return next(mute, {
    state: 'ended',
    confirmation: isByMonbot(mute) ? 'confirmed' : 'waiting',
    endedMs: mute.endedMs ?? end.nowMs,
    endedBy,
    endedByUserId: end.userId,
  })
}

/** The API said yes to its terms or to its end, or nobody waits for that any more. */
export function confirmMute(mute: Mute, end: Partial<Pick<Mute, 'endedBy'>> = {}): Mute {
  return next(mute, { confirmation: 'confirmed', ...end })
}

/** The API does not let it end, and everybody is told. */
export function stuckMute(mute: Mute): Mute {
  return next(mute, { confirmation: 'stuck' })
}

/** What the mute replaced, if anything. */
export function beforeOf(mute: Mute): readonly Before[] {
  return mute.previous === null ? [] : [{ ...termsOf(mute.previous), hostname: hostnameOf(mute) }]
}

/** The server that it is about, or whose alert; null: the account, or alerts of any server. */
export function hostnameOf({ subject, alert }: Pick<Mute, 'subject' | 'alert'>): string | null {
  return alert === null ? subject : (alert.about?.hostname ?? null)
}

/** Does monbot alone hide it, so that nobody has to confirm it? */
export function isByMonbot({ alert }: Pick<Mute, 'alert'>): boolean {
  return alert !== null && !alert.isAtService
}

/** What a mute of an alert is about, in plain words: `Disk on db-1`, or the matchers that somebody chose. */
export function alertWords({ about, matchers }: MutedAlert): string {
  if (matchers !== null || about === null) return (matchers ?? []).join(', ')
  return `${subjectWords(about)} on ${about.serverName === '' ? about.hostname : about.serverName}`
}

/** Is it of the whole account? */
export function isOfAccount({ subject }: Pick<Mute, 'subject'>): boolean {
  return subject === null
}

/** The hostname of a mute of a server; null for any other. */
export function mutedServer({ subject, alert }: Pick<Mute, 'subject' | 'alert'>): string | null {
  return alert === null ? subject : null
}

export function termsOf({ mode, untilMs, userId, reason }: MuteTerms): MuteTerms {
  return { mode, untilMs, userId, reason }
}

export function isSameTerms(a: MuteTerms, b: MuteTerms): boolean {
  return a.mode === b.mode && a.untilMs === b.untilMs && a.userId === b.userId && a.reason === b.reason
}

/** May this person still take back the present terms? */
export function isUndoable(mute: Mute, userId: string, nowMs: number): boolean {
  // Either way: a clock that was set back must not make the press of an old button an undo.
  return mute.userId === userId && Math.abs(nowMs - mute.termsMs) < undoMs
}

function next(mute: Mute, change: Partial<Mute>): Mute {
  return { ...mute, ...change, version: mute.version + 1 }
}
