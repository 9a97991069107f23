/** An alert that the monitoring itself mutes is open and hidden: edited, counted, and told when it has been unmuted for a while. */
import { describe, expect, test } from 'vitest'
import type { MutedBy } from '../../../src/bot/domain/alert/details.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { renderAlert } from '../../../src/bot/slack/render/cards/alert-card.ts'
import { letPass } from '../../support/delivery-world.ts'
import { changeAlert, minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'

const byAna: MutedBy = {
  kind: 'silence',
  id: 's1',
  by: 'ana',
  untilMs: Date.UTC(2026, 10, 21, 15),
  why: 'new disks',
  isOurs: false,
}
const ours: MutedBy = { ...byAna, id: 'm1', by: 'monbot', isOurs: true }
const inhibited: MutedBy = {
  kind: 'inhibition',
  id: null,
  by: 'NodeDown on node-3',
  untilMs: null,
  why: null,
  isOurs: false,
}
const details = { labels: {}, description: '', links: [], trouble: null, canMute: true }
const muted = (...mutedBy: MutedBy[]) => ({ details, mutedBy: mutedBy.length === 0 ? undefined : mutedBy })

type Town = Awaited<ReturnType<typeof runningWorld>>

/** One reading after so long. */
async function readsAfter(town: Pick<Town, 'clock' | 'poll'>, ms: number): Promise<void> {
  await letPass(town.clock, ms)
  await town.poll()
}

/** A reading every minute and one at the end, and what was said by then. */
async function readFor(town: Town, ms: number): Promise<string[]> {
  for (let leftMs = ms; leftMs > 0; leftMs -= minuteMs) await readsAfter(town, Math.min(minuteMs, leftMs))
  town.expiry.wake()
  await letPass(town.clock, 0)
  return town.said()
}

async function textOf(town: Town): Promise<string> {
  const [job] = await cards(town)
  if (job?.view.kind !== 'alert') throw new Error('It is the card of the alert')
  return renderAlert({ ...job.view, links: [], labels: [] }).text
}

async function mutedNow(town: Town, alertId: string): Promise<readonly MutedBy[] | undefined> {
  return (await town.store.recallByIds([alertId]))[0]?.mutedBy
}

describe('an alert on its card', () => {
  test('stays open there and says who silenced it, until when and why', async () => {
    const town = await runningWorld()
    const alertId = town.service.open(muted())
    await town.poll()
    expect(await town.said()).toEqual([`post ${alertId} open`])
    town.service.change(alertId, muted(byAna))
    await readsAfter(town, minuteMs)
    expect(await textOf(town)).toMatch(
      /^🔴 .* · 🔕 silenced at the Alertmanager by ana until 2026-11-21 15:00 UTC: new disks · /,
    )
    // Extended, it is edited; the same again is nothing.
    town.service.change(alertId, muted({ ...byAna, untilMs: Date.UTC(2026, 10, 21, 16) }))
    await readsAfter(town, minuteMs)
    expect(await textOf(town)).toContain('until 2026-11-21 16:00 UTC: new disks')
    await readsAfter(town, minuteMs)
    expect(await town.said()).toEqual([])
    town.service.close(alertId)
    await readsAfter(town, minuteMs)
    expect(await town.said()).toEqual([`update ${alertId} closed`])
  })

  test('reminds nobody, and begins to when it is unmuted', async () => {
    const town = await runningWorld({ reminderAfterMs: 10 * minuteMs })
    const alertId = town.service.open(muted())
    await town.poll()
    town.service.change(alertId, muted(inhibited))
    await town.pass(40)
    expect(await town.said()).toEqual([`post ${alertId} open`])
    town.service.change(alertId, muted())
    await town.pass(6)
    expect(await town.said()).toEqual([`update ${alertId} open`])
    await town.pass(8)
    expect(await town.said()).toEqual([])
    await town.pass(4)
    expect(await town.said()).toEqual(['post unacknowledged'])
  })

  test('that somebody acknowledged stays so', async () => {
    const town = await runningWorld()
    const alertId = town.service.open(muted())
    await town.poll()
    await changeAlert(town, alertId, { ackedBy: 'U1', ackedMs: town.clock.nowMs() })
    town.service.change(alertId, muted(byAna))
    await town.pass(2)
    town.service.change(alertId, muted())
    await town.pass(7)
    const [alert] = await town.store.recallByIds([alertId])
    expect([alert?.ackedBy, alert?.mutedBy]).toEqual(['U1', undefined])
  })
})

describe('an alert that was muted from the start', () => {
  test('has no card, and is closed without a word', async () => {
    const town = await runningWorld({ reminderAfterMs: minuteMs })
    const alertId = town.service.open(muted(byAna))
    await town.pass(10)
    expect(await town.said()).toEqual([])
    expect((await town.store.openAlerts(null)).map((alert) => alert.alertId)).toEqual([alertId])
    town.service.close(alertId)
    await town.pass(10)
    expect(await town.said()).toEqual([])
    expect(await town.store.recallByIds([alertId])).toMatchObject([{ state: 'closed' }])
  })

  test('hides no neighbour on its server', async () => {
    const town = await runningWorld()
    town.service.open({ hostname: 'web-1', ...muted(byAna) })
    const neighbour = town.service.open({ hostname: 'web-1', ...muted() })
    await town.poll()
    expect(await town.said()).toEqual([`post ${neighbour} open`])
  })

  test('a storm of them is as silent', async () => {
    const town = await runningWorld()
    for (let n = 0; n < 60; n += 1) town.service.open({ hostname: `pod-${n}`, ...muted(inhibited) })
    await town.pass(3)
    expect(await town.said()).toEqual([])
  })

  test('that becomes critical stays hidden', async () => {
    const town = await runningWorld()
    const alertId = town.service.open(muted(byAna))
    await town.poll()
    town.service.change(alertId, { saidSeverity: 'critical' })
    await town.pass(3)
    expect(await town.said()).toEqual([])
    town.service.change(alertId, muted())
    expect(await readFor(town, 7 * minuteMs)).toEqual([`post ${alertId} open`])
  })

  test('is told when it reopens unmuted, and not when it reopens muted', async () => {
    const town = await runningWorld()
    const [one, other] = [town.service.open(muted(byAna)), town.service.open(muted(byAna))]
    await town.poll()
    const flip = (alertId: string, isOpen: boolean, by: MutedBy[]) =>
      town.service.change(alertId, {
        lifecycle: isOpen ? 'start' : 'end',
        ...({ isOpen } as object),
        ...muted(...by),
      })
    for (const alertId of [one, other]) flip(alertId, false, [])
    await readsAfter(town, minuteMs)
    flip(one, true, [])
    flip(other, true, [inhibited])
    await readsAfter(town, minuteMs)
    expect(await town.said()).toEqual([`post ${one}~2 open`])
    expect(await mutedNow(town, `${other}~2`)).toEqual([inhibited])
  })
})

describe('what is unmuted elsewhere', () => {
  async function silenced(count = 1, by: MutedBy = inhibited) {
    const town = await runningWorld()
    const ids = Array.from({ length: count }, (_, n) =>
      town.service.open({ hostname: `pod-${n}`, ...muted(by) }),
    )
    await town.poll()
    return {
      town,
      ids,
      set: (...mutedBy: MutedBy[]) => {
        for (const alertId of ids) town.service.change(alertId, muted(...mutedBy))
      },
    }
  }

  const times: readonly [string, number, boolean][] = [
    ['at the first reading', 0, false],
    ['after a minute', minuteMs, false],
    ['after 4:59', 5 * minuteMs - 1_000, false],
    ['after 5:00', 5 * minuteMs, true],
    ['after 5:01', 5 * minuteMs + 1_000, true],
  ]
  test.each(times)('is told %s: %d ms, %s', async (_, ms, isTold) => {
    const { town, ids, set } = await silenced()
    set()
    await readsAfter(town, minuteMs)
    expect(await readFor(town, ms)).toEqual(isTold ? [`post ${ids[0]} open`] : [])
    expect(await mutedNow(town, ids[0] ?? '')).toEqual(isTold ? undefined : [inhibited])
  })

  test.each(times.slice(0, 3))('what is muted again %s was never unmuted', async (_, ms) => {
    const { town, ids, set } = await silenced(60)
    for (let flap = 0; flap < 3; flap += 1) {
      set()
      await readsAfter(town, minuteMs)
      expect(await readFor(town, ms)).toEqual([])
      set(inhibited)
      await readsAfter(town, minuteMs)
    }
    set()
    await readsAfter(town, minuteMs)
    expect(await readFor(town, 5 * minuteMs - 1_000)).toEqual([])
    expect(await readFor(town, 1_000)).toEqual(['post summary 60', 'post page 60'])
    expect(ids).toHaveLength(60)
  })

  test('three have a card each, four one summary', async () => {
    for (const [count, told] of [
      [3, 'post 1 open, post 2 open, post 3 open'],
      [4, 'post page 4, post summary 4'],
    ] as const) {
      const { town, set } = await silenced(count)
      set()
      await readsAfter(town, minuteMs)
      expect((await readFor(town, 5 * minuteMs)).sort().join(', ')).toBe(told)
      expect(await readFor(town, 10 * minuteMs)).toEqual([])
    }
  })

  test('a time without readings does not count', async () => {
    const { town, ids, set } = await silenced()
    set()
    await readsAfter(town, minuteMs)
    for (let minute = 0; minute < 30; minute += 1) {
      town.service.failNext(new OutsideFailure('unreachable', 'away'))
      await letPass(town.clock, minuteMs)
      await town.poll().catch(() => undefined)
    }
    // A minute of it does, as between any two readings.
    expect(await readFor(town, minuteMs)).toEqual([])
    expect(await readFor(town, 3 * minuteMs)).toEqual([])
    expect(await readFor(town, minuteMs)).toEqual([`post ${ids[0]} open`])
  })

  test('a restart forgets nothing of it, and adds nothing to it', async () => {
    const { town, ids, set } = await silenced()
    set()
    await readsAfter(town, minuteMs)
    expect(await readFor(town, 2 * minuteMs)).toEqual([])
    await town.dies()
    town.restart()
    await letPass(town.clock, 60 * minuteMs)
    await town.poll()
    const again = { ...town, expiry: town.start() }
    expect(await readFor(again, 0)).toEqual([])
    expect(await readFor(again, 5 * minuteMs)).toEqual([`post ${ids[0]} open`])
  })

  test.each([
    ['ahead', 60 * minuteMs],
    ['back', -60 * minuteMs],
    ['back a little', -2 * minuteMs],
  ])('a clock that is set %s tells nothing early, and delays it by minutes', async (_, ms) => {
    const { town, ids, set } = await silenced()
    set()
    await readsAfter(town, minuteMs)
    town.clock.set(ms)
    expect(await readFor(town, 3 * minuteMs)).toEqual([])
    expect(await readFor(town, 5 * minuteMs)).toEqual([`post ${ids[0]} open`])
  })

  test('what ends before that is over is closed without a word', async () => {
    const { town, ids, set } = await silenced()
    set()
    await readsAfter(town, minuteMs)
    for (const alertId of ids) town.service.close(alertId)
    expect(await readFor(town, 10 * minuteMs)).toEqual([])
  })

  test('a service that says nothing more than the plain API mutes nothing', async () => {
    const { town, ids } = await silenced()
    town.service.change(ids[0] ?? '', { details: undefined, mutedBy: undefined })
    await readsAfter(town, minuteMs)
    expect(await readFor(town, 5 * minuteMs)).toEqual([`post ${ids[0]} open`])
  })

  test('one of two silences is left out at once, as the other still hides it', async () => {
    const { town, ids, set } = await silenced(1, byAna)
    set(byAna, inhibited)
    await readsAfter(town, minuteMs)
    set(inhibited)
    await readsAfter(town, minuteMs)
    expect(await mutedNow(town, ids[0] ?? '')).toEqual([inhibited])
    expect(await town.said()).toEqual([])
  })
})

describe('what the service made for one of its clients', () => {
  test('is not said beside the mute of monbot’s for which it was made, and ends with it', async () => {
    const town = await runningWorld()
    await town.mute('web-1', 15)
    const alertId = town.service.open({ hostname: 'web-1', ...muted(ours) })
    await town.pass(14)
    expect(await town.said()).toEqual([])
    // Its end is decided, and the service has not heard of it.
    await town.pass(1)
    expect((await town.said()).sort()).toEqual([`post ${alertId} open`, 'post mute_ended'])
  })

  test('hides what no mute of monbot’s is about, and ends when the service says so', async () => {
    const town = await runningWorld()
    const alertId = town.service.open({ hostname: 'web-1', ...muted(ours) })
    await town.pass(10)
    expect(await town.said()).toEqual([])
    town.service.change(alertId, muted())
    expect(await readFor(town, minuteMs)).toEqual([`post ${alertId} open`])
  })

  test('another silence outlasts the mute of monbot’s', async () => {
    const town = await runningWorld()
    await town.mute('web-1', 15)
    town.service.open({ hostname: 'web-1', ...muted(ours, byAna) })
    await town.pass(30)
    expect(await town.said()).toEqual(['post mute_ended'])
  })
})
