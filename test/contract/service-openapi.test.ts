/** The OpenAPI document and the routes say the same, in both directions, and real answers keep what the document promises. */
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Env } from '../../src/service/api/answer.ts'
import { addApi } from '../../src/service/api/api.ts'
import { operations } from '../../src/service/api/operations.ts'
import { buildWorld } from '../../src/service/build-world.ts'
import { openFaults } from '../../src/service/control/faults.ts'
import { settle } from '../../src/service/options.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'
import { form, openTown } from '../service/open-service.ts'

const schema = z.looseObject({ type: z.string().optional(), $ref: z.string().optional() })
const content = z.record(z.string(), z.object({ schema }))
const operationObject = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      description: z.string().optional(),
      schema,
    }),
  ),
  requestBody: z.object({ content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.object({
      description: z.string(),
      headers: z.object({ 'x-request-id': z.object({ schema }) }),
      content,
    }),
  ),
})
const document = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ title: z.string(), version: z.string() }),
  servers: z.array(z.object({ url: z.url() })).length(1),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'patch', 'delete']), operationObject),
  ),
  components: z.object({ schemas: z.record(z.string(), schema) }),
})

async function readDocument() {
  const town = await openTown({ fleet: true })
  const { status, body } = await town.ask('/openapi.json')
  expect(status).toBe(200)
  const parsed = document.parse(body)
  const all = Object.entries(parsed.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operationObject.parse(operation),
    })),
  )
  return { town, parsed, all }
}

/** What the router really has, asked of the router. */
function routes(): string[] {
  const app = new Hono<Env>()
  const settings = settle({ key: 'k', sample: false })
  const { world } = buildWorld(settings, memoryLedger(), () => 'http://127.0.0.1')
  addApi(app, world, { faults: openFaults(Date.now), counts: new Map() })
  return app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
    .map(({ method, path }) => `${method} ${path}`)
}

test('every route stands in the document, and everything in the document is a route', async () => {
  const { all } = await readDocument()
  const described = all.map(
    ({ path, method }) =>
      // The router knows no variable with an ending.
      `${method.toUpperCase()} ${path.replace('{api_key}', ':key').replaceAll(/\{(\w+)\}(?:\.json)?/g, ':$1')}`,
  )
  expect(described.sort()).toEqual(routes().sort())
})

/** docs/api.md#operations, by hand, so that neither routes nor document can forget one. */
const specified = [
  'DELETE /metrics',
  // Not in the specification (docs/api.md#mutes).
  'DELETE /mutes/:id',
  'DELETE /servers/:hostname',
  'GET /alerts.json',
  'GET /metrics.json',
  'GET /mutes.json',
  'GET /roles.json',
  // Not in the specification: for operators.
  'GET /targets.json',
  'GET /triggers.json',
  'PATCH /account',
  'PATCH /servers/:hostname',
  'POST /account',
  'POST /markers',
  'POST /mutes.json',
  'POST /servers/:hostname',
  'POST /servers/:hostname/roles/add',
]

test('all that the specification has is there', () => {
  expect(
    routes()
      .map((route) => route.replace('/api/v2/:key', ''))
      .sort(),
  ).toEqual(specified)
})

test('the document is sound: ids are unique, path parameters are declared, references lead somewhere', async () => {
  const { parsed, all, town } = await readDocument()
  expect(parsed.servers[0]?.url).toBe(town.service.url)
  expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length)
  for (const { path, operation } of all) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)
    expect(declared.sort()).toEqual(inPath.sort())
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '401', '422']))
  }
  for (const [, name] of JSON.stringify(parsed).matchAll(/"\$ref":"([^"]+)"/g)) {
    expect(name).toMatch(/^#\/components\/schemas\//)
    expect(parsed.components.schemas).toHaveProperty(name?.split('/').at(-1) ?? '')
  }
})

test('the parameters of the specification are all described, the required ones as required', async () => {
  const { all } = await readDocument()
  const query = (id: string) =>
    all
      .find(({ operation }) => operation.operationId === id)
      ?.operation.parameters.filter((one) => one.in === 'query')
      .map(({ name, required }) => (required ? `${name}!` : name))
  expect(query('fetchAlerts')).toEqual(['lifecycle', 'offset'])
  expect(query('fetchMetrics')).toEqual([
    'metric_name!',
    'metric_type!',
    'metric_source_name',
    'server',
    'environment',
    'role',
    'duration',
    'display',
    // Of this service alone.
    'alert',
  ])
  const body = (id: string) =>
    all.find(({ operation }) => operation.operationId === id)?.operation.requestBody?.content[
      'application/json'
    ]?.schema
  expect(body('addMarker')).toMatchObject({ required: ['notes'], properties: { notes: { type: 'string' } } })
  expect(body('updateServer')).toMatchObject({
    properties: {
      notifications: { enum: ['true', 'false'] },
      no_data_notification_group: { type: 'string' },
    },
  })
})

describe('a real answer keeps its schema', () => {
  test.each([
    ['fetchAlerts', '/alerts.json', {}],
    ['fetchTriggers', '/triggers.json', {}],
    ['fetchRoles', '/roles.json', {}],
    ['fetchTargets', '/targets.json', {}],
    ['fetchMetrics', '/metrics.json?metric_name=cpu_busy&metric_type=cpu', {}],
    ['addRoles', '/servers/web-1/roles/add', form({ roles: 'x' })],
    ['updateServer', '/servers/web-1', form({ notifications: 'true' }, 'PATCH')],
    ['updateServerByPost', '/servers/web-1', form({ notifications: 'true' })],
    ['updateAccount', '/account', form({ notifications: 'true' }, 'PATCH')],
    ['updateAccountByPost', '/account', form({ notifications: 'true' })],
    ['addMarker', '/markers', form({ notes: 'x' })],
    ['deleteCustomMetrics', '/metrics', form({ metrics: 'signups' }, 'DELETE')],
    ['deleteServer', '/servers/web-1', { method: 'DELETE' as const }],
  ])('%s', async (id, path, ask) => {
    const town = await openTown({ fleet: true })
    town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    town.service.oneoff({ server: 'web-1', plugin: 'Log', title: 'x' })
    const { status, body } = await town.api(path, ask)
    expect(status).toBe(200)
    const operation = operations.find((one) => one.id === id)
    expect(operation?.answer.strict().safeParse(body)).toMatchObject({ success: true })
  })

  test('and the table above names them all', () => {
    expect(operations).toHaveLength(specified.length)
  })
})
