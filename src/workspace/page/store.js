/**
 * What the page knows of the workspace, for the person it acts as: loaded from the server, followed by its events, and drawn anew after
 * every change. Where a connection was lost everything is loaded again.
 * @import { Channel, Fields, Message, Snapshot, View } from './shapes.js'
 * @typedef {{ kind: 'channel' | 'home' | 'list' | 'demo', channelId: string, ts: string }} Place
 */

const answerWithinMs = 15_000

export class ActError extends Error {}

/** @type {Readonly<Record<string, string>>} */
const wordsByCode = {
  operation_timeout: 'The app did not answer in time (operation_timeout).',
  dispatch_failed: 'The app is not connected (dispatch_failed).',
  message_not_found: 'This message is gone (message_not_found).',
  view_not_found: 'This dialog is no longer open (view_not_found).',
}

/** What the server answered, which is of this page's own making; a POST with a body.  @type {(path: string, body?: object) => Promise<any>} */
export async function ask(path, body) {
  const posted = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  }
  const signal = AbortSignal.timeout(answerWithinMs)
  const answer = await fetch(path, { signal, ...posted }).catch(() => {
    throw new ActError('The workspace cannot be reached.')
  })
  /** @type {any} */
  const told = await answer.json().catch(() => ({ error: `http_${answer.status}` }))
  if (answer.ok && told.ok !== false) return told
  const { error: code = `http_${answer.status}`, detail } = told
  const known = code === 'service' ? detail : wordsByCode[code]
  throw new ActError(known ?? `That did not work (${code})${detail === undefined ? '' : `: ${detail}`}.`)
}

/** The words of what went wrong, for a person; throws what is a bug.  @type {(error: unknown) => string} */
export function wordsOf(error) {
  if (error instanceof ActError) return error.message
  throw error
}

const silenceMs = 30_000
const retryMs = 1_000

/** One conversation: the newest messages of a channel, or one thread, with what only this person sees between them. */
export class Room {
  /** @type {Map<string, Message>} */
  byTs = new Map()
  #notices = 0
  isLoaded = false
  /** Whether the answer to what this person sent is still to be shown. */
  isAsked = false

  /** Oldest first: their timestamps sort as text, and a notice follows the message that it came after. */
  get messages() {
    return [...this.byTs.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1))
  }

  /** Everything that there is now; notices of the page itself stay.  @type {(messages: Message[]) => void} */
  fill(messages) {
    const notices = [...this.byTs].filter(([, { notice }]) => notice !== undefined)
    this.byTs = new Map([...notices, ...messages.map((one) => /** @type {const} */ ([one.ts, one]))])
    this.isLoaded = true
  }

  /** Something that only this page says, after all that stands there.  @type {(words: string) => void} */
  notice(words) {
    this.#notices += 1
    const last = this.messages.at(-1)?.ts.split('~')[0] ?? (Date.now() / 1_000).toFixed(6)
    const ts = `${last}~${String(this.#notices).padStart(6, '0')}`
    this.byTs.set(ts, { ts, user: 'USLACKBOT', notice: words })
  }
}

export class Store {
  /** @type {Snapshot | undefined} Undefined until everything is loaded for the first time. */
  state
  me = ''
  isLive = true
  /** @type {Place} */
  place = { kind: 'channel', channelId: '', ts: '' }
  /** @type {View[]} */
  modals = []
  /** @type {View | undefined} */
  home
  /** What an incident of the demo last told, until it is put away.  @type {{ words: string, isOver: boolean } | undefined} */
  incident
  said = ''
  /** Channel → how many messages have come since it was last in front.  @type {Map<string, number>} */
  unread = new Map()
  /** By channel, or by channel and thread.  @type {Map<string, Room>} */
  #rooms = new Map()

  /** @param {() => void} changed Draws the page again, soon. */
  constructor(changed) {
    this.changed = changed
  }

  get known() {
    if (this.state === undefined) throw new Error('expected a page that is loaded')
    return this.state
  }

