/** The OpenAPI 3.1 document of the API, built from the same list as the routes. */
import { z } from 'zod'
import { type Operation, variableOf } from './operation.ts'
import { operations } from './operations.ts'

const errors = {
  401: 'The API key is not known',
  404: 'The server, role, metric, alert or mute that was named is not known',
  413: 'The body is larger than 1 MB',
  422: 'A parameter is wrong; the message says which one and why',
} as const

/** Builds the document; `url` is the service's own address. */
export function openApiDocument(url: string): object {
  const paths = new Map<string, Record<string, object>>()
  for (const operation of operations) {
    const path = `/api/v2/{api_key}${operation.path.replace(/:(\w+)/, '{$1}')}`
    paths.set(path, { ...paths.get(path), [operation.method.toLowerCase()]: describe(operation) })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Server monitoring',
      version: '2',
      description: 'Alerts, triggers, roles, metrics, servers, notifications and markers of one account.',
    },
    servers: [{ url }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        Message: {
          type: 'object',
          required: ['message'],
          properties: { message: { type: 'string' } },
        },
      },
    },
  }
}

/** Variable segments of paths. */
const segments: Readonly<Record<string, string>> = {
  hostname: 'The hostname of a server',
  id: "The name that the mute was given, or the Alertmanager's own id of a silence",
}

function describe(operation: Operation): object {
  const { id, summary, path, method, input, answer, may404 } = operation
  const { properties = {}, required = [] } = schemaOf(input, 'input')
  const variable = variableOf(path)?.name
  const isChange = method !== 'GET'
  const fromQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    // A change accepts its parameters in the body as well, so none is required in the query.
    required: !isChange && required.includes(name),
    schema,
  }))
  const statuses = [401, ...(may404 ? [404 as const] : []), ...(isChange ? [413 as const] : []), 422] as const
  const hasBody = isChange && fromQuery.length > 0
  return {
    operationId: id,
    summary,
    parameters: [
      pathParameter('api_key', 'An API key of the account'),
      ...(variable === undefined ? [] : [pathParameter(variable, segments[variable] ?? '')]),
      ...fromQuery,
    ],
    ...(hasBody ? { requestBody: bodyOf(properties, required) } : {}),
    responses: {
      200: { description: 'Done', headers, content: json(schemaOf(answer, 'output')) },
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          { description: errors[status], headers, content: json({ $ref: '#/components/schemas/Message' }) },
        ]),
      ),
    },
  }
}

const headers = { 'x-request-id': { description: 'Names this one request', schema: { type: 'string' } } }

function bodyOf(properties: object, required: readonly string[]): object {
  const schema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
  return {
    description: 'The parameters may stand in the query instead',
    required: false,
    content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
  }
}

function pathParameter(name: string, description: string): object {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

function json(schema: object): object {
  return { 'application/json': { schema } }
}

/** OpenAPI 3.1 uses JSON Schema 2020-12, as zod does; the version implies `$schema`. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}
