/**
 * What the page knows of the workspace, for the person it acts as. It loads the state and asks for the page to be drawn
 * after every change; `live-line.js` applies what happens.
 *
 * @import { Channel, Fields, Message, Snapshot, View } from './wire-shapes.js'
 * @import { Place } from './place.js'
 */
import { ActError, act, getJson } from './ask-server.js'
import { History, Room } from './history.js'
import { channelOf, readPlace } from './place.js'
import {
  recallChannel,
  recallPerson,
  recallRead,
  rememberChannel,
  rememberPerson,
  rememberRead,
} from './remember.js'

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

export class Store {
  state = nothingYet
  me = ''
  /** Whether there is anything to show. */
  isLoaded = false
  /** Whether the line stands; undefined until it was lost for the first time.  @type {boolean | undefined} */
  isLive
  /** @type {Place} */
  place = { kind: 'none' }
  /** The person's modals, the one on top last.  @type {View[]} */
  modals = []
  /** @type {View | undefined} */
  home
  /** @type {{ channelId: string, ts: string, room: Room } | undefined} */
  thread
  /** What a screen reader says. */
  said = ''
  /** Channel → the timestamp up to which the person has read it.  @type {Record<string, string>} */
  read = {}
  history = new History('')
  #wanted = ''
  #viewsAsked = 0
  #isPatchy = false

  /** @param {() => void} changed Draws the page again, soon. */
  constructor(changed) {
    this.changed = changed
  }

  /** Loads everything that the page shows first, and then the rest. Rejects with an `ActError`. */
  async load() {
    this.state = await getJson('/control/state')
    this.#isPatchy = false
    const { people } = this
    const wanted = this.#wanted || recallPerson()
    this.#become((people.find(({ id }) => id === wanted) ?? people[0])?.id ?? '')
    const { channelId, thread } = this
    await Promise.all([
      channelId === undefined ? undefined : this.history.load(channelId),
      thread === undefined ? undefined : this.history.loadThread(thread),
      this.refreshViews(),
    ])
    this.isLoaded = true
    this.changed()
    // What is behind fills in when what is in front stands.
    const others = this.channels.map(({ id }) => id).filter((id) => id !== channelId)
    this.behind(this.history.loadBehind(others))
  }

  /** @type {(userId: string) => void} */
  #become(userId) {
    if (userId !== this.me) {
      this.me = userId
      this.history = new History(userId)
      this.modals = []
      this.home = undefined
      this.thread = undefined
    }
    this.read = recallRead(userId)
    this.#settle(location.hash)
  }

  get people() {
    return this.state.users.filter(({ isBot }) => !isBot)
  }

  /** Up to where the page knows everything. */
  get position() {
    return { epoch: this.#isPatchy ? '' : this.state.epoch, seq: this.state.seq }
  }

  /** @type {(id: string) => Channel | undefined} */
  channel(id) {
    return this.state.channels.find((channel) => channel.id === id)
  }

  /** A direct message is named for the app.  @type {(channel: Channel) => string} */
  channelName({ kind, name }) {
    return kind === 'im' ? this.state.bot.name : name
  }

  /** @type {(id: string) => Snapshot['users'][number] | undefined} */
  user(id) {
    return this.state.users.find((user) => user.id === id)
  }

  /** What this person sees in the list: public channels, and others where they are in. */
  get channels() {
    return this.state.channels.filter(({ kind, members }) => kind === 'public' || members.includes(this.me))
  }

  /** The channel that is in front, or was last, where the place names none. */
  get channelId() {
    const named = channelOf(this.place)
    if (named !== undefined && this.channels.some(({ id }) => id === named)) return named
    if (this.place.kind === 'home') return undefined
    const known = recallChannel()
    const open = this.channels.filter(({ archived, kind }) => !archived && kind !== 'im')
    return (open.find(({ id }) => id === known) ?? open.find(({ withBot }) => withBot) ?? open[0])?.id
  }

  /** @type {(channelId: string) => Room} */
  room(channelId) {
    return this.history.room(channelId)
  }

  /** @type {(channel: Channel) => number} */
  unread({ id, archived }) {
    if (archived) return 0
    const mark = this.read[id] ?? ''
    const isNews = (/** @type {Message} */ { ts, user, notice }) =>
      ts > mark && user !== this.me && notice === undefined
    return this.room(id).messages.filter(isNews).length
  }

  /** What another page of this browser has read is read here too. */
  recallRead() {
    this.read = recallRead(this.me)
    this.changed()
  }

  /** What stands in front of a person who looks is read. */
  markRead() {
    const { channelId, place } = this
    const isInFront = place.kind === 'channel' || place.kind === 'thread' || place.kind === 'none'
    if (channelId === undefined || !isInFront || document.visibilityState !== 'visible') return
    const { lastTs } = this.room(channelId)
    if (lastTs <= (this.read[channelId] ?? '')) return
    // Another page of this browser may have read elsewhere meanwhile.
    this.read = { ...recallRead(this.me), [channelId]: lastTs }
    rememberRead(this.me, this.read)
  }

  /** @type {(hash: string) => void} */
  goTo(hash) {
    this.#settle(hash)
    const { channelId, thread } = this
    if (thread !== undefined && !thread.room.isLoaded) this.behind(this.history.loadThread(thread))
    if (channelId !== undefined && !this.room(channelId).isLoaded) this.behind(this.history.load(channelId))
    this.changed()
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

  /** From this moment on: what is done before everything is loaded is this person's too.  @type {(userId: string) => void} */
  actAs(userId) {
    this.#wanted = userId
    rememberPerson(userId)
    this.#become(userId)
    this.changed()
    this.behind(this.load())
  }

  /** Does an act as this person.  @type {(name: string, ask: Fields) => Promise<Fields>} */
  act(name, ask) {
    return act(name, { user: this.me, ...ask })
  }

  /** Does an act of which only a refusal is shown, in the room where it was asked for.  @type {(name: string, ask: Fields, room: Room) => void} */
  attempt(name, ask, room) {
    this.act(name, ask).catch((error) => this.complain(error, room))
  }

  /** Says in a conversation what went wrong, as Slackbot would; throws what is not a refusal.  @type {(error: unknown, room: Room, before?: string) => void} */
  complain(error, room, before = '') {
    if (!(error instanceof ActError)) throw error
    room.notice(before + error.message)
    this.changed()
  }

  /** To a screen reader.  @type {(words: string) => void} */
  say(words) {
    this.said = words
    this.changed()
  }

  /** People and channels again; the line alone says how far everything else is known. */
  async refreshState() {
    const fresh = await getJson('/control/state')
    this.state = { ...fresh, epoch: this.state.epoch, seq: this.state.seq }
  }

  async refreshViews() {
    this.#viewsAsked += 1
    const asked = this.#viewsAsked
    const { me } = this
    const views = await getJson(`/control/views?user=${me}`)
    // Answers may overtake each other; only the one to the last question counts.
    if (asked !== this.#viewsAsked || me !== this.me) return
    this.modals = views.modals
    this.home = views.home ?? undefined
  }

  /**
   * For what is loaded in the background: where that fails, the whole state is loaded again when the line stands again.
   *
   * @param {Promise<void>} work
   */
  behind(work) {
    work.then(this.changed, (error) => {
      if (!(error instanceof ActError)) throw error
      this.#isPatchy = true
    })
  }
}
