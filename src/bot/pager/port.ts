/** The pager as the program sees it: PagerDuty's Events v2, or anything that takes Standard Webhooks. */
import type { Pass } from '../world/outside.ts'
import type { Severity } from '../world/types.ts'

export type PageEvent = {
  /** The same at every try: the webhook's id. */
  readonly id: string
  readonly type: 'triggered' | 'acknowledged' | 'resolved'
  /** The same for all events of one round. */
  readonly dedupKey: string
  readonly atMs: number
  readonly headline: string
  readonly severity: Severity
  readonly server: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly alerts: number
  readonly openedMs: number
  readonly link: string | null
  readonly by: string | null
  /** Whom a person wants to be called; null: whoever is on call. */
  readonly to: string | null
}
export type PageOutcome =
  /** `acknowledgedBy`: the answer may already say that somebody has it. */
  | { readonly kind: 'ok'; readonly acknowledgedBy: string | null }
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number | null }
  | { readonly kind: 'refused'; readonly why: string }

export type Pager = {
  readonly kind: 'pagerduty' | 'webhook'
  send(pass: Pass, event: PageEvent): Promise<PageOutcome>
}
