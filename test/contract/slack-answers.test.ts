/** An answer finds the person who asked: by the response URL, in the channel, or directly, with its picture if it has one. */
import { expect, test } from 'vitest'
import type { Mute } from '../../src/bot/domain/mute/mute.ts'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import { openResponseUrls } from '../../src/bot/slack/inbound/response-url.ts'
import { realClock } from '../../src/shared/clock.ts'
import { openApi } from '../bot/monitor/local-api.ts'
import { aMute } from '../support/acting-rows.ts'
import { alertView, inboundTown } from '../support/inbound.ts'
import { manualClock } from '../support/manual-clock.ts'
import { eventually, png } from '../workspace/neighbour.ts'

const typed = { user: 'ana', channel: '#alerts', command: '/mon', text: 'status' } as const
const cancelled: Reply = { kind: 'cancelled' }

test('a response URL that is used up or broken falls back to the channel', async () => {
  const { workspace, answers } = await inboundTown()
  await workspace.acts.fault({
    method: 'response_url',
    effect: { kind: 'status', status: 404 },
    times: 1,
  })
  await workspace.acts.command(typed)
  await eventually('the answer', () => answers('ana').length === 1)
})

test('one that fails for a moment is tried again, and the answer stands there once', async () => {
  const { workspace, answers } = await inboundTown()
  await workspace.acts.fault({ method: 'response_url', effect: { kind: 'status', status: 503 }, times: 2 })
  await workspace.acts.command(typed)
  await eventually('the answer', () => answers('ana').length > 0)
  expect(answers('ana')).toHaveLength(1)
})

test('one that took the answer, and whose own is cut off, is not asked again', async () => {
  const own = await openApi((_request, response) => {
    response.writeHead(200).write('o', () => response.destroy())
  })
  const urls = openResponseUrls({ apiUrl: own.url, clock: realClock })
  expect(await urls.send(`${own.url}/respond/1`, { text: 'x', blocks: [], replace: false })).toBe('taken')
  expect(own.received).toHaveLength(1)
})

test('where the bot is not in the channel either, the answer comes directly, and no log holds the address', async () => {
  const { workspace, logger } = await inboundTown()
  await workspace.acts.fault({ method: 'response_url', effect: { kind: 'reset' }, times: null })
  await workspace.acts.command({ ...typed, channel: '#random' })
  await eventually('the direct message', () =>
    workspace.events.since(0).some((event) => JSON.stringify(event).includes('chat.postMessage')),
  )
  expect(JSON.stringify(logger.entries)).not.toContain('/respond/')
})

test('what cannot be told at all is logged, without what it said', async () => {
  const { workspace, logger } = await inboundTown()
  for (const method of ['response_url', 'chat.postEphemeral', 'chat.postMessage']) {
    await workspace.acts.fault({ method, effect: { kind: 'status', status: 500 }, times: null })
  }
  await workspace.acts.command(typed)
  const lost = await eventually('the log', () => logger.entries.find(({ event }) => event === 'answer:lost'))
  expect(lost.facts).toEqual({ userId: 'U0ANA00001', why: 'over' })
})

test('a repeat is not answered', async () => {
  const { workspace, answers, requests } = await inboundTown({
    handle: async () => (requests.length === 1 ? { kind: 'repeat' } : cancelled),
  })
  await workspace.acts.command(typed)
  await workspace.acts.command(typed)
  await eventually('the second answer', () => answers('ana').length > 0)
  expect(answers('ana')).toHaveLength(1)
})

test('a picture comes below the words, as soon as Slack has taken it in', async () => {
  const drawing = { png: new Uint8Array(png), alt: 'Load on web-1, the last hour' }
  const { workspace, answers } = await inboundTown({
    handle: async () => ({
      kind: 'answer',
      answer: { kind: 'chart', server: 'web-1', metric: 'load', drawing, alertId: null },
    }),
  })
  await workspace.acts.command({ ...typed, text: 'chart web-1 load' })
  await eventually('the words', () => answers('ana').length === 1)
  await eventually('the picture', () => answers('ana').length === 2)
  expect(workspace.ephemerals('ana').at(-1)).toMatchObject({
    text: drawing.alt,
    blocks: [{ type: 'image', alt_text: drawing.alt }],
  })
})

