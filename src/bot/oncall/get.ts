/** Gets a text of at most 5 MiB within 10 s. What it throws is fit for people and never holds the address, which is often a secret. */
import { type Dispatcher, request } from 'undici'
import { second } from '../clock.ts'
import { refusedByProxy } from '../config/way-out.ts'

const bytesMax = 5 * 1024 * 1024
const withinMs = 10 * second

/** `who` begins the sentence: `the calendar`. Throws on any answer but 200, which may say more by `meaningOf`. */
export async function getText(
  who: string,
  address: string,
  headers: Readonly<Record<string, string>>,
  dispatcher: Dispatcher,
  meaningOf: (status: number) => string | null = () => null,
): Promise<string> {
  const signal = AbortSignal.timeout(withinMs)
  const parts: Uint8Array[] = []
  let status = 0
  let size = 0
  try {
    const answer = await request(address, { headers, dispatcher, signal })
    status = answer.statusCode
    for await (const part of answer.body) {
      parts.push(part)
      size += part.byteLength
      if (size > bytesMax) break
    }
  } catch (error) {
    const code = refusedByProxy(error) ?? String(Object(error).code ?? 'no answer')
    throw new Error(`${who} can't be reached (${signal.aborted ? 'timed out' : code})`)
  }
  if (status !== 200) throw new Error(meaningOf(status) ?? `${who} returned HTTP ${status}`)
  if (size > bytesMax) throw new Error(`${who} is larger than 5 MiB`)
  return Buffer.concat(parts).toString('utf8')
}
