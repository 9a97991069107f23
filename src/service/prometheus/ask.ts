/** Queries a Prometheus or an Alertmanager, within limits of time and size; each failure is one sentence. */
import { type Dispatcher, request } from 'undici'
import { connectionWords } from '../connection-words.ts'
import type { Outcome } from '../ops/metric-table.ts'
import { type Meter, noMeter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import { openAccess } from './access.ts'
import type { Endpoint } from './settings.ts'

/** Unpacked. An answer of 5,000 alerts has about 5 MB. */
const bytesMax = 64 * 1_048_576
const textShownMax = 200

export type Parameters = Readonly<Record<string, string | readonly string[]>>

export type Asker = {
  /** `Prometheus at http://prometheus:9090`, for messages; without user and password. */
  readonly name: string
  /** The body of a 2xx answer, as unchecked JSON. Rejects with a `Refusal`: see `upstreamStatus`. */
  get(path: string, parameters?: Parameters): Promise<unknown>
  /** A query as a form, for those too long for a URL. */
  query(path: string, form: Parameters): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  remove(path: string): Promise<void>
  /** What it said, for people: short, without addresses' credentials and without the secrets that were sent to it. */
  shown(said: string): string
  close(): Promise<void>
}

/** A 401 or 403: the token, or user and password, are wrong. */
export class NotLetIn extends Refusal {
  override readonly name = 'Refusal'
}

/** 504: no answer in time, 502: an unusable answer, 503: unreachable. */
export const upstreamStatus = { slow: 504, wrong: 502, away: 503 } as const

export function openAsker(parts: {
  /** `Prometheus`, `Alertmanager` */
  readonly product: string
  readonly endpoint: Endpoint
  readonly timeoutMs: number
  readonly meter?: Meter
}): Asker {
  const { product, endpoint, timeoutMs, meter = noMeter } = parts
  const name = `${product} at ${endpoint.url}`
  const metered = product === 'Alertmanager' ? 'alertmanager' : 'prometheus'
  const access = openAccess(name, endpoint, timeoutMs)

  async function ask(
    method: Dispatcher.HttpMethod,
    path: string,
    content?: { readonly type: string; readonly text: string },
  ): Promise<unknown> {
    try {
      const shown = await access.now()
      const response = await request(`${endpoint.url}${path}`, {
        method,
        dispatcher: shown.dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          accept: 'application/json',
          'user-agent': 'monbot-service',
          ...(content === undefined ? {} : { 'content-type': content.type }),
          ...shown.headers,
        },
        ...(content === undefined ? {} : { body: content.text }),
      })
      // An abandoned body still needs an error listener.
      response.body.on('error', () => {})
      try {
        const found = answered(asked, response.statusCode, await textOf(name, response.body))
        meter.asked(metered, 'ok')
        return found
      } finally {
        response.body.destroy()
      }
    } catch (error) {
      const refusal = error instanceof Refusal ? error : failure(name, error, timeoutMs)
      meter.asked(metered, outcomeOf(refusal))
      throw refusal
    }
  }

  const asked = {
    name,
    hint: endpoint.refusedHint ?? null,
    /** An answer may repeat the credentials of the request, and its text is shown to people. */
    shown: (said: string): string =>
      withoutSecrets(access.hide(said)).replace(/\s+/g, ' ').slice(0, textShownMax),
  }

  return {
    name,
    shown: asked.shown,
    get: (path, parameters) => ask('GET', parameters === undefined ? path : `${path}?${formOf(parameters)}`),
    query: (path, form) =>
      ask('POST', path, { type: 'application/x-www-form-urlencoded', text: formOf(form) }),
    post: (path, body) => ask('POST', path, { type: 'application/json', text: JSON.stringify(body) }),
    async remove(path) {
      await ask('DELETE', path)
    },
    close: access.close,
  }
}

function formOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(pairs).toString()
}

async function textOf(name: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > bytesMax) {
      throw new Refusal(
        502,
        `${name}: expected an answer of at most ${bytesMax / 1_048_576} MiB; came a longer one`,
      )
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

type AskedOne = { readonly name: string; readonly hint: string | null; shown(said: string): string }

function answered({ name, hint, shown }: AskedOne, status: number, text: string): unknown {
  if (status === 401 || status === 403) {
    throw new NotLetIn(
      502,
      `${name} did not let the service in (it answered ${status}); check the token, or user and password${hint === null ? '' : `; ${hint}`}`,
    )
  }
  if (status >= 200 && status < 300) {
    if (text === '') return null
    try {
      return JSON.parse(text)
    } catch {
      throw new Refusal(502, `${name}: expected JSON; came something else`)
    }
  }
  const said = status >= 300 && status < 400 ? 'redirects are not followed' : shown(errorOf(text))
  throw new UpstreamNo(`${name} answered ${status}${said === '' ? '' : `: ${said}`}`, status)
}

/** The word for `/metrics`. */
export function outcomeOf(refusal: Refusal): Outcome {
  if (refusal instanceof NotLetIn) return 'refused'
  if (refusal.status === upstreamStatus.slow) return 'slow'
  return refusal.status === upstreamStatus.away ? 'away' : 'wrong'
}

/** An answer that is neither 2xx nor about authentication. */
export class UpstreamNo extends Refusal {
  override readonly name = 'Refusal'
  /** The status of the answer. */
  readonly answered: number

  constructor(message: string, answered: number) {
    super(502, message)
    this.answered = answered
  }
}

/** Did it refuse the request itself (a wrong matcher)? Then nothing was made, and every other one would refuse it too. */
export function isFinal(failure: Refusal): boolean {
  return failure instanceof UpstreamNo && (failure.answered === 400 || failure.answered === 422)
}

/** Error texts may contain addresses that the other side uses, with user and password, and the token that we sent. */
export function withoutSecrets(said: string): string {
  return said
    .slice(0, 10 * textShownMax)
    .replace(/:\/\/[^\s"']*@/g, '://[secret]@')
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [secret]')
}

/** Prometheus gives the reason in `error`, an Alertmanager as a JSON string; anything else (a proxy's page) is not shown. */
function errorOf(text: string): string {
  try {
    const found: unknown = JSON.parse(text)
    const said =
      typeof found === 'string'
        ? found
        : typeof found === 'object' && found !== null && 'error' in found
          ? String(found.error)
          : ''
    return said
  } catch {
    return ''
  }
}

function failure(name: string, error: unknown, timeoutMs: number): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isSlow =
    (error instanceof Error && error.name === 'TimeoutError') || /^UND_ERR_\w+_TIMEOUT$/.test(code)
  if (isSlow) return new Refusal(504, `${name} did not answer within ${timeoutMs / 1_000} s`)
  const known = connectionWords.get(code)
  if (known !== undefined) return new Refusal(503, `${name} cannot be asked: ${known}`)
  if (code.startsWith('HPE_')) return new Refusal(502, `${name} does not speak HTTP`)
  if (/ALERT|CERTIFICATE_REQUIRED/.test(code))
    return new Refusal(502, `${name} does not accept the certificate of this service (${code})`)
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code))
    return new Refusal(502, `${name}: its certificate is not trusted (${code})`)
  const why = code === '' ? 'nobody knows why' : code
  return new Refusal(503, `${name} cannot be asked: ${why}`)
}
