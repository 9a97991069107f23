/**
 * `/control`: drives the workspace over HTTP, for the page, scripts and curl. `GET state`, `messages?channel=C…` (with `thread`), `own?user=U…`, and `events`, which are server-sent, from `since=SEQ` on; `POST ACT` with a JSON object does what
 * `acts.ts` lists. There is no password: it listens on this machine only, and answers no page of another origin.
 */
import { hostname } from 'node:os'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import { ZodError, z } from 'zod'
import { isOfThisMachine } from '../../shared/this-machine.ts'
import { valuesOf } from '../people/elements.ts'
import type { Emitted } from '../state/events.ts'
import type { Fields } from '../state/fields.ts'
import { isInChannel } from '../state/messages.ts'
import type { State } from '../state/state.ts'
import type { View } from '../state/views.ts'
import { wireMessage, wireView } from '../state/wire.ts'
import type { Act, Acts } from './acts.ts'

const bodyBytesMax = 1_000_000
const unsentMax = 5_000
const beatMs = 10_000

/** The newest messages of a channel. */
const shownMax = 300

export function serveControl(app: Hono<{ Bindings: HttpBindings }>, state: State, acts: Acts): void {
  app.get('/control/state', (c) => c.json(snapshot(state)))
  app.get('/control/messages', (c) => {
    const channel = state.channels.find(c.req.query('channel') ?? '')
    if (channel === undefined) return c.json({ ok: false, error: 'channel_not_found' }, 404)
    const { thread } = c.req.query()
    const all = state.messages.all(channel.id)
    const shown =
      thread === undefined
        ? all.filter(isInChannel).slice(-shownMax)
        : all.filter(({ ts, threadTs }) => ts === thread || threadTs === thread)
    return c.json({
      ok: true,
      messages: shown.map((message) => wireMessage(state, message, { withMetadata: true })),
    })
  })
  app.get('/control/own', (c) => {
    const user = c.req.query('user') ?? ''
    if (!state.people.has(user)) return c.json({ ok: false, error: 'user_not_found' }, 404)
    const shown = { messages: ephemeralsOf(state, user), home: homeOf(state, user) ?? null }
    return c.json({ ok: true, ...shown, modals: modalsOf(state, user) })
  })
  app.get('/control/events', (c) => streamEvents(c, state))

  const byName = new Map<string, Act<never>>(Object.entries(acts))
  app.post('/control/:act', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const act = byName.get(c.req.param('act'))
    if (act === undefined) {
      const detail = `expected one of ${[...byName.keys()].join(', ')}`
      return c.json({ ok: false, error: 'unknown_act', detail }, 404)
    }
    try {
      const reply = await act(JSON.parse(await c.req.text()) as never)
      return c.json(reply, reply.ok ? 200 : 409)
    } catch (error) {
      if (error instanceof SyntaxError)
        return c.json({ ok: false, error: 'not_json', detail: 'the body is not JSON' }, 400)
      if (error instanceof ZodError)
        return c.json({ ok: false, error: 'invalid', detail: z.prettifyError(error) }, 400)
      throw error
    }
  })
}

function streamEvents(c: Context, state: State): Response {
  const since = Number(c.req.header('last-event-id') ?? c.req.query('since') ?? Number.NaN)
  return streamSSE(c, async (stream) => {
    const waiting: (Emitted | 'beat')[] = Number.isNaN(since) ? [] : [...state.events.since(since)]
    let wake = Promise.withResolvers<void>()
    const add = (one: Emitted | 'beat') => {
      waiting.push(one)
      if (waiting.length > unsentMax) stream.abort()
      wake.resolve()
    }
    const stop = state.events.listen(add)
    const beat = setInterval(add, beatMs, 'beat' as const)
    stream.onAbort(() => {
      stop()
      clearInterval(beat)
      wake.resolve()
    })
    const { epoch, events } = state
    await stream.writeSSE({ event: 'hello', data: JSON.stringify({ epoch, seq: events.newestSeq() }) })
    while (!stream.aborted) {
      const next = waiting.shift()
      if (next === undefined) {
        await wake.promise
        wake = Promise.withResolvers<void>()
      } else if (next === 'beat') await stream.writeSSE({ event: 'beat', data: '' })
      else
        await stream.writeSSE({
          id: String(next.seq),
          event: next.event.type,
          data: JSON.stringify(next),
        })
    }
  })
}

/** The state without messages and views; no token, trigger or response URL. `seq` is the newest event in it. */
function snapshot(state: State): Fields {
  const { epoch, team, bot, commands, homeEnabled, hasTown: town, groups } = state
  return {
    epoch,
    seq: state.events.newestSeq(),
    team,
    bot: { userId: bot.userId, name: bot.name },
    app: { commands, homeEnabled },
    town,
    incident: state.events.since(0).findLast(({ event }) => event.type === 'incident')?.event,
    users: [...state.people.values()].map(({ email: _private, ...person }) => person),
    groups,
    channels: [...state.channels.all.values()].map(({ members, ...channel }) => ({
      ...channel,
      members: [...members],
      withBot: members.has(bot.userId),
      pinned: state.messages.all(channel.id).find(({ isPinned }) => isPinned)?.ts ?? null,
    })),
  }
}

export function ephemeralsOf(state: State, userId: string): readonly Fields[] {
  return state.messages.ephemeral(userId).map((message) => ({
    channel: message.channelId,
    ...wireMessage(state, message, { withMetadata: false }),
  }))
}

export function modalsOf(state: State, userId: string): readonly Fields[] {
  return shownView(state, state.views.modal(userId))
}

export function homeOf(state: State, userId: string): Fields | undefined {
  return shownView(state, state.views.home(userId))[0]
}

function shownView(state: State, view: View | undefined): readonly Fields[] {
  return view === undefined ? [] : [wireView(state, view, valuesOf(view.ask.blocks, view.values))]
}

export function isLoopback(listensOn: string): boolean {
  return listensOn === 'localhost' || listensOn === '::1' || /^127\.\d+\.\d+\.\d+$/.test(listensOn)
}

/** 403 to what is not of this machine, or, where `HOST` opens it, to other names and pages; 415 to a POST that is not JSON. */
export function refuseStrangers(listensOn: string): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const isAllowed = isLoopback(listensOn) ? isOfThisMachine(c.env.incoming) : isForUs(c.req.header())
    if (!isAllowed) {
      const detail = 'this workspace is for programs and pages of this machine; HOST opens it to others'
      return c.json({ ok: false, error: 'stranger', detail }, 403)
    }
    const isJson = (c.req.header('content-type') ?? '').startsWith('application/json')
    if (c.req.method === 'POST' && !isJson)
      return c.json({ ok: false, error: 'not_json', detail: 'expected content-type application/json' }, 415)
    return next()
  }
}

/** Rebinding needs a name, and an address is none. */
function isForUs({ host = '', origin, 'sec-fetch-site': site }: Record<string, string>): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const isOwn =
    /^[\d.]+$|^\[[\da-f:]+\]$/.test(name) || ['localhost', hostname().toLowerCase()].includes(name)
  const isOwnPage = site === undefined || site === 'same-origin' || site === 'none'
  return isOwn && isOwnPage && (origin === undefined || origin.replace(/^https?:\/\//, '') === host)
}
