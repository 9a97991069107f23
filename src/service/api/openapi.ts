/** `/openapi.json`: the document of the API, made of the same table as its routes. */
import { z } from 'zod'
import { operations } from './operations.ts'

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
