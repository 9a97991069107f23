/** Reads the parameters of a request from the query, a form or JSON, with or without a content type. */
import { quoted, Refusal } from '../refusal.ts'

/** A larger body is refused with 413. */
export const bodyBytesMax = 1_000_000

/** More than any endpoint has. */
const parametersMax = 100

/**
 * The parameters by name; the body's override the query's. JSON values become text, and a list of texts is joined with commas, as
 * the protocol writes lists. Throws a `Refusal`: 413 for a body over 1 MB, 422 for an unreadable one or a name that occurs twice.
 */
export async function readParameters(request: Request): Promise<ReadonlyMap<string, string>> {
  const query = new URL(request.url).searchParams
  const fromQuery = collect(query, 'the query')
  if (request.method === 'GET' || request.method === 'HEAD' || request.body === null) return fromQuery
  const bytes = await readBody(request.body)
  if (bytes.length === 0) return fromQuery
  const fromBody = await parseBody(bytes, request.headers.get('content-type') ?? '')
  return new Map([...fromQuery, ...fromBody])
}

async function parseBody(bytes: Buffer, contentType: string): Promise<ReadonlyMap<string, string>> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'multipart/form-data') return parseMultipart(bytes, contentType)
  const text = decode(bytes)
  if (type === 'application/json' || type.endsWith('+json')) {
    const value = parseJson(text)
    if (value === undefined)
      throw new Refusal(422, `body: expected JSON, as its content type says; came other text`)
    return fromJson(value)
  }
  // curl and many scripts send JSON labelled as a form, or without a content type.
  if (text.trimStart().startsWith('{')) {
    const value = parseJson(text)
    if (value !== undefined) return fromJson(value)
  }
  return collect(new URLSearchParams(text.trim()), 'the form')
}

async function parseMultipart(bytes: Buffer, contentType: string): Promise<ReadonlyMap<string, string>> {
  try {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { 'content-type': contentType },
    }).formData()
    const texts = [...form].map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw new Refusal(422, `${shown(name)}: expected text; came a file`)
      return [name, value]
    })
    return collect(texts, 'the form')
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(
      422,
      'body: expected multipart/form-data, as its content type says; came something else',
    )
  }
}

function fromJson(value: unknown): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(422, 'body: expected a JSON object of parameters; came another kind of JSON')
  }
  const entries = Object.entries(value).flatMap(([name, one]): [string, string][] => {
    if (one === null) return []
    if (Array.isArray(one)) return [[name, one.map((part: unknown) => textOf(name, part)).join(',')]]
    return [[name, textOf(name, one)]]
  })
  return collect(entries, 'the JSON object')
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Refusal(
    422,
    `${shown(name)}: expected text, a number, true, false or a list of these; came a structure`,
  )
}

/** A Map, because names come from outside and may be `__proto__`. */
function collect(entries: Iterable<[string, string]>, where: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of entries) {
    if (found.has(name))
      throw new Refusal(422, `${shown(name)}: expected once in ${where}; came more than once`)
    if (found.size >= parametersMax) {
      throw new Refusal(422, `${where}: expected at most ${parametersMax} parameters; came more`)
    }
    found.set(name, value)
  }
  return found
}

/** The bytes of a body. Throws a 413 `Refusal` as soon as there are too many, however they are sent. */
export async function readBody(body: ReadableStream<Uint8Array>, bytesMax = bodyBytesMax): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > bytesMax) {
      throw new Refusal(413, `body: expected at most ${bytesMax} bytes; came more`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(422, 'body: expected UTF-8; came other bytes')
  }
}

/** Parses JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

function shown(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoted(name)
}
