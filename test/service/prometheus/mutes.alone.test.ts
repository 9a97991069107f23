/** A mute of one alert hides the same trouble, and at the real Alertmanager nothing else, whatever the labels. */
import fc from 'fast-check'
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Bearing, troubleOf } from '../../../src/service/prometheus/identity.ts'
import { matcherText } from '../../../src/service/prometheus/matchers.ts'
import { alone } from '../../../src/service/prometheus/mutes.ts'
import type { Labels } from '../../../src/service/prometheus/naming.ts'
import { fingerprintOf } from '../../../src/service/prometheus/records.ts'
import { patienceMs } from '../../support/patience.ts'
import { isAlertmanagerMissing, openAlertmanager } from './alertmanager.ts'

type Known = { readonly labels: Labels; readonly bearing?: Bearing; readonly fingerprint: string }

const known = (labels: Labels, bearing?: Bearing): Known => ({
  labels,
  fingerprint: 'of the Alertmanager',
  ...(bearing === undefined ? {} : { bearing }),
})
const textOf = (one: Known, others: readonly Known[]) => alone(one, others).map(matcherText).join(' ')

test('what is new after a restart is no part of it, and what only neighbours have must be absent', () => {
  const disk = { alertname: 'Disk', namespace: 'pay', severity: 'warning', cluster: 'eu' }
  const plain = known({
    ...disk,
    uid: '1',
    container_id: '2',
    id: '3',
    endpoint: '4',
    prometheus_replica: 'a',
  })
  const own = 'alertname="Disk" cluster="eu" namespace="pay" severity="warning"'
  expect(textOf(plain, [])).toBe(own)
  expect(textOf(plain, [plain, known({ ...disk, uid: '9', volume: '' })])).toBe(own)
  // Labels that are left out of it are not asked to be absent either.
  expect(textOf(known(disk), [plain])).toBe(own)
  const neighbours = [known({ ...disk, volume: 'a' }), known({ ...disk, pod: 'p', volume: 'b' })]
  expect(textOf(plain, neighbours)).toBe(`${own.replace(' severity', ' pod="" severity')} volume=""`)
  expect(textOf(known({ ...disk, volume: 'a' }), [plain])).toBe(`${own} volume="a"`)
})

test('of a pod with a known owner the pattern of all its pods counts, and its address does not', () => {
  const labels = { alertname: 'Crash', pod: 'web-5d9-abcde', instance: '10.0.0.1:80', container: 'app' }
  const bearing = { patterns: { pod: 'web-[0-9a-z]+-[0-9a-z]{5}' }, reporter: ['job'] }
  const own = 'alertname="Crash" container="app" pod=~"web-[0-9a-z]+-[0-9a-z]{5}"'
  expect(textOf(known({ ...labels, job: 'kube-state-metrics' }, bearing), [])).toBe(own)
  // Its own instance and job are there, so that they cannot be asked to be absent.
  const others = [known({ ...labels, pod: 'db-0', job: 'x' }), known({ alertname: 'Crash', node: 'n-1' })]
  expect(textOf(known({ ...labels, job: 'kube-state-metrics' }, bearing), others)).toBe(
    own.replace(' pod', ' node="" pod'),
  )
})

test('a replica is a label of its own, unless the Prometheuses of a pair added it', () => {
  const labels = { alertname: 'Lag', cluster: 'eu' }
  const primary = known({ ...labels, replica: 'db-1' })
  expect(textOf(known(labels), [primary])).toBe('alertname="Lag" cluster="eu" replica=""')
  expect(textOf(primary, [known(labels)])).toBe('alertname="Lag" cluster="eu" replica="db-1"')
  const copied = { labels, fingerprint: fingerprintOf(labels) }
  expect(textOf(copied, [primary])).toBe('alertname="Lag" cluster="eu"')
})

const listed = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ silencedBy: z.array(z.string()) }),
  }),
)

test.skipIf(isAlertmanagerMissing)(
  'of 120 alerts with labels as they come, a mute of each hides its own trouble and no other',
  async () => {
    const real = await openAlertmanager()
    const value = fc.constantFrom('', '', 'a', 'A', 'a.b', 'axb', 'a"\\b', '.*', 'é ☃', 'a\nb')
    const names = ['namespace', 'pod', 'volume', 'severity', 'cluster', 'uid', 'endpoint'] as const
    const shape = fc.record(Object.fromEntries(names.map((name) => [name, value])))
    const alerts = fc
      .sample(fc.tuple(fc.constantFrom('Disk', 'Down'), shape), { numRuns: 120, seed: 11 })
      .map(([alertname, labels], n): Known => {
        const own = Object.entries<string>({ alertname, ...labels }).filter(([, text]) => text !== '')
        return known(Object.fromEntries([...own, ['container_id', String(n)]]))
      })
    await real.post(alerts.map(({ labels }) => ({ labels })))
    const troubleOfSilence = new Map<string, string>()
    for (const one of alerts) {
      const others = alerts.filter(({ labels }) => labels.alertname === one.labels.alertname)
      const { statusCode, body } = await request(`${real.url}/api/v2/silences`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          matchers: alone(one, others),
          startsAt: new Date().toISOString(),
          endsAt: new Date(Date.now() + 3_600_000).toISOString(),
          createdBy: 'ana',
          comment: 'x',
        }),
      })
      const said = await body.text()
      if (statusCode !== 200) throw new Error(said)
      const { silenceID } = z.object({ silenceID: z.string() }).parse(JSON.parse(said))
      troubleOfSilence.set(silenceID, troubleOf(one.labels))
    }
    const troubles = new Set(troubleOfSilence.values())
    expect(troubles.size).toBeGreaterThan(80)
    expect(troubles.size).toBeLessThan(alerts.length)
    await vi.waitFor(
      async () => {
        const found = listed.parse(await (await request(`${real.url}/api/v2/alerts`)).body.json())
        expect(found).toHaveLength(alerts.length)
        for (const { labels, status } of found) {
          const own = troubleOf(labels)
          const expected = [...troubleOfSilence].filter(([, trouble]) => trouble === own).map(([id]) => id)
          expect([labels, status.silencedBy.toSorted()]).toEqual([labels, expected.sort()])
        }
      },
      { timeout: patienceMs },
    )
  },
)
