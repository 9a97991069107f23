/**
 * What a request to an endpoint shows of itself: headers with token or password, and certificates. Files are read again for each
 * request, because whoever rotates a token or a certificate replaces them at any time.
 */
import { Agent } from 'undici'
import { textOfFile } from '../config/file-text.ts'
import type { TlsPart } from '../config/shapes.ts'
import { openCredentials, type TargetTls } from '../config/tls-files.ts'
import { Refusal } from '../refusal.ts'
import type { Endpoint } from './settings.ts'

const fileBytesMax = 1_000_000
/** Shorter ones are words that occur in any text, and can be no secret. */
const secretCharsMin = 4
/** Of one endpoint, with those before a change of its files. */
const secretsMax = 200

export type Access = {
  /** Rejects with a `Refusal` (502) if a file cannot be read; it names the file, never its content. */
  now(): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly dispatcher: Agent }>
  /** The text for people: without what is secret in the headers of any recent request. */
  hide(text: string): string
  close(): Promise<void>
}

export function openAccess(name: string, endpoint: Endpoint, timeoutMs: number): Access {
  const { authorization, tokenFile, passwordFile, headers: given = {}, tls } = endpoint
  let agent = agentOf(null, timeoutMs)
  let agentText = 'null'
  let secrets: readonly string[] = []

  async function secretIn(path: string): Promise<string> {
    const text = (await textOfFile(path, fileBytesMax))?.trim() ?? ''
    if (/^[\x20-\x7e]+$/.test(text)) return text
    throw new Refusal(
      502,
      `${name} cannot be asked: expected one line of text in the file ${path}; came none`,
    )
  }

  async function authorizationNow(): Promise<string | null> {
    if (tokenFile !== undefined) return `Bearer ${await secretIn(tokenFile)}`
    if (passwordFile === undefined) return authorization
    const pair = `${passwordFile.user}:${await secretIn(passwordFile.path)}`
    return `Basic ${Buffer.from(pair).toString('base64')}`
  }

  async function agentNow(): Promise<Agent> {
    if (tls === undefined) return agent
    const { found, problem } = await certificates(tls)
    if (problem !== null && agentText === 'null')
      throw new Refusal(502, `${name} cannot be asked: its tls: ${problem}`)
    const text = JSON.stringify(found)
    // One half of a new pair may be written before the other: until both fit, the old ones serve.
    if (problem === null && text !== agentText) {
      void agent.close()
      agent = agentOf(found, timeoutMs)
      agentText = text
    }
    return agent
  }

  return {
    async now() {
      const own = await Promise.all(
        Object.entries(given).map(
          async ([header, value]): Promise<[string, string]> => [
            header.toLowerCase(),
            typeof value === 'string' ? value : await secretIn(value.file),
          ],
        ),
      )
      const sent = await authorizationNow()
      // The former ones too: an answer may come after the next request.
      const found = [...own.map(([, value]) => value), sent ?? ''].flatMap(partsOf)
      secrets = [...new Set([...found, ...secrets])].slice(0, secretsMax)
      return {
        headers: { ...Object.fromEntries(own), ...(sent === null ? {} : { authorization: sent }) },
        dispatcher: await agentNow(),
      }
    },
    hide: (text) =>
      secrets
        .toSorted((one, other) => other.length - one.length)
        .reduce((rest, secret) => rest.replaceAll(secret, '…'), text),
    close: () => agent.destroy(),
  }
}

async function certificates(
  tls: TlsPart,
): Promise<{ readonly found: TargetTls | null; readonly problem: string | null }> {
  const problems: string[] = []
  const read = (path: string): Promise<string | null> => textOfFile(path, fileBytesMax)
  const found = await openCredentials('', read, problems).of(tls, '')
  return { found, problem: problems[0]?.replace(/^\./, '') ?? null }
}

function agentOf(tls: TargetTls | null, timeoutMs: number): Agent {
  const { ca = null, cert = null, key = null, serverName = null, isUnchecked = false } = tls ?? {}
  return new Agent({
    connect: {
      timeout: timeoutMs,
      ...(ca === null ? {} : { ca }),
      ...(cert === null || key === null ? {} : { cert, key }),
      ...(serverName === null ? {} : { servername: serverName }),
      ...(tls === null ? {} : { rejectUnauthorized: !isUnchecked }),
    },
    connections: 8,
    keepAliveTimeout: 10_000,
  })
}

/** A header's value as sent, and the token, or the password, in it. */
function partsOf(value: string): readonly string[] {
  const [scheme = '', sent = ''] = value.split(' ')
  const plain = /^basic$/i.test(scheme) ? Buffer.from(sent, 'base64').toString('utf8') : sent
  const password = plain.slice(plain.indexOf(':') + 1)
  return [value, sent, password].filter((secret) => secret.length >= secretCharsMin)
}
