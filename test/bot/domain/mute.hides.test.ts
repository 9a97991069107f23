/** Which mute hides which alert: the account's all, a server's its own, an alert's the same trouble under any number. */
import { expect, test } from 'vitest'
import type { MutedBy } from '../../../src/bot/domain/alert/details.ts'
import { hides, isHidden, type Mute, muteOf, mutesHiding } from '../../../src/bot/domain/mute/mute.ts'
import { troubleSubject } from '../../../src/bot/domain/mute/subject.ts'
import { aMute, anAlertMute } from '../../support/acting-rows.ts'
import { leastCpuMsOf } from '../../support/cpu-time.ts'
import { anAlert, someDetails } from '../../support/delivery-world.ts'

const disk = anAlert('1', { hostname: 'db-1', plugin: 'Disk', title: 'Disk /data over 90 %', value: 91 })

const by = (id: string | null): MutedBy => {
  return { kind: 'silence', id, by: 'ana', untilMs: null, why: null, isOurs: true }
}

test('the mute of an alert hides its trouble under any number, and no neighbour', () => {
  const mutes = [anAlertMute('m1', disk)]
  expect(isHidden(anAlert('2', { ...disk, alertId: '2' }), mutes)).toBe(true)
  for (const other of [
    { hostname: 'db-2' },
    { plugin: 'CPU' },
    { metric: 'other' },
    { title: 'Disk /logs over 90 %' },
    { title: 'Disk /data over 95 %' },
    { triggerId: '7' },
  ]) {
    expect(isHidden({ ...disk, ...other }, mutes), JSON.stringify(other)).toBe(false)
  }
})

test('where the service names the trouble, that name alone says what is the same', () => {
  const told = { ...disk, details: someDetails({ trouble: 't1', canMute: true }) }
  const mutes = [anAlertMute('m1', told)]
  expect(isHidden({ ...told, hostname: 'db-1-7f9', title: 'other words' }, mutes)).toBe(true)
  expect(isHidden({ ...told, details: someDetails({ trouble: 't2' }) }, mutes)).toBe(false)
  expect(isHidden(disk, mutes)).toBe(false)
})

test('what becomes critical is not hidden by the mute of a warning; what eases stays hidden', () => {
  const critical = { ...disk, severity: 'critical' } as const
  expect(isHidden(critical, [anAlertMute('m1', disk)])).toBe(false)
  expect(muteOf(critical, [anAlertMute('m1', disk)])).toBeNull()
  expect(isHidden(disk, [anAlertMute('m1', critical)])).toBe(true)
  expect(isHidden(critical, [anAlertMute('m1', critical)])).toBe(true)
})

test('what matchers hide is what the service says, by the id of the mute', () => {
  const wide = anAlertMute('m1', disk, {}, { isAtService: true, matchers: ['namespace="pay"'] })
  const other = anAlert('7', { mutedBy: [by(null), by('m1')] })
  expect(isHidden(other, [wide])).toBe(true)
  expect(isHidden({ ...other, severity: 'critical' }, [wide])).toBe(true)
  expect(isHidden({ ...other, mutedBy: [by('m2')] }, [wide])).toBe(false)
  // Without matchers of its own a mute hides its trouble alone, whatever the service calls it.
  expect(isHidden(other, [anAlertMute('m1', disk, {}, { isAtService: true })])).toBe(false)
})

test("an alert's own mute is shown before its server's, and that before the account's; each is known", () => {
  const own = anAlertMute('m1', disk)
  const server = aMute('m2', { subject: 'db-1' })
  const account = aMute('m3', { subject: null })
  expect(mutesHiding(disk, [account, server, own])).toEqual([own, server, account])
  expect(muteOf(disk, [account, server])).toBe(server)
  expect(mutesHiding({ ...disk, plugin: 'CPU' }, [account, server, own])).toEqual([server, account])
  expect(hides(own, disk) && hides(server, disk) && hides(account, disk)).toBe(true)
  expect(hides(own, anAlert('2')) || hides(server, anAlert('2'))).toBe(false)
})

test('of one trouble the active mute counts before the one that is ending', () => {
  const over = anAlertMute('m1', disk, { state: 'ended', confirmation: 'waiting', endedBy: 'person' })
  const now = anAlertMute('m2', disk)
  expect(muteOf(disk, [over, now])).toBe(now)
  expect(isHidden(disk, [over])).toBe(false)
  expect(muteOf(disk, [over])).toBe(over)
})

test('a hostname that looks like the name of a trouble is a server all the same', () => {
  const odd = anAlert('1', { hostname: 'alert:0' })
  const mutes: readonly Mute[] = [aMute('m1', { subject: 'alert:0' })]
  expect(isHidden(odd, mutes)).toBe(true)
  expect(isHidden(anAlert('2'), mutes)).toBe(false)
})

test('two thousand mutes and ten thousand alerts are looked up, and not compared with each other', () => {
  const alerts = Array.from({ length: 10_000 }, (_, n) => anAlert(String(n), { title: `Volume ${n} full` }))
  const mutes = alerts.slice(0, 2_000).map((alert, n) => anAlertMute(`m${n}`, alert))
  for (const alert of alerts) troubleSubject(alert)
  const compared = leastCpuMsOf(() =>
    expect(alerts.filter((alert) => mutes.some((mute) => hides(mute, alert)))).toHaveLength(2_000),
  )
  const lookedUp = leastCpuMsOf(() =>
    expect(alerts.filter((alert) => isHidden(alert, mutes))).toHaveLength(2_000),
  )
  expect(lookedUp).toBeLessThan(compared / 4)
})
