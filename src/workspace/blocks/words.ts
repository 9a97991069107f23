/** What a schema finds wrong, in Slack's own words (slack-facts 2.1); marked (ours) where no real response is known. */
import type { z } from 'zod'

/** `path` leads to the value; for a missing or an additional key, to the object. */
export type Fault = { readonly path: readonly PropertyKey[]; readonly message: string }

/** A value that is repeated stays short, whatever its size. */
const echoCharsMax = 100

export function brief(value: string): string {
  return value.length > echoCharsMax ? `${value.slice(0, echoCharsMax)}…` : value
}

export function faultsIn(schema: z.ZodType, value: unknown): Fault[] {
  return schema.safeParse(value, { reportInput: true }).error?.issues.flatMap(inWords) ?? []
}

function inWords(issue: z.core.$ZodIssue): Fault[] {
  const { path, code } = issue
  const isList = 'origin' in issue && issue.origin === 'array'
  const one = (message: string): Fault[] => [{ path, message }]
  switch (code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path, message: `invalid additional property: ${brief(key)}` }))
    case 'invalid_type': {
      const { input, expected } = issue
      if (input === undefined)
        return [{ path: path.slice(0, -1), message: `missing required field: ${String(path.at(-1))}` }]
      const kind = expected === 'int' ? 'integer' : expected
      return one(`must provide ${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}`)
    }
    case 'too_big': // (ours, for numbers)
      return one(isList ? `no more than ${issue.maximum} items allowed` : `must be at most ${issue.maximum}`)
    case 'too_small': // (ours, for numbers)
      return one(
        isList ? `must provide at least ${issue.minimum} items` : `must be at least ${issue.minimum}`,
      )
    case 'invalid_value':
      return one('must be a valid enum value')
    default:
      return one(issue.message)
  }
}
