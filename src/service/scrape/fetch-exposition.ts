/** Queries one exporter once, within limits of time and size, whatever it answers. */
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { type Dispatcher, request } from 'undici'
import type { Target } from '../config/read-config.ts'
import { connectionWords } from '../connection-words.ts'
import { type Exposition, openExpositionParser, UnreadableExposition, type Wanted } from './exposition.ts'

/** Compressed and uncompressed. */
const bytesMax = 10 * 1_048_576
/** Parsed in one go before yielding to other work: a few milliseconds. */
const turnBytes = 256 * 1_024

const accepted = 'application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'

/** Why an exporter could not be read, for people: "it refused the connection". Never quotes an answer or an address. */
export class ScrapeFailure extends Error {
  override readonly name = 'ScrapeFailure'
}

export type Scraped = {
  readonly exposition: Exposition
  /** When the answer started, on the clock of `upMs`. */
  readonly upMs: number
}

/** Throws a `ScrapeFailure`, whatever went wrong. `signal` aborts it. */
export async function fetchExposition(
  { url, authorization }: Target,
  wanted: (name: string) => Wanted,
  limits: { readonly dispatcher: Dispatcher; readonly signal: AbortSignal; upMs(): number },
): Promise<Scraped> {
  try {
    const response = await request(url, {
      dispatcher: limits.dispatcher,
      signal: limits.signal,
      headers: {
        accept: accepted,
        'accept-encoding': 'gzip',
        'user-agent': 'monbot-service',
        ...(authorization === null ? {} : { authorization }),
      },
    })
    const upMs = limits.upMs()
    // An abandoned body still needs an error listener.
    response.body.on('error', () => {})
    try {
      const parser = openExpositionParser(formatOf(response), wanted)
      await readText(unpacked(response), parser.push)
      return { exposition: parser.end(), upMs }
    } finally {
      response.body.destroy()
    }
  } catch (error) {
    throw new ScrapeFailure(reasonOf(error))
  }
}

function formatOf({ statusCode, headers }: Dispatcher.ResponseData): 'text' | 'openmetrics' {
  if (statusCode >= 300 && statusCode < 400) {
    throw new ScrapeFailure(`it answered ${statusCode}, and redirects are not followed`)
  }
  if (statusCode !== 200) throw new ScrapeFailure(`it answered ${statusCode}`)
  const type =
    String(headers['content-type'] ?? 'text/plain')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? ''
  if (type === 'application/openmetrics-text') return 'openmetrics'
  if (type === 'text/plain' || type === '') return 'text'
  throw new ScrapeFailure('it answered with something else than metrics (by its content type)')
}

function unpacked({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Uint8Array> {
  const encoding = String(headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  if (encoding === 'identity' || encoding === '') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new ScrapeFailure('it answered in an encoding that was not asked for')
  }
  const gunzip = createGunzip()
  let bytes = 0
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > bytesMax) gunzip.destroy(tooLong())
  })
  body.on('error', (error) => gunzip.destroy(error))
  body.pipe(gunzip)
  return gunzip
}

async function readText(chunks: AsyncIterable<Uint8Array>, push: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let bytes = 0
  let turn = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLong()
    push(decoder.decode(chunk, { stream: true }))
    turn += chunk.length
    if (turn < turnBytes) continue
    turn = 0
    await setImmediate()
  }
  push(decoder.decode())
}

function tooLong(): ScrapeFailure {
  return new ScrapeFailure('its answer is longer than 10 MiB')
}

const sentences: ReadonlyMap<string, string> = new Map([
  ...connectionWords,
  ['UND_ERR_CONNECT_TIMEOUT', 'it did not answer in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'it did not answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'it did not answer in time'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the headers of its answer are too long'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'it sent a part of its answer only'],
  ['Z_BUF_ERROR', 'it sent a part of its answer only'],
])

function reasonOf(error: unknown): string {
  if (error instanceof ScrapeFailure) return error.message
  if (error instanceof UnreadableExposition) return `its answer cannot be read: ${error.message}`
  if (!(error instanceof Error)) return 'nobody knows why'
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = sentences.get(code)
  if (known !== undefined) return known
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'it does not speak HTTP'
  if (code.startsWith('Z_')) return 'it sent gzip that cannot be unpacked'
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `its certificate is not trusted (${code})`
  return `it could not be asked (${code || error.name})`
}
