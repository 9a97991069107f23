/** Servers, roles and switches over real HTTP, with every way that clients send parameters. */
import { describe, expect, test } from 'vitest'
import { type Ask, form, openTown } from './open-service.ts'
import { alertsOf, rolesOf, serverOf, stateOf } from './records.ts'

describe('roles/add', () => {
  test('has three cases: had already, joins, is created', async () => {
    const town = await openTown({ fleet: true })
    const before = await rolesOf(town)
    expect(before.web).toContain('web-1')
    const had = await town.api('/servers/web-1/roles/add', form({ roles: 'web' }))
    expect(had).toMatchObject({ status: 200, body: { message: 'web-1 already has web' } })
    expect(await rolesOf(town)).toEqual(before)

    const joined = await town.api('/servers/web-1/roles/add', form({ roles: 'db' }))
    expect(joined).toMatchObject({ status: 200, body: { message: 'web-1 joined db' } })
    expect((await rolesOf(town)).db).toEqual([...(before.db ?? []), 'web-1'].sort())

    const created = await town.api('/servers/web-1/roles/add', form({ roles: 'canary, web,db' }))
    expect(created).toMatchObject({
      status: 200,
      body: { message: 'web-1 joined the new role canary, already has web, already has db' },
    })
    expect((await rolesOf(town)).canary).toEqual(['web-1'])
  })

  test('takes `__proto__` and `constructor` as names like any other', async () => {
    const town = await openTown({ fleet: true })
    const added = await town.api('/servers/web-1/roles/add', form({ roles: '__proto__,constructor' }))
    expect(added.status).toBe(200)
    const roles = new Map(Object.entries(await rolesOf(town)))
    expect(roles.get('__proto__')).toEqual(['web-1'])
    expect(roles.get('constructor')).toEqual(['web-1'])
    expect((await serverOf(town, 'web-1')).roles).toContain('__proto__')
  })

  test.each<[string, Ask]>([
    ['nothing', { method: 'POST' }],
    ['an empty list', form({ roles: '' })],
    ['an empty name', form({ roles: 'web,,db' })],
    ['a name that is too long', form({ roles: 'x'.repeat(101) })],
    ['51 names', form({ roles: Array.from({ length: 51 }, (_, at) => `r${at}`).join() })],
  ])('refuses %s and says what it expects', async (_, ask) => {
    const town = await openTown({ fleet: true })
    const before = await rolesOf(town)
    const { status, body } = await town.api('/servers/web-1/roles/add', ask)
    expect(status).toBe(422)
    expect(body).toMatchObject({
      message: expect.stringMatching(/^roles: expected 1 to 50 names between commas/),
    })
    expect(await rolesOf(town)).toEqual(before)
  })
})

