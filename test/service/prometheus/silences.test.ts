/** Switches as silences at real Alertmanagers, seen with `amtool`: they come, are renewed, go, and outlive kills, losses and hands. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { openAlertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { patienceMs } from '../../support/patience.ts'
import { type Alertmanager, isAlertmanagerMissing, openAlertmanager, openCluster } from './alertmanager.ts'
import {
  account,
  newProcess,
  openKeptLedger,
  openTownSilences,
  serverOf,
  settings,
} from './memory-alertmanager.ts'

const minuteMs = 60_000

const listed = z.array(
  z.object({
    id: z.string(),
    createdBy: z.string(),
    comment: z.string(),
    startsAt: z.string(),
    endsAt: z.string(),
    matchers: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
)

/** What a person sees, without what is over. */
async function seen({ amtool }: Alertmanager) {
  return listed.parse(JSON.parse(await amtool('silence', 'query', '-o', 'json')))
}

function clientOf(...all: readonly Alertmanager[]) {
  const endpoints = all.map(({ endpoint }) => endpoint)
  const alertmanagers = openAlertmanagers(endpoints, { timeoutMs: 2_000, nowMs: Date.now, report() {} })
  onTestFinished(alertmanagers.close)
  return alertmanagers
}

const when = test.skipIf(isAlertmanagerMissing)

when('a silence comes with its server, is renewed after a quarter of an hour, and goes', async () => {
  const real = await openAlertmanager()
  let aheadMs = 0
  const alertmanagers = clientOf(real)
  const silences = openTownSilences({
    alertmanagers,
    ledger: openKeptLedger().ledgerOf(newProcess()),
    nowMs: () => Date.now() + aheadMs,
  })
  await real.post([
    { labels: { alertname: 'DiskFull', instance: 'web-1:9100' } },
    { labels: { alertname: 'DiskFull', instance: 'web-10:9100' } },
  ])
  await silences.set(serverOf('web-1'), false)
  const [silence] = await seen(real)
  expect(silence).toMatchObject({
    createdBy: 'monbot',
    comment: expect.stringMatching(/^Notifications of web-1 are off \(monbot \S+\)$/),
    matchers: [{ name: 'instance', value: 'web-1(:[0-9]+)?' }],
  })
  const endsMs = Date.parse(silence?.endsAt ?? '')
  expect(Math.abs(endsMs - Date.now() - 60 * minuteMs)).toBeLessThan(2 * minuteMs)
  await vi.waitFor(
    async () => {
      const { alerts } = await alertmanagers.alerts()
      const hidden = alerts.filter(({ state }) => state === 'suppressed')
      expect(hidden.map(({ labels }) => labels.instance)).toEqual(['web-1:9100'])
      expect(hidden.flatMap(({ silencedBy }) => silencedBy).every(silences.isOurs)).toBe(true)
    },
    { timeout: patienceMs },
  )
  expect(silences.isOurs('8b2a7dc0-0000-4000-8000-000000000000')).toBe(false)

  aheadMs = 14 * minuteMs
  await silences.tend()
  expect((await seen(real)).map(({ endsAt }) => Date.parse(endsAt))).toEqual([endsMs])
  aheadMs = 16 * minuteMs
  await silences.tend()
  const [renewed, ...others] = await seen(real)
  expect(others).toEqual([])
  expect(renewed?.id).toBe(silence?.id)
  expect(Date.parse(renewed?.endsAt ?? '') - endsMs).toBeGreaterThanOrEqual(16 * minuteMs - 1_000)

  await silences.set(serverOf('web-1'), true)
  expect(await seen(real)).toEqual([])
  await silences.tend()
  expect([await seen(real), silences.found(), silences.told, silences.ended]).toEqual([[], [], [], []])
})

