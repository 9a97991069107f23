/** The pager that the settings name. */
import type { Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import { openPagerDuty } from './pagerduty.ts'
import type { Pager } from './port.ts'
import { openWebhook } from './webhook.ts'

export function openPager(pager: NonNullable<Config['pager']>, dispatcher: Dispatcher, clock: Clock): Pager {
  return pager.kind === 'pagerduty' ? openPagerDuty(pager, dispatcher) : openWebhook(pager, dispatcher, clock)
}
