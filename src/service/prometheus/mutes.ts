/**
 * Mutes of single alerts as resources (docs/api.md#mutes): each is one silence at the Alertmanagers, under the name that its client gave
 * it, on all that makes the alert the same trouble. Those that others made there are listed too, and can be ended.
 */
import type { AlertLog } from '../alerts/alert-log.ts'
import type { AlertRecord } from '../alerts/alert-records.ts'
import { quoted, Refusal } from '../refusal.ts'
import { oneLine } from './annotations.ts'
import { isFinal } from './ask.ts'
import { type Bearing, identityOf, troubleOf } from './identity.ts'
import { matcherOfAll, matcherText, parseMatchers } from './matchers.ts'
import type { Labels, Matcher } from './naming.ts'
import { fingerprintOf } from './records.ts'
import { type Entry, isOff, isWanted, type Scope, type Subject, type Terms } from './silence-book.ts'
import type { Listed, Silences } from './silences.ts'

/** As many alerts are named of those that a mute hides. */
const alertsMax = 500
const byCharsMax = 100
const whyCharsMax = 300

/** What a client wants. A text that is undefined stays as it is known. */
export type MuteWish = {
  readonly id: string
  /** The number of an alert that the ledger knows. */
  readonly alert?: number | undefined
  /** In an Alertmanager's notation. */
  readonly matchers?: string | undefined
  /** Milliseconds since 1970; null: until it is deleted. */
  readonly untilMs: number | null
  readonly by?: string | undefined
  readonly why?: string | undefined
}

/** What it comes to. */
export type MuteOutcome = {
  readonly id: string
  /** In an Alertmanager's notation. */
  readonly matchers: readonly string[]
  /** Open alerts that these match now; some of them if there are many. */
  readonly alerts: readonly number[]
  readonly hides: number
  /** Of the alert that it was made for; null: none. */
  readonly trouble: string | null
}

export type ListedMute = Omit<MuteOutcome, 'trouble'> & {
  /** Made by this service. */
  readonly isOurs: boolean
  readonly by: string | null
  /** Null: until it is deleted, or not known. */
  readonly untilMs: number | null
  readonly why: string | null
  readonly startsAtMs: number
}

/** Every method rejects with a `Refusal`: 404 for an unknown alert, 422 for what an Alertmanager refuses, 502 to 504. */
export type Mutes = {
  /** Every silence that is active. */
  list(): Promise<readonly ListedMute[]>
  /** Changes nothing. */
  preview(wish: MuteWish): Promise<MuteOutcome>
  /** Resolves when an Alertmanager has accepted it; if it rejects, what was muted stays so, and nothing else. */
  set(wish: MuteWish): Promise<MuteOutcome>
  /** Ends one by its client's id, or by its id at the Alertmanager. Returns false if there is none. */
  end(id: string): Promise<boolean>
}

type Parts = {
  readonly silences: Silences
  readonly log: Pick<AlertLog, 'get' | 'openAlerts'>
  /** How an alert was listed last, if not with the labels of its record. */
  labelsNow(id: number): Labels | undefined
  /** Ends all silences of one of ours: of a server, of the account, or of a mute. */
  switchOn(subject: Subject): Promise<void>
  readonly nowMs: () => number
}

export function openMutes(parts: Parts): Mutes {
  const { silences, log, switchOn } = parts
  const { scopeOf, outcomeOf } = openWishes(parts)

  return {
    async list() {
      const hidden = hiddenBy(log.openAlerts())
      const shown = new Map<string, ListedMute>()
      for (const one of await silences.list()) {
        // What is about to be ended, or was not answered, is no mute of ours, and nobody else's.
        if (one.silence.state !== 'active' || (one.own !== null && !isOff(one.own))) continue
        const mute = listedMute(one, hidden)
        if (!shown.has(mute.id) || one.own?.id === one.silence.id) shown.set(mute.id, mute)
      }
      return [...shown.values()]
    },
    async preview(wish) {
      return outcomeOf(await scopeOf(wish), wish.id)
    },
    async set(wish) {
      const scope = await scopeOf(wish)
      try {
        await silences.set(scope, false)
      } catch (error) {
        if (!(error instanceof Refusal) || !isFinal(error)) throw error
        throw new Refusal(422, error.message)
      }
      return outcomeOf(scope, wish.id)
    },
    async end(id) {
      const subject: Subject = { kind: 'mute', id }
      if (!silences.isComplete()) await silences.list()
      if (silences.of(subject).some(isWanted)) {
        await switchOn(subject)
        return true
      }
      const found = (await silences.list()).find(({ silence }) => silence.id === id)
      if (found === undefined) return false
      if (found.own !== null && isWanted(found.own)) await switchOn(found.own.subject)
      else await silences.end(id)
      return true
    },
  }
}

