/**
 * Mutes are kept as silences at the Alertmanager: what should be is compared with what is there, and the difference is done. A silence
 * ends an hour ahead and is renewed as long as it is wanted, so nothing stays silent for longer than that without this service.
 */
import { createHash } from 'node:crypto'
import { type Mute, Refusal } from '../source.ts'
import type { Shelf } from '../store.ts'
import type { Asker } from './ask.ts'
import { type AmSilence, askSilences, unitedSilences } from './look.ts'
import { parseMatcher } from './matchers.ts'
import { escapeRegex, quote } from './naming.ts'

const second = 1000
const minute = 60 * second
const aheadMs = 60 * minute
const renewBelowMs = 15 * minute
const createdBy = 'monbot'
/** For machines, such as Watchdog: its silence is an alarm elsewhere. */
const notForMachines = 'severity!="none"'

/** What a mute has at the Alertmanager, by its token; `theirs <id>`: a silence that a person took over. */
export type Held = {
  readonly mute: string
  readonly matchers: readonly string[]
  readonly silence: string | null
  readonly endsMs: number
  /** When the Alertmanager took it; null until it was seen there. */
  readonly updatedMs: number | null
}

type SilenceParts = {
  readonly managers: readonly Asker[]
  readonly held: Shelf<Held>
  /** This installation: two services may share an Alertmanager. */
  readonly installation: string
  readonly nowMs: () => number
  /** Matchers for each way in which a server is named today. */
  readonly waysOf: (host: string) => readonly (readonly string[])[]
  /** A person ended or took over a mute at the Alertmanager. */
  readonly onEnded: (muteId: string) => void
}

const isExpired = ({ status }: AmSilence) => status.state === 'expired'

export class Silences {
  private readonly parts: SilenceParts
  private running: Promise<void> = Promise.resolve()

  constructor(parts: SilenceParts) {
    this.parts = parts
  }

  isOurs(silence: AmSilence): boolean {
    const isTheirs = this.parts.held.get(`theirs ${silence.id}`) !== undefined
    return silence.createdBy === createdBy && this.tokenOf(silence) !== null && !isTheirs
  }

  muteOf(silence: AmSilence): string | null {
    const token = this.isOurs(silence) ? this.tokenOf(silence) : null
    return token === null ? null : (this.parts.held.get(token)?.mute ?? null)
  }

  /** One after the other: two at once would each make a silence. If one is `asked`, only its failure is thrown. */
  reconcile(mutes: () => readonly Mute[], asked?: string): Promise<void> {
    const next = this.running.then(() => this.work(mutes(), asked))
    this.running = next.catch(() => {})
    return next
  }

  async active(): Promise<readonly AmSilence[]> {
    return (await this.all()).filter(({ status }) => status.state === 'active')
  }

  /** False: there is none of this id any more. */
  async end(id: string): Promise<boolean> {
    const silence = (await this.all()).find((one) => one.id === id && !isExpired(one))
    if (silence !== undefined) await this.expire(id)
    return silence !== undefined
  }

  private tokenOf({ comment }: AmSilence): string | null {
    return new RegExp(`\\(monbot ${this.parts.installation} ([\\w-]+)\\)$`).exec(comment)?.[1] ?? null
  }

  private async all(): Promise<AmSilence[]> {
    const answers = await Promise.allSettled(this.parts.managers.map(askSilences))
    const good = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const [first] = answers
    if (good.length === 0 && first?.status === 'rejected') throw first.reason
    return unitedSilences(good.flat())
  }

  /** One Alertmanager that takes it is enough: they tell each other. A refusal of the silence itself is final. */
  private async call(work: (one: Asker) => Promise<unknown>): Promise<unknown> {
    let failure: unknown = null
    for (const one of this.parts.managers) {
      try {
        return await work(one)
      } catch (error) {
        failure = error
        if (error instanceof Refusal && error.status === 422) break
      }
    }
    throw failure
  }

  private expire(id: string): Promise<unknown> {
    return this.call((one) => one.remove(`/api/v2/silence/${encodeURIComponent(id)}`))
  }

