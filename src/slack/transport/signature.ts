/** Is a request really Slack's, and new? (https://docs.slack.dev/authentication/verifying-requests-from-slack) */
import { createHmac, timingSafeEqual } from 'node:crypto'

export const skewMaxMs = 300_000

const timestampShape = /^\d{1,12}$/
const signatureShape = /^v0=[0-9a-f]{64}$/

/** The signature that Slack gives a body, with a timestamp in whole seconds. */
export function signatureOf(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

/** Both headers as they came; a timestamp that is too old or too far ahead is as wrong as a signature. */
export function isSigned(
  body: Uint8Array,
  given: { readonly signature: string | null; readonly timestamp: string | null },
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): boolean {
  const { signature, timestamp } = given
  if (signature === null || timestamp === null) return false
  if (!signatureShape.test(signature) || !timestampShape.test(timestamp)) return false
  if (Math.abs(nowMs - Number(timestamp) * 1000) > skewMaxMs) return false
  return timingSafeEqual(Buffer.from(signatureOf(secret, timestamp, body)), Buffer.from(signature))
}

/** Signatures that were taken: the same request comes once. */
export type Taken = {
  add(signature: string, nowMs: number): 'new' | 'repeat'
  /** What was not done may come again. */
  forget(signature: string): void
}

/** As long as a timestamp can be good: it may begin that far ahead, and end that far behind. */
const rememberedMs = 2 * skewMaxMs
/** More than Slack sends in that time: 30,000 an hour. */
const rememberedMax = 20_000

export function openTaken(): Taken {
  const seen = new Map<string, number>()
  return {
    add: (signature, nowMs) => {
      for (const [oldest, atMs] of seen) {
        if (seen.size < rememberedMax && nowMs - atMs <= rememberedMs) break
        seen.delete(oldest)
      }
      if (seen.has(signature)) return 'repeat'
      seen.set(signature, nowMs)
      return 'new'
    },
    forget: (signature) => {
      seen.delete(signature)
    },
  }
}
