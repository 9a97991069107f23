/**
 * What the page knows of the workspace, for the person it acts as. It loads the state, follows the live line, and tells
 * whoever listens what changed: `state` (people, channels, what is read), `place`, `views`; conversations tell themselves.
 *
 * @import { Channel, Group, Snapshot, User, View } from './wire-shapes.js'
 * @import { Told } from './stay-live.js'
 * @import { Place } from './place.js'
 * @typedef {'state' | 'place' | 'views'} Change
 */
import { ActError, act, getJson } from './ask-server.js'
import { History } from './history.js'
import { channelOf, readPlace } from './place.js'
import { ReadMarks } from './read-marks.js'
import { recallChannel, recallPerson, rememberChannel, rememberPerson } from './remember.js'
import { Room } from './room.js'

/** @type {Snapshot} */
const nothingYet = {
  epoch: '',
  seq: 0,
  team: { id: '', name: '' },
  bot: { userId: '', name: '' },
  app: { shortcuts: [], homeEnabled: false },
  users: [],
  groups: [],
  channels: [],
  town: false,
}

export class Model {
  /** @type {Snapshot} */
  state = nothingYet
  me = ''
  /** @type {Place} */
  place = { kind: 'none' }
  /** The person's modals, the one on top last.  @type {View[]} */
  modals = []
  /** @type {View | undefined} */
  home
  #historyOf = ''
  /** @type {{ channelId: string, ts: string, room: Room } | undefined} */
  thread
  marks = new ReadMarks()
  history = new History('')
  /** @type {Set<(change: Change) => void>} */
  #listeners = new Set()

  /** Loads everything that the page shows first, and then the rest. Rejects with an `ActError`. */
  async load() {
    /** @type {Snapshot} */
    const state = await getJson('/control/state')
    this.state = state
    this.#isPatchy = false
    const people = this.people
    const wanted = this.me || recallPerson()
    const me = (people.find(({ id }) => id === wanted) ?? people[0])?.id ?? ''
    if (me !== this.#historyOf) this.history = new History(me)
    this.#historyOf = me
    this.me = me
    this.marks.open(this.me)
    this.#settle(location.hash)
    const front = this.channelId
    await Promise.all([
      ...(front === undefined ? [] : [this.history.load(front)]),
      ...(this.thread === undefined ? [] : [this.history.loadThread(this.thread)]),
      this.refreshViews(),
    ])
    this.tell('place')
    // What is behind fills in when what is in front stands.
    const others = this.channels.map(({ id }) => id).filter((id) => id !== front)
    this.behind(this.history.loadBehind(others, () => this.tell('state')))
  }

  get people() {
    return this.state.users.filter(({ isBot }) => !isBot)
  }

  get position() {
    return { epoch: this.#isPatchy ? '' : this.state.epoch, seq: this.state.seq }
  }

  /** @type {(id: string) => Channel | undefined} */
  channel(id) {
    return this.state.channels.find((channel) => channel.id === id)
  }

  /** @type {(id: string) => User | undefined} */
  user(id) {
    return this.state.users.find((user) => user.id === id)
  }

  /** @type {(id: string) => Group | undefined} */
  group(id) {
    return this.state.groups.find((group) => group.id === id)
  }

  /** What this person sees in the list: public channels, and others where they are in.  @returns {Channel[]} */
  get channels() {
    return this.state.channels.filter(({ kind, members }) => kind === 'public' || members.includes(this.me))
  }

  /** The channel that is in front, or was last, where the place names none. */
  get channelId() {
    const named = channelOf(this.place)
    if (named !== undefined && this.channels.some(({ id }) => id === named)) return named
    if (this.place.kind === 'home') return undefined
    return this.usualChannelId
  }

  get usualChannelId() {
    const known = recallChannel()
    const open = this.channels.filter(({ archived, kind }) => !archived && kind !== 'im')
    return (open.find(({ id }) => id === known) ?? open.find(({ withBot }) => withBot) ?? open[0])?.id
  }

  /** @type {(channelId: string) => Room} */
  room(channelId) {
    return this.history.room(channelId)
  }

  /** @type {(hash: string) => void} */
  goTo(hash) {
    this.#settle(hash)
    const { channelId, thread } = this
    if (thread !== undefined && !thread.room.isLoaded) this.behind(this.history.loadThread(thread))
    if (channelId !== undefined && !this.room(channelId).isLoaded) {
      this.behind(this.history.load(channelId).then(() => this.tell('state')))
    }
    this.tell('place')
  }

  /** @type {(hash: string) => void} */
  #settle(hash) {
    this.place = readPlace(hash)
    const { channelId, place } = this
    if (channelId !== undefined && place.kind !== 'none') rememberChannel(channelId)
    const isSeen = place.kind === 'thread' && this.channels.some(({ id }) => id === place.channelId)
    if (place.kind !== 'thread' || !isSeen) this.thread = undefined
    else if (this.thread?.ts !== place.ts || this.thread.channelId !== place.channelId) {
      this.thread = { channelId: place.channelId, ts: place.ts, room: new Room() }
    }
  }

  /** @type {(userId: string) => Promise<void>} */
  async actAs(userId) {
    this.me = userId
    rememberPerson(userId)
    this.modals = []
    this.home = undefined
    this.thread = undefined
    await this.load()
    this.tell('place')
  }

  /** @type {(name: string, ask: Record<string, unknown>) => Promise<Record<string, unknown>>} Does an act as this person. */
  act(name, ask) {
    return act(name, { user: this.me, ...ask })
  }

  /** Everything up to this happening is known now.  @type {(told: Told) => void} */
  hear({ seq }) {
    this.state.seq = seq
  }

  /** People and channels anew; the line alone says how far everything else is known. */
  async refreshState() {
    const fresh = await getJson('/control/state')
    this.state = { ...fresh, epoch: this.state.epoch, seq: this.state.seq }
    this.tell('state')
  }

  async refreshViews() {
    this.#viewsAsked += 1
    const asked = this.#viewsAsked
    const views = await getJson(`/control/views?user=${this.me}`)
    // Answers may overtake each other; only the one to the last question counts.
    if (asked !== this.#viewsAsked) return
    this.modals = views.modals
    this.home = views.home ?? undefined
    this.tell('views')
  }
  #viewsAsked = 0

  /**
   * For what is loaded in the background: where that fails, the whole state is loaded anew when the line stands again.
   *
   * @type {(work: Promise<void>) => void}
   */
  behind(work) {
    work.catch((error) => {
      if (!(error instanceof ActError)) throw error
      this.#isPatchy = true
    })
  }
  #isPatchy = false

  /** @type {(listener: (change: Change) => void) => () => void} */
  listen(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @type {(change: Change) => void} */
  tell(change) {
    for (const listener of [...this.#listeners]) listener(change)
  }
}
