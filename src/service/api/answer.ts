/** The envelope of every answer: an `x-request-id`, and a JSON object with a `message` if something is wrong. */
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { Refusal } from '../refusal.ts'

export type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

/** Adds the request id and security headers to every answer, including pictures, pages and errors. */
export function addEnvelope(
  app: Hono<Env>,
  parts: { newRequestId(): string; report(line: string): void },
): void {
  app.use(async (c, next) => {
    const requestId = parts.newRequestId()
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('x-request-id', requestId)
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.notFound((c) => c.json({ message: 'there is nothing here; the API is under /api/v2/<API_KEY>/' }, 404))
  app.onError((error, c) => {
    if (error instanceof Refusal) return refuse(c, error)
    // By its name: its module loads SQLite, which a service without a file does without. The operator was told of it.
    if (error.name === 'LedgerError') {
      c.header('connection', 'close')
      return c.json(
        { message: 'the request cannot be carried out: the file of the service cannot be used' },
        507,
      )
    }
    // Stack and message may contain anything, so they go only to the operator's log, with the id. No URL, no key.
    parts.report(`request ${c.get('requestId')} failed: ${error.stack ?? error.message}`)
    return c.json(
      { message: `something went wrong here, not in the request; it is noted as ${c.get('requestId')}` },
      500,
    )
  })
}

function refuse(c: Context<Env>, refusal: Refusal): Response {
  // Do not wait for the rest of an oversized body.
  if (refusal.status === 413) c.header('connection', 'close')
  return c.json({ message: refusal.message }, refusal.status)
}
