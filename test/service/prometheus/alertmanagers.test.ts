/** What fires, read from real Alertmanagers: all of them, one of two, frozen ones, and ones that were started anew. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Alertmanagers, openAlertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import type { ManagedAlert } from '../../../src/service/prometheus/records.ts'
import type { Endpoint } from '../../../src/service/prometheus/settings.ts'
import { patienceMs } from '../../support/patience.ts'
import { isAlertmanagerMissing, openAlertmanager, openCluster } from './alertmanager.ts'

const timeoutMs = 5_000
const full = { labels: { alertname: 'DiskFull', instance: 'web-1:9100', severity: 'critical' } }
const high = { labels: { alertname: 'LoadHigh', instance: 'web-2:9100' } }

function opened(endpoints: readonly Endpoint[], told: string[] = []): Alertmanagers {
  const alertmanagers = openAlertmanagers(endpoints, {
    timeoutMs,
    nowMs: Date.now,
    report: (line) => void told.push(line),
  })
  onTestFinished(alertmanagers.close)
  return alertmanagers
}

const namesOf = (alerts: readonly ManagedAlert[]): string[] =>
  alerts.map(({ labels }) => String(labels.alertname)).sort()

test.runIf(process.env.CI)('where everything must be tested, there is an Alertmanager', () => {
  expect(isAlertmanagerMissing).toBe(false)
})

test.skipIf(isAlertmanagerMissing)('what fires is listed with who hides it', async () => {
  const real = await openAlertmanager()
  const alertmanagers = opened([real.endpoint])
  const startsAt = new Date(Date.now() - 90_000).toISOString()
  const warning = { labels: { ...full.labels, alertname: 'DiskFilling', severity: 'warning' } }
  await real.post([
    { ...full, startsAt, annotations: { summary: 'it is <!channel> "full" – ☃' } },
    warning,
    high,
  ])
  const id = (await real.amtool('silence', 'add', '-c', 'known', 'alertname=LoadHigh')).trim()

  await vi.waitFor(
    async () => {
      const { alerts, upSinceMs, answered } = await alertmanagers.alerts()
      const named = (name: string) => alerts.find(({ labels }) => labels.alertname === name)
      expect(named('DiskFull')).toMatchObject({
        labels: full.labels,
        annotations: { summary: 'it is <!channel> "full" – ☃' },
        startsAtMs: Date.parse(startsAt),
        state: 'active',
        silencedBy: [],
        inhibitedBy: [],
      })
      expect(named('DiskFilling')).toMatchObject({
        state: 'suppressed',
        silencedBy: [],
        inhibitedBy: [named('DiskFull')?.fingerprint],
      })
      expect(named('LoadHigh')).toMatchObject({ state: 'suppressed', silencedBy: [id], inhibitedBy: [] })
      expect(answered).toBe(1)
      expect(Date.now() - upSinceMs).toBeLessThan(60_000)
    },
    { timeout: patienceMs },
  )
})

test.skipIf(isAlertmanagerMissing)('one of two is enough, and what each lists counts', async () => {
  const [one, other] = await openCluster()
  const told: string[] = []
  const alertmanagers = opened([one.endpoint, other.endpoint], told)
  await one.post([full])
  await other.post([full, high])
  expect(namesOf((await alertmanagers.alerts()).alerts)).toEqual(['DiskFull', 'LoadHigh'])

  await one.kill()
  const alone = await alertmanagers.alerts()
  expect(namesOf(alone.alerts)).toEqual(['DiskFull', 'LoadHigh'])
  expect(alone.answered).toBe(1)
  await alertmanagers.alerts()
  expect(told).toEqual([
    `Alertmanager at ${one.url} cannot be asked: it refused the connection; what the others say is taken`,
  ])

  await other.kill()
  await expect(alertmanagers.alerts()).rejects.toMatchObject({ status: 503 })

  await one.restart()
  await alertmanagers.alerts()
  expect(told).toHaveLength(3)
  expect(told[1]).toBe(`Alertmanager at ${one.url} answers again`)
})

test.skipIf(isAlertmanagerMissing)(
  'a frozen one holds up one reading for half a second, and no more',
  async () => {
    const [one, other] = await openCluster()
    const told: string[] = []
    const alertmanagers = opened([one.endpoint, other.endpoint], told)
    await one.post([full])
    await other.post([full])
    await alertmanagers.alerts()

    await one.freeze()
    const beganMs = performance.now()
    expect((await alertmanagers.alerts()).answered).toBe(1)
    const firstMs = performance.now() - beganMs
    expect(firstMs).toBeGreaterThan(450)
    let leastMs = firstMs
    for (let n = 0; n < 20; n += 1) {
      const againMs = performance.now()
      expect((await alertmanagers.alerts()).answered).toBe(1)
      leastMs = Math.min(leastMs, performance.now() - againMs)
    }
    // Each of them would wait as the first one did; a machine that does much else spoils not all of them.
    expect(leastMs).toBeLessThan(450)
    expect(told).toEqual([`Alertmanager at ${one.url} is slow, or frozen; what the others say is taken`])

    one.thaw()
    await vi.waitFor(async () => expect((await alertmanagers.alerts()).answered).toBe(2), {
      timeout: patienceMs,
    })
    expect(told[1]).toBe(`Alertmanager at ${one.url} answers again`)

    // Both: there is nobody to take the word of, and each is given its time.
    await one.freeze()
    await other.freeze()
    await expect(alertmanagers.alerts()).rejects.toMatchObject({ status: 504 })
    other.thaw()
    expect((await alertmanagers.alerts()).answered).toBeGreaterThan(0)
  },
)

test.skipIf(isAlertmanagerMissing)(
  'one that was started anew between two readings says since when it is up',
  async () => {
    const real = await openAlertmanager()
    const alertmanagers = opened([real.endpoint])
    await real.post([full])
    const before = await alertmanagers.alerts()
    const restartedMs = Date.now()
    await real.restart({ isDataLost: true })
    // Nobody read while it was away; what tells is that it lists nothing now.
    const after = await alertmanagers.alerts()
    expect(after.alerts).toEqual([])
    expect(before.upSinceMs).toBeLessThan(restartedMs)
    expect(after.upSinceMs).toBeGreaterThanOrEqual(restartedMs - 1)
  },
)

test.skipIf(isAlertmanagerMissing)(
  'where one of two was started anew, the other is the one that knows',
  async () => {
    const [one, other] = await openCluster()
    const alertmanagers = opened([one.endpoint, other.endpoint])
    await one.post([full])
    await other.post([full])
    const before = await alertmanagers.alerts()
    await one.restart({ isDataLost: true })
    const after = await alertmanagers.alerts()
    expect(namesOf(after.alerts)).toEqual(['DiskFull'])
    expect(after.upSinceMs).toBeLessThanOrEqual(before.upSinceMs + 60_000)
    expect(after.answered).toBe(2)
  },
)
