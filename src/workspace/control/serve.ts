/**
 * `/control`: drives the workspace over HTTP, for the page, scripts and curl.
 *
 * - `GET /control/state` gives all that stands there but messages and views; `GET /control/messages?channel=C…` those of a channel
 *   with its threads' replies, with `&limit=N` and `&before=TS` a page of the channel itself, with `&thread=TS` one thread;
 *   `GET /control/ephemerals?user=U…` gives what only one person sees, `GET /control/views?user=U…` the person's modals and
 *   Home tab.
 * - `GET /control/events` sends everything that happens as server-sent events (`data` is `{ seq, atMs, event }`); with
 *   `?since=SEQ` or `Last-Event-ID` it begins with what was remembered after that. First of all comes a `hello` with
 *   `{ epoch, oldestSeq, newestSeq, beatMs }`, by which a listener knows whether it missed anything, and then a `beat` every
 *   10 s. Each event is named for its type; with `?unnamed=1` none is, for a listener that wants them all.
 * - `POST /control/ACT` with a JSON object does what `control/acts.ts` lists: say, command, click, shortcut, suggest, dismiss,
 *   submit, close, home, invite, kick, archive, fault, clearFaults, historyLag, refuseImages, limits, socketFault,
 *   disconnect, cut, redeliver, requestFault, requestUrl, sslCheck, revoke. The answer is `{ ok: true, … }` or `{ ok: false, error, detail }`.
 *
 * There is no password: it listens on this machine only, and answers no page of another origin.
 */
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import { ZodError, z } from 'zod'
import type { Sockets } from '../delivery/sockets.ts'
import type { Emitted } from '../state/events.ts'
import type { State } from '../state/state.ts'
import type { Act, Acts } from './acts.ts'
import { ephemeralsOf, homeOf, messagesOf, modalsOf, pageOf, snapshot, threadOf } from './snapshot.ts'
import { refuseStrangers } from './strangers.ts'

const bodyBytesMax = 1_000_000
/** Events that wait for a slow listener before it is let go. */
const unsentMax = 5_000

const timestamp = z.string().regex(/^\d{10}\.\d{6}$/, 'expected a timestamp like 1700000000.000100')
const pageQuery = z.object({
  thread: timestamp.optional(),
  before: timestamp.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).optional(),
})

export function serveControl(
  app: Hono<{ Bindings: HttpBindings }>,
  state: State,
  sockets: Sockets,
  acts: Acts,
  { host, beatMs }: { readonly host: string; readonly beatMs: number },
): void {
  app.use('/control/*', refuseStrangers(host))

  app.get('/control/state', (c) => c.json(snapshot(state, sockets)))

  app.get('/control/messages', (c) => {
    const channel = state.channels.find(c.req.query('channel') ?? '')
    if (channel === undefined) return c.json({ ok: false, error: 'channel_not_found' }, 404)
    const query = pageQuery.safeParse(c.req.query())
    if (!query.success) {
      return c.json({ ok: false, error: 'invalid', detail: z.prettifyError(query.error) }, 400)
    }
    const { thread, limit, before } = query.data
    if (thread !== undefined) return c.json({ ok: true, messages: threadOf(state, channel.id, thread) })
    if (limit !== undefined) return c.json({ ok: true, ...pageOf(state, channel.id, { before, limit }) })
    return c.json({ ok: true, messages: messagesOf(state, channel.id) })
  })

  app.get('/control/ephemerals', (c) => {
    const user = c.req.query('user') ?? ''
    if (!state.people.has(user)) return c.json({ ok: false, error: 'user_not_found' }, 404)
    return c.json({ ok: true, messages: ephemeralsOf(state, user) })
  })

  app.get('/control/views', (c) => {
    const user = c.req.query('user') ?? ''
    if (!state.people.has(user)) return c.json({ ok: false, error: 'user_not_found' }, 404)
    return c.json({ ok: true, modals: modalsOf(state, user), home: homeOf(state, user) ?? null })
  })

  app.get('/control/events', (c) => {
    const since = Number(c.req.header('last-event-id') ?? c.req.query('since') ?? Number.NaN)
    const isUnnamed = c.req.query('unnamed') !== undefined
    return streamSSE(c, async (stream) => {
      const waiting: Emitted[] = Number.isNaN(since) ? [] : [...state.events.since(since)]
      let wake = Promise.withResolvers<void>()
      let isBeatDue = false
      const stop = state.events.listen((emitted) => {
        waiting.push(emitted)
        if (waiting.length > unsentMax) stream.abort()
        wake.resolve()
      })
      const beat = setInterval(() => {
        isBeatDue = true
        wake.resolve()
      }, beatMs)
      stream.onAbort(() => {
        stop()
        clearInterval(beat)
        wake.resolve()
      })
      // Headers go out with the first bytes: a listener knows at once that it listens.
      await stream.write(': listening\n\n')
      const hello = { epoch: state.epoch, ...state.events.range(), beatMs }
      await stream.writeSSE({ event: 'hello', data: JSON.stringify(hello) })
      while (!stream.aborted) {
        const emitted = waiting.shift()
        if (emitted !== undefined) {
          const named = isUnnamed ? {} : { event: emitted.event.type }
          await stream.writeSSE({ id: String(emitted.seq), ...named, data: JSON.stringify(emitted) })
          continue
        }
        if (isBeatDue) {
          isBeatDue = false
          await stream.writeSSE({ event: 'beat', data: '' })
          continue
        }
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    })
  })

  const byName = new Map<string, Pick<Act<never>, 'from'>>(Object.entries(acts))
  app.post('/control/:act', bodyLimit({ maxSize: bodyBytesMax }), async (c) => {
    const act = byName.get(c.req.param('act'))
    if (act === undefined) {
      const detail = `expected one of ${[...byName.keys()].join(', ')}`
      return c.json({ ok: false, error: 'unknown_act', detail }, 404)
    }
    try {
      const reply = await act.from(JSON.parse(await c.req.text()))
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
