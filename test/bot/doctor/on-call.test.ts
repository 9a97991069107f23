/** The doctor reads who is on call, and says who of them Slack does not know; the calendar's address stays secret. */
import type { RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { scopesNeeded } from '../../../src/bot/slack/vocabulary.ts'
import { openWorkspace } from '../../../src/workspace/workspace.ts'
import { event, google } from '../oncall/calendars.ts'
import { doctorTown, examined, serving } from './doctor-town.ts'

const town = doctorTown()
const dayMs = 24 * 3_600_000

const at = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')

/** A shift from so many days to so many days from now. */
function shift(who: string, fromDay: number, toDay: number): string {
  const now = Date.now()
  const times = `DTSTART:${at(now + fromDay * dayMs)}\nDTEND:${at(now + toDay * dayMs)}`
  return event(`${times}\nSUMMARY:On call\nATTENDEE;CN=${who.split('@')[0]}:mailto:${who}`)
}

const calendar =
  (...shifts: string[]): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/calendar' }).end(google(shifts))

/** What the doctor finds of who is on call. */
async function found(answer: RequestListener, people = '{}', over: Record<string, string> = {}) {
  const address = `${await serving(answer)}/private-hunter2/basic.ics`
  const policy = `oncall: { people: ${people} }`
  const findings = await examined(
    town(),
    { ONCALL_ICAL_URL: address, MONBOT_CONFIG: '/policy.yml', ...over },
    { readFile: () => policy },
  )
  expect(JSON.stringify(findings)).not.toContain(new URL(address).host)
  return findings.filter(({ check }) => check === 'On call')
}

test('nothing is said where no calendar is set', async () => {
  const findings = await examined(town())
  expect(findings.filter(({ check }) => check === 'On call')).toEqual([])
})

test('it names who is on call until when, found by e-mail, and who comes next', async () => {
  const here = calendar(shift('ana@example.com', -1, 1), shift('ben@example.com', 1, 2))
  const findings = await found(here)
  expect(findings).toEqual([
    {
      check: 'On call',
      state: 'ok',
      said: expect.stringMatching(/^ana \(U0ANA00001\) until \d.* UTC, then ben \(U0BEN00001\)$/),
      todo: null,
    },
  ])
})

test('those whom Slack does not know are listed, each once, unless the policy knows them', async () => {
  const shifts = [shift('eve@x.example', -1, 1), shift('zoe@x.example', 1, 2), shift('eve@x.example', 2, 3)]
  const said = (findings: readonly { state: string; said: string }[]) =>
    findings.filter(({ state }) => state === 'warning').map((one) => one.said)
  expect(said(await found(calendar(...shifts)))).toEqual(['not found in Slack: eve@x.example, zoe@x.example'])
  const listed = '{ "eve@x.example": U0CLEO0001 }'
  expect(said(await found(calendar(...shifts), listed))).toEqual(['not found in Slack: zoe@x.example'])
})

test('a gap is said, and an empty calendar is a warning', async () => {
  const [gap] = await found(calendar(shift('ana@example.com', 1, 2)))
  expect(gap).toMatchObject({ state: 'ok', said: expect.stringMatching(/^nobody until .*, then ana/) })
  const [empty] = await found(calendar())
  expect(empty).toMatchObject({ state: 'warning', said: expect.stringContaining('nobody, now or in') })
})

test('where nobody is listed and an event cannot be read it is not known, and says why', async () => {
  const lost = shift('ana@example.com', -1, 1).replace('DTSTART:', 'DTSTART;TZID=Mars Time:').replace('Z', '')
  expect(await found(calendar(lost))).toEqual([
    expect.objectContaining({
      state: 'warning',
      said: 'not known: 1 event of the calendar cannot be read: unknown time zone Mars Time',
    }),
  ])
  const [known, doubt] = await found(calendar(lost, shift('ben@example.com', -1, 2)))
  expect(known?.said).toMatch(/^ben \(U0BEN00001\) until .*, then not known$/)
  expect(doubt?.said).toBe('1 event of the calendar cannot be read: unknown time zone Mars Time')
})

test('a calendar that cannot be read is a warning that says why', async () => {
  const findings = await found((_, response) => response.writeHead(403).end('no'))
  expect(findings).toEqual([
    expect.objectContaining({
      state: 'warning',
      said: "not known: the calendar's address answered HTTP 403",
      todo: expect.stringContaining('ONCALL_ICAL_URL'),
    }),
  ])
})

test('without the scope for e-mails those who cannot be looked up are said, and why', async () => {
  const plain = await openWorkspace({ limits: 'off', scopes: scopesNeeded })
  onTestFinished(plain.close)
  const there = {
    SLACK_API_URL: plain.apiUrl,
    SLACK_BOT_TOKEN: plain.botToken,
    SLACK_APP_TOKEN: plain.appToken,
  }
  const findings = await found(calendar(shift('ana@example.com', -1, 1)), '{}', there)
  expect(findings.map(({ said }) => said)).toEqual([
    expect.stringContaining('ana until'),
    'not found in Slack: ana@example.com',
    expect.stringMatching(/^people could not be looked up by e-mail: .*missing_scope/),
  ])
})
