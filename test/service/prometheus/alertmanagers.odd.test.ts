/** Alertmanagers that answer what a real one does not, or not today: records that lack something, other words, thousands of alerts. */
import { expect, onTestFinished, test } from 'vitest'
import { type Alertmanagers, openAlertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import { NotLetIn } from '../../../src/service/prometheus/ask.ts'
import { readAlerts } from '../../../src/service/prometheus/records.ts'
import type { Endpoint } from '../../../src/service/prometheus/settings.ts'
import { turnsOf } from '../../support/cpu-time.ts'
import { exporter, listener } from '../scrape/exporters.ts'

const nowMs = Date.parse('2026-11-22T12:00:00Z')

/** `a`: what is at the end of each address → status and text. */
async function speaking(answers: Readonly<Record<string, readonly [number, string]>>): Promise<Endpoint> {
  const address = await exporter(({ url = '' }, response) => {
    const [status, text] = answers[url.replace('/api/v2/', '')] ?? [404, '']
    response.statusCode = status
    response.end(text)
  })
  return { url: new URL(address).origin, authorization: null }
}

const listing = (...alerts: readonly object[]) => speaking({ alerts: [200, JSON.stringify(alerts)] })

function opened(endpoints: readonly Endpoint[]): Alertmanagers {
  const alertmanagers = openAlertmanagers(endpoints, { timeoutMs: 1_000, nowMs: () => nowMs, report() {} })
  onTestFinished(alertmanagers.close)
  return alertmanagers
}

const whole = {
  labels: { alertname: 'DiskFull', instance: 'web-1:9100' },
  annotations: {},
  fingerprint: '0123456789abcdef',
  startsAt: '2026-11-22T11:00:00.123456789Z',
  endsAt: '2026-11-22T12:04:00Z',
  updatedAt: '2026-11-22T11:59:00Z',
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
}

test('a record that lacks all but its labels is an alert that fires', async () => {
  const { startsAt: _, ...unstarted } = whole
  const { alerts } = await opened([
    await listing(
      unstarted,
      { labels: { alertname: 'A' } },
      {
        ...whole,
        labels: { alertname: 'B' },
        startsAt: '0001-01-01T00:00:00Z',
        updatedAt: 'soon',
        status: 3,
      },
      { ...whole, labels: { alertname: 'C' }, annotations: [7], status: { state: 'asleep' }, endsAt: null },
    ),
  ]).alerts()
  expect(alerts).toMatchObject([
    { startsAtMs: Date.parse(whole.updatedAt), state: 'active' },
    { fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/), startsAtMs: nowMs, annotations: {} },
    { startsAtMs: nowMs, updatedAtMs: nowMs, state: 'active', silencedBy: [] },
    { startsAtMs: Date.parse('2026-11-22T11:00:00.123Z'), endsAtMs: nowMs + 300_000, state: 'active' },
  ])
})

test.each([
  ['no labels', { ...whole, labels: undefined }],
  ['labels that are no texts', { ...whole, labels: { alertname: 7 } }],
  ['no record', 'fire'],
])('a list with %s is a sentence, and never half a list', async (_, odd) => {
  const text = JSON.stringify([whole, whole, odd, whole, whole])
  await expect(opened([await speaking({ alerts: [200, text] })]).alerts()).rejects.toMatchObject({
    status: 502,
    message: expect.stringMatching(/^Alertmanager at http:\S+: 1 of 5 alerts cannot be read: /),
  })
})

test.each([
  ['a page', [200, '<html>'], /expected JSON/],
  ['no list', [200, '{"alerts":[]}'], /expected a list of alerts/],
  ['half a list', [200, '[{"labels":'], /expected JSON/],
  ['an error', [500, '"out of memory"'], /answered 500: out of memory/],
] as const)('%s is a sentence', async (_, answer, sentence) => {
  await expect(opened([await speaking({ alerts: answer })]).alerts()).rejects.toMatchObject({
    status: 502,
    message: expect.stringMatching(sentence),
  })
})

test('an answer that breaks off is a sentence, and the other one is read', async () => {
  const cut = new URL(
    await listener((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[')
        socket.destroySoon()
      })
    }),
  ).origin
  const broken = { url: cut, authorization: null }
  await expect(opened([broken]).alerts()).rejects.toMatchObject({ status: 503 })
  const { alerts, answered } = await opened([broken, await listing(whole)]).alerts()
  expect([alerts.length, answered]).toEqual([1, 1])
})

