/** Answers one request according to an ordered fault. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Next } from 'hono'
import type { Env } from '../api/answer.ts'
import type { Fault } from './faults.ts'
import { spoil } from './wrong-lists.ts'

const html =
  '<!doctype html><title>Bad gateway</title><h1>502 Bad Gateway</h1><p>The upstream did not answer.</p>'

const gigabyte = 1024 ** 3
/** Spaces in the middle of JSON that would be valid at its end. */
const pouredBytes = Buffer.alloc(64 * 1024, ' ')
const dripEveryMs = 1_000

type Outgoing = Env['Bindings']['outgoing']

export async function misbehave(c: Context<Env>, next: Next, fault: Fault): Promise<Response | undefined> {
  const { outgoing } = c.env
  if (fault.delayMs > 0) await wait(fault.delayMs, undefined, { ref: false })
  const isRealAnswer = fault.status === undefined && !fault.reset && !fault.hang
  if (isRealAnswer || fault.applied || fault.cut) await next()
  if (fault.reset) {
    outgoing.socket?.resetAndDestroy()
    return sent(c)
  }
  if (fault.hang) {
    if (!outgoing.destroyed) await once(outgoing, 'close')
    return sent(c)
  }
  const response =
    fault.status === undefined ? await spoiled(c.res.clone(), fault) : instead(fault, fault.status)
  if (fault.body === 'gigabyte' && fault.status !== undefined) {
    begin(c, response, gigabyte)
    pour(outgoing)
    return sent(c)
  }
  if (!fault.cut && !fault.drip) return replace(c, response)
  const body = Buffer.from(await response.arrayBuffer())
  begin(c, response, body.length)
  if (fault.cut) outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy())
  else drip(outgoing, body)
  return sent(c)
}

function begin(c: Context<Env>, response: Response, contentLength: number): void {
  c.env.outgoing.writeHead(response.status, {
    'content-type': response.headers.get('content-type') ?? 'application/json',
    'content-length': contentLength,
    'x-request-id': c.get('requestId'),
  })
}

/** Sent no faster than it is read, and only while the client is connected. */
function pour(outgoing: Outgoing): void {
  let leftBytes = gigabyte
  const go = (): void => {
    while (leftBytes > 0 && !outgoing.destroyed) {
      const piece = pouredBytes.subarray(0, Math.min(leftBytes, pouredBytes.length))
      leftBytes -= piece.length
      if (!outgoing.write(piece)) return
    }
    outgoing.end()
  }
  outgoing.on('drain', go)
  go()
}

function drip(outgoing: Outgoing, body: Buffer): void {
  let sentBytes = 0
  const timer = setInterval(() => {
    outgoing.write(body.subarray(sentBytes, sentBytes + 1))
    sentBytes += 1
    if (sentBytes >= body.length) outgoing.end()
  }, dripEveryMs)
  timer.unref()
  outgoing.once('close', () => clearInterval(timer))
}

async function spoiled(response: Response, fault: Fault): Promise<Response> {
  if (fault.wrong === undefined && fault.shiftSeconds === undefined) return response
  const text = spoil(await response.text(), fault)
  return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } })
}

function replace(c: Context<Env>, response: Response): undefined {
  // The endpoint's own answer is dropped with its headers.
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
    gigabyte: ['application/json', ''],
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