/** What a wish comes to: the silence that it needs, and what that hides. */
function openWishes({ silences, log, labelsNow, nowMs }: Parts): {
  /** Rejects with a `Refusal`. */
  scopeOf(wish: MuteWish): Promise<Scope>
  outcomeOf(scope: Scope, id: string): MuteOutcome
} {
  async function scopeOf(wish: MuteWish): Promise<Scope> {
    const { id, untilMs } = wish
    if (untilMs !== null && untilMs <= nowMs()) {
      const came = new Date(untilMs).toISOString()
      throw new Refusal(422, `until: expected a time that is yet to come; came ${came}`)
    }
    const subject: Subject = { kind: 'mute', id }
    // Without a ledger, the Alertmanager may know of it.
    if (!silences.isComplete()) await silences.list()
    const [former] = silences.of(subject)
    const record = wish.alert === undefined ? undefined : log.get(wish.alert)
    // What was ended is muted as the alert is now, if it is named.
    const held = former !== undefined && (isWanted(former) || record === undefined) ? former : undefined
    const terms: Terms = {
      untilMs,
      by: wish.by === undefined ? (held?.terms?.by ?? '') : oneLine(wish.by, byCharsMax),
      why: wish.why === undefined ? (held?.terms?.why ?? '') : oneLine(wish.why, whyCharsMax),
      trouble:
        held?.terms?.trouble ??
        (record?.upstream ? troubleOf(record.upstream.labels, record.upstream.bearing) : null),
    }
    if (wish.matchers !== undefined) return { subject, ways: [parseMatchers(wish.matchers)], terms }
    if (held !== undefined) return { subject, ways: [held.matchers], terms }
    if (record !== undefined) return { subject, ways: [aloneNow(record)], terms }
    if (wish.alert !== undefined) throw new Refusal(404, `no alert has the number ${wish.alert}`)
    throw new Refusal(
      404,
      `no mute is called ${quoted(id)}; a new one needs alert (its number) or matchers (one a line)`,
    )
  }

  function aloneNow(record: AlertRecord): readonly Matcher[] {
    const known = knownOf(record)
    if (known === undefined)
      throw new Refusal(422, `alert: expected one of Prometheus; came ${record.id}, which has no labels`)
    const others = log.openAlerts().flatMap((other) => knownOf(other) ?? [])
    return alone(
      known,
      others.filter(({ labels }) => labels.alertname === known.labels.alertname),
    )
  }

  function knownOf(record: AlertRecord): Known | undefined {
    const labels = labelsOf(record)
    return labels && record.upstream && { ...record.upstream, labels }
  }

  /** Labels as the Alertmanager has them now. */
  const labelsOf = ({ id, upstream }: AlertRecord): Labels | undefined => labelsNow(id) ?? upstream?.labels

  function outcomeOf({ ways, terms }: Scope, id: string): MuteOutcome {
    const [matchers = []] = ways
    const fits = matcherOfAll(matchers)
    const found = log.openAlerts().filter((one) => fits(labelsOf(one) ?? {}))
    return {
      id,
      matchers: matchers.map(matcherText),
      alerts: found.slice(0, alertsMax).map((one) => one.id),
      hides: found.length,
      trouble: terms?.trouble ?? null,
    }
  }

  return { scopeOf, outcomeOf }
}

/** An alert, as far as it makes matchers. */
type Known = {
  readonly labels: Labels
  readonly fingerprint: string
  readonly bearing?: Bearing | undefined
}

/**
 * Matches an alert, and of the others of its name only the same trouble. A matcher for a label says nothing about alerts that lack
 * it, so that labels which others have, and this one has not, must be absent.
 */
export function alone({ labels, bearing, fingerprint }: Known, others: readonly Known[]): readonly Matcher[] {
  const names = new Set(
    others.flatMap((other) => identityOf(other.labels, other.bearing)).map(({ name }) => name),
  )
  // The Alertmanager has it with the label of each Prometheus that sends it.
  if (fingerprint === fingerprintOf(labels)) names.delete('replica')
  const absent = [...names]
    .filter((name) => (labels[name] ?? '') === '')
    .map((name): Matcher => ({ name, value: '', isRegex: false, isEqual: true }))
  return [...identityOf(labels, bearing), ...absent].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Open alerts by the name of each mute that hides them. */
function hiddenBy(open: readonly AlertRecord[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const { id, upstream } of open) {
    for (const mute of upstream?.mutedBy ?? []) {
      if (mute.id === null) continue
      const ids = found.get(mute.id)
      if (ids === undefined) found.set(mute.id, [id])
      else ids.push(id)
    }
  }
  return found
}

function listedMute({ silence, own }: Listed, hidden: ReadonlyMap<string, readonly number[]>): ListedMute {
  const said = own === null ? null : toldOf(own)
  const id = said?.id ?? silence.id
  const alerts = hidden.get(id) ?? []
  return {
    id,
    isOurs: own !== null,
    by: own === null ? oneLine(silence.createdBy, byCharsMax) || null : (said?.by ?? null),
    untilMs: own === null ? silence.endsAtMs : (said?.untilMs ?? null),
    why: own === null ? oneLine(silence.comment, whyCharsMax) || null : (said?.why ?? null),
    startsAtMs: silence.startsAtMs,
    matchers: silence.matchers.map(matcherText),
    alerts: alerts.slice(0, alertsMax),
    hides: alerts.length,
  }
}

/** What is known of one of our own silences; `id` is absent if it is that of the Alertmanager. */
export function toldOf({ subject, terms }: Entry): {
  readonly id?: string
  readonly by: string | null
  readonly untilMs: number | null
  readonly why: string | null
} {
  switch (subject.kind) {
    case 'account':
      return { by: null, untilMs: null, why: 'all notifications are off' }
    case 'server':
      return { by: null, untilMs: null, why: `notifications of ${subject.hostname} are off` }
    case 'mute':
      return {
        id: subject.id,
        by: terms?.by || null,
        untilMs: terms?.untilMs ?? null,
        why: terms?.why || null,
      }
  }
}