test('a wrong token is one only where each of them says so', async () => {
  const closed = await speaking({ alerts: [401, ''] })
  const forbidden = await speaking({ alerts: [403, ''] })
  const broken = await speaking({ alerts: [500, ''] })
  await expect(opened([closed, forbidden]).alerts()).rejects.toBeInstanceOf(NotLetIn)
  await expect(opened([closed, broken]).alerts()).rejects.not.toBeInstanceOf(NotLetIn)
  expect((await opened([closed, await listing(whole)]).alerts()).answered).toBe(1)
})

test('an alert is hidden only where all that list it say so, and then by whoever hides it anywhere', async () => {
  const hidden = (...silencedBy: string[]) => ({
    ...whole,
    status: { state: 'suppressed', silencedBy, inhibitedBy: [], mutedBy: ['at night'] },
  })
  const read = async (...lists: Promise<Endpoint>[]) =>
    (await opened(await Promise.all(lists)).alerts()).alerts
  expect(await read(listing(hidden('a')), listing(hidden('b', 'a')), listing())).toMatchObject([
    { state: 'suppressed', silencedBy: ['a', 'b'], inhibitedBy: [] },
  ])
  // Mute times belong to routes, which are not carried over.
  expect(await read(listing(hidden()))).toMatchObject([{ state: 'active', silencedBy: [] }])
  const unreadable = { ...hidden(), status: { state: 'suppressed', silencedBy: 'a' } }
  expect(await read(listing(unreadable))).toMatchObject([{ state: 'suppressed', silencedBy: [] }])
  const later = { ...whole, startsAt: '2026-11-22T11:00:01Z', annotations: { summary: 'new' } }
  const newer = { ...later, updatedAt: '2026-11-22T11:59:30Z' }
  expect(await read(listing(hidden('a')), listing(newer))).toMatchObject([
    {
      state: 'active',
      silencedBy: [],
      startsAtMs: Date.parse('2026-11-22T11:00:00.123Z'),
      annotations: { summary: 'new' },
    },
  ])
})

test('one that does not say since when it is up counts as up since it first answered', async () => {
  let now = nowMs
  const endpoint = await listing(whole)
  const alertmanagers = openAlertmanagers([endpoint], { timeoutMs: 1_000, nowMs: () => now, report() {} })
  onTestFinished(alertmanagers.close)
  const first = await alertmanagers.alerts()
  now += 3_600_000
  const second = await alertmanagers.alerts()
  expect([first.upSinceMs, second.upSinceMs]).toEqual([nowMs, nowMs])
})

test('since when one is up is asked for once a minute', async () => {
  let now = nowMs
  const asked: string[] = []
  const url = new URL(
    await exporter(({ url = '' }, response) => {
      asked.push(url)
      response.end(url.endsWith('status') ? '{"uptime":"2026-11-22T10:00:00.5Z"}' : JSON.stringify([whole]))
    }),
  ).origin
  const alertmanagers = openAlertmanagers([{ url, authorization: null }], {
    timeoutMs: 1_000,
    nowMs: () => now,
    report() {},
  })
  onTestFinished(alertmanagers.close)
  for (let second = 0; second < 120; second += 1) {
    const { upSinceMs } = await alertmanagers.alerts()
    expect(upSinceMs).toBe(Date.parse('2026-11-22T10:00:00.500Z'))
    now += 1_000
  }
  expect(asked.filter((path) => path.endsWith('status'))).toHaveLength(2)
})

test('5,000 alerts are read in a moment, and others are let go first', async () => {
  const label = (n: number) => ({
    alertname: `Alert${n % 50}`,
    instance: `web-${n}.example.org:9100`,
    job: 'node',
    env: 'production',
    region: 'eu-west-1',
    severity: 'critical',
    team: 'infrastructure',
  })
  const summary = 'The disk of this machine is nearly full. '.repeat(8)
  const alerts = Array.from({ length: 5_000 }, (_, n) => ({
    ...whole,
    fingerprint: n.toString(16).padStart(16, '0'),
    labels: label(n),
    annotations: { summary, description: summary, runbook_url: 'https://example.org/runbooks/disk' },
    receivers: [{ name: 'nobody' }],
    generatorURL: 'http://prometheus:9090/graph?g0.expr=1',
  }))
  await readAlerts('a', alerts, nowMs)

  let read: unknown
  const { tookMs, longestMs } = await turnsOf(async () => {
    read = await readAlerts('a', alerts, nowMs)
  })
  expect(read).toHaveLength(5_000)
  expect(tookMs).toBeLessThan(4_000)
  expect(longestMs).toBeLessThan(Math.max(50, tookMs / 2))
})
