/** Asks a Prometheus or an Alertmanager, within limits of time and size. Each failure is one sentence, without a secret. */
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { Agent, request } from 'undici'
import { Refusal } from '../source.ts'

/** Unpacked: 5,000 alerts have about 5 MB. */
const bytesMax = 64 * 1024 * 1024
const withinMs = 10_000

export type Access = {
  readonly token?: string
  /** Read again for each request: whoever rotates a token replaces it at any time. */
  readonly tokenFile?: string
  /** Of the user in the address. */
  readonly password?: string
  readonly passwordFile?: string
  /** `X-Scope-OrgID` of a multi-tenant engine. */
  readonly tenant?: string
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
}

export type Asker = {
  /** `Alertmanager at http://host:9093` */
  readonly name: string
  get(path: string): Promise<unknown>
  /** As a form, for questions too long for an address. */
  query(path: string, form: Readonly<Record<string, string>>): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  remove(path: string): Promise<void>
  close(): Promise<void>
}

export function openAsker(product: string, url: URL, access: Access): Asker {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  const name = `${product} at ${base}`
  const read = (file?: string) => file && readFileSync(file, 'utf8').trim()
  const { caFile, certFile, keyFile } = access
  const agent = new Agent({
    connections: 8,
    maxResponseSize: bytesMax,
    connect: {
      timeout: withinMs,
      // Beside the public ones.
      ...(caFile && { ca: [...getCACertificates('default'), read(caFile) ?? ''] }),
      ...(certFile && { cert: read(certFile) ?? '', key: read(keyFile) ?? '' }),
    },
  })

  function headers(): Record<string, string> {
    const user = decodeURIComponent(url.username)
    const password = access.password ?? read(access.passwordFile) ?? decodeURIComponent(url.password)
    const token = access.token ?? read(access.tokenFile)
    const basic = user && `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const authorization = token === undefined ? basic : `Bearer ${token}`
    return {
      accept: 'application/json',
      ...(authorization && { authorization }),
      ...(access.tenant && { 'x-scope-orgid': access.tenant }),
    }
  }

  async function ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    type = '',
    body = '',
  ): Promise<unknown> {
    const sent = { method, dispatcher: agent, signal: AbortSignal.timeout(withinMs), ...(body && { body }) }
    let [said, status] = ['', 0]
    try {
      const typed = { ...headers(), ...(type && { 'content-type': type }) }
      const answer = await request(base + path, { ...sent, headers: typed })
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

  return {
    name,
    get: (path) => ask('GET', path),
    query: (path, form) =>
      ask('POST', path, 'application/x-www-form-urlencoded', String(new URLSearchParams(form))),
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
