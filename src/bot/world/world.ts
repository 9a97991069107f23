/**
 * All that is live, in memory. Everything decides on it synchronously; rows on disk follow through the journal. `decide` is all or
 * nothing: what throws leaves the world as it was.
 */
import type { Fact, Facts } from './facts.ts'
import type { Act, Alert, Effect, Kind, Mute, Post, Records, Request, Shown, Switch } from './types.ts'

/** `record`: what was removed into the past, since the world no longer holds it when the journal writes. */
export type Change = {
  readonly kind: Kind
  readonly id: string
  readonly fate: 'put' | 'past' | 'gone'
  readonly record?: AnyRecord
}
/** Hears of every change, in order, once per decision. */
export type OnChange = (changes: readonly Change[]) => void

type Maps = { readonly [K in Kind]: Map<string, Records[K]> }
type AnyRecord = Records[Kind]

export class World implements Maps {
  readonly alerts = new Map<string, Alert>()
  readonly posts = new Map<string, Post>()
  readonly mutes = new Map<string, Mute>()
  readonly switches = new Map<string, Switch>()
  readonly acts = new Map<string, Act>()
  readonly effects = new Map<string, Effect>()
  readonly requests = new Map<string, Request>()
  readonly facts = new Map<string, Fact>()

  /** Derived by put: open alerts, one-offs excepted. */
  readonly open = new Map<string, Alert>()
  /** The newest opening of each record of the API. */
  readonly latest = new Map<string, string>()
  /** Posts that show an alert. */
  readonly about = new Map<string, Set<string>>()
  /** Posts in a post's thread. */
  readonly replies = new Map<string, Set<string>>()
  /** Posts that tell an act. */
  readonly telling = new Map<string, Set<string>>()
  /** Mutes that have not ended, planned ones included. */
  readonly activeMutes = new Map<string, Mute>()
  /** Grows with each change of a mute: what was derived from them before is stale. */
  mutesVersion = 0
  /** Posts whose view may differ from what Slack shows; the sender takes them away. */
  readonly dirty = new Set<string>()
  /** Grows with each decision that changed something: a loop that saw this one need not look again. */
  version = 0

  #onChange: OnChange
  #changes: Change[] = []
  #undo: (() => void)[] = []
  /** What to look up once at the end of a decision: subjects of mutes that hide or show others now … */
  #muted = new Set<string>()
  /** … and those whose mutes count what they hide, or say what the monitoring confirmed. */
  #counted = new Set<string>()
  readonly #aside = new Map<string, { readonly why: string; isTold: boolean }>()
  #depth = 0

  constructor(onChange: OnChange = () => {}) {
    this.#onChange = onChange
  }

  /** Who hears of changes from now on: set once the records of the disk are in. */
  listen(onChange: OnChange): void {
    this.#onChange = onChange
  }

