/** `POST /v1/metrics`: OTLP/HTTP metrics as JSON, with an API key as bearer token. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Context, Hono } from 'hono'
import type { Env } from '../api/answer.ts'
import { parseJson, readBody } from '../api/parameters.ts'
import { Refusal } from '../refusal.ts'
import { type Push, readPush } from './otlp.ts'
import type { Taken } from './receiver.ts'

/** Also after unpacking gzip. */
export const pushBytesMax = 10 * 1024 * 1024

const unpack = promisify(gunzip)

export function addPush(
  app: Hono<Env>,
  parts: { hasKey(key: string): boolean; take(push: Push): Taken },
): void {
  app.post('/v1/metrics', async (c) => {
    const bearer = /^bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1]?.trim()
    if (bearer === undefined || !parts.hasKey(bearer)) {
      throw new Refusal(
        401,
        'expected an API key as bearer token in the header Authorization; came none that is known',
      )
    }
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/json') {
      throw new Refusal(
        415,
        'content-type: expected application/json (OTEL_EXPORTER_OTLP_PROTOCOL=http/json, encoding: json at the Collector); came another one',
      )
    }
    const { rejected, reasons } = parts.take(readPush(jsonOf(await bodyOf(c))))
    // opentelemetry.io/docs/specs/otlp/#partial-success-1: the sender learns of it and does not retry.
    return c.json(
      rejected === 0
        ? {}
        : { partialSuccess: { rejectedDataPoints: String(rejected), errorMessage: reasons.join('; ') } },
    )
  })
}

async function bodyOf(c: Context<Env>): Promise<string> {
  const { body } = c.req.raw
  const bytes = body === null ? Buffer.alloc(0) : await readBody(body, pushBytesMax)
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return bytes.toString('utf8')
  if (encoding !== 'gzip') {
    throw new Refusal(415, 'content-encoding: expected gzip or none; came another one')
  }
  try {
    return (await unpack(bytes, { maxOutputLength: pushBytesMax })).toString('utf8')
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Refusal(413, `body: expected at most ${pushBytesMax} bytes when unpacked; came more`)
    }
    throw new Refusal(422, 'body: expected gzip, as its content encoding says; came something else')
  }
}

function jsonOf(text: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  throw new Refusal(422, 'body: expected JSON, as its content type says; came other text')
}
