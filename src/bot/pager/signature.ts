/** Signs and checks messages by Standard Webhooks. */
import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const skewMaxMs = 5 * 60_000
/** Several, while a secret is being changed. */
const signaturesMax = 10

export function headersFor(
  secret: string,
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const at = new Date(nowMs)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}

/** The message's id, or why it is not believed. Unlike the library's own check it takes the time from its caller. */
export function checked(
  secret: string,
  headers: Headers,
  { body, nowMs }: { readonly body: string; readonly nowMs: number },
): { readonly id: string } | { readonly why: 'not_signed' | 'wrong_time' } {
  const id = headers.get('webhook-id') ?? ''
  const seconds = headers.get('webhook-timestamp') ?? ''
  const given = (headers.get('webhook-signature') ?? '').split(' ').slice(0, signaturesMax)
  if (!/^[\x21-\x7e]{1,200}$/.test(id) || !/^\d{1,12}$/.test(seconds)) return { why: 'not_signed' }
  const atMs = Number(seconds) * 1000
  const wanted = Buffer.from(new Webhook(secret).sign(id, new Date(atMs), body))
  const isSame = (one: string) => {
    const bytes = Buffer.from(one)
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
  }
  if (!given.some(isSame)) return { why: 'not_signed' }
  return Math.abs(nowMs - atMs) > skewMaxMs ? { why: 'wrong_time' } : { id }
}