  /** `news`: what of it was not looked at before. */
  put<K extends Kind>(kind: K, record: Records[K], news: Partial<Records[K]> = record): void {
    this.decide(() => {
      // What cannot be serialised fails here, and not in a batch with others.
      JSON.stringify(news)
      if (this.#in(kind).get(record.id) !== record) this.#change(kind, record.id, record, 'put')
    })
  }

  /** Changes some fields of a record that must be there. */
  patch<K extends Kind>(kind: K, id: string, fields: Partial<Records[K]>): Records[K] {
    const before = this.#in(kind).get(id)
    if (before === undefined) throw new Error(`expected a record in ${kind} to patch; came ${id}`)
    const isSame = Object.entries(fields).every(([name, value]) => Object.is(before[name as never], value))
    if (isSame) return before
    const after = { ...before, ...fields }
    this.put(kind, after, fields)
    return after
  }

  /** Takes a record out: into the past of the disk, where queries of the past find it, or for good. */
  remove(kind: Kind, id: string, fate: 'past' | 'gone'): void {
    this.decide(() => {
      if (this[kind].has(id)) this.#change(kind, id, undefined, fate)
    })
  }

  /** Runs `work`, which must not wait. When it throws, the world is as it was before; the journal hears of it at its end. */
  decide<T>(work: () => T): T {
    const undoFrom = this.#undo.length
    const changesFrom = this.#changes.length
    this.#depth += 1
    try {
      return work()
    } catch (error) {
      for (const undo of this.#undo.splice(undoFrom).reverse()) undo()
      this.#changes.length = changesFrom
      throw error
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#tell()
    }
  }

  /** Decides one record by itself: one that throws is set aside and hinders no other. Undefined where it threw. */
  apart<T>(name: string, work: () => T): T | undefined {
    try {
      return this.decide(work)
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
      if (!this.#aside.has(name)) this.#aside.set(name, { why, isTold: false })
      return undefined
    }
  }

  /** Tells what threw since the last call: each record once, though it throws in every round and in several parts. */
  tellSetAside(tell: (name: string, why: string) => void): void {
    for (const [name, one] of this.#aside) {
      if (!one.isTold) tell(name, one.why)
      one.isTold = true
    }
  }

  /** An id that is larger than every one before: a time and a count, in base 36, so that ids sort as they were given. */
  nextId(nowMs: number): string {
    const ofNow = nowMs.toString(36).padStart(9, '0')
    const [lastTime = '', lastCount = '0'] = this.fact('lastId')?.split('-') ?? []
    const count = ofNow > lastTime ? 0 : Number.parseInt(lastCount, 36) + 1
    const id = `${count === 0 ? ofNow : lastTime}-${count.toString(36).padStart(4, '0')}`
    this.setFact('lastId', id)
    return id
  }

  fact<K extends keyof Facts>(id: K): Facts[K] | undefined {
    return this.facts.get(id)?.value as Facts[K] | undefined
  }

  setFact<K extends keyof Facts>(id: K, value: Facts[K]): void {
    if (Object.is(this.facts.get(id)?.value, value)) return
    this.put('facts', { id, value })
  }

  /** Posts that show this alert and were not removed. */
  postsAbout(alert: string): Post[] {
    return this.#postsOf(this.about.get(alert))
  }

  repliesTo(post: string): Post[] {
    return this.#postsOf(this.replies.get(post))
  }

  postsTelling(act: string): Post[] {
    return this.#postsOf(this.telling.get(act))
  }

  /** Marks the posts that show these alerts, and those in which they may be told of. */
  touch(alerts: Iterable<string>): void {
    for (const alert of alerts) for (const post of this.about.get(alert) ?? []) this.dirty.add(post)
  }

  /** Marks, at the end of the decision, what tells of a mute and of the alerts that it means. */
  touchMute({ act, subject }: Pick<Mute, 'act' | 'subject'>): void {
    this.decide(() => {
      this.#touchTelling(act)
      this.#muted.add(subject)
    })
  }

  #postsOf(ids: Iterable<string> = []): Post[] {
    return [...ids].flatMap((id) => this.posts.get(id) ?? [])
  }

  #tell(): void {
    this.#undo = []
    this.#touchMuted()
    this.#touchMutes()
    if (this.#changes.length === 0) return
    const changes = this.#changes
    this.#changes = []
    this.version += 1
    this.#onChange(changes)
  }

  #in<K extends Kind>(kind: K): Map<string, Records[K]> {
    return (this as Maps)[kind]
  }

  #change(kind: Kind, id: string, after: AnyRecord | undefined, fate: Change['fate']): void {
    const before = this[kind].get(id)
    this.#set(kind, id, after)
    this.#undo.push(() => this.#set(kind, id, before))
    this.#changes.push({ kind, id, fate, ...(fate === 'past' && { record: before as AnyRecord }) })
  }

