/** The addresses of an alert's page and picture: without a key, but with an unguessable token per alert. */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Ledger } from '../store/ledger.ts'

export type Links = {
  page(alertId: number): string
  sparkline(alertId: number): string
  /** The picture relative to the page, which may be served below a path. */
  sparklineFromPage(alertId: number): string
  isToken(alertId: number, token: string): boolean
}

const secretBytes = 32
/** Several times the largest promised list of alerts. */
const madeMax = 20_000
const secretRecord = z.object({ hex: z.string().regex(/^[0-9a-f]{64}$/) })

/** The secret behind the tokens is kept in the ledger, so that links still work after a restart. */
export function openLinks(ledger: Ledger, publicUrl: () => string): Links {
  const kept = ledger.load('secret', secretRecord).find(({ key }) => key === 'links')
  const secret = kept === undefined ? randomBytes(secretBytes) : Buffer.from(kept.value.hex, 'hex')
  if (kept === undefined) ledger.put('secret', 'links', { hex: secret.toString('hex') })

  // Created once: creating one takes longer than signing with it, and a list page has a hundred tokens.
  const signing = createSecretKey(secret)
  /** Cached: for a list of 5,000 alerts that is read repeatedly, tokens took a third of all the work. */
  const made = new Map<number, string>()
  function tokenOf(alertId: number): string {
    const known = made.get(alertId)
    if (known !== undefined) return known
    const token = createHmac('sha256', signing).update(String(alertId)).digest('base64url').slice(0, 24)
    if (made.size >= madeMax) made.clear()
    made.set(alertId, token)
    return token
  }
  const sparklinePath = (alertId: number): string =>
    `/account/alerts/${alertId}/sparkline.png?t=${tokenOf(alertId)}`

  return {
    page: (alertId) => `${publicUrl()}/a/${alertId}?t=${tokenOf(alertId)}`,
    sparkline: (alertId) => publicUrl() + sparklinePath(alertId),
    sparklineFromPage: (alertId) => `..${sparklinePath(alertId)}`,
    isToken(alertId, token) {
      const expected = Buffer.from(tokenOf(alertId))
      const came = Buffer.from(token)
      return came.length === expected.length && timingSafeEqual(came, expected)
    },
  }
}
