/** Status, handoff, report and charts: what is read for them, and what happens where the API or Slack is away. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { askWorld, away } from '../../support/ask-world.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'
import { aMute, anEntry } from '../slack/card-views.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The clock by hand starts here: a Saturday, 05:00 in Berlin. */
const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)

const open: readonly Alert[] = [
  anAlert('1', { hostname: 'web-1' }),
  anAlert('2', { hostname: 'web-2', ackedBy: 'U2', ackedMs: nowMs }),
  anAlert('3', { hostname: 'web-3' }),
]

test('status counts what is open, and as not acknowledged what no mute hides', async () => {
  const world = await askWorld()
  await world.store.commit(opening(open, 'C1', nowMs))
  await world.knows({
    alerts: [anAlert('4', { state: 'ignored' }), anAlert('5', { state: 'ignored', closedMs: nowMs })],
    mutes: [aMute({ subject: 'web-3' })],
  })
  const { status } = await world.answerTo<'status'>({ kind: 'status' })
  expect(status).toMatchObject({ nowMs, open: 3, unacknowledged: 1, behind: 3, ignored: 1 })
  expect(status.mutes).toHaveLength(1)
  expect(status.cards.get('wanted')).toBe(3)
})

test('the handoff tells what people did within twelve hours, and nothing that was refused or did itself', async () => {
  const world = await askWorld()
  const entry = (auditId: string, over: Parameters<typeof anEntry>[0]) =>
    anEntry({ auditId, atMs: nowMs - hourMs, ...over })
  await world.knows({
    alerts: open,
    mutes: [aMute()],
    audit: [
      entry('done', {}),
      entry('refused', { outcome: 'refused' }),
      entry('by itself', { userId: null, via: 'monbot', act: 'end_mute' }),
      entry('long ago', { atMs: nowMs - 13 * hourMs }),
    ],
  })
  const { handoff } = await world.answerTo<'handoff'>({ kind: 'handoff', ms: 12 * hourMs })
  expect(handoff.done.map(({ auditId }) => auditId)).toEqual(['done'])
  expect([handoff.open.length, handoff.mutes.length, handoff.nowMs]).toEqual([3, 1, nowMs])
})

test('report and handoff say how much of their time was not seen, and whether all is known of it by now', async () => {
  const world = await askWorld()
  const minutes = (sinceAgo: number, untilAgo: number | null, sureAgo: number | null) => ({
    outageId: `b${sinceAgo}`,
    cardOf: `b${sinceAgo}`,
    cardSinceMs: nowMs - sinceAgo * 60_000,
    sinceMs: nowMs - sinceAgo * 60_000,
    why: away.message,
    untilMs: untilAgo === null ? null : nowMs - untilAgo * 60_000,
    sureMs: sureAgo === null ? null : nowMs - sureAgo * 60_000,
    version: 1,
  })
  const remember = (outage: ReturnType<typeof minutes>) =>
    world.store.commit({ ...emptyPlan(nowMs), outages: [{ outage, was: null }] })
  const told = async () => {
    const { handoff } = await world.answerTo<'handoff'>({ kind: 'handoff', ms: 12 * hourMs })
    const { report } = await world.answerTo<'report'>({ kind: 'report', ms: hourMs })
    return [handoff.outage, report.outage]
  }
  await remember(minutes(13 * 60, 11 * 60, 10 * 60))
  await remember(minutes(90, 80, null))
  // What a later poll left nothing unknown of says so of the times before as well.
  await remember(minutes(50, 45, 44))
  const ms = (n: number) => n * 60_000
  expect(await told()).toEqual([
    { times: 3, ms: ms(60 + 10 + 5), isSure: true },
    { times: 1, ms: ms(5), isSure: true },
  ])
  await remember(minutes(3, null, null))
  expect(await told()).toEqual([
    { times: 4, ms: ms(60 + 10 + 5 + 3), isSure: false },
    { times: 2, ms: ms(5 + 3), isSure: false },
  ])
})

