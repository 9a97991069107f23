/** Names that a file will change are shown before: over a real Prometheus, beside the service that runs with the names of now. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { compiled } from '../../support/compiled.ts'
import { patienceMs } from '../../support/patience.ts'
import { startService } from '../process.ts'
import { openShop } from './front.ts'
import { untilSeries } from './metrics-town.ts'
import { lacks, tempFolder } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const entry = fileURLToPath(new URL('../../../src/service/main.ts', import.meta.url))
const key = 'key-of-the-account'
const soon = { timeout: patienceMs, interval: 250 }

type Said = { readonly code: number; readonly out: string; readonly err: string }

async function namesWith(env: Readonly<Record<string, string>>): Promise<Said> {
  const options = { env: { PATH: process.env.PATH, ...compiled, ...env }, timeout: patienceMs }
  return promisify(execFile)(process.execPath, [entry, '--names'], options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  )
}

const storedNames = (file: string): unknown => {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare("SELECT body FROM documents WHERE kind = 'names'").all()
  } finally {
    db.close()
  }
}

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'who is renamed, with alerts, roles and mute, is shown while the service runs, is so at its next start, and nothing is written',
  async (t) => {
    const [shop, [manager]] = [await openShop(t), await openAlertmanagers(t)]
    const target = (job: string, instance: string, labels: Readonly<Record<string, string>> = {}) => ({
      job,
      targets: [shop.url],
      instance,
      labels,
    })
    const prometheus = await openPrometheus(t, {
      jobs: [
        target('pay', 'web-1:9100', { namespace: 'pay', pod: 'web' }),
        target('stock', '10.1.0.7:8080', { namespace: 'stock', pod: 'a' }),
        target('stock-b', '10.1.0.7:8080', { namespace: 'stock', pod: 'b' }),
        target('db', 'db-1:9100'),
      ],
      rules: [
        { alert: 'OrdersWaiting', expr: 'orders_waiting{job="pay"} > 100' },
        { alert: 'OrdersLate', expr: 'orders_waiting{job=~"pay|db"} > 100' },
      ],
      alertmanagers: [manager?.url ?? ''],
    })
    shop.set('orders_waiting', 120)
    await untilSeries(prometheus.url, 'up == 1', 4)
    await untilSeries(prometheus.url, 'ALERTS{alertstate="firing"}', 3)
    const folder = tempFolder(t)
    const [file, config] = [join(folder, 'monitor.db'), join(folder, 'service.yaml')]
    const before = 'prometheus:\n  server_label: instance\n'
    const after = 'prometheus:\n  server: ["{namespace}/{pod}", "{instance}"]\n'
    const env = {
      MONITOR_API_KEY: key,
      MONITOR_FILE: file,
      MONITOR_CONFIG: config,
      PROMETHEUS_URL: prometheus.url.replace('://', '://ana:geheim@'),
      ALERTMANAGER_URL: manager?.url ?? '',
    }
    writeFileSync(config, before)
    const service = await startService(env)
    const post = async (path: string, given: Readonly<Record<string, string>>) => {
      const url = `${service.url}/api/v2/${key}/${path}`
      const { status } = await fetch(url, { method: 'POST', body: new URLSearchParams(given) })
      expect(status).toBe(200)
    }
    const open = async () => {
      const answer = await fetch(`${service.url}/api/v2/${key}/alerts.json?lifecycle=start`)
      return ((await answer.json()) as { results?: unknown[] }).results
    }
    await expect.poll(open, soon).toHaveLength(3)
    await post('servers/web-1/roles/add', { roles: 'shop' })
    await post('servers/web-1', { notifications: 'false' })
    await post('servers/10.1.0.7/roles/add', { roles: 'till' })

    const names = storedNames(file)
    expect(await namesWith(env)).toEqual({
      code: 0,
      out: 'No server changes its name: the ledger names them as the file asks, or has named none yet.\n',
      err: '',
    })
    writeFileSync(config, after)
    const shown = {
      code: 0,
      out: [
        '10.1.0.7 → stock/a, stock/b (roles till, roles and mute stay with the old name, which stood for several)',
        'web-1 → pay/web (2 alerts open, roles shop, muted)',
        '2 change their name with the next start of the service, 1 keep it.',
        "Check the routes and rules of the bot's policy that match `server` against these names; open alerts keep theirs, and roles and mute go along once these are over; mutes keep what they hide until they end, and old names work for 30 days.\n",
      ].join('\n'),
      err: '',
    }
    expect(await namesWith(env)).toEqual(shown)
    // It was no start: the running service and the next look find the ledger as it was.
    expect(storedNames(file)).toEqual(names)
    expect(await open()).toHaveLength(3)
    expect(await service.stop()).toBe(0)
    expect(await namesWith(env)).toEqual(shown)

    const next = await startService(env)
    shop.set('orders_waiting', 0)
    await expect.poll(next.complaints, soon).toContain('"web-1" is called "pay/web" now')
    expect(next.complaints()).not.toContain('"10.1.0.7" is called')
    expect((await namesWith(env)).out).toMatch(/^No server changes its name/)

    writeFileSync(config, before)
    await prometheus.kill()
    const away = await namesWith(env)
    expect([away.code, away.out]).toEqual([1, ''])
    expect(away.err).toMatch(/^the names of servers cannot be compared: .*refused the connection\n$/)
    expect(away.err).not.toContain('geheim')
  },
)

test('without a file of the service, without a Prometheus, or with a wrong setting it says so in one sentence', async (t) => {
  const folder = tempFolder(t)
  const other = join(folder, 'other.db')
  new Database(other).exec('CREATE TABLE songs (name TEXT)').close()
  const env = { PROMETHEUS_URL: 'http://ana:geheim@127.0.0.1:9' }
  const missing = join(folder, 'missing.db')
  for (const [given, sentence] of [
    [env, 'MONITOR_FILE: expected the file of the service, whose names stay; came nothing'],
    [{ MONITOR_FILE: other }, 'PROMETHEUS_URL: expected a Prometheus, here or in the file; came nothing'],
    [
      { ...env, MONITOR_FILE: missing },
      `There is no file ${missing}: set MONITOR_FILE to that of the service.`,
    ],
    [
      { ...env, MONITOR_FILE: other },
      `The file ${other} is no file of the service: set MONITOR_FILE to that of the service.`,
    ],
    [
      { ...env, MONITOR_ORDER: 'geheim' },
      'MONITOR_ORDER: expected newest or oldest or shuffled; came "geheim"',
    ],
  ] as const) {
    const err = `the names of servers cannot be compared: ${sentence}\n`
    expect(await namesWith(given)).toEqual({ code: 1, out: '', err })
  }
})
