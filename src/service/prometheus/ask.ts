/** Asks a Prometheus or an Alertmanager, within limits of time and size. Each failure is one sentence, without a secret. */
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { Agent, request } from 'undici'
import { Refusal } from '../source.ts'

/** Unpacked: 5,000 alerts have about 5 MB. */
const bytesMax = 64 * 1024 * 1024
const withinMs = 10_000

export type Access = {
  readonly token: string | null
  /** Read again for each request: whoever rotates a token replaces it at any time. */
  readonly tokenFile: string | null
  /** Of the user in the address. */
  readonly password: string | null
  readonly passwordFile: string | null
  /** `X-Scope-OrgID` of a multi-tenant engine. */
  readonly tenant: string | null
  readonly caFile: string | null
  readonly certFile: string | null
  readonly keyFile: string | null
}

export type Asker = {
  /** `Alertmanager at http://host:9093` */
  readonly name: string
  get(path: string, parameters?: Readonly<Record<string, string>>): Promise<unknown>
  /** As a form, for questions too long for an address. */
  query(path: string, form: Readonly<Record<string, string>>): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  remove(path: string): Promise<void>
  close(): Promise<void>
}

export function openAsker(product: string, url: URL, access: Access): Asker {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const name = `${product} at ${base}`
  const read = (file: string | null) => (file === null ? undefined : readFileSync(file, 'utf8').trim())
  const agent = new Agent({
    connections: 8,
    maxResponseSize: bytesMax,
    connect: {
      timeout: withinMs,
      // Beside the public ones.
      ...(access.caFile === null ? {} : { ca: [...getCACertificates('default'), read(access.caFile) ?? ''] }),
      ...(access.certFile === null
        ? {}
        : { cert: read(access.certFile) ?? '', key: read(access.keyFile) ?? '' }),
    },
  })

  function headers(): Record<string, string> {
    const user = decodeURIComponent(url.username)
    const password = access.password ?? read(access.passwordFile) ?? decodeURIComponent(url.password)
    const token = access.token ?? read(access.tokenFile)
    const basic = user === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const authorization = token === undefined ? basic : `Bearer ${token}`
    return {
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...(access.tenant === null ? {} : { 'x-scope-orgid': access.tenant }),
    }
  }

  async function ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    type?: string,
    body?: string,
  ): Promise<unknown> {
    const sent = { method, dispatcher: agent, signal: AbortSignal.timeout(withinMs), ...(body && { body }) }
    const typed = type === undefined ? {} : { 'content-type': type }
    let [said, status] = ['', 0]
    try {
      const answer = await request(base + path, { ...sent, headers: { ...headers(), ...typed } })
      status = answer.statusCode
      said = await answer.body.text()
    } catch (error) {
      throw failureOf(name, error)
    }
    if (status === 401 || status === 403)
      throw new Refusal(
        502,
        `${name} did not let the service in (it answered ${status}); check the token, or user and password`,
        status,
      )
    const isWrong = status === 400 || status === 422
    if (status >= 300)
      throw new Refusal(isWrong ? 422 : 502, `${name} answered ${status}${reasonIn(said)}`, status)
    try {
      return said === '' ? null : JSON.parse(said)
    } catch {
      throw new Refusal(502, `${name}: expected JSON; came something else`)
    }
  }

  const form = (parameters: Readonly<Record<string, string>>) => new URLSearchParams(parameters).toString()
  return {
    name,
    get: (path, parameters) => ask('GET', parameters === undefined ? path : `${path}?${form(parameters)}`),
    query: (path, parameters) => ask('POST', path, 'application/x-www-form-urlencoded', form(parameters)),
    post: (path, body) => ask('POST', path, 'application/json', JSON.stringify(body)),
    remove: async (path) => void (await ask('DELETE', path)),
    close: () => agent.destroy(),
  }
}

function failureOf(name: string, error: unknown): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isSlow = (error instanceof Error && error.name === 'TimeoutError') || code.endsWith('_TIMEOUT')
  if (isSlow) return new Refusal(504, `${name} did not answer within ${withinMs / 1000} s`)
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new Refusal(502, `${name}: expected an answer of at most 64 MiB; came a longer one`)
  if (code === 'ENOENT')
    return new Refusal(502, `${name} cannot be asked: a file with its token or password is not there`)
  return new Refusal(503, `${name} cannot be asked (${code === '' ? 'no connection' : code})`)
}

/** Prometheus gives its reason in `error`, an Alertmanager as a JSON string; a proxy's page is not shown. Never an address's password. */
function reasonIn(text: string): string {
  try {
    const found: unknown = JSON.parse(text)
    const said = typeof found === 'string' ? found : (found as { error?: unknown; message?: unknown }).error
    return typeof said === 'string'
      ? `: ${said.replace(/:\/\/[^\s"']*@/g, '://[secret]@').slice(0, 200)}`
      : ''
  } catch {
    return ''
  }
}
