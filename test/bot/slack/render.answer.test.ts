/** What only asks: what each answer says, and that Slack takes it whatever stands in it. */
import { describe, expect, test } from 'vitest'
import { commands } from '../../../src/bot/domain/command/commands.ts'
import type { Answer } from '../../../src/bot/domain/request/answer.ts'
import { drawingOf, renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aHappened, aRule } from '../../support/happened.ts'
import { aStatus, nowMs, outage, well } from './answers.ts'
import { aMute, anEntry, local, minuteMs, startedMs, wordsOf } from './card-views.ts'

const words = (answer: Answer) => wordsOf(renderAnswer(answer).blocks)
const web1 = { hostname: 'web-1', serverName: 'web-1', startedMs }

describe('status says at one glance whether all is well', () => {
  test('nothing is open', () => {
    expect(words(aStatus())).toEqual([
      '*🟢 No open alerts · monitoring OK*\nNothing is muted.',
      `Last good poll 12 s ago (${local(nowMs - 12_000)}) · Slack connected · cards up to date`,
      '[Open alerts] [Mutes] [Handoff]',
    ])
  })

  test.each([
    [
      'open alerts that nobody has taken come first',
      { open: 3, unacknowledged: 1 },
      '*🔴 3 open alerts, 1 unacknowledged · monitoring OK*',
    ],
    [
      'how many of them are critical',
      { open: 200, critical: 33, unacknowledged: 200 },
      '*🚨 200 open alerts, 33 critical, 200 unacknowledged · monitoring OK*',
    ],
    [
      'open alerts that are all acknowledged or muted',
      { open: 1 },
      '*🔴 1 open alert, all acknowledged or muted · monitoring OK*',
    ],
    [
      'a monitoring API that cannot be read, since when and why',
      { ...outage, open: 3, unacknowledged: 3 },
      `*⚠️ Monitoring unreachable · 3 open alerts (last known)*\n⚠️ Can't read alerts since ${local(startedMs + minuteMs)}: the monitoring API could not be reached (ECONNREFUSED).`,
    ],
    [
      'nothing that is known to be open, and something of which that is not known',
      { lost: 1 },
      '*⚪ No alerts listed as open · monitoring OK*\n⚪ 1 alert is unknown: not listed as open any more, and no end of it was seen.\nNothing is muted.',
    ],
    ['a start before the first poll', { lastPollMs: null }, '*⚠️ Monitoring not read yet*'],
    [
      'a Slack that is not connected',
      { slack: { ready: false, sinceMs: startedMs, sockets: 0 } },
      `*⚠️ Slack trouble · no open alerts*\n⚠️ Slack not connected since ${local(startedMs)}.`,
    ],
  ])('%s', (_name, over, expected) => {
    expect(words(aStatus(over))[0]).toContain(expected)
  })

  test.each([
    [[], 'bot-b leads since SINCE · nobody stands by'],
    [[{ name: 'bot-a', reachesSlack: true }], 'bot-b leads since SINCE · bot-a stands by'],
    [
      [
        { name: 'bot-a', reachesSlack: false },
        { name: '<!here>', reachesSlack: true },
      ],
      'bot-b leads since SINCE · bot-a stands by and cannot reach Slack · &lt;!here&gt; stands by',
    ],
  ])('who leads and who stands by: %j', (standbys, expected) => {
    const [, line] = words(aStatus({ lead: { name: 'bot-b', sinceMs: startedMs, standbys } }))
    expect(line).toContain(expected.replace('SINCE', local(startedMs)))
  })

  test('a card that Slack refused for good is told, and is no reason to say that all is not well', () => {
    const [first, second] = words(aStatus({ cards: new Map([['dead', 2]]) }))
    expect(first).toContain('monitoring OK')
    expect(second).toContain('⚠️ 2 cards could not be shown in Slack; the log says why')
  })

  test('what is muted, the account first, and cards that are behind', () => {
    const mutes = [aMute(), aMute({ subject: null })]
    const [first, second] = words(aStatus({ mutes, behind: 4 }))
    expect(first).toContain('🔕 2 muted: *the whole account*, *web-1*')
    expect(second).toContain('4 card updates pending')
  })
})