  private async work(mutes: readonly Mute[], asked: string | undefined): Promise<void> {
    const { held, nowMs, onEnded } = this.parts
    if (mutes.length === 0 && held.all().size === 0) return
    const there = (await this.all()).map((one) => ({ ...one, token: this.tokenOf(one) ?? '' }))
    const wanted = new Set<string>()
    let failure: unknown = null
    const failed = (mute: string | undefined) => (error: unknown) => {
      if (asked === undefined || mute === asked) failure ??= error
    }
    for (const mute of mutes) {
      if (mute.untilMs !== null && mute.untilMs <= nowMs()) continue
      if (mute.id !== asked && this.isTakenOver(mute, there)) {
        onEnded(mute.id)
        continue
      }
      for (const matchers of this.wantedOf(mute)) {
        const token = tokenFor(mute.id, matchers)
        wanted.add(token)
        const mine = there.filter((one) => one.token === token && this.isOurs(one) && !isExpired(one))
        await this.keep(mute, matchers, token, mine).catch(failed(mute.id))
      }
    }
    const living = there.filter((one) => !isExpired(one))
    for (const one of living)
      if (this.isOurs(one) && !wanted.has(one.token))
        await this.expire(one.id).catch(failed(held.get(one.token)?.mute))
    const kept = new Set([...wanted, ...living.map(({ id }) => `theirs ${id}`)])
    for (const token of [...held.all().keys()]) if (!kept.has(token)) held.remove(token)
    if (failure !== null) throw failure
  }

  /** The matcher sets that a mute wants today. A server keeps the ways in which it was named since the mute began. */
  private wantedOf({ id, kind, host = '', matchers = [] }: Mute): (readonly string[])[] {
    if (kind === 'account') return [['alertname=~".+"', notForMachines]]
    if (kind === 'alert') return [matchers]
    const kept = [...this.parts.held.all()].flatMap(([token, own]) =>
      own.mute === id && !token.startsWith('theirs') ? [own.matchers] : [],
    )
    const today = this.parts.waysOf(host).map((way) => [...way, notForMachines])
    const sets = new Map([...kept, ...today].map((set) => [JSON.stringify(set), set]))
    if (sets.size > 0) return [...sets.values()]
    // Nobody knows it yet: all that a host is usually called by.
    const name = escapeRegex(host.split('/').at(-1) ?? '')
    return [[`instance=~${quote(`${name}(?::[0-9]+)?`)}`, notForMachines]]
  }

  private async keep(
    mute: Mute,
    matchers: readonly string[],
    token: string,
    mine: readonly AmSilence[],
  ): Promise<void> {
    const { held, installation, nowMs } = this.parts
    const hold = (silence: string | null, endsMs: number, updatedMs: number | null) =>
      held.put(token, { mute: mute.id, matchers, silence, endsMs, updatedMs })
    const untilMs = Math.min(nowMs() + aheadMs, mute.untilMs ?? Number.POSITIVE_INFINITY)
    const neededMs = Math.min(renewBelowMs, untilMs - nowMs()) - second
    const good = mine.find(({ endsAt }) => endsAt - nowMs() >= neededMs && endsAt <= untilMs + minute)
    if (good !== undefined) {
      if (held.get(token)?.updatedMs == null) hold(good.id, good.endsAt, good.updatedAt)
      return
    }
    // The same id and beginning renew a silence; with another beginning a second one results.
    const [renewed] = mine
    const body = {
      ...(renewed === undefined ? {} : { id: renewed.id }),
      matchers: matchers.map(parseMatcher),
      startsAt: new Date(renewed?.startsAt ?? nowMs()).toISOString(),
      endsAt: new Date(untilMs).toISOString(),
      createdBy,
      comment: `${`${mute.by}: ${mute.why}`.slice(0, 400)} (monbot ${installation} ${token})`,
    }
    hold(renewed?.id ?? null, untilMs, null)
    const answer = await this.call((one) => one.post('/api/v2/silences', body))
    hold((answer as { silenceID?: string } | null)?.silenceID ?? null, untilMs, null)
  }

  /** A silence that a person ended, or edited, is not made again, nor ended: whoever did that wants it so. */
  private isTakenOver(mute: Mute, there: readonly (AmSilence & { readonly token: string })[]): boolean {
    const { held } = this.parts
    for (const [token, own] of [...held.all()]) {
      const silence = own.mute === mute.id ? there.find(({ id }) => id === own.silence) : undefined
      if (silence === undefined || token.startsWith('theirs')) continue
      const { endsAt, updatedAt } = silence
      const isOtherEnd = Math.abs(endsAt - own.endsMs) > 2 * second
      if (isExpired(silence)) {
        const isByHand = Math.abs(endsAt - updatedAt) < 2 * second
        if (isOtherEnd && isByHand && endsAt < own.endsMs) return true
        continue
      }
      const isNewer = own.updatedMs !== null && updatedAt > own.updatedMs && isOtherEnd
      if (silence.token === token && silence.createdBy === createdBy && !isNewer) continue
      held.put(`theirs ${silence.id}`, { ...own, mute: '' })
      return true
    }
    return false
  }
}

function tokenFor(muteId: string, matchers: readonly string[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([muteId, matchers]))
    .digest('base64url')
  return digest.slice(0, 16)
}