describe('report', () => {
  const report = (ms: number) => ({ kind: 'report', ms }) as const

  test('of a week counts whole days of the zone of who asks, and draws them', async () => {
    const world = await askWorld({ zone: 'Europe/Berlin' })
    const startedMs = Date.UTC(2026, 10, 19, 23, 30)
    await world.knows({ alerts: [anAlert('1', { startedMs }), anAlert('2', { startedMs })] })
    const answer = await world.answerTo<'report'>(report(7 * dayMs))
    expect(answer.report.fromMs).toBe(Date.UTC(2026, 10, 13, 23, 0))
    expect([answer.report.opened, answer.report.toMs]).toEqual([2, nowMs])
    expect(world.drawn).toEqual([
      {
        title: 'Alerts by day, Europe/Berlin',
        // 23:30 UTC on Thursday is Friday in Berlin.
        bars: ['Sat 14', 'Sun 15', 'Mon 16', 'Tue 17', 'Wed 18', 'Thu 19', 'Fri 20', 'Sat 21'].map(
          (label) => ({ label, value: label === 'Fri 20' ? 2 : 0 }),
        ),
      },
    ])
    expect(answer.drawing?.alt).toContain('Thu 19 0, Fri 20 2, Sat 21 0')
  })

  test('below two days counts by the hour', async () => {
    const world = await askWorld({ zone: 'Asia/Kolkata' })
    await world.knows({ alerts: [anAlert('1', { startedMs: nowMs - 90 * 60_000 })] })
    const answer = await world.answerTo<'report'>(report(3 * hourMs))
    expect(answer.report.fromMs).toBe(nowMs - 3 * hourMs)
    expect(world.drawn[0]?.bars).toEqual([
      { label: '06:30', value: 0 },
      { label: '07:30', value: 1 },
      { label: '08:30', value: 0 },
    ])
  })

  test('without any alert has no picture', async () => {
    const world = await askWorld()
    expect((await world.answerTo<'report'>(report(7 * dayMs))).drawing).toBeNull()
    expect(world.drawn).toEqual([])
  })

  test('is in UTC where the zone cannot be looked up', async () => {
    const world = await askWorld()
    await world.knows({ alerts: [anAlert('1')] })
    world.loseDirectory()
    const answer = await world.answerTo<'report'>(report(7 * dayMs))
    expect(new Date(answer.report.fromMs).toISOString()).toContain('T00:00:00')
    expect(world.drawn[0]?.title).toBe('Alerts by day, Etc/UTC')
  })
})

