/** A calendar over HTTP, and PagerDuty: what is no answer is a failure with a reason, and no reason has the address. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { calendarLimits } from '../../../src/bot/oncall/get.ts'
import { openOnCallSource } from '../../../src/bot/oncall/source.ts'
import { event, google } from './calendars.ts'

const span = { fromMs: Date.UTC(2026, 2, 20), toMs: Date.UTC(2026, 3, 20) }
const secretPath = '/calendar/ical/private-0123456789abcdef/basic.ics'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function calendarAt(answer: RequestListener, limits: Partial<typeof calendarLimits> = {}) {
  const url = new Secret(`${await serve(answer)}${secretPath}`)
  const settings = { known: ['ben'], zone: 'UTC' }
  return openOnCallSource({ kind: 'ical', url }, settings, { ...calendarLimits, ...limits })
}

const body = (text: string, type = 'text/calendar; charset=UTF-8'): RequestListener => {
  return (_, response) => response.writeHead(200, { 'content-type': type }).end(text)
}
const shift = event('DTSTART:20260328T200000Z\nDTEND:20260329T080000Z\nSUMMARY:Ben')

async function whyOf(reading: Promise<unknown>): Promise<string> {
  const failure = await reading.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(failure instanceof OutsideFailure))
    throw new Error('it did not fail as the world fails', { cause: failure })
  expect(failure.message).not.toContain('private-')
  expect(failure.message).not.toContain('127.0.0.1')
  return failure.message
}

test('a calendar is read in a thread of its own, whatever type it is sent as', async () => {
  const source = await calendarAt(body(google([shift]), 'text/plain'))
  expect(source.from).toBe('the calendar')
  const read = await source.shifts(span)
  expect(read).toMatchObject({ skipped: 0, shifts: [{ who: { name: 'Ben' } }] })
})

test('an empty calendar is an answer: nobody is on call', async () => {
  const source = await calendarAt(body(google([])))
  expect(await source.shifts(span)).toEqual({ shifts: [], skipped: 0, skippedWhy: null })
})

test.each([
  [
    'a page to sign in',
    body('<!doctype html><title>Sign in</title>', 'text/html'),
    'the calendar cannot be read: it is no calendar, or not all of one',
  ],
  [
    'half of it',
    body(google([shift]).slice(0, 400)),
    'the calendar cannot be read: it is no calendar, or not all of one',
  ],
  [
    'an error',
    ((_, response) => response.writeHead(500).end('x')) satisfies RequestListener,
    'the calendar’s address answered HTTP 500',
  ],
  [
    'not found',
    ((_, response) => response.writeHead(404).end()) satisfies RequestListener,
    'the calendar’s address answered HTTP 404',
  ],
  [
    'a broken connection',
    ((_, response) => response.destroy()) satisfies RequestListener,
    'the calendar cannot be reached (UND_ERR_SOCKET)',
  ],
])('%s is not read', async (_, answer, why) => {
  const source = await calendarAt(answer)
  expect(await whyOf(source.shifts(span))).toBe(why.replace('’', "'"))
})

test('it takes no longer than its time, however slowly it comes', async () => {
  const source = await calendarAt(
    (_, response) => void response.writeHead(200).write('BEGIN:VCALENDAR\r\n'),
    {
      withinMs: 200,
    },
  )
  expect(await whyOf(source.shifts(span))).toBe('the calendar cannot be reached (0.2 s passed)')
})

test('it is read up to its greatest size, and not a byte more', async () => {
  const text = google([shift])
  const bytesMax = Buffer.byteLength(text)
  const whole = await calendarAt(body(text), { bytesMax })
  expect((await whole.shifts(span)).shifts).toHaveLength(1)
  const more = await calendarAt(body(`${text} `), { bytesMax })
  expect(await whyOf(more.shifts(span))).toMatch(/^the calendar is larger than /)
})

test('redirects are followed three times, and never to where it would go in the clear', async () => {
  const hops = (count: number): RequestListener => {
    return (request, response) => {
      const at = Number(/hop=(\d)/.exec(request.url ?? '')?.[1] ?? 0)
      if (at === count) return body(google([shift]))(request, response)
      response.writeHead(302, { location: `/next?hop=${at + 1}` }).end()
    }
  }
  expect((await (await calendarAt(hops(3))).shifts(span)).shifts).toHaveLength(1)
  expect(await whyOf((await calendarAt(hops(4))).shifts(span))).toBe(
    'the calendar redirects more than 3 times',
  )
  for (const location of [
    'http://calendar.example/a.ics',
    'file:///etc/passwd',
    'https://a:b@calendar.example/',
  ]) {
    const source = await calendarAt((_, response) => response.writeHead(301, { location }).end())
    expect(await whyOf(source.shifts(span))).toBe('the calendar redirects to an address that is not followed')
  }
})

test('a source has a name of its own, which tells nothing of its address', async () => {
  const [one, other] = [await calendarAt(body('')), await calendarAt(body(''))]
  expect(one.id).not.toBe(other.id)
  expect(one.id).toMatch(/^[0-9a-f]{16}$/)
})

const token = 'y_NbAkKc66ryYTWUXYEu'

type OnCallRow = {
  user: object
  schedule: { id: string } | null
  start: string | null
  end: string | null
  level?: number
}

/** PagerDuty, as strict as the real one about what it is asked. */
function pagerDutyOf(
  rows: readonly OnCallRow[],
  faults: { limited?: boolean; schedules?: readonly string[] } = {},
): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://api.pagerduty.com')
    const say = (status: number, answer: unknown, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
        .end(JSON.stringify(answer))
    const refuse = (status: number, code: number, message: string) =>
      say(status, { error: { message, code } })
    if (request.headers.authorization !== `Token token=${token}`) return refuse(401, 2006, 'Unauthorized')
    if (request.headers.accept !== 'application/vnd.pagerduty+json;version=2')
      return refuse(400, 2001, 'Accept')
    if (faults.limited)
      return say(429, { error: { message: 'Rate Limit Exceeded', code: 2020 } }, { 'ratelimit-reset': '42' })
    if (url.pathname.startsWith('/schedules/')) {
      const id = url.pathname.slice('/schedules/'.length)
      return (faults.schedules ?? ['PABC123']).includes(id)
        ? say(200, { schedule: { id } })
        : refuse(404, 2100, 'Not Found')
    }
    if (url.pathname !== '/oncalls') return refuse(404, 2100, 'Not Found')
    const ask = url.searchParams
    const [sinceMs, untilMs] = ['since', 'until'].map((name) => Date.parse(ask.get(name) ?? ''))
    const [limit, offset] = [Number(ask.get('limit') ?? 25), Number(ask.get('offset') ?? 0)]
    const isRight =
      limit >= 1 &&
      limit <= 100 &&
      offset + limit <= 10_000 &&
      (untilMs ?? 0) - (sinceMs ?? 0) < 92 * 86_400_000
    if (!isRight || Number.isNaN(sinceMs)) return refuse(400, 2001, 'Invalid Input Provided')
    const withUsers = ask.getAll('include[]').includes('users')
    const found = rows.filter(
      ({ schedule }) => schedule === null || ask.getAll('schedule_ids[]').includes(schedule.id),
    )
    const page = found.slice(offset, offset + limit).map(({ user, ...row }) => ({
      ...row,
      escalation_level: 1,
      escalation_policy: { id: 'PPOLICY', type: 'escalation_policy_reference' },
      user: withUsers ? user : { ...user, email: undefined, name: undefined },
    }))
    return say(200, { oncalls: page, limit, offset, more: offset + limit < found.length, total: null })
  }
}