when('names with quotes, umlauts, patterns and mentions are silenced, and no others', async () => {
  const real = await openAlertmanager()
  const alertmanagers = clientOf(real)
  const ledger = openKeptLedger().ledgerOf(newProcess())
  const silences = openTownSilences({ alertmanagers, ledger })
  const names = ['a"b\\c', 'wéb-☃', 'w.b+(x)|[y]{2}^$*?', '<!channel> here', "it's", 'web.1']
  const others = ['web-1', 'ab', 'wXb', 'web.1.example.org']
  await real.post(
    [...names, ...others].map((name) => ({ labels: { alertname: 'A', instance: `${name}:9100` } })),
  )
  for (const name of names) await silences.set(serverOf(name), false)
  await vi.waitFor(
    async () => {
      const { alerts } = await alertmanagers.alerts()
      const shown = alerts.filter(({ state }) => state !== 'suppressed').map(({ labels }) => labels.instance)
      expect(shown.sort()).toEqual(others.map((name) => `${name}:9100`).sort())
    },
    { timeout: patienceMs },
  )

  // Without a ledger of its own, another one finds from the silences alone what is off.
  const heir = openTownSilences({ alertmanagers, ledger: memoryLedger() })
  await silences.set(account, false)
  expect(heir.found()).toEqual([])
  await heir.tend()
  const found = heir.found().map(({ subject }) => (subject.kind === 'server' ? subject.hostname : ''))
  expect(found.sort()).toEqual(['', ...names].sort())
  await heir.set(account, true)
  for (const name of names) await heir.set(serverOf(name), true)
  expect(await seen(real)).toEqual([])
})

when.each([
  ['no matcher', { serverLabel: 'not a label', serviceless: 'job' }, Date.now, /invalid label matcher/],
  ['over before it begins', settings, () => Date.now() - 180 * minuteMs, /end time can't be in the past/],
] as const)(
  'what is %s for an Alertmanager is a sentence, and nothing is off',
  async (_, names, nowMs, sentence) => {
    const real = await openAlertmanager()
    const ledger = openKeptLedger().ledgerOf(newProcess())
    const silences = openTownSilences({ alertmanagers: clientOf(real), ledger, nowMs })
    await expect(silences.set(serverOf('web-1', ['server'], names), false)).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(sentence),
    })
    expect([silences.found(), await seen(real)]).toEqual([[], []])
  },
)

when('whoever ends a silence by hand has switched the server on again, and is told of once', async () => {
  const real = await openAlertmanager()
  const silences = openTownSilences({
    alertmanagers: clientOf(real),
    ledger: openKeptLedger().ledgerOf(newProcess()),
  })
  await silences.set(serverOf('web-1'), false)
  await silences.set(serverOf('web-2'), false)
  const byHand = (await seen(real)).find(({ comment }) => comment.includes('web-1'))
  await real.amtool('silence', 'expire', byHand?.id ?? '')
  for (let n = 0; n < 3; n += 1) await silences.tend()
  expect(silences.ended).toEqual([serverOf('web-1').subject])
  expect(silences.told).toEqual([
    'somebody ended the silence of web-1 at the Alertmanager: its notifications are on again',
  ])
  expect(silences.found()).toEqual([serverOf('web-2')])
  expect(await seen(real)).toHaveLength(1)

  await silences.set(serverOf('web-1'), false)
  await silences.tend()
  expect(await seen(real)).toHaveLength(2)
  expect(silences.ended).toHaveLength(1)
})

