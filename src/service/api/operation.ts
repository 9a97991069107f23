/** An operation of the API, a row of the table in `operations.ts`; and its parameters: query, form or JSON (docs/api.md#requests-and-answers). */
import { z } from 'zod'
import type { Ledger } from '../ledger.ts'
import type { Loop } from '../loop.ts'
import type { Mutes, Servers } from '../servers.ts'
import { quoted, Refusal, type Source } from '../source.ts'
import type { Links } from '../web.ts'

export type Desk = {
  readonly source: Source
  readonly loop: Loop
  readonly ledger: Ledger
  readonly servers: Servers
  readonly mutes: Mutes
  readonly links: Links
  readonly nowMs: () => number
}

export type Operation = {
  readonly methods: readonly string[]
  /** Below `/api/v2/<API_KEY>`; at most one segment is a variable: `:host`, or `:id.json`. */
  readonly path: string
  readonly input: z.ZodObject
  /** `named` is what stands for the variable. */
  run(desk: Desk, input: Record<string, unknown>, named: string): object | Promise<object>
}

/** Ties the type of the parameters to the code that runs on them. `methods`: `POST PATCH`. */
export function operation<I extends z.ZodObject>(
  methods: string,
  path: string,
  input: I,
  run: (desk: Desk, input: z.output<I>, named: string) => object | Promise<object>,
): Operation {
  return {
    methods: methods.split(' '),
    path,
    input,
    run: (desk, given, named) => run(desk, given as z.output<I>, named),
  }
}

export const noInput = z.object({})

const bodyBytesMax = 1_000_000

/** By name; the body's win over the query's. Throws 413 for a body over 1 MB, 422 for one that cannot be read. */
export async function readParameters(request: Request): Promise<ReadonlyMap<string, string>> {
  const query = collect(new URL(request.url).searchParams, 'the query')
  if (['GET', 'HEAD'].includes(request.method) || request.body === null) return query
  const bytes = await readBody(request.body)
  if (bytes.length === 0) return query
  const type = request.headers.get('content-type') ?? ''
  return new Map([
    ...query,
    ...(/^multipart\/form-data/i.test(type) ? await fromParts(bytes, type) : fromBody(bytes, type)),
  ])
}

export async function readBody(body: ReadableStream<Uint8Array>, bytesMax = bodyBytesMax): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > bytesMax) throw new Refusal(413, `body: expected at most ${bytesMax} bytes; came more`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** As `curl --form` sends it. */
async function fromParts(bytes: Buffer, type: string): Promise<ReadonlyMap<string, string>> {
  const headers = { 'content-type': type }
  const parts = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => null)
  if (parts === null)
    throw new Refusal(422, 'body: expected parts of a form, as its content type says; came others')
  return collect(
    [...parts].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
    'the form',
  )
}

function fromBody(bytes: Buffer, type: string): ReadonlyMap<string, string> {
  const text = decode(bytes)
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(type.trim())
  // Many scripts send JSON labelled as a form, or without a content type.
  if (!isJson && !text.trimStart().startsWith('{'))
    return collect(new URLSearchParams(text.trim()), 'the form')
  try {
    return fromJson(JSON.parse(text))
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (isJson) throw new Refusal(422, 'body: expected JSON, as its content type says; came other text')
    return collect(new URLSearchParams(text.trim()), 'the form')
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(422, 'body: expected UTF-8; came other bytes')
  }
}

function fromJson(value: unknown): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(422, 'body: expected a JSON object of parameters; came another kind of JSON')
  const entries = Object.entries(value).flatMap(([name, one]): string[][] => {
    if (one === null) return []
    return [[name, (Array.isArray(one) ? one : [one]).map((part: unknown) => textOf(name, part)).join(',')]]
  })
  return collect(entries, 'the JSON object')
}

function textOf(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  const expected = 'text, a number, true, false or a list of these'
  throw new Refusal(422, `${quoted(name)}: expected ${expected}; came a structure`)
}

/** A Map, because names come from outside and may be `__proto__`. */
function collect(entries: Iterable<readonly string[]>, where: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name = '', value = ''] of entries) {
    if (found.has(name))
      throw new Refusal(422, `${quoted(name)}: expected once in ${where}; came more than once`)
    found.set(name, value)
  }
  return found
}

/** Text that `read` makes a value of; undefined from it means wrong. */
export function parameter<T>(expected: string, read: (text: string) => T | undefined) {
  return z.string({ error: `expected ${expected}; came nothing` }).transform((text, context): T => {
    const value = read(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: `expected ${expected}; came ${quoted(text)}` })
    return z.NEVER
  })
}

export const text = (charsMax: number) =>
  parameter(`text of 1 to ${charsMax} characters`, (value) =>
    value.trim() !== '' && value.length <= charsMax ? value : undefined,
  )

/** An empty one counts as none: forms send blank fields. */
export const filter = parameter('text of at most 300 characters', (value) =>
  value.length <= 300 ? value : undefined,
).prefault('')

export const oneOf = <T extends string>(values: readonly T[]) =>
  parameter(`${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, (value) =>
    values.find((one) => one === value),
  )

/** In any case: Python clients send `True`. */
export const truth = parameter(
  'true or false',
  (value) => ({ true: true, false: false })[value.toLowerCase()],
)

/** Names between commas, each once; an empty one, as a trailing comma leaves, does not count. */
export const names = (namesMax: number, charsMax: number) =>
  parameter(`1 to ${namesMax} names between commas, each of 1 to ${charsMax} characters`, (value) => {
    const found = [...new Set(value.split(',').map((name) => name.trim()))].filter((name) => name !== '')
    const isShort = found.every((name) => name.length <= charsMax)
    return found.length > 0 && found.length <= namesMax && isShort ? found : undefined
  })

export const count = parameter('a whole number from 0', (value) =>
  /^\d{1,16}$/.test(value) ? Number(value) : undefined,
)

export const time = parameter('a time such as 2026-11-22T15:04:00Z', (value) => {
  const ms = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
})

/** Throws a 422 that names every wrong field: `offset: expected a whole number from 0; came "-1"`. */
export function parseFields<S extends z.ZodType>(schema: S, fields: unknown): z.output<S> {
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new Refusal(422, wrong.join('; '))
}
