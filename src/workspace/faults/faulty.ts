/** Answers a request, with the faults that were ordered. */
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { no } from '../api/reply.ts'
import type { State } from '../state/state.ts'
import type { Effect } from './faults.ts'

export type HttpContext = Context<{ Bindings: HttpBindings }>

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For the log of events: `ok` or an error's code. */
  readonly outcome: string
}

/**
 * Answers with the result of `run`, or with the fault ordered for this method or channel, and logs both. `run` does everything at
 * once; some faults never call it, one calls it after the answer.
 */
export async function answerUnder(
  c: HttpContext,
  state: State,
  place: { readonly method: string; readonly channelId?: string },
  run: () => Answer,
): Promise<Response> {
  const effect = state.faults.take(place)
  if (effect !== undefined) state.events.emit({ type: 'fault_used', fault: effect.kind })
  const { response, outcome } = await spoilt(c, state, effect, run)
  const { method, channelId: channel } = place
  state.events.emit({ type: 'api_call', method, ...(channel === undefined ? {} : { channel }), outcome })
  return response
}

type Spoilt = { readonly response: Response; readonly outcome: string }

async function spoilt(
  c: HttpContext,
  state: State,
  effect: Effect | undefined,
  run: () => Answer,
): Promise<Spoilt> {
  switch (effect?.kind) {
    case undefined:
      return plain(run())
    case 'status':
      return plain(broken(effect.status, `http_${effect.status}`, effect.body))
    case 'html':
      return plain({
        status: 200,
        headers: html,
        body: '<!doctype html><title>Maintenance</title>',
        outcome: 'html',
      })
    case 'error':
      return plain({
        status: 200,
        headers: json,
        body: JSON.stringify(no(effect.error, effect.more)),
        outcome: effect.error,
      })
    case 'ratelimited':
      return plain(rateLimited(effect.retryAfterSeconds))
    case 'delay':
      await state.timers.wait(effect.delayMs)
      return plain(run())
    case 'hang':
      await gone(c)
      return { response: RESPONSE_ALREADY_SENT, outcome: 'hang' }
    case 'reset':
      return reset(c, 'reset')
    case 'commit_then_reset':
      run()
      return reset(c, 'commit_then_reset')
    case 'commit_then_status':
      run()
      return plain(broken(effect.status, `commit_then_http_${effect.status}`))
    case 'commit_then_delay': {
      const answer = run()
      await state.timers.wait(effect.delayMs)
      return plain(answer)
    }
    case 'commit_late':
      state.timers.after(effect.afterMs, () => void run())
      return reset(c, 'commit_late')
    case 'truncate':
      return truncate(c, run())
  }
}

function broken(status: number, outcome: string, body = 'upstream error'): Answer {
  return { status, headers: text, body, outcome }
}

export function rateLimited(retryAfterSeconds: number): Answer {
  return {
    status: 429,
    headers: { ...json, 'retry-after': String(retryAfterSeconds) },
    body: JSON.stringify(no('ratelimited')),
    outcome: 'ratelimited',
  }
}

export const json = { 'content-type': 'application/json; charset=utf-8' } as const
const text = { 'content-type': 'text/plain; charset=utf-8' } as const
const html = { 'content-type': 'text/html; charset=utf-8' } as const

function plain({ status, headers, body, outcome }: Answer): Spoilt {
  return { response: new Response(body, { status, headers }), outcome }
}

function reset(c: HttpContext, outcome: string): Spoilt {
  c.env.incoming.socket.resetAndDestroy()
  return { response: RESPONSE_ALREADY_SENT, outcome }
}

/** The head promises the whole body, half of it comes, and the connection ends. */
async function truncate(c: HttpContext, { status, headers, body }: Answer): Promise<Spoilt> {
  const { outgoing } = c.env
  const bytes = Buffer.from(body)
  outgoing.writeHead(status, { ...headers, 'content-length': String(bytes.byteLength) })
  await new Promise<void>((resolve) => {
    outgoing.write(bytes.subarray(0, Math.floor(bytes.byteLength / 2)), () => resolve())
  })
  outgoing.destroy()
  return { response: RESPONSE_ALREADY_SENT, outcome: 'truncate' }
}

/** Until the caller gives up, or the server closes. */
function gone(c: HttpContext): Promise<void> {
  const { outgoing } = c.env
  return outgoing.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => outgoing.once('close', () => resolve()))
}
