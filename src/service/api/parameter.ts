/** Checks of single parameters, each with its text after "expected" and its part of the OpenAPI document. */
import { z } from 'zod'
import { quoted, Refusal } from '../refusal.ts'

type Described = {
  readonly description: string
  readonly enum?: readonly string[]
  readonly example?: string
}

/** Text that `read` turns into a value; undefined from `read` means invalid. */
export function parameter<Value>(
  expected: string,
  read: (text: string) => Value | undefined,
  described: Described,
) {
  const wrong = (came: unknown): string => `expected ${expected}; came ${quoted(came)}`
  return z
    .string({ error: ({ input }) => wrong(input) })
    .meta({ ...described, ...(described.enum === undefined ? {} : { enum: [...described.enum] }) })
    .transform((text, context): Value => {
      const value = read(text)
      if (value !== undefined) return value
      context.addIssue({ code: 'custom', message: wrong(text) })
      return z.NEVER
    })
}

/** Any text of 1 to `charsMax` characters that is not blank. */
export function text(charsMax: number, described: Described) {
  return parameter(
    `text of 1 to ${charsMax} characters`,
    (value) => (value.trim() !== '' && value.length <= charsMax ? value : undefined),
    described,
  )
}

/** One of several texts. */
export function oneOf<Value extends string>(values: readonly Value[], description: string) {
  const expected = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
  return parameter(expected, (value) => values.find((one) => one === value), { description, enum: values })
}

/** `true` or `false`, in any case: Python clients send `True`. */
export function truth(description: string) {
  const values: ReadonlyMap<string, boolean> = new Map([
    ['true', true],
    ['false', false],
  ])
  return parameter('true or false', (value) => values.get(value.toLowerCase()), {
    description,
    enum: ['true', 'false'],
  })
}

/** Names separated by commas, duplicates removed; at least one, none of them empty. */
export function names(limits: { readonly namesMax: number; readonly charsMax: number }, description: string) {
  return parameter(
    `1 to ${limits.namesMax} names between commas, each of 1 to ${limits.charsMax} characters`,
    (value) => {
      const found = [...new Set(value.split(',').map((name) => name.trim()))]
      const isGood = found.every((name) => name !== '' && name.length <= limits.charsMax)
      return isGood && found.length <= limits.namesMax ? found : undefined
    },
    { description },
  )
}

/** A whole number from zero. */
export function count(description: string) {
  return parameter(
    'a whole number from 0',
    (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined),
    { description },
  )
}

/** Throws a 422 `Refusal` that names every wrong field: "offset: expected a whole number from 0; came "-1"". */
export function parseFields<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  )
  throw new Refusal(422, wrong.join('; '))
}
