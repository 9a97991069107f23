/** Is a request really from Slack, and new? (https://docs.slack.dev/authentication/verifying-requests-from-slack) */
import { createHmac, timingSafeEqual } from 'node:crypto'

const skewMaxMs = 300_000

const timestampShape = /^\d{1,12}$/
const signatureShape = /^v0=[0-9a-f]{64}$/

/** Slack's signature of a body with a timestamp in whole seconds. */
export function signatureOf(secret: string, timestamp: string, body: Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`
}

/** Takes both headers unchanged; a timestamp too old or too far ahead is as invalid as a wrong signature. */
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

/** Signatures already seen: each request is accepted once. */
export type Taken = {
  add(signature: string, nowMs: number): 'new' | 'repeat'
  /** What was not done may be sent again. */
  forget(signature: string): void
}

/** How long a timestamp can be valid: it may start that far ahead, and end that far behind. */
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