  #set(kind: Kind, id: string, record: AnyRecord | undefined): void {
    const map = this[kind] as Map<string, AnyRecord>
    const before = map.get(id)
    if (record === undefined) map.delete(id)
    else map.set(id, record)
    if (kind === 'alerts') this.#deriveAlert(id, before as Alert | undefined, record as Alert | undefined)
    if (kind === 'posts') this.#derivePost(id, before as Post | undefined, record as Post | undefined)
    if (kind === 'mutes') this.#deriveMute(id, before as Mute | undefined, record as Mute | undefined)
    if (kind === 'acts') this.#deriveAct(id, record as Act | undefined)
    if (kind === 'switches') this.#counted.add(id)
  }

  #deriveAlert(id: string, before: Alert | undefined, after: Alert | undefined): void {
    if (after !== undefined && after.closedMs === null && !after.isOneoff) this.open.set(id, after)
    else this.open.delete(id)
    if (after !== undefined) {
      const latest = this.alerts.get(this.latest.get(after.key) ?? '')
      if (latest === undefined || latest.firstSeenMs <= after.firstSeenMs) this.latest.set(after.key, id)
    } else if (before !== undefined && this.latest.get(before.key) === id) this.latest.delete(before.key)
    this.touch([id])
    // What is news only once it is over came all the same.
    const isCounted =
      before === undefined || after === undefined || (before.closedMs === null) !== (after.closedMs === null)
    if (isCounted) this.#counted.add(`server:${(after ?? before)?.host}`)
  }

  #derivePost(id: string, before: Post | undefined, after: Post | undefined): void {
    const [from, to] = [before?.shows, after?.shows]
    if (from !== to) move(this.about, id, from?.map(alertOf), to?.map(alertOf))
    move(this.telling, id, [before?.data.act], [after?.data.act])
    move(this.replies, id, [before?.thread], [after?.thread])
    const isNews = before === undefined || after === undefined
    if (isNews) for (const reply of this.replies.get(id) ?? []) this.dirty.add(reply)
    if (after === undefined) this.dirty.delete(id)
    else this.dirty.add(id)
  }

  /** Its outcome stands in the message that tells it, and a note on the card of its alert. */
  #deriveAct(id: string, after: Act | undefined): void {
    this.#touchTelling(id)
    if (after?.alert !== undefined) this.touch([after.alert])
  }

  /** What a mute says stands in its own message; a card says who muted it and until when. */
  #deriveMute(id: string, before: Mute | undefined, after: Mute | undefined): void {
    this.mutesVersion += 1
    if (after !== undefined && after.ended === null) this.activeMutes.set(id, after)
    else this.activeMutes.delete(id)
    this.touchMute((after ?? before) as Mute)
  }

  #touchTelling(act: string): void {
    for (const post of this.telling.get(act) ?? []) this.dirty.add(post)
  }

  /** Hundreds of mutes may come in one decision, and each of them may mean every alert: they are looked up once. */
  #touchMuted(): void {
    if (this.#muted.size === 0) return
    const isWide = [...this.#muted].some((subject) => !subject.startsWith('server:'))
    for (const { id, host } of this.open.values())
      if (isWide || this.#muted.has(`server:${host}`)) this.touch([id])
    this.#muted.clear()
  }

  #touchMutes(): void {
    if (this.#counted.size === 0) return
    const counted = this.#counted
    this.#counted = new Set()
    const isOfAlerts = [...counted].some((subject) => subject.startsWith('server:'))
    for (const { id, subject, act } of this.mutes.values()) {
      const isWider = isOfAlerts && !subject.startsWith('server:')
      if (isWider || counted.has(subject) || counted.has(`alertmanager:${id}`)) this.#touchTelling(act)
    }
  }
}

const alertOf = ({ alert }: Shown) => alert

type Keys = readonly (string | null | undefined)[]

/** Notes an id under what it belongs to now, and no longer under what it belonged to. */
function move(map: Map<string, Set<string>>, id: string, from: Keys = [], to: Keys = []): void {
  for (const key of from) {
    if (key == null) continue
    const there = map.get(key)
    there?.delete(id)
    if (there?.size === 0) map.delete(key)
  }
  for (const key of to) {
    if (key == null) continue
    const there = map.get(key)
    if (there === undefined) map.set(key, new Set([id]))
    else there.add(id)
  }
}