  async load() {
    this.state = await ask('/control/state')
    this.incident ??= this.known.incident
    const wanted = this.me || localStorage.getItem('person')
    this.me = (this.people.find(({ id }) => id === wanted) ?? this.people[0])?.id ?? ''
    for (const room of this.#rooms.values()) room.isLoaded = false
    await this.goTo(location.hash)
  }

  get people() {
    return this.known.users.filter(({ isBot }) => !isBot)
  }

  /** @type {(id: string) => Channel | undefined} */
  channel(id) {
    return this.known.channels.find((channel) => channel.id === id)
  }

  /** A direct message is named for the app.  @type {(channel: Channel) => string} */
  nameOf({ kind, name }) {
    return kind === 'im' ? this.known.bot.name : name
  }

  /** @type {(id: string) => import('./shapes.js').User | undefined} */
  user(id) {
    return this.known.users.find((user) => user.id === id)
  }

  /** What this person sees in the list: public channels, and others where they are in. */
  get channels() {
    return this.known.channels.filter(({ kind, members }) => kind === 'public' || members.includes(this.me))
  }

  /** @type {(channelId: string, ts?: string) => Room} */
  room(channelId, ts = '') {
    const key = `${channelId} ${ts}`
    const room = this.#rooms.get(key) ?? new Room()
    this.#rooms.set(key, room)
    return room
  }

  /** Where the address says after its `#`; a channel that this person does not see is the first one.  @type {(hash: string) => Promise<void>} */
  async goTo(hash) {
    const [first = '', ts = ''] = hash.replace(/^#\/?/, '').split('/')
    const kind = first === 'home' || first === 'list' || first === 'demo' ? first : 'channel'
    const open = this.channels.filter(({ archived, kind }) => !archived && kind !== 'im')
    const named = this.channels.find(({ id }) => id === (kind === 'channel' ? first : this.place.channelId))
    const channelId = (named ?? open.find(({ withBot }) => withBot) ?? open[0])?.id ?? ''
    this.place = { kind, channelId, ts: /^\d{10}\.\d{6}$/.test(ts) ? ts : '' }
    this.unread.delete(channelId)
    this.changed()
    const wanted = [
      this.room(channelId),
      this.place.ts === '' ? undefined : this.room(channelId, this.place.ts),
    ]
    if (wanted.some((room) => room?.isLoaded === false)) await this.#loadRooms()
    this.changed()
  }

  async #loadRooms() {
    const { me } = this
    const { channelId, ts } = this.place
    const at = `/control/messages?channel=${channelId}`
    const [page, thread, own] = await Promise.all([
      ask(at),
      ts === '' ? undefined : ask(`${at}&thread=${ts}`),
      ask(`/control/own?user=${me}`),
    ])
    if (me !== this.me) return
    this.#see(own)
    /** @type {(Message & { channel: string })[]} */
    const quiet = own.messages
    const of = (/** @type {string} */ thread) =>
      quiet.filter((one) => one.channel === channelId && (one.thread_ts ?? '') === thread)
    this.room(channelId).fill([...page.messages, ...of('')])
    if (thread !== undefined) this.room(channelId, ts).fill([...thread.messages, ...of(ts)])
  }

  /** @type {(own: { modals: View[], home: View | null }) => void} */
  #see({ modals, home }) {
    this.modals = modals
    this.home = home ?? undefined
  }

  /** From this moment on: what is done before everything is loaded is this person's too.  @type {(userId: string) => void} */
  actAs(userId) {
    localStorage.setItem('person', userId)
    this.me = userId
    this.modals = []
    this.home = undefined
    this.#rooms.clear()
    this.unread.clear()
    this.changed()
    this.behind(this.load())
  }

  /** Does an act as this person.  @type {(name: string, body: Fields) => Promise<Fields>} */
  act(name, body) {
    return ask(`/control/${name}`, { user: this.me, ...body })
  }

  /** Says in a conversation what went wrong, as Slackbot would.  @type {(error: unknown, room: Room, before?: string) => void} */
  complain(error, room, before = '') {
    room.notice(before + wordsOf(error))
    this.changed()
  }

  /** For what is loaded in the background: where that fails, the line is lost too, and loads it again.  @type {(work: Promise<void>) => void} */
  behind(work) {
    work.then(this.changed, (error) => {
      if (!(error instanceof ActError)) throw error
    })
  }