test('what is pressed in a thread is answered there, and on a card that has replies in the channel', async () => {
  const { workspace, post, slack } = await inboundTown({ handle: async () => alreadyDone })
  const ts = await post()
  const channel = workspace.channel('alerts').id
  const reply = await slack.chat.post({ channel, threadTs: ts, key: 'r', plain: false }, alertView())
  if (reply.kind !== 'shown') throw new Error('it was posted')
  const press = (at: string) =>
    workspace.acts.click({ user: 'ana', channel: '#alerts', ts: at, actionId: 'acknowledge' })
  await press(reply.ts)
  await eventually('the answer in the thread', () => workspace.ephemerals('ana').length === 1)
  expect(workspace.ephemerals('ana')[0]).toMatchObject({ thread_ts: ts })
  await press(ts)
  await eventually('the answer in the channel', () => workspace.ephemerals('ana').length === 2)
  expect(workspace.ephemerals('ana')[1]).not.toHaveProperty('thread_ts')

  await workspace.acts.fault({
    method: 'chat.postEphemeral',
    effect: { kind: 'error', error: 'not_in_channel' },
  })
  await press(reply.ts)
  await eventually('the answer by the response URL', () => workspace.ephemerals('ana').length === 3)
})

test.each([
  ['in the channel', '#alerts', 9_000, 'ephemeral_posted'],
  ['where the bot is not, directly', '#random', 40_000, 'message_posted'],
])(
  'a picture that Slack takes long to take in comes all the same, %s',
  async (_, channel, fileReadyMs, where) => {
    const drawing = { png: new Uint8Array(png), alt: 'Load on web-1, the last hour' }
    const clock = manualClock(Date.now())
    const reply: Reply = {
      kind: 'answer',
      answer: { kind: 'chart', server: 'web-1', metric: 'load', drawing, alertId: null },
    }
    const { workspace, answers } = await inboundTown({
      handle: async () => reply,
      clock,
      workspace: { nowMs: clock.nowMs, fileReadyMs },
    })
    const pictures = () =>
      workspace.events
        .since(0)
        .flatMap(({ event }) => ('message' in event && isPicture(event.message) ? [event.type] : []))
    await workspace.acts.command({ ...typed, channel, text: 'chart web-1 load' })
    await eventually('the words', () => answers('ana').length === 1)
    const startMs = clock.nowMs()
    await eventually('the picture', () => {
      clock.advance(500)
      return pictures().length === 1
    })
    expect(clock.nowMs() - startMs).toBeGreaterThan(fileReadyMs)
    expect(pictures()).toEqual([where])
  },
)

function isPicture(message: unknown): boolean {
  return JSON.stringify(message).includes('"slack_file"')
}

test('a picture that Slack never takes in is said to be missing', async () => {
  const drawing = { png: new Uint8Array(png), alt: 'Load on web-1, the last hour' }
  const clock = manualClock(Date.now())
  const reply: Reply = {
    kind: 'answer',
    answer: { kind: 'chart', server: 'web-1', metric: 'load', drawing, alertId: null },
  }
  const { workspace, answers, logger } = await inboundTown({
    handle: async () => reply,
    clock,
    workspace: { nowMs: clock.nowMs, fileReadyMs: 3_600_000 },
  })
  await workspace.acts.command({ ...typed, text: 'chart web-1 load' })
  await eventually('the words', () => {
    clock.advance(500)
    return answers('ana').length === 2
  })
  expect(answers('ana')[1]).toBe('Slack did not take the picture. Please try again.')
  expect(logger.entries.map(({ event }) => event)).toContain('picture:not_shown')
})

const alreadyDone: Reply = { kind: 'refused', refusal: { why: 'other_workspace' } }

test('the next page takes the place of the page before, and one that fails leaves it standing', async () => {
  const replies: Reply[] = [1, 2].map((page) => ({
    kind: 'answer',
    answer: {
      kind: 'mutes',
      ask: { kind: 'mutes', page },
      list: { items: [openMute(`web-${page}`)], page, pages: 3, total: 3 },
    },
  }))
  const failed: Reply = { kind: 'failed', doing: 'mutes', words: 'no answer', isUnknown: false }
  const { workspace, answers, requests } = await inboundTown({
    handle: async () => replies.shift() ?? failed,
  })
  await workspace.acts.command({ ...typed, text: 'mutes' })
  const first = await eventually('page 1', () => workspace.ephemerals('ana')[0])
  const at = { user: 'ana', channel: '#alerts', ts: String(first.ts), actionId: 'ask:next' } as const
  expect(await workspace.acts.click(at)).toEqual({ ok: true })
  await eventually('page 2', () => answers('ana')[0]?.includes('web-2'))
  expect(answers('ana')).toHaveLength(1)
  expect(requests.map(({ intent }) => intent)).toEqual([
    { kind: 'mutes', page: 1 },
    { kind: 'mutes', page: 2 },
  ])
  await workspace.acts.click(at)
  await eventually('the failure below it', () => answers('ana').length === 2)
  expect(answers('ana')[0]).toContain('web-2')
})

function openMute(hostname: string): Mute {
  const quiet = { mode: 'open' as const, untilMs: null, reason: '' }
  return aMute(hostname, { subject: hostname, ...quiet, userId: 'U0ANA00001', channel: 'C0ALERTS01' })
}