async function pagerDutyAt(answer: RequestListener, given = token) {
  const settings = {
    kind: 'pagerduty',
    apiUrl: await serve(answer),
    token: new Secret(given),
    scheduleId: 'PABC123',
  } as const
  return openOnCallSource(settings, { known: [], zone: 'UTC' })
}

const ana = { id: 'P1', type: 'user', summary: 'Ana Costa', name: 'Ana Costa', email: 'Ana@example.com' }
const row = (day: number, over: Partial<OnCallRow> = {}): OnCallRow => ({
  user: ana,
  schedule: { id: 'PABC123' },
  start: new Date(Date.UTC(2026, 2, day, 8)).toISOString(),
  end: new Date(Date.UTC(2026, 2, day + 1, 8)).toISOString(),
  ...over,
})

test('PagerDuty lists shifts over pages, each once, however many escalation policies use the schedule', async () => {
  const rows = Array.from({ length: 130 }, (_, n) => row(n))
  const source = await pagerDutyAt(pagerDutyOf([...rows, ...rows, row(1, { schedule: { id: 'POTHER' } })]))
  expect(source.from).toBe('PagerDuty schedule PABC123')
  const read = await source.shifts(span)
  expect(read.shifts).toHaveLength(130)
  expect(read.shifts[0]).toEqual({
    startMs: Date.UTC(2026, 1, 28, 8),
    endMs: Date.UTC(2026, 2, 1, 8),
    who: { email: 'ana@example.com', name: 'Ana Costa' },
    isUnclear: false,
  })
})

test('one that has nobody is an answer, and one that PagerDuty does not know is none', async () => {
  const none = await pagerDutyAt(pagerDutyOf([]))
  expect(await none.shifts(span)).toEqual({ shifts: [], skipped: 0, skippedWhy: null })
  const unknown = await pagerDutyAt(pagerDutyOf([], { schedules: [] }))
  expect(await whyOf(unknown.shifts(span))).toBe('PagerDuty knows no schedule PABC123')
})

test('a shift without times or user is as PagerDuty means it: for always, or counted', async () => {
  const always = row(1, { schedule: null, start: null, end: null })
  const source = await pagerDutyAt(pagerDutyOf([always, row(2, { user: {} })]))
  expect(await source.shifts(span)).toMatchObject({
    skipped: 1,
    skippedWhy: 'no name, or no times',
    shifts: [{ startMs: 0 }],
  })
})

test('a refused token and a limit are told as what they are, without the token', async () => {
  const refused = await pagerDutyAt(pagerDutyOf([]), 'y_wrong_wrong_wrong')
  expect(await whyOf(refused.shifts(span))).toBe('PagerDuty refused PAGERDUTY_API_TOKEN (HTTP 401)')
  const limited = await pagerDutyAt(pagerDutyOf([], { limited: true }))
  await expect(limited.shifts(span)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 42_000 })
})

test('what is no answer of PagerDuty is not read', async () => {
  const page = await pagerDutyAt(body('<html>', 'text/html'))
  expect(await whyOf(page.shifts(span))).toBe('PagerDuty gave no JSON')
  const other = await pagerDutyAt(body('{"oncalls":{}}', 'application/json'))
  expect(await whyOf(other.shifts(span))).toBe('PagerDuty gave no list of who is on call')
  const moved = await pagerDutyAt((_, response) => response.writeHead(302, { location: '/x' }).end())
  expect(await whyOf(moved.shifts(span))).toMatch(/^PagerDuty redirects/)
})
