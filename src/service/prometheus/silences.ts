/**
 * Mutes are kept as silences at the Alertmanager: what should be is compared with what is there, and the difference is done. A silence
 * ends an hour ahead and is renewed as long as it is wanted, so nothing stays silent for longer than that without this service.
 */
import { createHash } from 'node:crypto'
import { type Mute, Refusal } from '../source.ts'
import type { Shelf } from '../store.ts'
import type { Asker } from './ask.ts'
import { type AmSilence, silencesOf, unitedSilences } from './look.ts'
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

export type SilenceParts = {
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

  /** The mute that this silence is kept for. */
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
    const silence = (await this.all()).find((one) => one.id === id)
    if (silence === undefined || silence.status.state === 'expired') return false
    await this.expire(id)
    return true
  }

  private tokenOf({ comment }: AmSilence): string | null {
    return new RegExp(`\\(monbot ${this.parts.installation} ([\\w-]+)\\)$`).exec(comment)?.[1] ?? null
  }

  private async all(): Promise<AmSilence[]> {
    const answers = await Promise.allSettled(
      this.parts.managers.map(async (one) => silencesOf(one.name, await one.get('/api/v2/silences'))),
    )
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
    const there = await this.all()
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
        wanted.add(tokenFor(mute.id, matchers))
        await this.keep(mute, matchers, there).catch(failed(mute.id))
      }
    }
    for (const silence of there) {
      if (!this.isOurs(silence) || silence.status.state === 'expired') continue
      const token = this.tokenOf(silence) ?? ''
      if (!wanted.has(token)) await this.expire(silence.id).catch(failed(held.get(token)?.mute))
    }
    const isThere = new Set(
      there.filter(({ status }) => status.state !== 'expired').map(({ id }) => `theirs ${id}`),
    )
    for (const token of [...held.all().keys()])
      if (!wanted.has(token) && !isThere.has(token)) held.remove(token)
    if (failure !== null) throw failure
  }

  /** The matcher sets that a mute wants today. A server keeps the ways in which it was named since the mute began. */
  private wantedOf(mute: Mute): (readonly string[])[] {
    if (mute.kind === 'account') return [['alertname=~".+"', notForMachines]]
    if (mute.kind === 'alert') return [mute.matchers ?? []]
    const kept = [...this.parts.held.all()].flatMap(([token, { mute: id, matchers }]) =>
      id === mute.id && !token.startsWith('theirs') ? [matchers] : [],
    )
    const today = this.parts.waysOf(mute.host ?? '').map((matchers) => [...matchers, notForMachines])
    const sets = new Map([...kept, ...today].map((matchers) => [JSON.stringify(matchers), matchers]))
    if (sets.size > 0) return [...sets.values()]
    // Nobody knows it yet: all that a host is usually called by.
    const host = escapeRegex((mute.host ?? '').split('/').at(-1) ?? '')
    return [[`instance=~${quote(`${host}(?::[0-9]+)?`)}`, notForMachines]]
  }

  private async keep(mute: Mute, matchers: readonly string[], there: readonly AmSilence[]): Promise<void> {
    const { held, installation, nowMs } = this.parts
    const token = tokenFor(mute.id, matchers)
    const mine = there.filter(
      (one) => this.isOurs(one) && this.tokenOf(one) === token && one.status.state !== 'expired',
    )
    const untilMs = Math.min(nowMs() + aheadMs, mute.untilMs ?? Number.POSITIVE_INFINITY)
    const neededMs = Math.min(renewBelowMs, untilMs - nowMs()) - second
    const good = mine.find(({ endsAt }) => endsAt - nowMs() >= neededMs && endsAt <= untilMs + minute)
    if (good !== undefined) {
      const { id, endsAt, updatedAt } = good
      const own = held.get(token)
      if (own?.silence !== id || own.updatedMs === null)
        held.put(token, { mute: mute.id, matchers, silence: id, endsMs: endsAt, updatedMs: updatedAt })
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
    const planned = { mute: mute.id, matchers, endsMs: untilMs, updatedMs: null }
    held.put(token, { ...planned, silence: renewed?.id ?? null })
    const answer = (await this.call((one) => one.post('/api/v2/silences', body))) as {
      silenceID?: string
    } | null
    held.put(token, { ...planned, silence: answer?.silenceID ?? null })
  }

  /** A silence that a person ended, or edited, is not made again, nor ended: whoever did that wants it so. */
  private isTakenOver(mute: Mute, there: readonly AmSilence[]): boolean {
    const { held } = this.parts
    for (const [token, own] of [...held.all()]) {
      const silence = own.mute === mute.id ? there.find(({ id }) => id === own.silence) : undefined
      if (silence === undefined || token.startsWith('theirs')) continue
      const { id, status, endsAt, updatedAt } = silence
      const isOtherEnd = Math.abs(endsAt - own.endsMs) > 2 * second
      const isExpired = status.state === 'expired'
      if (isExpired && isOtherEnd && Math.abs(endsAt - updatedAt) < 2 * second && endsAt < own.endsMs)
        return true
      const isNewer = own.updatedMs !== null && updatedAt > own.updatedMs && isOtherEnd
      const isTheirs = this.tokenOf(silence) !== token || silence.createdBy !== createdBy
      if (isExpired || (!isTheirs && !isNewer)) continue
      held.put(`theirs ${id}`, { ...own, mute: '' })
      return true
    }
    return false
  }
}

function tokenFor(muteId: string, matchers: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([muteId, matchers]))
    .digest('base64url')
    .slice(0, 16)
}