describe('a chart of a metric', () => {
  const chart = (server: string) => ({ kind: 'chart', server, metric: 'cpu_busy', ms: hourMs }) as const
  const drawing = { png: new Uint8Array([1]), alt: 'cpu_busy from 1 to 9' }
  const drawsEvery = (asked: string[] = []) => ({
    ofMetric: ({ server }: { server: string }) => {
      asked.push(server)
      return Promise.resolve({ kind: 'drawn' as const, metric: 'CPU busy', drawing })
    },
  })

  const nothing = { kind: 'drawn', metric: 'CPU busy', drawing: null } as const

  test('is drawn for the server as it is really called', async () => {
    const asked: string[] = []
    const world = await askWorld({ charts: drawsEvery(asked) })
    await world.knows({ alerts: open })
    expect(await world.answerTo<'chart'>(chart('WEB-1'))).toMatchObject({ server: 'web-1', drawing })
    expect(asked).toEqual(['web-1'])
  })

  test('of a server that has neither roles nor alerts is drawn where the API knows it', async () => {
    const world = await askWorld({ charts: drawsEvery() })
    expect(await world.answerTo<'chart'>(chart('lonely-1'))).toMatchObject({ server: 'lonely-1', drawing })
  })

  test.each([
    [nothing, 'web-9', { why: 'unknown_server', server: 'web-9', similar: ['web-1', 'web-2', 'web-3'] }],
    [{ kind: 'unknown', similar: [] }, 'web-9', { why: 'unknown_server' }],
    [nothing, 'web-*', { why: 'unknown_server', similar: ['web-1', 'web-2', 'web-3'] }],
    [
      { kind: 'unknown', similar: ['cpu_idle'] },
      'web-1',
      { why: 'unknown_metric', server: 'web-1', metric: 'cpu_busy', similar: ['cpu_idle'] },
    ],
  ] as const)('%j of %s is refused with what is close to it', async (drawn, server, refusal) => {
    const world = await askWorld({ charts: { ofMetric: () => Promise.resolve(drawn) } })
    await world.knows({ alerts: open })
    expect(await world.asks(chart(server))).toMatchObject({ kind: 'refused', refusal })
  })

  test('without numbers in that time is answered without a picture', async () => {
    const world = await askWorld()
    await world.knows({ alerts: open })
    expect((await world.answerTo<'chart'>(chart('web-1'))).drawing).toBeNull()
  })

  test('without a name is answered with what is known of the server, and one that fits several with those', async () => {
    const known = [
      { plugin: 'CPU', metric: 'cpu_busy' },
      { plugin: 'Disk /', metric: 'disk_used_percent' },
    ]
    const world = await askWorld({
      charts: {
        metricsOf: () => Promise.resolve(known),
        ofMetric: () => Promise.resolve({ kind: 'several', metrics: known }),
      },
    })
    await world.knows({ alerts: open })
    const metrics = ['CPU busy', 'Disk /: used']
    const all = {
      kind: 'answer',
      answer: { kind: 'metrics', server: 'web-1', ms: hourMs, fitting: null, metrics },
    }
    expect(await world.asks({ ...chart('WEB-1'), metric: null })).toEqual(all)
    expect(await world.asks({ ...chart('web-9'), metric: null })).toMatchObject({ kind: 'refused' })
    expect(await world.asks(chart('web-1'))).toMatchObject({ answer: { fitting: 'cpu_busy', metrics } })
  })

  test('while the API is away says so', async () => {
    const world = await askWorld({ charts: { ofMetric: () => Promise.reject(away) } })
    await world.knows({ alerts: open })
    expect(await world.asks(chart('web-1'))).toMatchObject({ kind: 'failed', doing: 'chart' })
  })

  test('passes on a bug', async () => {
    const world = await askWorld({ charts: { ofMetric: () => Promise.reject(new Error('a bug')) } })
    await world.knows({ alerts: open })
    await expect(world.asks(chart('web-1'))).rejects.toThrow('a bug')
  })
})

describe('the chart of an alert', () => {
  const startedMs = nowMs - 5 * hourMs
  test.each([
    ['open', {}, 60, 300],
    ['closed', { state: 'closed', closedMs: startedMs + hourMs }, 60, 90],
    ['closed a moment ago', { state: 'closed', closedMs: nowMs - 60_000 }, 60, 300],
    ['one-off', { state: 'oneoff' }, 60, 30],
    ['open for days', { startedMs: nowMs - 10 * dayMs }, 24 * 60, 10 * 24 * 60],
  ] as const)('that is %s', async (_name, over, minutesBefore, minutesAfter) => {
    const windows: { fromMs: number; toMs: number }[] = []
    const world = await askWorld({
      charts: {
        ofAlert: (_alert, window) => {
          windows.push(window)
          return Promise.resolve(null)
        },
      },
    })
    const alert = anAlert('7', { hostname: 'web-1', startedMs, ...over })
    await world.knows({ alerts: [alert] })
    expect(await world.asks({ kind: 'alert_chart', alertId: '7' })).toMatchObject({
      answer: {
        kind: 'chart',
        server: 'web-1',
        metric: 'Load Average: last minute',
        drawing: null,
        alertId: '7',
      },
    })
    expect(windows).toEqual([
      { fromMs: alert.startedMs - minutesBefore * 60_000, toMs: alert.startedMs + minutesAfter * 60_000 },
    ])
  })

  test('that nobody knows is refused', async () => {
    const world = await askWorld()
    expect(await world.asks({ kind: 'alert_chart', alertId: '7' })).toEqual({
      kind: 'refused',
      refusal: { why: 'unknown_alert', alert: '7' },
    })
  })
})
