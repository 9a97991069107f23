/** The eleven operations, as they arrive at a server: method, path, and body. */
import { describe, expect, test } from 'vitest'
import { mayHaveBeenDone, OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Monitor } from '../../../src/bot/flow/ports/ports.ts'
import { canaryKey, connect, openApi, sendJson } from './local-api.ts'

const root = `/api/v2/${canaryKey}`

describe('a read', () => {
  const reads: [string, (monitor: Monitor) => Promise<unknown>, string][] = [
    ['alerts', (it) => it.alerts({ lifecycle: 'start', offset: 0 }), '/alerts.json?lifecycle=start&offset=0'],
    [
      'alerts, page 2',
      (it) => it.alerts({ lifecycle: 'all', offset: 45 }),
      '/alerts.json?lifecycle=all&offset=45',
    ],
    ['triggers', (it) => it.triggers(), '/triggers.json'],
    ['roles', (it) => it.roles(), '/roles.json'],
    [
      'metrics, with as little as can be',
      (it) => it.metrics({ metric: 'used', type: 'memory' }),
      '/metrics.json?metric_name=used&metric_type=memory',
    ],
    [
      'metrics, with everything',
      (it) =>
        it.metrics({
          metric: 'last_minute',
          type: 'plugin',
          source: 'Load Average',
          server: '/^web-[0-9]+$/',
          environment: 'live & kicking',
          role: 'web',
          duration: '5 hours',
          display: 'breakout',
        }),
      '/metrics.json?metric_name=last_minute&metric_type=plugin&metric_source_name=Load+Average' +
        '&server=%2F%5Eweb-%5B0-9%5D%2B%24%2F&environment=live+%26+kicking&role=web&duration=5+hours&display=breakout',
    ],
  ]
  test.each(reads)('of %s is one GET without a body', async (_name, read, target) => {
    const api = await openApi((_request, response) =>
      sendJson(response, 200, {
        results: _request.target.includes('roles') ? {} : [],
        timestamps: [],
        metrics: [],
      }),
    )
    await read(connect(api.url))
    expect(api.received).toEqual([{ method: 'GET', target: root + target, contentType: null, body: '' }])
  })

  test('gives what the server answered, checked', async () => {
    const alert = {
      id: 12,
      time: '2026-01-02T03:04:05Z',
      server_name: 'web 1',
      server_hostname: 'web-1',
      lifecycle: 'start',
      title: `Load is high: ${canaryKey}`,
      plugin_name: 'Load Average',
      metric_name: 'last_minute',
      metric_value: 3.5,
      url: 'http://127.0.0.1/a/12',
      muted_by: [{ kind: 'silence', by: `ana ${canaryKey}`, why: canaryKey }],
    }
    const api = await openApi((_request, response) =>
      sendJson(response, 200, { message: 'ok', results: [alert, { ...alert, id: null }] }),
    )
    const page = await connect(api.url).alerts({ lifecycle: 'all', offset: 0 })
    expect(page).toMatchObject({
      size: 2,
      skipped: 1,
      records: [{ alertId: '12', url: 'http://127.0.0.1/a/12' }],
    })
    expect(page.records[0]?.title).toBe('Load is high: [hidden]')
    expect(page.records[0]?.mutedBy).toMatchObject([{ by: 'ana [hidden]', why: '[hidden]' }])
  })

  // A link that holds the key would show it to a whole channel.
  test.each([
    `/api/v2/${canaryKey}/a`,
    `/a?key=${canaryKey}`,
    `/%43ANARY-4f1d9c/a`,
    `/CANARY\n-4f1d9c/a`,
    `\\CANARY-4f1d9c\\a`,
  ])('leaves out a link that holds the key (%j)', async (path) => {
    const record = { id: 12, time: '2026-01-02T03:04:05Z', server_hostname: 'web-1', lifecycle: 'start' }
    const api = await openApi((_request, response) =>
      sendJson(response, 200, { message: 'ok', results: [{ ...record, url: `http://127.0.0.1${path}` }] }),
    )
    const { records } = await connect(api.url).alerts({ lifecycle: 'all', offset: 0 })
    expect(records).toMatchObject([{ alertId: '12', url: '' }])
  })

  test.each([-1, 1.5, Number.NaN])('of alerts from offset %s is refused before a request', async (offset) => {
    const api = await openApi((_request, response) => sendJson(response, 200, { results: [] }))
    await expect(connect(api.url).alerts({ lifecycle: 'all', offset })).rejects.toMatchObject({
      kind: 'rejected',
      message: `an offset must be a whole number from 0; came ${offset}`,
    })
    expect(api.received).toEqual([])
  })
})

