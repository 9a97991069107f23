/** Who is on call by a schedule of PagerDuty: `GET /oncalls` of its REST API (https://developer.pagerduty.com/api-reference). */
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { call, fieldsOf } from '../call.ts'
import type { Secret } from '../config/settings.ts'
import type { Listed, ListedShift } from './ical.ts'

type PagerDutyApi = { readonly url: string; readonly token: Secret }
export type PagerDutySchedule = PagerDutyApi & { readonly schedule: string }

/** PagerDuty's own limit, and more pages than a month of shifts by the hour has. */
const perPage = 100
const pagesMax = 30

const page = z.object({ oncalls: z.array(z.unknown()), more: z.boolean() })
const profile = z.object({ user: z.object({ email: z.string() }) })
const onCall = z.object({
  user: z.object({ summary: z.string().nullish(), name: z.string().nullish(), email: z.string().nullish() }),
  start: z.string(),
  end: z.string(),
})

/** Throws an `Error` in words. */
export async function readSchedule(
  of: PagerDutySchedule,
  span: { readonly fromMs: number; readonly untilMs: number },
  dispatcher: Dispatcher,
): Promise<Listed> {
  const what = `schedule ${of.schedule}`
  const shifts: ListedShift[] = []
  let unread = 0
  for (let at = 0; at < pagesMax; at += 1) {
    const query = new URLSearchParams([
      ['schedule_ids[]', of.schedule],
      ['include[]', 'users'],
      ['since', new Date(span.fromMs).toISOString()],
      ['until', new Date(span.untilMs).toISOString()],
      ['limit', String(perPage)],
      ['offset', String(at * perPage)],
    ])
    const read = page.safeParse(await ask(of, `/oncalls?${query}`, what, dispatcher))
    if (!read.success) throw new Error('PagerDuty gave no list of who is on call')
    for (const one of read.data.oncalls) {
      const shift = shiftOf(one)
      if (shift === null) unread += 1
      else shifts.push(shift)
    }
    if (read.data.more) continue
    // It lists nobody for a schedule that it does not know, nor for one that no escalation policy uses.
    if (shifts.length + unread === 0)
      await ask(of, `/schedules/${encodeURIComponent(of.schedule)}`, what, dispatcher)
    return { shifts, unread, why: unread === 0 ? null : 'a shift without a name or times' }
  }
  throw new Error(`PagerDuty lists more than ${perPage * pagesMax} shifts`)
}

/** Null: it cannot be read. */
function shiftOf(value: unknown): ListedShift | null {
  const read = onCall.safeParse(value)
  if (!read.success) return null
  const { user, start, end } = read.data
  const name = (user.name ?? user.summary ?? user.email ?? '').slice(0, 100)
  const [fromMs, untilMs] = [Date.parse(start), Date.parse(end)]
  if (name === '' || !(fromMs < untilMs)) return null
  return { fromMs, untilMs, who: { email: user.email?.toLowerCase() ?? null, name, isUnclear: false } }
}

/** The e-mail of a user, as PagerDuty knows it. Throws an `Error` in words. */
export async function emailOf(
  of: PagerDutyApi,
  user: string,
  dispatcher: Dispatcher,
): Promise<string | null> {
  const read = profile.safeParse(
    await ask(of, `/users/${encodeURIComponent(user)}`, `user ${user}`, dispatcher),
  )
  return read.data?.user.email.toLowerCase() ?? null
}

/** `what` is asked for, in the words of a refusal. */
async function ask({ url, token }: PagerDutyApi, path: string, what: string, dispatcher: Dispatcher) {
  const headers = {
    accept: 'application/vnd.pagerduty+json;version=2',
    authorization: `Token token=${token.reveal()}`,
  }
  const { status, body } = await call(dispatcher, url.replace(/\/+$/, '') + path, { headers })
  if (status === 401 || status === 403) throw new Error('PagerDuty refused PAGERDUTY_API_TOKEN')
  if (status === 404) throw new Error(`PagerDuty knows no ${what}`)
  if (status !== 200) throw new Error(`PagerDuty returned HTTP ${status}`)
  return fieldsOf(body.toString())
}
