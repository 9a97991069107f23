/**
 * All that is live, in memory. Everything decides on it synchronously; rows on disk follow through the journal. `decide` is all or
 * nothing: what throws leaves the world as it was.
 */
import type { Act, Alert, Effect, Fact, Facts, Kind, Mute, Post, Records, Request, Switch } from './types.ts'

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

export class World {
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
  /** Open alerts by the server that they are on. */
  readonly openByHost = new Map<string, Set<string>>()
  /** Mutes that have not ended, planned ones included. */
  readonly activeMutes = new Map<string, Mute>()
  /** Grows with each change of a mute: what was derived from them before is stale. */
  mutesVersion = 0
  /** Posts whose view may differ from what Slack shows; the sender takes them away. */
  readonly dirty = new Set<string>()
  /** Grows with each decision that changed something: a loop that saw this one need not look again. */
  version = 0

  readonly #maps: Maps = {
    alerts: this.alerts,
    posts: this.posts,
    mutes: this.mutes,
    switches: this.switches,
    acts: this.acts,
    effects: this.effects,
    requests: this.requests,
    facts: this.facts,
  }
  #onChange: OnChange
  #changes: Change[] = []
  #undo: (() => void)[] = []
  /** Servers of which an alert opened or closed in this decision: mutes count them, once at its end. */
  #counted = new Set<string>()
  #depth = 0
  #lastId = ''

  constructor(onChange: OnChange = () => {}) {
    this.#onChange = onChange
  }

  /** Who hears of changes from now on: set once the records of the disk are in. */
  listen(onChange: OnChange): void {
    this.#onChange = onChange
  }

  put<K extends Kind>(kind: K, record: Records[K]): void {
    this.decide(() => {
      // A document that cannot be serialised fails here, and not in a batch with others.
      JSON.stringify(record)
      const before = this.#maps[kind].get(record.id)
      if (before === record) return
      this.#set(kind, record.id, record)
      this.#undo.push(() => this.#set(kind, record.id, before))
      this.#changes.push({ kind, id: record.id, fate: 'put' })
    })
  }

  /** Changes some fields of a record that must be there. */
  patch<K extends Kind>(kind: K, id: string, fields: Partial<Records[K]>): Records[K] {
    const before = this.#maps[kind].get(id)
    if (before === undefined) throw new Error(`expected a record in ${kind} to patch; came ${id}`)
    const isSame = Object.entries(fields).every(([name, value]) => Object.is(before[name as never], value))
    if (isSame) return before
    const after = { ...before, ...fields }
    this.put(kind, after)
    return after
  }

  /** Takes a record out: into the past of the disk, where queries of the past find it, or for good. */
  remove(kind: Kind, id: string, fate: 'past' | 'gone'): void {
    this.decide(() => {
      const before = this.#maps[kind].get(id)
      if (before === undefined) return
      this.#set(kind, id, undefined)
      this.#undo.push(() => this.#set(kind, id, before))
      this.#changes.push({ kind, id, fate, ...(fate === 'past' ? { record: before } : {}) })
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

  /** An id that is larger than every one before: a time and a count, in base 36, so that ids sort as they were given. */
  nextId(nowMs: number): string {
    const last = this.#lastId === '' ? (this.fact('lastId') ?? '') : this.#lastId
    const ofNow = nowMs.toString(36).padStart(9, '0')
    const [lastTime = '', lastCount = '0'] = last.split('-')
    const isLater = ofNow > lastTime
    const time = isLater ? ofNow : lastTime
    const count = isLater ? 0 : Number.parseInt(lastCount, 36) + 1
    this.#lastId = `${time}-${count.toString(36).padStart(4, '0')}`
    this.setFact('lastId', this.#lastId)
    return this.#lastId
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
    return [...(this.about.get(alert) ?? [])].flatMap((id) => this.posts.get(id) ?? [])
  }

  /** Marks the posts that show these alerts, and those in which they may be told of. */
  touch(alerts: Iterable<string>): void {
    for (const alert of alerts) for (const post of this.about.get(alert) ?? []) this.dirty.add(post)
  }

  #tell(): void {
    this.#undo = []
    this.#countHidden()
    if (this.#changes.length === 0) return
    const changes = this.#changes
    this.#changes = []
    this.version += 1
    this.#onChange(changes)
  }

  #set(kind: Kind, id: string, record: AnyRecord | undefined): void {
    const map = this.#maps[kind] as Map<string, AnyRecord>
    const before = map.get(id)
    if (record === undefined) map.delete(id)
    else map.set(id, record)
    if (kind === 'alerts') this.#deriveAlert(before as Alert | undefined, record as Alert | undefined)
    if (kind === 'posts') this.#derivePost(before as Post | undefined, record as Post | undefined)
    if (kind === 'acts') this.#deriveAct(id, record as Act | undefined)
    if (kind === 'switches') this.#touchMutesOf(id)
    if (kind === 'mutes') this.#deriveMute(before as Mute | undefined, record as Mute | undefined)
  }

  #deriveAlert(before: Alert | undefined, after: Alert | undefined): void {
    const id = (after ?? before)?.id ?? ''
    if (after !== undefined && after.closedMs === null && !after.isOneoff) this.open.set(id, after)
    else this.open.delete(id)
    if (after !== undefined) {
      const latest = this.alerts.get(this.latest.get(after.key) ?? '')
      if (latest === undefined || latest.firstSeenMs <= after.firstSeenMs) this.latest.set(after.key, id)
    } else if (before !== undefined && this.latest.get(before.key) === id) this.latest.delete(before.key)
    this.touch([id])
    const host = (after ?? before)?.host ?? ''
    if (before !== undefined) removeFrom(this.openByHost, before.host, id)
    if (this.open.has(id)) addTo(this.openByHost, host, id)
    if ((before?.closedMs === null) !== (after?.closedMs === null)) this.#counted.add(`server:${host}`)
  }

  /** What tells of a mute says whether the monitoring confirmed it, and when it had ended. */
  #touchMutesOf(id: string): void {
    for (const mute of this.mutes.values())
      if (mute.subject === id || `alertmanager:${mute.id}` === id) this.#touchTelling(mute)
  }

  /** And it counts what the mute hides. */
  #countHidden(): void {
    if (this.#counted.size === 0) return
    const servers = this.#counted
    this.#counted = new Set()
    for (const mute of this.mutes.values())
      if (servers.has(mute.subject) || !mute.subject.startsWith('server:')) this.#touchTelling(mute)
  }

  #touchTelling({ act }: Mute): void {
    for (const post of this.telling.get(act) ?? []) this.dirty.add(post)
  }

  #derivePost(before: Post | undefined, after: Post | undefined): void {
    for (const { alert } of before?.shows ?? []) removeFrom(this.about, alert, before?.id ?? '')
    for (const { alert } of after?.shows ?? []) addTo(this.about, alert, after?.id ?? '')
    if (before?.data.act) removeFrom(this.telling, before.data.act, before.id)
    if (after?.data.act) addTo(this.telling, after.data.act, after.id)
    if (before?.thread) removeFrom(this.replies, before.thread, before.id)
    if (after?.thread) addTo(this.replies, after.thread, after.id)
    if (before === undefined || after === undefined) this.#touchReplies((after ?? before)?.id ?? '')
    if (after === undefined) this.dirty.delete(before?.id ?? '')
    else this.dirty.add(after.id)
  }

  #touchReplies(id: string): void {
    for (const reply of this.replies.get(id) ?? []) this.dirty.add(reply)
  }

  /** Its outcome stands in the message that tells it, and a note on the card of its alert. */
  #deriveAct(id: string, after: Act | undefined): void {
    for (const post of this.telling.get(id) ?? []) this.dirty.add(post)
    if (after?.alert !== undefined) this.touch([after.alert])
  }

  #deriveMute(before: Mute | undefined, after: Mute | undefined): void {
    const id = (after ?? before)?.id ?? ''
    this.mutesVersion += 1
    if (after !== undefined && after.ended === null) this.activeMutes.set(id, after)
    else this.activeMutes.delete(id)
    // A card says who muted it and until when; what a mute says stands in its own message.
    const mute = after ?? before
    if (mute === undefined) return
    this.#touchTelling(mute)
    const isOfServer = mute.subject.startsWith('server:')
    const host = mute.subject.slice('server:'.length)
    this.touch(isOfServer ? (this.openByHost.get(host) ?? []) : this.open.keys())
  }
}

function addTo(map: Map<string, Set<string>>, key: string, id: string): void {
  const there = map.get(key)
  if (there === undefined) map.set(key, new Set([id]))
  else there.add(id)
}

function removeFrom(map: Map<string, Set<string>>, key: string, id: string): void {
  const there = map.get(key)
  there?.delete(id)
  if (there?.size === 0) map.delete(key)
}
