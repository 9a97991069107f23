/** Implements the port `OnCallSource`: a calendar, or a schedule of PagerDuty. */
import { createHash } from 'node:crypto'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { ListedShifts } from '../domain/oncall/shift.ts'
import type { OnCallSource } from '../flow/ports/ports.ts'
import type { Span } from './components.ts'
import { calendarLimits, type GetLimits, getText } from './get.ts'
import { type PagerDuty, pagerDutyShifts } from './pagerduty.ts'
import { readCalendar } from './read-calendar.ts'

export type SourceSettings =
  | { readonly kind: 'ical'; readonly url: { reveal(): string } }
  | ({ readonly kind: 'pagerduty' } & PagerDuty)

/** `known`: the e-mails and names that the policy knows, in lower case. `zone`: of what names none, IANA. */
export function openOnCallSource(
  settings: SourceSettings,
  { known, zone }: { readonly known: readonly string[]; readonly zone: string },
  limits: GetLimits = calendarLimits,
): OnCallSource {
  if (settings.kind === 'pagerduty') {
    return {
      from: `PagerDuty schedule ${settings.scheduleId}`,
      id: idOf(`pagerduty ${settings.apiUrl} ${settings.scheduleId}`),
      shifts: (span) => pagerDutyShifts(settings, span),
    }
  }
  return {
    from: 'the calendar',
    id: idOf(settings.url.reveal()),
    shifts: (span) => calendarShifts(settings.url.reveal(), { ...span, known, zone }, limits),
  }
}

async function calendarShifts(
  address: string,
  asked: Span & { readonly known: readonly string[]; readonly zone: string },
  limits: GetLimits,
): Promise<ListedShifts> {
  const { status, text, retryAfterMs } = await getText(
    'the calendar',
    address,
    { accept: 'text/calendar' },
    limits,
  )
  if (status !== 200) {
    const details = { status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
    throw new OutsideFailure('unreachable', `the calendar's address answered HTTP ${status}`, details)
  }
  return readCalendar({ ...asked, text })
}

/** Tells one source from another, and nothing about its address. */
function idOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 16)
}
