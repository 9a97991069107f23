/** What pagers get and what their answers mean; and who may say that somebody has it. */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { realClock, second } from '../../../src/bot/clock.ts'
import { Secret } from '../../../src/bot/config/settings.ts'
import { silentLog } from '../../../src/bot/log.ts'
import { openInvestigator } from '../../../src/bot/pager/investigator.ts'
import { openPager, type PageEvent, pageEvent } from '../../../src/bot/pager/pager.ts'
import { openPagerDutyDoor } from '../../../src/bot/pager/pagerduty.ts'
import { type HeardPage, openPagerDoor, type PageHearing, signed } from '../../../src/bot/pager/webhook.ts'
import type { Pass } from '../../../src/bot/world/journal.ts'
import { sceneOf, shownPost } from '../view/seen.ts'
import { actOf, alertOf, effectOf } from '../worlds/builders.ts'

const pass = {} as Pass
const secret = new Secret(`whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`)
const event: PageEvent = {
  id: 'page:1',
  type: 'triggered',
  dedupKey: 'monbot:1',
  atMs: 1_795_230_720_000,
  headline: 'Critical: CPU busy on web-2',
  severity: 'critical',
  server: 'web-2',
  labels: { namespace: 'pay' },
  alerts: 1,
  openedMs: 1_795_230_690_000,
  link: 'https://example.slack.com/archives/C0/p1',
  by: null,
  to: null,
}
let answer: { status: number; body: string; headers?: Record<string, string> }
let heard: { path: string; headers: IncomingHttpHeaders; body: string }[]
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  heard.push({ path: request.url ?? '', headers: request.headers, body })
  response.writeHead(answer.status, answer.headers ?? {}).end(answer.body)
})
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeEach(async () => {
  heard = []
  answer = { status: 202, body: '{}' }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('PagerDuty', () => {
  const pager = (url = `${address()}/`) =>
    openPager({ kind: 'pagerduty', url, routingKey: new Secret('r0uting') }, new Agent(), realClock)

  test('gets events of its API', async () => {
    expect(await pager().send(pass, event)).toEqual({ kind: 'ok', acknowledgedBy: null })
    await pager().send(pass, { ...event, type: 'resolved', dedupKey: 'x'.repeat(300) })
    const [trigger, resolve] = heard.map(({ body }) => JSON.parse(body))
    expect(heard[0]?.path).toBe('/v2/enqueue')
    expect(trigger).toEqual({
      routing_key: 'r0uting',
      event_action: 'trigger',
      dedup_key: 'monbot:1',
      client: 'monbot',
      client_url: event.link,
      links: [{ href: event.link, text: 'Card in Slack' }],
      payload: {
        summary: event.headline,
        source: 'web-2',
        severity: 'critical',
        timestamp: '2026-11-21T03:11:30.000Z',
        custom_details: { alerts: 1, labels: { namespace: 'pay' } },
      },
    })
    expect([resolve.event_action, resolve.dedup_key.length, resolve.payload]).toEqual([
      'resolve',
      71,
      undefined,
    ])
  })

  test.each([
    [
      400,
      '{"message":"Invalid key r0uting","errors":["bad"]}',
      { kind: 'refused', why: 'PagerDuty refused it: Invalid key [key]: bad' },
    ],
    [429, '', { kind: 'unclear', why: 'PagerDuty returned HTTP 429', afterMs: 7 * second }],
    [500, '<html>', { kind: 'unclear', why: 'PagerDuty returned HTTP 500', afterMs: 7 * second }],
  ])('that answers %i %s', async (status, body, outcome) => {
    answer = { status, body, headers: { 'retry-after': '7' } }
    expect(await pager().send(pass, event)).toEqual(outcome)
  })

  test('that is away is tried later, and the reason holds no address', async () => {
    expect(await pager('http://127.0.0.1:1').send(pass, event)).toEqual({
      kind: 'later',
      why: "PagerDuty can't be reached (ECONNREFUSED)",
      afterMs: null,
    })
  })
})

test.each([
  ['UANA', 'UANA'],
  ['pager:Ana', 'Ana'],
])('a call that %s ended says so: %s', (by, said) => {
  expect(pageEvent(effectOf({ data: { by } }), sceneOf({})).by).toBe(said)
})

describe('a webhook', () => {
  const pager = () =>
    openPager({ kind: 'webhook', url: new Secret(`${address()}/hook?t=1`), secret }, new Agent(), realClock)

  test('gets what the document shows, signed, under the same id at each try', async () => {
    await pager().send(pass, event)
    await pager().send(pass, event)
    const [first, again] = heard
    const { headers = {}, body = '' } = first ?? {}
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const given = Object.fromEntries(
      names.map((name) => [name, String((headers as IncomingHttpHeaders)[name])]),
    )
    expect(new Webhook(secret.reveal()).verify(body, given)).toEqual({
      type: 'alert.triggered',
      timestamp: '2026-11-21T03:12:00.000Z',
      data: {
        key: 'monbot:1',
        headline: event.headline,
        severity: 'critical',
        server: 'web-2',
        labels: { namespace: 'pay' },
        alerts: 1,
        opened: '2026-11-21T03:11:30.000Z',
        link: event.link,
        by: null,
        to: null,
      },
    })
    expect([given['webhook-id'], again?.headers['webhook-id'], again?.body]).toEqual([
      'page:1',
      'page:1',
      body,
    ])
  })

  test.each([
    ['triggered', 200, '{"acknowledged_by": " Ana "}', { kind: 'ok', acknowledgedBy: 'Ana' }],
    ['triggered', 204, '', { kind: 'ok', acknowledgedBy: null }],
    ['triggered', 400, '', { kind: 'refused', why: 'the pager returned HTTP 400' }],
    ['triggered', 404, '', { kind: 'unclear', why: 'the pager returned HTTP 404', afterMs: null }],
    ['resolved', 404, '', { kind: 'ok', acknowledgedBy: null }],
    ['resolved', 401, '', { kind: 'unclear', why: 'the pager returned HTTP 401', afterMs: null }],
    ['resolved', 502, '', { kind: 'unclear', why: 'the pager returned HTTP 502', afterMs: null }],
  ] as const)('told %s that answers %i %s', async (type, status, body, outcome) => {
    answer = { status, body }
    expect(await pager().send(pass, { ...event, type })).toEqual(outcome)
  })
})

describe('an investigator', () => {
  const openedMs = Date.parse('2026-11-21T03:11:30Z')
  const alert = alertOf({
    ...{ id: 'a', number: '8398', host: 'web-2', server: 'web-2', plugin: 'CPU', severity: 'critical' },
    ...{ startedMs: openedMs, url: 'https://monitor.example/a/8398' },
  })
  const details = {
    ...alert.details,
    labels: { namespace: 'pay' },
    links: [{ text: 'Runbook', url: 'https://wiki.example/cpu' }],
  }
  const scene = () =>
    sceneOf({
      alerts: [{ ...alert, details }, alertOf({ id: 'far', host: 'db-1', metric: 'disk_used' })],
      posts: [shownPost({ id: 'card', channelId: 'C0ALERTS', ts: '1763694720.000100' }, alert)],
      acts: [actOf({ kind: 'marker', atMs: openedMs - 240_000, subject: 'deploy 1.2.3', by: 'name:ci' })],
      facts: { slack: { teamUrl: 'https://example.slack.com/' } as never },
      policy: { investigate: { url: `${address()}/look?t=1`, secret: new Secret('whsec_wrong') } },
      scene: { nowMs: openedMs + 30_000 },
    })
  const pointOf = (agoMs: number) => ({ atMs: openedMs - agoMs, min: 95, mean: 96, max: 97 })
  const effect = effectOf({ id: 'investigate:card', data: { alert: 'a', post: 'card' } })
  const ask = (now = scene) =>
    openInvestigator({
      ...{ config: { investigateSecret: secret }, way: { dispatcher: new Agent() } },
      ...{ clock: realClock, scene: now, outside: (work) => work(pass) },
      pictures: {
        series: async () => [{ label: 'web-2', units: '%', points: [pointOf(3_600_000), pointOf(30_000)] }],
      },
    })(effect).catch((error: Error) => error.message)

  test('gets what the document shows, signed', async () => {
    answer = { status: 200, body: ' **The disk** is full\n' }
    expect(await ask()).toBe('**The disk** is full')
    const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = heard
    const document = readFileSync('docs/pager.md', 'utf8')
    const [, shown = ''] = /<!-- case -->\n```json\n(.*?)```/s.exec(document) ?? []
    const said = new Webhook(secret.reveal()).verify(body, headers as Record<string, string>)
    expect([path, said]).toEqual(['/look?t=1', JSON.parse(shown)])
  })

  test('hears of open alerts of the same server and of the same metric', async () => {
    const now = scene()
    const beside = { ...alert, metric: 'load', plugin: 'Load' }
    for (const one of [
      { ...beside, id: 'b', number: '2' },
      { ...alert, id: 'c', number: '3', host: 'web-3' },
    ])
      now.world.put('alerts', one)
    now.world.put('alerts', { ...alert, id: 'd', closedMs: openedMs + 1 })
    await ask(() => now)
    const { neighbors } = JSON.parse(heard[0]?.body ?? '').data
    expect(neighbors.map(({ number }: { number: string }) => number)).toEqual(['2', '3'])
  })

  test.each([
    [200, 'x'.repeat(4_000), 'x'.repeat(3_000)],
    [204, '', 'had nothing to say'],
    [503, 'busy', 'returned HTTP 503'],
  ] as const)('answers %i', async (status, body, finding) => {
    answer = { status, body }
    expect(await ask()).toBe(finding)
  })

  test('that is away is told without its address', async () => {
    const away = { ...scene().policy, investigate: { url: 'http://127.0.0.1:1/hush', secret: null } }
    expect(await ask(() => ({ ...scene(), policy: away }))).toBe("can't be reached (ECONNREFUSED)")
  })
})

describe('what happens in PagerDuty', () => {
  const ana = { id: 'P1', type: 'user_reference', summary: 'Ana Costa' }
  const eventOf = (type: string, over: object = {}) =>
    JSON.stringify({
      event: {
        id: 'e1',
        event_type: `incident.${type}`,
        agent: ana,
        data: { id: 'Q1', incident_key: 'monbot:1', assignees: [{ ...ana, summary: 'Ben' }] },
        ...over,
      },
    })
  const knock = async (body: string, signedBody = body, hearing: PageHearing = 'acknowledged') => {
    const heard: HeardPage[] = []
    const door = openPagerDutyDoor({
      secret,
      hear: async (one) => {
        heard.push(one)
        return hearing
      },
      who: async ({ summary }) => summary,
      clock: realClock,
      log: silentLog,
    })
    const digest = createHmac('sha256', secret.reveal()).update(signedBody).digest('hex')
    const headers = { 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${digest}` }
    const { status } = await door(new Request('http://monbot/pagerduty', { method: 'POST', body, headers }))
    return [status, ...heard.map(({ id, key, by }) => `${id} ${key} ${by}`)]
  }

  test.each<[why: string, body: string, outcome: (string | number)[]]>([
    ['acknowledged: by whoever did it', eventOf('acknowledged'), [200, 'e1 monbot:1 Ana Costa']],
    ['resolved: by whoever did it', eventOf('resolved'), [200, 'e1 monbot:1 Ana Costa']],
    ['reassigned: by whoever has it now', eventOf('reassigned'), [200, 'e1 monbot:1 Ben']],
    ['triggered: by nobody', eventOf('triggered'), [200]],
    ['by an integration', eventOf('resolved', { agent: { ...ana, type: 'service_reference' } }), [200]],
    ['no incident of ours', eventOf('resolved', { data: { incident_key: null } }), [200]],
    ['the webhook is tried', eventOf('x', { event_type: 'pagey.ping', data: { message: 'hi' } }), [200]],
    ['something else', '{}', [400]],
  ])('%s', async (_, body, outcome) => {
    expect(await knock(body)).toEqual(outcome)
  })

  test('signed for another body it is refused; what cannot be written down comes again', async () => {
    expect(await knock(eventOf('acknowledged'), eventOf('resolved'))).toEqual([401])
    expect(await knock(eventOf('resolved'), undefined, 'away')).toEqual([503, 'e1 monbot:1 Ana Costa'])
    expect(await knock(eventOf('resolved'), undefined, 'unknown')).toEqual([200, 'e1 monbot:1 Ana Costa'])
  })
})

describe('the door', () => {
  const nowMs = realClock.nowMs()
  const said = JSON.stringify({ type: 'alert.acknowledged', data: { key: 'monbot:1', by: 'Ana' } })
  const knock = async (
    body: string,
    headers: Record<string, string>,
    hearing: PageHearing = 'acknowledged',
  ) => {
    const heardBy: unknown[] = []
    const door = openPagerDoor(
      secret,
      async (one) => {
        heardBy.push(one)
        return hearing
      },
      realClock,
      silentLog,
    )
    const response = await door(new Request('http://monbot/pager', { method: 'POST', body, headers }))
    return { status: response.status, body: await response.json(), heard: heardBy }
  }
  const sign = (body: string, atMs = nowMs) => signed(secret, 'e1', body, atMs)

  test.each([
    ['acknowledged', 200, { outcome: 'acknowledged' }],
    ['nothing', 200, { outcome: 'nothing' }],
    ['repeat', 200, { outcome: 'repeat' }],
    ['unknown', 404, { error: 'no call has this key' }],
    ['away', 503, { error: "it can't be written down now: try again" }],
  ] as const)('passes on what is signed: %s', async (hearing, status, body) => {
    const heardPage = { id: 'e1', key: 'monbot:1', by: 'Ana' }
    expect(await knock(said, sign(said), hearing)).toEqual({ status, body, heard: [heardPage] })
  })

  test.each([
    ['unsigned', said, {}, 401],
    ['signed for another body', said, sign(`${said} `), 401],
    ['signed ten minutes ago', said, sign(said, nowMs - 600 * second), 401],
    ['signed in ten minutes', said, sign(said, nowMs + 600 * second), 401],
    ['of another shape', '{"type":"alert.closed"}', sign('{"type":"alert.closed"}'), 400],
    ['no JSON', 'x', sign('x'), 400],
  ])('refuses what is %s', async (_, body, headers, status) => {
    const came = await knock(body, headers)
    expect([came.status, came.heard]).toEqual([status, []])
  })
})
