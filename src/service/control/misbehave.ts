/** Answers one request as an ordered fault says. */
import { setTimeout as wait } from 'node:timers/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Next } from 'hono'
import type { Env } from '../api/answer.ts'
import type { Fault } from './faults.ts'

const html =
  '<!doctype html><title>Bad gateway</title><h1>502 Bad Gateway</h1><p>The upstream did not answer.</p>'

export async function misbehave(c: Context<Env>, next: Next, fault: Fault): Promise<Response | undefined> {
  if (fault.delayMs > 0) await wait(fault.delayMs, undefined, { ref: false })
  const isOnlyLate = fault.status === undefined && !fault.reset && !fault.cut
  if (isOnlyLate || fault.applied || fault.cut) await next()
  if (isOnlyLate) return undefined
  if (fault.reset) {
    c.env.outgoing.socket?.resetAndDestroy()
    return sent(c)
  }
  const response = fault.status === undefined ? c.res.clone() : instead(fault, fault.status)
  if (!fault.cut) return replace(c, response)
  const body = Buffer.from(await response.arrayBuffer())
  const { outgoing } = c.env
  outgoing.writeHead(response.status, {
    'content-type': response.headers.get('content-type') ?? 'application/json',
    'content-length': body.length,
    'x-request-id': c.get('requestId'),
  })
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy())
  return sent(c)
}

function replace(c: Context<Env>, response: Response): undefined {
  // What the endpoint answered is dropped with its headers.
  c.res = undefined
  c.res = response
  return undefined
}

function sent(c: Context<Env>): undefined {
  return replace(c, RESPONSE_ALREADY_SENT.clone())
}

function instead(fault: Fault, status: number): Response {
  const bodies = {
    json: ['application/json', JSON.stringify({ message: `ordered fault ${status}` })],
    html: ['text/html; charset=utf-8', html],
    empty: ['application/json', ''],
    garbage: ['application/json', '{"message": "half of a'],
  } as const
  const [type, text] = bodies[fault.body]
  const mayHaveBody = ![204, 205, 304].includes(status)
  return new Response(mayHaveBody ? text : null, {
    status,
    headers: {
      'content-type': type,
      ...(fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }),
    },
  })
}
