/** `/api/v2/<API_KEY>/…`: the key first, then the operation; every answer is a JSON object with a message and has an `x-request-id`. `/openapi.json` is made of the same table. */
import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { Keys } from '../keys.ts'
import { hostFault } from '../servers.ts'
import { Refusal } from '../source.ts'
import type { Desk, Operation } from './operation.ts'
import { operations } from './operations.ts'
import { parseFields, readParameters } from './parameters.ts'

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
    const [key = '', ...segments] = segmentsOf(c)
    const fitting = operations.filter((operation) => variableAt(operation, segments) !== null)
    const operation = fitting.find(({ methods }) => methods.some((method) => method === c.req.method))
    const template = `${c.req.method} ${(operation ?? fitting[0])?.path ?? '(unknown)'}`
    parts.count(template)
    const early = await parts.before(template, c)
    if (early !== null) return early
    if (!parts.keys.has(key))
      throw new Refusal(401, 'the API key in the path is not known; expected /api/v2/<API_KEY>/…')
    if (operation === undefined) return notAllowed(c, fitting)
    const named = variableAt(operation, segments) ?? ''
    const fault = operation.path.includes(':host') ? hostFault(named) : null
    if (fault !== null) throw new Refusal(422, `hostname: expected a hostname; came one of which ${fault}`)
    const parameters = await readParameters(c.req.raw)
    const input = parseFields(operation.input, Object.fromEntries(parameters)) as Record<string, unknown>
    const answer = await operation.run(desk, input, named)
    return c.json(answer, 200, { 'cache-control': 'no-store' })
  })
}

function notAllowed(c: Context<Env>, fitting: readonly Operation[]): Response {
  const methods = fitting.flatMap((one) => one.methods)
  if (methods.length === 0) throw new Refusal(404, 'no endpoint has this path')
  c.header('allow', methods.join(', '))
  throw new Refusal(405, `expected ${methods.join(' or ')} for this path; came ${c.req.method}`)
}

/** The decoded segments after the prefix, the key first; from the raw address, so that `%2F` stays in its segment. */
function segmentsOf(c: Context<Env>): string[] {
  return new URL(c.req.url).pathname
    .slice(prefix.length + 1)
    .split('/')
    .map((segment) => {
      try {
        return decodeURIComponent(segment)
      } catch {
        throw new Refusal(422, 'path: expected percent-encoded UTF-8; came other bytes')
      }
    })
}

/** What stands for the variable of a path, `''` where it has none; null if the path is another one. */
function variableAt({ path }: Operation, segments: readonly string[]): string | null {
  const parts = path.slice(1).split('/')
  if (parts.length !== segments.length) return null
  let named = ''
  for (const [at, part] of parts.entries()) {
    const segment = segments[at] ?? ''
    const [, ending] = /^:\w+(.*)$/.exec(part) ?? []
    if (ending === undefined && part !== segment) return null
    if (ending === undefined) continue
    if (!segment.endsWith(ending) || segment.length <= ending.length) return null
    named = segment.slice(0, segment.length - ending.length)
  }
  return named
}

const errors = {
  401: 'The API key is not known',
  404: 'What was named is not known',
  413: 'The body is larger than 1 MB',
  422: 'A parameter is wrong; the message says which one and why',
  503: 'What stands behind the service cannot be read',
}

export function openApiDocument(url: string): object {
  const paths = new Map<string, Record<string, object>>()
  for (const { id, methods, path, summary, input } of operations) {
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    const full = `/api/v2/{api_key}${path.replace(/:(\w+)/, '{$1}')}`
    const variable = /:(\w+)/.exec(path)?.[1]
    const place = (name: string, where: string, isRequired: boolean, schema: unknown) => ({
      name,
      in: where,
      required: isRequired,
      schema,
    })
    for (const method of methods) {
      const isRead = method === 'GET'
      const described = {
        operationId: methods[0] === method ? id : `${id}By${method}`,
        summary,
        parameters: [
          place('api_key', 'path', true, { type: 'string' }),
          ...(variable === undefined ? [] : [place(variable, 'path', true, { type: 'string' })]),
          // A change takes its parameters in its body too, so none is required in the query.
          ...Object.entries(properties).map(([name, schema]) =>
            place(name, 'query', isRead && required.includes(name), schema),
          ),
        ],
        ...(isRead || Object.keys(properties).length === 0
          ? {}
          : {
              requestBody: {
                content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
              },
            }),
        responses: {
          200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
          ...Object.fromEntries(
            Object.entries(errors).map(([status, description]) => [status, { description }]),
          ),
        },
      }
      paths.set(full, { ...paths.get(full), [method.toLowerCase()]: described })
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Server monitoring', version: '2' },
    servers: [{ url }],
    paths: Object.fromEntries(paths),
  }
}
