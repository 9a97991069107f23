/** The certificates and keys that the file names, read as its own text is: a new certificate counts as a change of the file. */
import { X509Certificate } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { TlsPart } from './shapes.ts'

/** In PEM; `key` is a secret. */
export type TargetTls = {
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
  /** The name that its certificate must have, if not that of the address. */
  readonly serverName: string | null
  readonly isUnchecked: boolean
}

/**
 * Reads certificates and keys. `read` returns null for a file that cannot be read; problems are added to `problems`, never with
 * the content of a file.
 */
export function openCredentials(
  file: string,
  read: (path: string) => Promise<string | null>,
  problems: string[],
): { of(part: TlsPart | undefined, place: string): Promise<TargetTls | null> } {
  async function textOf(path: string | undefined, place: string): Promise<string | null> {
    if (path === undefined) return null
    const found = resolve(dirname(file), path)
    const text = await read(found)
    if (text === null)
      problems.push(`${place}: expected a file of at most 4 MB that can be read at ${found}; came none`)
    return text
  }

  return {
    async of(part, place) {
      if (part === undefined) return null
      const [ca, cert, key] = [
        await textOf(part.ca_file, `${place}.ca_file`),
        await textOf(part.cert_file, `${place}.cert_file`),
        await textOf(part.key_file, `${place}.key_file`),
      ]
      if (ca !== null && !isFine(() => new X509Certificate(ca)))
        problems.push(`${place}.ca_file: expected certificates in PEM; came something else`)
      if (cert !== null && key !== null && !isFine(() => createSecureContext({ cert, key })))
        problems.push(`${place}.cert_file: expected a certificate in PEM with its key; came something else`)
      const serverName = part.server_name ?? null
      return { ca, cert, key, serverName, isUnchecked: part.insecure_skip_verify }
    },
  }
}

function isFine(make: () => unknown): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}