describe('a change', () => {
  const changes: [string, (monitor: Monitor) => Promise<string>, string, string, string][] = [
    [
      'muting a server',
      (it) => it.setServerNotifications('web-1', false),
      'POST',
      '/servers/web-1',
      'notifications=false',
    ],
    [
      'unmuting it',
      (it) => it.setServerNotifications('web-1', true),
      'POST',
      '/servers/web-1',
      'notifications=true',
    ],
    [
      'muting the account',
      (it) => it.setAccountNotifications(false),
      'POST',
      '/account',
      'notifications=false',
    ],
    [
      'the no-data group',
      (it) => it.setNoDataGroup('a/b', 'On call & co'),
      'POST',
      '/servers/a%2Fb',
      'no_data_notification_group=On+call+%26+co',
    ],
    ['ending a mute', (it) => it.endMute('a:b'), 'DELETE', '/mutes/a%3Ab.json', ''],
    [
      'adding roles',
      (it) => it.addRoles('web-1', ['db', 'wéb']),
      'POST',
      '/servers/web-1/roles/add',
      'roles=db%2Cw%C3%A9b',
    ],
    [
      'a marker',
      (it) => it.addMarker('deploy 1.2\n50% done'),
      'POST',
      '/markers',
      'notes=deploy+1.2%0A50%25+done',
    ],
    ['deleting a server', (it) => it.deleteServer('web 1'), 'DELETE', '/servers/web%201', ''],
    [
      'deleting metrics',
      (it) => it.deleteCustomMetrics(['a', 'b c']),
      'DELETE',
      '/metrics',
      'metrics=a%2Cb+c',
    ],
  ]
  test.each(changes)(
    'such as %s is one request, and answers with the message',
    async (_name, change, method, path, body) => {
      const api = await openApi((_request, response) =>
        sendJson(response, 200, { message: ' done\u0007  well ' }),
      )
      expect(await change(connect(api.url))).toBe('done well')
      const contentType = body === '' ? null : 'application/x-www-form-urlencoded'
      expect(api.received).toEqual([{ method, target: root + path, contentType, body }])
    },
  )

  test.each([
    ['an empty body', ''],
    ['a hash without a message', '{}'],
  ])('whose answer the specification does not show has succeeded with %s', async (_case, body) => {
    const api = await openApi((_request, response) => response.writeHead(200).end(body))
    expect(await connect(api.url).setNoDataGroup('web-1', 'ops')).toBe('')
    expect(await connect(api.url).deleteCustomMetrics(['a'])).toBe('')
  })

  test.each([
    '',
    '{}',
    '[]',
    '"done"',
    'true',
    '{"error":"login required"}',
    '{"message":1}',
    '<html></html>',
  ])('was taken for made on 200 with %j, which is not what the API says', async (body) => {
    const api = await openApi((_request, response) => response.writeHead(200).end(body))
    const monitor = connect(api.url)
    const said = {
      off: () => monitor.setServerNotifications('web-1', false),
      account: () => monitor.setAccountNotifications(true),
      roles: () => monitor.addRoles('web-1', ['db']),
      marker: () => monitor.addMarker('deploy'),
      deleted: () => monitor.deleteServer('web-1'),
    }
    for (const change of Object.values(said)) {
      const failure: unknown = await change().catch((error: unknown) => error)
      expect(failure).toMatchObject({ name: 'OutsideFailure', kind: 'unreachable', status: 200 })
      expect(failure instanceof OutsideFailure && mayHaveBeenDone(failure)).toBe(true)
    }
  })

  test.each(['', '<html>404</html>', 'Not Found', '[]', '{}', '{"error":"not found"}', '{"message":""}'])(
    'was taken for one of an unknown server on 404 with %j, which the API did not say',
    async (body) => {
      const api = await openApi((_request, response) => response.writeHead(404).end(body))
      const failure = { kind: 'unreachable', status: 404 }
      const monitor = connect(api.url)
      await expect(monitor.setServerNotifications('web-1', true)).rejects.toMatchObject(failure)
      await expect(monitor.setAccountNotifications(true)).rejects.toMatchObject(failure)
    },
  )

  const refused: [string, (monitor: Monitor) => Promise<string>, string][] = [
    [
      'a role with a comma',
      (it) => it.addRoles('web-1', ['db', 'a,b']),
      'a role name must not be empty or hold a comma; came "a,b"',
    ],
    [
      'an empty role',
      (it) => it.addRoles('web-1', [' ']),
      'a role name must not be empty or hold a comma; came " "',
    ],
    ['no role', (it) => it.addRoles('web-1', []), 'expected 1 or more role names; came 0'],
    [
      'a metric with a comma',
      (it) => it.deleteCustomMetrics(['a,b']),
      'a metric name must not be empty or hold a comma; came "a,b"',
    ],
    ['no metric', (it) => it.deleteCustomMetrics([]), 'expected 1 to 20 metric names; came 0'],
    [
      '21 metrics',
      (it) => it.deleteCustomMetrics(Array.from({ length: 21 }, String)),
      'expected 1 to 20 metric names; came 21',
    ],
    ['an empty hostname', (it) => it.deleteServer(''), 'a hostname must not be empty, "." or ".."; came ""'],
    [
      'the hostname .',
      (it) => it.setNoDataGroup('.', 'x'),
      'a hostname must not be empty, "." or ".."; came "."',
    ],
    [
      'the hostname ..',
      (it) => it.deleteServer('..'),
      'a hostname must not be empty, "." or ".."; came ".."',
    ],
    [
      'half a character',
      (it) => it.deleteServer('\ud800'),
      'a hostname must be well-formed Unicode; came half a character',
    ],
    [
      'an endless hostname',
      (it) => it.deleteServer('x'.repeat(1_001)),
      'a hostname may have at most 1000 characters; came 1001',
    ],
  ]
  test.each(refused)('with %s is refused before a request', async (_case, change, message) => {
    const api = await openApi((_request, response) => sendJson(response, 200, { message: 'done' }))
    await expect(change(connect(api.url))).rejects.toMatchObject({
      name: 'OutsideFailure',
      kind: 'rejected',
      message,
    })
    expect(api.received).toEqual([])
  })
})
