/** The pager as the program sees it: PagerDuty's Events v2, or anything that takes Standard Webhooks. */
import type { Dispatcher } from 'undici'
import { NoAnswer } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import type { Pass } from '../world/journal.ts'
import type { Severity } from '../world/types.ts'
import { tellPagerDuty } from './pagerduty.ts'
import { tellWebhook } from './webhook.ts'

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
  /** Tries once. */
  send(pass: Pass, event: PageEvent): Promise<PageOutcome>
}

/** The one that the settings name. What nobody answered is told again: the id is the same. */
export function openPager(pager: NonNullable<Config['pager']>, dispatcher: Dispatcher, clock: Clock): Pager {
  const isPagerDuty = pager.kind === 'pagerduty'
  const tell = isPagerDuty ? tellPagerDuty(pager, dispatcher) : tellWebhook(pager, dispatcher, clock)
  const who = isPagerDuty ? 'PagerDuty' : 'the pager'
  return {
    send: (_, event) =>
      tell(event).catch((error: unknown) => {
        if (!(error instanceof NoAnswer)) throw error
        return { kind: 'later', why: `${who} ${error.message}`, afterMs: null }
      }),
  }
}