test('the handoff: what is open, muted and was done, each with a way to the rest', () => {
  const open = Array.from({ length: 20 }, (_, n) => anAlert(String(n), web1))
  const done = [anEntry({ act: 'acknowledge', alertId: '3' })]
  const [title, happened, first, second, third, before, storms, flaps, health] = words({
    kind: 'handoff',
    handoff: {
      nowMs,
      open: [...open, anAlert('a', { ...web1, ackedBy: 'U1' })],
      mutes: [],
      happened: aHappened(nowMs, [aRule({ noise: 2 })]),
      done,
      storms: [{ atMs: startedMs, alerts: 199, open: 2 }],
      flaps: [{ server: 'web-2', plugin: 'CPU', times: 6 }],
      health: well(),
    },
  })
  expect(title).toBe(`*Handoff* · ${local(nowMs)}`)
  expect(happened?.split('\n')).toEqual([
    `*12 alerts opened* (+5) since ${local(nowMs - 12 * 60 * minuteMs)}, by 1 rule`,
    '• *Disk: used* 12 (+5) on 4 servers · median 3 min, 1 h 20 min in all · 9 acknowledged · 👍 0 👎 2',
    '🗑️ *Noisy*',
    '• *Disk: used*: called noise by 2 of 2 in 30 days',
    expect.stringMatching(/^To have less of it: /),
  ])
  expect(before).toBe('In brackets: against the 12 h before.')
  expect(first).toMatch(/^\*Open: 21 \(20 unacknowledged\)\*\n🔴 /)
  expect(first).toMatch(/\nand \d+ more: `\/mon alerts`$/)
  expect(second).toBe('*Nothing is muted*')
  expect(third).toContain('*Actions in the last 12 h: 1*\n')
  expect(third).toContain('acknowledged #3')
  expect(storms).toBe(`⛈️ 1 storm: ${local(startedMs)} 199 alerts, 2 still open`)
  expect(flaps).toBe('🔁 Flapping: CPU on web-2 ×6')
  expect(health).toMatch(/^Last good poll/)
})

describe('report', () => {
  const report = {
    fromMs: startedMs,
    toMs: nowMs,
    opened: 64,
    closed: 60,
    stillOpen: 4,
    openBefore: 1,
    lost: 1,
    oneoffs: 2,
    servers: [
      { name: 'web-1', count: 40 },
      { name: 'db-1', count: 24 },
    ],
    happened: aHappened(nowMs, [aRule({ before: null, acknowledged: 0, hidden: 2, isAtLeast: true })], {
      before: null,
    }),
    parts: [],
    toAcknowledgeMs: 4 * minuteMs,
    toCloseMs: 25 * minuteMs,
    acknowledged: 40,
  }

  test('counts, the medians, the noisiest; the picture in words for who cannot see it', () => {
    const drawing = { png: new Uint8Array(), alt: 'Alerts by day: Sat 21 64' }
    const answer = { kind: 'report', report, ms: 1, drawing, health: well() } as const
    const { blocks, text } = renderAnswer(answer)
    expect(text.split('\n')).toEqual([
      'Report · 2026-11-21 03:00 UTC – 2026-11-21 04:00 UTC',
      '64 alerts opened, 60 closed, ⚪ 1 unknown (no end seen); 4 open now, 1 at the start.',
      '🔵 +2 one-offs.',
      '40 alerts acknowledged; median time to acknowledge: 4 min.',
      'Median time to close: 25 min.',
      '• Disk: used 12 on 4 servers · median 3 min, at least 1 h 20 min in all · none acknowledged · 2 came muted',
      'Noisiest servers: web-1 40, db-1 24',
      'Without a comparison: what there was in the 12 h before is not known.',
      'Alerts by day: Sat 21 64',
    ])
    expect(wordsOf(blocks)[0]).toContain('*64 alerts opened*')
    expect(drawingOf(answer)).toBe(drawing)
  })

  test('what was not seen as it happened is said before the numbers', () => {
    const of = (isSure: boolean) => ({ ...report, outage: { times: 2, ms: 12 * minuteMs, isSure } })
    const lines = (isSure: boolean) =>
      words({ kind: 'report', report: of(isSure), ms: 1, drawing: null, health: well() })[0]
    expect(lines(true)).toContain('⚫ Monitoring down for 12 min in that time (2 outages): caught up.\n*64')
    expect(lines(false)).toContain('(2 outages): what came and went then may be missing.\n*64')
  })

  test('a quiet week has no medians and no empty lists', () => {
    const quiet = {
      ...report,
      opened: 0,
      closed: 0,
      stillOpen: 0,
      openBefore: 0,
      lost: 0,
      oneoffs: 0,
      servers: [],
      happened: aHappened(nowMs),
    }
    expect(words({ kind: 'report', report: quiet, ms: 1, drawing: null, health: well() })).toEqual([
      expect.stringContaining('*0 alerts opened*, 0 closed; 0 open now, 0 at the start.'),
    ])
  })
})

