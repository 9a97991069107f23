/** Every operation of the API and every error, over one process: in the words of the specification, and in those of real clients. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rows } from './worlds/rows.ts'
import { type Ask, formOf, key, openTown, startMs } from './worlds/town.ts'

const cpu = 'metric_name=cpu_busy&metric_type=cpu'

describe('what is asked for is answered', () => {
  test.each(
    rows(
      ['what', 'ask', 'fields', 'said'],
      `
    a role that is new          | POST /servers/web-1/roles/add | roles=eu         | web-1 joined the new role eu
    roles it has, and others    | POST /servers/web-1/roles/add | roles=web,db,eu  | web-1 already has web, joined db, joined the new role eu
    a trailing comma in roles   | POST /servers/web-1/roles/add | roles= eu , ,    | web-1 joined the new role eu
    a switch                    | POST /servers/web-1     | notifications=false  | web-1: notifications are off
    a switch by PATCH           | PATCH /servers/web-1    | notifications=true   | web-1: notifications are on
    a group for silence         | POST /servers/web-1     | no_data_notification_group=night | web-1: the no-data notification group is night
    both at once                | PATCH /servers/web-1    | notifications=false&no_data_notification_group=x | web-1: notifications are off, the no-data notification group is x
    the switch of all           | POST /account           | notifications=false  | notifications of the account are off
    the switch of all by PATCH  | PATCH /account          | notifications=true   | notifications of the account are on
    a marker                    | POST /markers           | notes=deploy 4.2     | the marker was added
    a deletion                  | DELETE /servers/web-1   |                      | web-1 was deleted
    a metric that goes          | DELETE /metrics         | metrics=signups,nothing | signups deleted; there was no nothing
    roles                       | GET /roles.json         |                      | 8 roles
    what is watched             | GET /targets.json       |                      | 12 servers`,
    ),
  )('$what', async ({ ask, fields, said }) => {
    const town = await openTown({ fleet: true })
    const [method, path = ''] = ask.split(' ')
    const body = method === 'GET' ? {} : formOf(Object.fromEntries(new URLSearchParams(fields)))
    const answer = await town.api(path, { method: method as 'GET', ...body })
    expect(answer).toMatchObject({ status: 200, body: { message: said } })
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('a HEAD is answered as a GET is: who watches an endpoint asks so', async () => {
    const { service } = await openTown({ fleet: true })
    const { status } = await fetch(`${service.url}/api/v2/${key}/roles.json`, { method: 'HEAD' })
    expect(status).toBe(200)
  })

  test('roles: each with its servers, in the key of the specification', async () => {
    const { result } = (await (await openTown({ fleet: true })).api('/roles.json')).body
    expect(result).toMatchObject({ cache: ['cache-1', 'cache-2'], db: ['db-1', 'db-2'], ci: ['ci-1'] })
  })

  test('triggers: ids are whole numbers, a limit is a number', async () => {
    const town = await openTown({ fleet: true })
    const { results } = (await town.api('/triggers.json')).body
    expect(results).toContainEqual({
      id: expect.any(Number),
      condition: 'CPU busy exceeds 90.00% for 6 seconds',
      metric: 'cpu_busy',
      max_value: 90,
      low_value: null,
      duration_in_seconds: 6,
    })
    expect(results.every(({ id }: { id: number }) => Number.isSafeInteger(id) && id > 0)).toBe(true)
  })

  test('an alert: all fields of the specification, and what more is known', async () => {
    const town = await openTown({ fleet: true })
    const id = town.service.control.open({
      server: 'web-1',
      plugin: 'CPU',
      metric: 'cpu_busy',
      value: 97.123456,
    })
    const [alert] = await town.alerts()
    expect(alert).toEqual({
      id,
      time: '2026-03-01T12:00:00.000Z',
      server_name: 'web-1',
      server_hostname: 'web-1',
      lifecycle: 'start',
      title: 'CPU exceeded 83.00, increasing to 97.12',
      units: '%',
      plugin_name: 'CPU',
      metric_name: 'cpu_busy',
      metric_value: 97.1235,
      url: expect.stringMatching(/\/a\/\d+\?t=[\w-]{24}$/),
      sparkline_url: expect.stringMatching(/\/account\/alerts\/\d+\/sparkline\.png\?t=[\w-]{24}$/),
      limit: 83,
      limit_side: 'high',
    })
  })

  test('a one-off has no metric, and is neither open nor closed', async () => {
    const town = await openTown({ fleet: true })
    town.service.control.oneoff({ server: 'web-1', plugin: 'Backup', title: 'took long' })
    expect(await town.alerts('all')).toMatchObject([
      { lifecycle: 'oneoff', metric_name: null, metric_value: null },
    ])
    expect([await town.alerts('start'), await town.alerts('end')]).toEqual([[], []])
  })

  test('a deleted server loses its open alerts and its roles, which stay', async () => {
    const town = await openTown({ fleet: true })
    town.service.control.open({ server: 'ci-1', plugin: 'Disk' })
    await town.form('DELETE', '/servers/ci-1')
    await town.pass(2)
    expect(await town.alerts()).toEqual([])
    expect((await town.api('/roles.json')).body.result).toMatchObject({ ci: [] })
    expect((await town.form('POST', '/servers/ci-1', { notifications: 'true' })).status).toBe(404)
  })
})

describe('a metric over time', () => {
  test.each(
    rows(
      ['what', 'query', 'blocks', 'points'],
      `
    of all servers             | metric_type=cpu                                    | 12 | 300
    of one                     | metric_type=cpu&server=web-1                       | 1  | 300
    of a wildcard              | metric_type=cpu&server=web-*                       | 4  | 300
    of an expression           | metric_type=cpu&server=/^(db,lb)-/                 | 3  | 300
    of a role                  | metric_type=cpu&role=cache                         | 2  | 300
    of an environment          | metric_type=cpu&environment=production&role=data   | 3  | 300
    with its source            | metric_name=disk_used_percent&metric_type=disk&metric_source_name=/&server=db-1 | 1 | 300
    of a day                   | metric_type=cpu&duration=1+day&server=db-1         | 1  | 288
    of a year                  | metric_type=cpu&duration=1%20year&server=db-1      | 1  | 365
    a wildcard that fits none  | metric_type=cpu&server=xyz-*                       | 0  | 0
    an environment without any | metric_type=cpu&environment=moon                   | 0  | 0
    one that a server lacks    | metric_name=signups&metric_type=custom_metric&server=db-1 | 0 | 0`,
    ),
  )('$what', async ({ query, blocks, points }) => {
    const town = await openTown({ fleet: true })
    const name = query.includes('metric_name') ? '' : 'metric_name=cpu_busy&'
    const { status, body } = await town.api(`/metrics.json?${name}${query.replace('(db,lb)', '(db|lb)')}`)
    expect(status).toBe(200)
    expect([body.metrics.length, body.timestamps.length]).toEqual([Number(blocks), Number(points)])
    const steps = body.timestamps.slice(1).map((ms: number, at: number) => ms - body.timestamps[at])
    expect(new Set(steps).size).toBeLessThanOrEqual(1)
    const all = body.metrics.flatMap((one: { points: number[][] }) => one.points)
    expect(all).toHaveLength(Number(blocks) * Number(points))
    expect(all.every(([low, mean, high]: [number, number, number]) => low <= mean && mean <= high)).toBe(true)
  })

  test('breakout shows the mean of each server three times, range what is between', async () => {
    const town = await openTown({ fleet: true })
    const of = async (display: string) =>
      (await town.api(`/metrics.json?${cpu}&server=web-1&display=${display}`)).body.metrics[0]
    const [range, breakout] = [await of('range'), await of('breakout')]
    expect(breakout.points.every(([a, b, c]: number[]) => a === b && b === c)).toBe(true)
    expect(breakout.points.map(([, mean]: number[]) => mean)).toEqual(
      range.points.map(([, mean]: number[]) => mean),
    )
    expect(range).toMatchObject({ label: 'web-1', units: '%', precision: 1 })
  })
})

describe('what is wrong is said', () => {
  // `…` at its end: and more words.
  test.each(
    rows(
      ['what', 'ask', 'status', 'said'],
      `
    a lifecycle              | GET /alerts.json?lifecycle=open                | 422 | lifecycle: expected start, end or all; came "open"
    an offset                | GET /alerts.json?offset=-1                     | 422 | offset: expected a whole number from 0; came "-1"
    two at once              | GET /alerts.json?offset=x&lifecycle=x          | 422 | lifecycle: expected start, end or all; came "x"; offset: …
    one that comes twice     | GET /alerts.json?offset=1&offset=2             | 422 | "offset": expected once in the query; came more than once
    no switch                | POST /servers/web-1                            | 422 | notifications: expected true or false; came nothing
    no truth                 | POST /servers/web-1?notifications=yes          | 422 | notifications: expected true or false; came "yes"
    no switch of all         | POST /account                                  | 422 | notifications: expected true or false; came nothing
    no such server           | POST /servers/web-99?notifications=true        | 404 | no server is called "web-99"
    none to delete           | DELETE /servers/web-99                         | 404 | no server is called "web-99"
    none for roles           | POST /servers/web-99/roles/add?roles=a         | 404 | no server is called "web-99"
    no roles                 | POST /servers/web-1/roles/add?roles=,          | 422 | roles: expected 1 to 50 names between commas…
    no note                  | POST /markers                                  | 422 | notes: expected text of 1 to 2000 characters; came nothing
    no metric                | GET /metrics.json                              | 422 | metric_name: expected text of 1 to 300 characters; came nothing; metric_type: …
    a type                   | GET /metrics.json?metric_name=a&metric_type=b  | 422 | metric_type: expected cpu, disk, memory, network, process, plugin or custom_metric; came "b"
    no source                | GET /metrics.json?metric_name=a&metric_type=disk | 422 | metric_source_name: expected a name for metric_type disk; came nothing
    a duration               | GET /metrics.json?CPU&duration=2+hours         | 422 | duration: expected 5 hours, 12 hours…
    a display                | GET /metrics.json?CPU&display=sum              | 422 | display: expected range or breakout; came "sum"
    an alert, no number      | GET /metrics.json?CPU&alert=abc                | 422 | alert: expected the number of an alert; came "abc"
    an alert that is none    | GET /metrics.json?CPU&alert=5                  | 404 | alert: no alert has the number 5
    an exact server          | GET /metrics.json?CPU&server=web-99            | 404 | no server is called "web-99"
    a role that is none      | GET /metrics.json?CPU&role=moon                | 404 | role: no role is called "moon"
    nobody has it            | GET /metrics.json?metric_name=x&metric_type=cpu | 404 | metric_name: no metric "x" of type cpu is known
    an expression            | GET /metrics.json?CPU&server=/(/               | 422 | server: expected a regular expression…
    too many metrics         | DELETE /metrics?metrics=1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,h,i,j,k,l | 422 | metrics: expected 1 to 20 names…
    metrics that are none    | DELETE /metrics?metrics=a,b                    | 404 | metrics: no custom metric is called "a" or "b"
    mutes, alone             | GET /mutes.json                                | 404 | this service can mute servers and the account only…
    a path                   | GET /nothing                                   | 404 | no endpoint has this path
    a path with more         | GET /alerts.json/                              | 404 | no endpoint has this path
    a method                 | PUT /account                                   | 405 | expected POST or PATCH for this path; came PUT
    a method of several      | GET /servers/web-1                             | 405 | expected POST or PATCH or DELETE for this path; came GET
    other bytes              | DELETE /servers/%ff                            | 422 | path: expected percent-encoded UTF-8; came other bytes
    a hostname               | DELETE /servers/%00                            | 404 | no server is called "\\u0000"
    wrong, but none          | POST /servers/web-99                           | 404 | no server is called "web-99"`,
    ),
  )('$what', async ({ ask, status, said }) => {
    const town = await openTown({ fleet: true })
    const [method, path = ''] = ask.replace('CPU', cpu).split(' ')
    const answer = await town.api(path, { method: method as 'GET' })
    expect(answer.status).toBe(Number(status))
    const { message } = answer.body
    expect(said.endsWith('…') ? `${message.slice(0, said.length - 1)}…` : message).toBe(said)
  })

  test('a key that is not known is a 401 before anything else is looked at, and is not repeated', async () => {
    const town = await openTown({ fleet: true })
    for (const path of [`/api/v2/${key}x/alerts.json`, '/api/v2/no/where', '/api/v2/', '/api/v2/alerts.json'])
      expect(await town.ask(path)).toMatchObject({
        status: 401,
        body: { message: 'the API key in the path is not known; expected /api/v2/<API_KEY>/…' },
      })
  })

  test.each([['/servers/..'], ['/servers/%2e%2e'], ['/servers/web-1/../../account'], ['/servers/.']])(
    'a path that a parser would shorten reaches nothing: %s',
    async (path) => {
      const { connect } = await import('node:net')
      const town = await openTown({ fleet: true })
      const { port } = new URL(town.service.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`DELETE /api/v2/${key}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const said = await new Promise<string>((resolve) => {
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
        })
        socket.on('close', () => resolve(text))
      })
      expect(said).toMatch(/^HTTP\/1\.1 404 /)
      expect((await town.api('/targets.json')).body.results).toHaveLength(12)
    },
  )

  test('a body over 1 MB is a 413', async () => {
    const town = await openTown()
    const answer = await town.api('/markers', { method: 'POST', body: `notes=${'x'.repeat(1_000_001)}` })
    expect(answer).toMatchObject({
      status: 413,
      body: { message: 'body: expected at most 1000000 bytes; came more' },
    })
  })

  test('what fails within is a 500 without a word of it', async () => {
    const town = await openTown({ before: () => Promise.reject(new Error('secret')) })
    const answer = await town.api('/roles.json')
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(town.reported.join()).toContain('secret')
  })
})

describe('a body in each of the ways in which clients send it', () => {
  const json = { 'content-type': 'application/json' }
  test.each<[string, string, Ask]>([
    ['a form', '', formOf({ notifications: 'false' })],
    ['the public Python client: a form without a content type', '', { body: 'notifications=false' }],
    ['JSON', '', { body: '{"notifications":false}', headers: json }],
    ['JSON with text', '', { body: '{"notifications":"false"}', headers: json }],
    ['JSON without a content type', '', { body: '{"notifications":false}' }],
    [
      'JSON that calls itself a form',
      '',
      { body: '{"notifications":false}', headers: formOf({}).headers ?? {} },
    ],
    [
      'a form in parts, as curl --form sends it',
      '',
      {
        body: '--b\r\nContent-Disposition: form-data; name="notifications"\r\n\r\nfalse\r\n--b--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      },
    ],
    ['the query', '?notifications=false', {}],
    ['the query, and an empty body', '?notifications=false', { body: '' }],
    ['a body that says other than the query', '?notifications=true', { body: 'notifications=false' }],
    ['the case of Python', '', { body: 'notifications=False' }],
    ['a line end behind it', '', { body: 'notifications=false\r\n' }],
    ['a percent-encoded host', '', { body: 'notifications=false' }],
  ])('%s', async (title, query, ask) => {
    const town = await openTown({ fleet: true })
    const host = title.includes('percent') ? 'web%2D1' : 'web-1'
    expect(await town.api(`/servers/${host}${query}`, { method: 'POST', ...ask })).toMatchObject({
      status: 200,
    })
    expect(town.service.control.state()).toMatchObject({
      servers: expect.arrayContaining([expect.objectContaining({ host: 'web-1', notifications: false })]),
    })
  })

  test('markers as JSON, as a hook posts them, and lists as JSON lists', async () => {
    const town = await openTown({ fleet: true })
    await town.api('/markers', {
      method: 'POST',
      body: JSON.stringify({ notes: 'deploy ü', by: 'ci' }),
      headers: json,
    })
    await town.api('/servers/web-1/roles/add', {
      method: 'POST',
      body: '{"roles":["eu","us"]}',
      headers: json,
    })
    town.clock.pass(1000)
    await town.api('/markers', { method: 'POST', body: 'notes=rollback' })
    const time = (ms: number) => new Date(ms).toISOString()
    expect((await town.api('/markers.json')).body.results).toEqual([
      { notes: 'rollback', time: time(startMs + 1000) },
      { notes: 'deploy ü', by: 'ci', time: time(startMs) },
    ])
    expect((await town.api('/roles.json')).body.result).toMatchObject({ eu: ['web-1'], us: ['web-1'] })
  })

  test.each([
    ['no JSON', json, '{', 'body: expected JSON, as its content type says; came other text'],
    ['a list', json, '[]', 'body: expected a JSON object of parameters; came another kind of JSON'],
    [
      'a structure',
      json,
      '{"notes":{"a":1}}',
      '"notes": expected text, a number, true, false or a list of these; came a structure',
    ],
    ['other bytes', {}, Buffer.from([0xff, 0xfe]), 'body: expected UTF-8; came other bytes'],
  ] as const)('%s is refused', async (_, headers, body, message) => {
    const town = await openTown()
    expect(await town.api('/markers', { method: 'POST', headers, body })).toMatchObject({
      status: 422,
      body: { message },
    })
  })
})

describe('pages and order', () => {
  const all = Array.from({ length: 120 }, (_, n) => n)
  async function filled() {
    const town = await openTown()
    const ids = all.map((n) => {
      town.clock.pass(1000)
      return town.service.control.open({ server: `web-${n}`, plugin: 'CPU' })
    })
    return { town, ids }
  }

  test('newest first: fifty a page, none twice, none left out', async () => {
    const { town, ids } = await filled()
    const pages = await Promise.all(
      [0, 50, 100, 150].map(async (offset) => (await town.api(`/alerts.json?offset=${offset}`)).body.results),
    )
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20, 0])
    expect(pages.flat().map(({ id }) => id)).toEqual(ids.reverse())
  })

  test('a record that ends keeps number, time and title', async () => {
    const { town, ids } = await filled()
    const before = (await town.alerts('all')).find(({ id }) => id === ids[0])
    town.service.control.close(ids[0] ?? 0)
    expect(await town.alerts('end')).toEqual([{ ...before, lifecycle: 'end' }])
    expect(await town.alerts('start')).toHaveLength(119)
  })
})

describe('beside the API', () => {
  test('a page and a picture need the token of the alert, and no key', async () => {
    const town = await openTown({ fleet: true })
    town.service.control.open({ server: 'web-1', plugin: 'CPU', metric: 'cpu_busy', title: '<b>hot</b>' })
    const [{ url, sparkline_url: picture }] = (await town.alerts()) as [
      { url: string; sparkline_url: string },
    ]
    const path = (address: string) => address.slice(town.service.url.length)
    const page = await town.ask(path(url))
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('&lt;b&gt;hot&lt;/b&gt;') })
    expect(page.body).not.toContain('<b>')
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect((await town.ask(path(picture))).headers['content-type']).toBe('image/png')
    for (const address of [url, picture])
      expect((await town.ask(path(address).slice(0, -1))).status).toBe(404)
  })

  test('of an alert without a metric there is no picture, and its page shows none', async () => {
    const town = await openTown({ fleet: true })
    town.service.control.open({ server: 'web-1', plugin: 'Cron', title: 'late' })
    const [{ url, sparkline_url: picture }] = await town.alerts()
    const path = (address: string) => address.slice(town.service.url.length)
    expect((await town.ask(path(picture))).status).toBe(404)
    expect((await town.ask(path(url))).body).not.toContain('<img')
  })

  test('health and figures, without a name in them', async () => {
    const town = await openTown({ fleet: true })
    await town.api('/servers/web-1', { method: 'POST', body: 'notifications=true' })
    expect((await town.ask('/healthz')).status).toBe(200)
    const { body } = await town.ask('/metrics')
    expect(body).toContain('monbot_service_requests_total{operation="POST /servers/:host"} 1')
    expect(body).not.toMatch(/web-1|key-of/)
    // Documents, rules and dashboard know these and no others.
    const there = new Set(body.match(/\bmonbot_service_\w+/g))
    for (const file of ['docs/metrics.md', 'deploy/monbot.rules.yml', 'deploy/monbot-dashboard.json'])
      for (const [name] of readFileSync(file, 'utf8').matchAll(/\bmonbot_service_\w+/g))
        expect(there, `${file}: ${name}`).toContain(name)
    expect(readFileSync('docs/metrics.md', 'utf8').match(/^\| `monbot_service_/gm)).toHaveLength(there.size)
  })
})