when('an Alertmanager that lost its data, or fell back to an old state, is told again', async () => {
  const real = await openAlertmanager()
  const silences = openTownSilences({
    alertmanagers: clientOf(real),
    ledger: openKeptLedger().ledgerOf(newProcess()),
  })
  await silences.set(serverOf('web-1'), false)
  await real.restart({ isDataLost: true })
  expect(await seen(real)).toEqual([])
  await silences.tend()
  expect(await seen(real)).toHaveLength(1)

  // Ended well it writes its state down; killed it forgets what came after.
  await real.kill('SIGTERM')
  await expect(silences.set(serverOf('web-1'), true)).rejects.toMatchObject({ status: 503 })
  expect(silences.found()).toEqual([serverOf('web-1')])
  await silences.tend()
  await silences.tend()
  expect(silences.told).toEqual([
    expect.stringMatching(/^silences cannot be looked after: Alertmanager at \S+ cannot be asked/),
  ])
  await real.restart()
  expect(await seen(real)).toHaveLength(1)
  await silences.tend()
  expect([await seen(real), silences.found()]).toEqual([[], []])
  expect(silences.ended).toEqual([serverOf('web-1').subject])
  expect(silences.told[1]).toBe('silences are looked after again')

  await real.kill('SIGKILL')
  await real.restart()
  expect(await seen(real)).toHaveLength(1)
  await silences.tend()
  expect(await seen(real)).toEqual([])
})

when('two services with ledgers of their own leave each other alone', async () => {
  const real = await openAlertmanager()
  const [one, other] = [newProcess(), newProcess()].map((process) =>
    openTownSilences({ alertmanagers: clientOf(real), ledger: openKeptLedger().ledgerOf(process) }),
  )
  await one?.set(serverOf('web-1'), false)
  await other?.set(serverOf('web-1'), false)
  for (const service of [one, other, one]) await service?.tend()
  expect(await seen(real)).toHaveLength(2)
  await one?.set(serverOf('web-1'), true)
  for (const service of [one, other, one]) await service?.tend()
  expect(await seen(real)).toHaveLength(1)
  expect([one?.found(), other?.found()]).toEqual([[], [serverOf('web-1')]])
})

when('200 servers are switched off at once, and on, and each is asked for once', async () => {
  const real = await openAlertmanager()
  const silences = openTownSilences({
    alertmanagers: clientOf(real),
    ledger: openKeptLedger().ledgerOf(newProcess()),
  })
  const servers = Array.from({ length: 200 }, (_, n) => serverOf(`web-${n}`))
  await Promise.all([...servers.map((server) => silences.set(server, false)), silences.tend()])
  await Promise.all([silences.tend(), silences.tend()])
  expect(new Set((await seen(real)).map(({ comment }) => comment)).size).toBe(200)
  expect(await seen(real)).toHaveLength(200)
  await Promise.all(servers.flatMap((server) => [silences.set(server, true), silences.set(server, false)]))
  await silences.tend()
  expect(await seen(real)).toHaveLength(200)
  await Promise.all(servers.map((server) => silences.set(server, true)))
  expect(await seen(real)).toEqual([])
})

when('one of two that is frozen, gone or back with nothing changes nothing', async () => {
  const [one, other] = await openCluster()
  const silences = openTownSilences({
    alertmanagers: clientOf(one, other),
    ledger: openKeptLedger().ledgerOf(newProcess()),
  })
  await silences.set(serverOf('web-1'), false)
  await vi.waitFor(async () => expect(await seen(other)).toHaveLength(1), { timeout: patienceMs })

  await one.freeze()
  await silences.tend()
  await silences.set(serverOf('web-2'), false)
  expect(await seen(other)).toHaveLength(2)
  one.thaw()
  await one.restart({ isDataLost: true })
  await vi.waitFor(
    async () => {
      await silences.tend()
      for (const each of [one, other]) expect(await seen(each)).toHaveLength(2)
    },
    { timeout: patienceMs, interval: 200 },
  )

  await other.kill()
  await silences.set(serverOf('web-1'), true)
  await other.restart()
  await vi.waitFor(
    async () => {
      await silences.tend()
      for (const each of [one, other]) {
        expect((await seen(each)).map(({ comment }) => comment)).toEqual([
          expect.stringMatching(/^Notifications of web-2 /),
        ])
      }
    },
    { timeout: patienceMs, interval: 200 },
  )
  expect(silences.found()).toEqual([serverOf('web-2')])
})