test('the status says of a board that is not pinned why, and calls it no problem', () => {
  const { text } = renderAnswer(aStatus({ unpinned: [{ channel: 'C1', why: 'missing_scope' }] }))
  expect(text).toContain('the board is not pinned: the app lacks the scope `pins:write`')
  expect(text).not.toMatch(/trouble|⚠️/i)
})

test.each([
  [0, false],
  [1, '1 open alert ignored by the policy'],
  [2, '2 open alerts ignored by the policy'],
] as const)('the status counts what the policy ignores: %i', (ignored, words) => {
  const { text } = renderAnswer(aStatus({ ignored }))
  if (words === false) expect(text).not.toContain('ignored')
  else expect(text).toContain(words)
})

test('the metrics of a server are buttons, each with its command', () => {
  const { blocks } = renderAnswer({
    kind: 'metrics',
    server: 'web-1',
    ms: 7_200_000,
    fitting: null,
    metrics: ['CPU busy', 'Disk /data: used', ...Array.from({ length: 30 }, (_, at) => `m${at}`)],
  })
  const elements = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
  expect(elements).toHaveLength(20)
  expect(elements[1]).toMatchObject({
    text: { text: 'Disk /data: used' },
    value: 'chart "web-1" "Disk /data: used" 2h',
  })
  expect(wordsOf(blocks.filter(({ type }) => type !== 'actions'))).toEqual([
    '📈 *Metrics of web-1*',
    'and 12 more · Others: type their name (`/mon help chart`)',
  ])
})

test('a chart says what it shows; without numbers it says so', () => {
  const chart = { kind: 'chart', server: 'web-1', metric: 'cpu_busy', alertId: '7' } as const
  const drawing = { png: new Uint8Array(), alt: 'cpu_busy from 1 to 9' }
  const shown = renderAnswer({ ...chart, drawing })
  expect(wordsOf(shown.blocks)).toEqual(['📈 *cpu_busy on web-1* · #7'])
  expect(shown.text).toBe('📈 cpu_busy on web-1 · #7\ncpu_busy from 1 to 9')
  expect(words({ ...chart, drawing: null })[1]).toMatch(/^No data in that time/)
})

describe('help', () => {
  test('the overview names every command of the table once, in three groups', () => {
    const blocks = words({ kind: 'help', topic: null })
    expect(blocks.map((block) => block.split('\n')[0]).slice(0, 3)).toEqual([
      '*Act on alerts*',
      '*Ask*',
      '*The account, and rare commands*',
    ])
    const lines = blocks.slice(0, 3).flatMap((block) => block.split('\n').slice(1))
    expect(lines.map((line) => /^`\/mon ([^`]+)`/.exec(line)?.[1]).toSorted()).toEqual(
      commands.map(({ name }) => name).toSorted(),
    )
  })

  test('a command is explained with examples that can be copied', () => {
    const blocks = words({ kind: 'help', topic: 'mute' })
    expect(blocks).toHaveLength(2)
    expect(blocks[0]).toContain('*`/mon mute [host] &lt;server&gt;')
    expect(blocks[0]).toContain('• `/mon mute web-* until healthy new kernel`')
    expect(blocks[1]).toContain('• `/mon mute account')
  })
})
