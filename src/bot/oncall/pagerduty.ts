/** Reads who is on call from PagerDuty's REST API, `GET /oncalls`: https://developer.pagerduty.com/api-reference. */
import { z } from 'zod'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { ListedShifts, Shift } from '../domain/oncall/shift.ts'
import { type GetLimits, type Got, getText } from './get.ts'

export type PagerDuty = {
  /** Without a slash at the end. */
  readonly apiUrl: string
  readonly token: { reveal(): string }
  readonly scheduleId: string
}

const limits: GetLimits = { bytesMax: 5 * 1024 * 1024, withinMs: 10_000, redirectsMax: 0 }
/** PagerDuty's own limit, and more pages than a month of shifts by the hour has. */
const perPage = 100
const pagesMax = 30
const wordsMax = 100

const page = z.object({ oncalls: z.array(z.unknown()), more: z.boolean() })
const onCall = z.object({
  user: z.object({
    summary: z.string().nullish(),
    name: z.string().nullish(),
    email: z.string().nullish(),
  }),
  schedule: z.object({ id: z.string() }).nullable(),
  start: z.string().nullable(),
  end: z.string().nullable(),
})

/** The shifts of the schedule that overlap this time. Throws an `OutsideFailure`. */
export async function pagerDutyShifts(
  of: PagerDuty,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ListedShifts> {
  const found = new Map<string, Shift>()
  let skipped = 0
  for (let at = 0; at < pagesMax; at += 1) {
    const query = new URLSearchParams([
      ['schedule_ids[]', of.scheduleId],
      ['include[]', 'users'],
      ['since', new Date(fromMs).toISOString()],
      ['until', new Date(toMs).toISOString()],
      ['limit', String(perPage)],
      ['offset', String(at * perPage)],
    ])
    const read = page.safeParse(await asked(of, `/oncalls?${query}`))
    if (!read.success) throw unread('PagerDuty gave no list of who is on call')
    for (const one of read.data.oncalls) {
      const shift = shiftOf(one, of.scheduleId)
      if (shift === null) skipped += 1
      // A schedule that several escalation policies use is listed once for each of them.
      else if (shift !== 'other') found.set(JSON.stringify([shift.startMs, shift.endMs, shift.who]), shift)
    }
    if (read.data.more) continue
    // It lists nobody for a schedule that it does not know, nor for one that no escalation policy uses.
    if (found.size + skipped === 0) await asked(of, `/schedules/${encodeURIComponent(of.scheduleId)}`)
    return { shifts: [...found.values()], skipped, skippedWhy: skipped === 0 ? null : 'no name, or no times' }
  }
  throw unread(`PagerDuty lists more than ${perPage * pagesMax} shifts`)
}

/** Null: it cannot be read. `other`: of another schedule. */
function shiftOf(value: unknown, scheduleId: string): Shift | 'other' | null {
  const read = onCall.safeParse(value)
  if (!read.success) return null
  const { user, schedule, start, end } = read.data
  if (schedule !== null && schedule.id !== scheduleId) return 'other'
  const name = (user.name ?? user.summary ?? user.email ?? '').slice(0, wordsMax)
  // Without times it is for always.
  const startMs = start === null ? 0 : Date.parse(start)
  const endMs = end === null ? Number.MAX_SAFE_INTEGER : Date.parse(end)
  if (name === '' || !(startMs < endMs)) return null
  return { startMs, endMs, who: { email: user.email?.toLowerCase() ?? null, name }, isUnclear: false }
}

async function asked({ apiUrl, token, scheduleId }: PagerDuty, path: string): Promise<unknown> {
  const headers = {
    accept: 'application/vnd.pagerduty+json;version=2',
    authorization: `Token token=${token.reveal()}`,
  }
  const got = await getText('PagerDuty', `${apiUrl}${path}`, headers, limits)
  if (got.status !== 200) throw refusedBy(got, scheduleId)
  try {
    return JSON.parse(got.text)
  } catch {
    throw unread('PagerDuty gave no JSON')
  }
}

function refusedBy({ status, retryAfterMs, text }: Got, scheduleId: string): OutsideFailure {
  const details = { status, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
  if (status === 401 || status === 403)
    return new OutsideFailure('forbidden', `PagerDuty refused PAGERDUTY_API_TOKEN (HTTP ${status})`, details)
  if (status === 404 && text.includes('"error"'))
    return new OutsideFailure('missing', `PagerDuty knows no schedule ${scheduleId}`, details)
  if (status === 429) return new OutsideFailure('rate_limited', 'PagerDuty asks to wait (HTTP 429)', details)
  return new OutsideFailure('unreachable', `PagerDuty answered HTTP ${status}`, details)
}

function unread(why: string): OutsideFailure {
  return new OutsideFailure('unreachable', why)
}