  /** @type {(event: { type: string } & Fields) => void} */
  follow(event) {
    const { type } = event
    const isOfOthers = event.user !== undefined && event.user !== this.me
    if (isOfOthers) return
    else if (type === 'incident')
      this.incident = { words: String(event.words), isOver: event.isOver === true }
    else if (type.startsWith('message_') || type.startsWith('ephemeral_') || type === 'thread_changed')
      this.#followMessage(type, String(event.channel), String(event.ts), event.message)
    else if (type.startsWith('view_') || type === 'home_published')
      this.behind(ask(`/control/own?user=${this.me}`).then((own) => this.#see(own)))
    this.changed()
  }

  async #loadState() {
    this.state = await ask('/control/state')
  }

  /** @type {(type: string, channelId: string, ts: string, body: unknown) => void} */
  #followMessage(type, channelId, ts, body) {
    const channel = this.channel(channelId)
    // Direct messages begin without a word; the first one says that they exist.
    if (channel === undefined) this.behind(this.#loadState())
    const rooms = [...this.#rooms].filter(([key]) => key.startsWith(channelId)).map(([, room]) => room)
    if (type.endsWith('_deleted')) {
      for (const room of rooms) room.byTs.delete(ts)
      return
    }
    const message = /** @type {Message} */ (body)
    if (channel !== undefined && message.pinned_to !== undefined) channel.pinned = ts
    const thread = message.thread_ts ?? ts
    const inChannel = thread === ts || message.subtype === 'thread_broadcast'
    const isNew = type.endsWith('_posted')
    const own = inChannel ? this.room(channelId) : undefined
    // A change to a message older than all that is shown has nowhere to show.
    if (own?.isLoaded && (isNew || own.byTs.has(ts))) own.byTs.set(ts, message)
    const inThread = this.#rooms.get(`${channelId} ${thread}`)
    if (inThread?.isLoaded) inThread.byTs.set(ts, message)
    const isInFront = this.place.kind === 'channel' && this.place.channelId === channelId
    if (isNew && inChannel && !isInFront && message.user !== this.me)
      this.unread.set(channelId, (this.unread.get(channelId) ?? 0) + 1)
    if (isNew && isInFront)
      this.said = `${this.user(message.user)?.name ?? ''}: ${plainWords(message.text ?? '')}`
  }
}

/** A message's first words without markup, to be spoken.  @type {(text: string) => string} */
const plainWords = (text) =>
  text
    .replace(/<(?:[^<>|]*\|)?([^<>]*)>/g, '$1')
    .replace(/[*_~`]|:[a-z0-9_+-]+:/g, '')
    .replace(/&(?:lt|gt|amp);/g, ' ')
    .slice(0, 200)

const followed = ['posted', 'updated', 'deleted']
const types = [
  ...['message', 'ephemeral'].flatMap((one) => followed.map((what) => `${one}_${what}`)),
  ...['view_opened', 'view_updated', 'view_closed', 'home_published', 'thread_changed'],
  'incident',
]

/** The live line: all that happens, from what was loaded on. Whenever it breaks off, everything is loaded again.  @type {(store: Store) => Promise<void>} */
export async function keepUp(store) {
  for (;;) {
    try {
      await store.load()
      await listen(store)
    } catch (error) {
      if (!(error instanceof ActError)) throw error
    }
    store.isLive = false
    store.changed()
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

/** Resolves once the line is lost.  @type {(store: Store) => Promise<void>} */
function listen(store) {
  const source = new EventSource(`/control/events?since=${store.known.seq}`)
  return new Promise((resolve) => {
    let timer = 0
    const end = () => {
      clearTimeout(timer)
      source.close()
      resolve()
    }
    // A connection that died without a word (a laptop that slept, a server that hangs) is noticed by its silence.
    const hear = () => {
      clearTimeout(timer)
      timer = window.setTimeout(end, silenceMs)
    }
    hear()
    source.addEventListener('hello', ({ data }) => {
      if (JSON.parse(data).epoch !== store.known.epoch) return end()
      store.isLive = true
      store.changed()
    })
    source.addEventListener('beat', hear)
    source.addEventListener('error', end)
    window.addEventListener('pagehide', end)
    for (const type of types)
      source.addEventListener(type, ({ data }) => {
        hear()
        store.follow(JSON.parse(data).event)
      })
  })
}