const ways: [string, string, Ask][] = [
  ['a form', '', form({ notifications: 'false' })],
  ['a form by PATCH', '', form({ notifications: 'false' }, 'PATCH')],
  ['a form without a content type', '', { method: 'POST', body: 'notifications=false' }],
  [
    'a form with a charset',
    '',
    {
      method: 'POST',
      body: 'notifications=false',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    },
  ],
  [
    'JSON',
    '',
    { method: 'POST', body: '{"notifications": false}', headers: { 'content-type': 'application/json' } },
  ],
  [
    'JSON by PATCH',
    '',
    {
      method: 'PATCH',
      body: '{"notifications": "false"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    },
  ],
  ['JSON without a content type', '', { method: 'POST', body: ' {"notifications": false}' }],
  [
    'JSON that says it is a form',
    '',
    {
      method: 'POST',
      body: '{"notifications": false}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
  ['the query', '?notifications=false', { method: 'POST' }],
  ['the query by PATCH', '?notifications=false', { method: 'PATCH' }],
  ['the case of Python', '', form({ notifications: 'False' })],
  ['a body that wins over the query', '?notifications=true', form({ notifications: 'false' })],
  [
    'multipart',
    '',
    {
      method: 'POST',
      body: '--x\r\ncontent-disposition: form-data; name="notifications"\r\n\r\nfalse\r\n--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    },
  ],
]

describe('notifications', () => {
  test.each(ways)('of a server go off by %s', async (_, query, ask) => {
    const town = await openTown({ fleet: true })
    const { status, body } = await town.api(`/servers/web-1${query}`, ask)
    expect([status, body]).toEqual([200, { message: 'web-1: notifications are off' }])
    expect((await serverOf(town, 'web-1')).notifications).toBe(false)
    expect((await serverOf(town, 'web-2')).notifications).toBe(true)
  })

  test.each(ways)('of the account go off by %s', async (_, query, ask) => {
    const town = await openTown()
    const { status, body } = await town.api(`/account${query}`, ask)
    expect([status, body]).toEqual([200, { message: 'notifications of the account are off' }])
    expect((await stateOf(town)).account).toEqual({ notifications: false })
  })

  test('a mute holds back notifications, not alerts, and comes off again', async () => {
    const town = await openTown({ fleet: true })
    await town.api('/servers/web-1', form({ notifications: 'false' }))
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    expect((await alertsOf(town, '?lifecycle=start')).map((alert) => alert.id)).toEqual([id])
    expect((await stateOf(town)).open_alerts).toMatchObject([{ id, muted: true }])
    await town.api('/servers/web-1', form({ notifications: 'true' }))
    expect((await stateOf(town)).open_alerts).toMatchObject([{ id, muted: false }])
    await town.api('/account', form({ notifications: 'false' }))
    expect((await stateOf(town)).open_alerts).toMatchObject([{ id, muted: true }])
    expect((await serverOf(town, 'web-1')).notifications).toBe(true)
  })

  test.each([
    ['/servers/web-1', form({ notifications: 'off' }), 'notifications: expected true or false; came "off"'],
    ['/servers/web-1', form({ notifications: '' }), 'notifications: expected true or false; came nothing'],
    [
      '/servers/web-1',
      form({ notification: 'false' }),
      'notifications or no_data_notification_group: expected at least one of them; came neither',
    ],
    ['/account', form({}), 'notifications: expected true or false; came nothing'],
    ['/account', form({ notifications: '1' }), 'notifications: expected true or false; came "1"'],
    [
      '/account',
      { method: 'POST', body: '[]', headers: { 'content-type': 'application/json' } },
      'body: expected a JSON object of parameters; came another kind of JSON',
    ],
    [
      '/account',
      { method: 'POST', body: '{"notifications":', headers: { 'content-type': 'application/json' } },
      'body: expected JSON, as its content type says; came other text',
    ],
    [
      '/account',
      { method: 'POST', body: '{"notifications": {}}', headers: { 'content-type': 'application/json' } },
      'notifications: expected text, a number, true, false or a list of these; came a structure',
    ],
    [
      '/account',
      { method: 'POST', body: new Uint8Array([0x6e, 0x3d, 0xff]) },
      'body: expected UTF-8; came other bytes',
    ],
  ] satisfies [string, Ask, string][])('%s refuses what it cannot read', async (path, ask, message) => {
    const town = await openTown({ fleet: true })
    expect(await town.api(path, ask)).toMatchObject({ status: 422, body: { message } })
    expect((await stateOf(town)).account).toEqual({ notifications: true })
  })
})

test.each(['POST', 'PATCH'] as const)('the no-data group of a server is set by %s', async (method) => {
  const town = await openTown({ fleet: true })
  const set = await town.api('/servers/db-1', form({ no_data_notification_group: 'night shift' }, method))
  expect(set).toMatchObject({
    status: 200,
    body: { message: 'db-1: the no-data notification group is night shift' },
  })
  expect(await serverOf(town, 'db-1')).toMatchObject({
    no_data_notification_group: 'night shift',
    notifications: true,
  })
  const blank = await town.api('/servers/db-1', form({ no_data_notification_group: ' ' }, method))
  expect(blank).toMatchObject({
    status: 422,
    body: { message: 'no_data_notification_group: expected text of 1 to 200 characters; came " "' },
  })
})

test('a deleted server is gone with its roles and metrics, its open alerts close, and the rest stays', async () => {
  const town = await openTown({ fleet: true })
  const id = town.service.openAlert({ server: 'lb-1', plugin: 'CPU' })
  expect(await town.api('/servers/lb-1', { method: 'DELETE' })).toMatchObject({
    status: 200,
    body: { message: 'lb-1 was deleted' },
  })
  expect((await stateOf(town)).servers.map(({ hostname }) => hostname)).not.toContain('lb-1')
  const roles = await rolesOf(town)
  expect(roles.lb).toEqual([])
  expect(roles.app).not.toContain('lb-1')
  expect(await alertsOf(town)).toMatchObject([{ id, lifecycle: 'end' }])
  expect(await town.api('/servers/lb-1', { method: 'DELETE' })).toMatchObject({ status: 404 })
})

describe('what is wrong with a request was told only where what it names is known', () => {
  const long = 'x'.repeat(254)
  test.each<[string, Ask]>([
    ['/servers/nope', form({ notifications: 'maybe' })],
    ['/servers/nope', form({}, 'PATCH')],
    ['/servers/nope', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
    ['/servers/nope/roles/add', form({ roles: ' ' })],
    [`/servers/${long}`, { method: 'DELETE' }],
    [`/servers/${long}`, form({ notifications: 'false' })],
    [`/servers/${long}/roles/add`, form({ roles: 'web' })],
    ['/servers/a%0Ab', { method: 'DELETE' }],
    ['/metrics', form({ metrics: 'nope,' }, 'DELETE')],
    ['/metrics.json?metric_name=nope&metric_type=disk', {}],
    ['/metrics.json?metric_name=nope&metric_type=cpu&server=nope&duration=long', {}],
    ['/metrics.json?metric_name=nope&metric_type=cpu&role=nope&server=/(/', {}],
    ['/control/scenarios/nope', { method: 'POST', body: '{"count": 0}' }],
    ['/control/alerts/one/close', { method: 'POST' }],
    ['/control/series?server=nope&seconds=1', {}],
  ])('%s %j is a 422', async (path, ask) => {
    const town = await openTown({ fleet: true })
    const answer = await (path.startsWith('/control/') ? town.ask(path, ask) : town.api(path, ask))
    expect(answer).toMatchObject({ status: 422, body: { message: expect.any(String) } })
  })
})

describe('a server that is not known is a 404 that names it', () => {
  test.each<[string, Ask]>([
    ['/servers/nope', { method: 'DELETE' }],
    ['/servers/nope', form({ notifications: 'false' })],
    ['/servers/nope', form({ notifications: 'false' }, 'PATCH')],
    ['/servers/nope/roles/add', form({ roles: 'web' })],
  ])('%s', async (path, ask) => {
    const town = await openTown({ fleet: true })
    const before = await stateOf(town)
    expect(await town.api(path, ask)).toMatchObject({
      status: 404,
      body: { message: 'no server is called "nope"' },
    })
    expect(await stateOf(town)).toEqual({ ...before })
  })
})

test.each([
  'a b',
  'ü-1.example',
  '100%',
  '%2F',
  'a/b',
  'x?y#z',
  'a+b',
  '__proto__',
  "o'neill",
  '服务器',
  'web-1:9090',
])('the hostname %j is reached percent-encoded', async (hostname) => {
  const town = await openTown()
  town.service.openAlert({ server: hostname, plugin: 'CPU' })
  const path = `/servers/${encodeURIComponent(hostname)}`
  expect(await town.api(path, form({ notifications: 'false' }))).toMatchObject({ status: 200 })
  expect((await serverOf(town, hostname)).notifications).toBe(false)
  expect(await town.api(`${path}/roles/add`, form({ roles: 'odd' }))).toMatchObject({ status: 200 })
  expect(await rolesOf(town)).toEqual({ odd: [hostname] })
  expect(await town.api(path, { method: 'DELETE' })).toMatchObject({ status: 200 })
  expect((await stateOf(town)).servers).toEqual([])
})

test.each(['', '.', '..', 'a\nb', 'x'.repeat(254)])('no server can be called %j', async (hostname) => {
  const town = await openTown()
  expect(() => town.service.openAlert({ server: hostname, plugin: 'CPU' })).toThrow(
    /^server: expected a hostname/,
  )
  expect((await stateOf(town)).servers).toEqual([])
})

test.each(['form', 'json'] as const)('a marker is kept with its text and time, sent as %s', async (how) => {
  const town = await openTown()
  const notes = 'deploy 42 — <b>"ü"</b> & more'
  const sent = how === 'form' ? form({ notes }) : { method: 'POST' as const, body: JSON.stringify({ notes }) }
  expect(await town.api('/markers', sent)).toMatchObject({
    status: 200,
    body: { message: 'the marker was added' },
  })
  expect((await stateOf(town)).markers).toEqual([{ notes, time: '2026-03-01T12:00:00.000Z' }])
  expect(await town.api('/markers', form({}))).toMatchObject({
    status: 422,
    body: { message: 'notes: expected text of 1 to 2000 characters; came nothing' },
  })
})
