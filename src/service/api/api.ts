/** `/api/v2/<API_KEY>/…`: checks the key, then applies ordered faults, then runs the endpoint. */
import type { Context, Hono } from 'hono'
import type { Faults } from '../control/faults.ts'
import { misbehave } from '../control/misbehave.ts'
import type { Meter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import { hostnameFault } from '../store/registry.ts'
import type { World } from '../world.ts'
import type { Env } from './answer.ts'
import { type Operation, variableOf } from './operation.ts'
import { operations, operationsAt } from './operations.ts'
import { readParameters } from './parameters.ts'

export const apiPrefix = '/api/v2'

/** API requests so far by method and path template, which contains neither key nor hostname. */
export type RequestCounts = Map<string, number>

/** Adds every operation; all other paths below the prefix get a 401, 404 or 405 with a message. */
export function addApi(
  app: Hono<Env>,
  world: World,
  parts: { readonly faults: Faults; readonly counts: RequestCounts; readonly meter?: Meter },
): void {
  app.use(`${apiPrefix}/*`, async (c, next) => {
    // An address normalised by the parser would reach a different endpoint from the one written.
    if (hasDotSegments(c.env.incoming.url ?? ''))
      throw new Refusal(404, 'no endpoint has a path with . or .. in it')
    const [key, ...segments] = segmentsOf(c)
    const template = templateOf(c.req.method, segments)
    parts.counts.set(template, (parts.counts.get(template) ?? 0) + 1)
    const fault = parts.faults.take(template)
    if (fault !== null) return misbehave(c, next, fault)
    if (key === undefined || key === '' || !world.keys.has(key)) {
      throw new Refusal(401, 'the API key in the path is not known; expected /api/v2/<API_KEY>/…')
    }
    const begunMs = performance.now()
    await next()
    parts.meter?.answered(template, (performance.now() - begunMs) / 1_000)
    return undefined
  })
  for (const operation of operations) {
    // The router knows no variable with an ending.
    const path = operation.path.replace(/(:\w+)[^/]*/, '$1')
    app.on(operation.method, `${apiPrefix}/:key${path}`, (c, next) =>
      operationsAt(segmentsOf(c).slice(1)).includes(operation) ? run(c, operation, world) : next(),
    )
  }
  app.all(`${apiPrefix}/*`, (c) => {
    const [, ...segments] = segmentsOf(c)
    const methods = operationsAt(segments).map(({ method }) => method)
    if (methods.length === 0) throw new Refusal(404, 'no endpoint has this path')
    c.header('allow', methods.join(', '))
    throw new Refusal(405, `expected ${methods.join(' or ')} for this path; came ${c.req.method}`)
  })
}

async function run(c: Context<Env>, operation: Operation, world: World): Promise<Response> {
  const variable = variableOf(operation.path)
  const segment = variable === null ? '' : (segmentsOf(c)[2] ?? '')
  const named = segment.slice(0, segment.length - (variable?.ending.length ?? 0))
  const parameters = await readParameters(c.req.raw)
  const fault = variable?.name === 'hostname' ? hostnameFault(named) : null
  if (fault !== null) throw new Refusal(422, `hostname: expected a hostname; came one of which ${fault}`)
  const answer = await operation.run(world, parameters, named)
  c.header('cache-control', 'no-store')
  return c.json(answer)
}

/** The decoded segments after `/api/v2`, the key first; taken from the raw address, so that `%2F` stays in its segment. */
function segmentsOf(c: Context<Env>): string[] {
  const segments = new URL(c.req.url).pathname.slice(apiPrefix.length + 1).split('/')
  return segments.map((segment) => {
    try {
      return decodeURIComponent(segment)
    } catch {
      throw new Refusal(422, 'path: expected percent-encoded UTF-8; came other bytes')
    }
  })
}

function hasDotSegments(target: string): boolean {
  const [path = ''] = target.split('?', 1)
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
}

/** `POST /servers/:hostname`: the name under which requests are counted and faults are ordered; never contains the key. */
function templateOf(method: string, segments: readonly string[]): string {
  const path = operationsAt(segments)[0]?.path
  return `${method} ${path ?? '(unknown)'}`
}
