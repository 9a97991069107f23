/** `/api/v2/<API_KEY>/…`: the key first, then the operation; every answer is a JSON object with a message and has an `x-request-id`. */
import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Keys } from '../keys.ts'
import { Refusal } from '../source.ts'
import { type Desk, type Operation, parseFields, readParameters } from './operation.ts'
import { operations } from './operations.ts'

export type Env = { Bindings: HttpBindings }
const prefix = '/api/v2'

/** Request id, security headers and errors, of every route of an app. */
export function addEnvelope(app: Hono<Env>, report: (line: string) => void): void {
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('x-request-id', randomUUID())
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.notFound((c) => c.json({ message: 'there is nothing here; the API is under /api/v2/<API_KEY>/' }, 404))
  app.onError((error, c) => {
    if (error instanceof Refusal) {
      // Nobody waits for the rest of a body that is too large.
      if (error.status === 413) c.header('connection', 'close')
      return c.json({ message: error.message }, error.status)
    }
    // A stack may hold anything, so it goes to the log alone. No URL, no key.
    report(`a request failed: ${error.stack ?? error.message}`)
    return c.json(
      { message: 'something went wrong here, not in the request; the log of the service says what' },
      500,
    )
  })
}

/** What `before` returns is answered in place of the operation: tests order their faults there. */
export type Before = (template: string, c: Context<Env>) => Promise<Response | null>

export function addApi(
  app: Hono<Env>,
  desk: Desk,
  parts: { keys: Keys; before: Before; count(template: string): void },
): void {
  app.all(`${prefix}/*`, async (c) => {
    // An address that a parser normalises would reach another endpoint than the one that was written.
    if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(c.env.incoming.url?.split('?')[0] ?? ''))
      throw new Refusal(404, 'no endpoint has a path with . or .. in it')
    const [, key = '', path = ''] = /^\/api\/v2\/?([^/]*)(.*)$/.exec(new URL(c.req.url).pathname) ?? []
    const fitting = operations.filter((operation) => variableAt(operation, path) !== null)
    const asked = c.req.method === 'HEAD' ? 'GET' : c.req.method
    const operation = fitting.find(({ methods }) => methods.some((method) => method === asked))
    const template = `${asked} ${(operation ?? fitting[0])?.path ?? '(unknown)'}`
    parts.count(template)
    const early = await parts.before(template, c)
    if (early !== null) return early
    if (!parts.keys.has(decoded(key)))
      throw new Refusal(401, 'the API key in the path is not known; expected /api/v2/<API_KEY>/…')
    if (operation === undefined) {
      const methods = fitting.flatMap((one) => one.methods)
      if (methods.length === 0) throw new Refusal(404, 'no endpoint has this path')
      c.header('allow', methods.join(', '))
      throw new Refusal(405, `expected ${methods.join(' or ')} for this path; came ${c.req.method}`)
    }
    const named = variableAt(operation, path) ?? ''
    if (operation.path.includes(':host')) await known(desk, named)
    const parameters = await readParameters(c.req.raw)
    const input = parseFields(operation.input, Object.fromEntries(parameters)) as Record<string, unknown>
    const answer = await operation.run(desk, input, named)
    return c.json(answer, 200, { 'cache-control': 'no-store' })
  })
}

/** Before its parameters are looked at. Only a source that could be read may say that there is no such server. */
async function known({ servers, loop }: Desk, host: string): Promise<void> {
  if (servers.get(host) === undefined) await loop.fresh()
  servers.known(host)
}

/** What stands for the variable of a path, `''` where it has none; null if the path is another one. `%2F` stays in its segment. */
function variableAt({ path }: Operation, asked: string): string | null {
  const [before = '', after = ''] = path.split(/:[a-z]+/)
  if (!path.includes(':')) return asked === path ? '' : null
  const named = asked.slice(before.length, asked.length - after.length)
  const isThis = asked.startsWith(before) && asked.endsWith(after) && named !== '' && !named.includes('/')
  return isThis ? decoded(named) : null
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new Refusal(422, 'path: expected percent-encoded UTF-8; came other bytes')
  }
}
