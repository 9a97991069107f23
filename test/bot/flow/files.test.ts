/** The timeline that somebody asks for: made once, posted once, and whatever is not known of it is not in it. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { type Timeline, timelineRowsMax } from '../../../src/bot/domain/request/timeline.ts'
import { keptFile } from '../../../src/bot/domain/request/wanted-file.ts'
import { type FilePorts, openFiles } from '../../../src/bot/flow/files.ts'
import { renderTimeline } from '../../../src/bot/slack/render/files/timeline.ts'
import { anEntry } from '../../support/acting-rows.ts'
import { actingWorld } from '../../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { forgetfulChat } from '../../support/forgetful-chat.ts'
import { pagerWorld, paging } from '../../support/pager-world.ts'
import { startPart } from '../../support/start-part.ts'

const people = new Map([
  ['U0ANA', 'Ana [ops]'],
  ['U0BEN', 'Ben'],
  ['U0CLEO', 'Cleo'],
])

/** The part that makes files, over this memory, and what it made. */
function filesOver({ store, clock, logger }: Pick<FilePorts, 'store' | 'clock' | 'logger'>) {
  const chat = forgetfulChat({ nowMs: clock.nowMs })
  const made: Timeline[] = []
  const attach = chat.attach
  chat.attach = async (file) => {
    if ('kind' in file) made.push(file)
    return attach.call(chat, file)
  }
  const directory = { nameOf: async (userId: string) => people.get(userId) ?? userId }
  const open = () =>
    openFiles({ store, chat, directory, clock, logger, zone: 'UTC', onChanged: () => undefined })
  const firstText = () => {
    const [timeline] = made
    if (timeline === undefined) throw new Error('nothing was made')
    return Buffer.from(renderTimeline(timeline).bytes).toString('utf8')
  }
  return { chat, made, open, begin: () => startPart(open()), firstText }
}

async function world() {
  const acting = await actingWorld()
  const files = async () =>
    (await acting.store.noticesOf('file')).map(({ channel, parentId }) => `${channel} below ${parentId}`)
  return { ...acting, ...filesOver(acting), files }
}

const asked = { kind: 'post_timeline', of: { by: 'alert', alert: '1' } } as const

test('it comes in the thread of the card, once for each request, also after a restart', async () => {
  const { store, clock, does, begin, files, made, firstText } = await world()
  await store.commit(opening([anAlert('1')], 'C0OPS', clock.nowMs()))
  await does({ kind: 'acknowledge', alert: '1' })
  await does({ kind: 'add_note', alert: '1', text: 'the *disk* <!here>\nis full' })
  await does({ kind: 'add_note', alert: '1', text: 'ask <@U0CLEO>' })
  const handed = { of: { by: 'alert', alert: '1' }, to: 'U0BEN', note: '', shownMs: null } as const
  await does({ kind: 'hand_to', ...handed })
  expect(await does(asked)).toMatchObject({ kind: 'done', act: 'post_timeline' })
  expect(await files()).toEqual([])
  for (const start of [begin, begin]) {
    const part = start()
    await letPass(clock, 60_000)
    await part.stop()
  }
  expect(await files()).toEqual(['C0OPS below alert:1:C0OPS'])
  expect(made).toHaveLength(1)
  const text = firstText()
  expect(text).toMatch(/^# Timeline: Load Average: last minute on web-1\n/)
  expect(text).toContain('- Closed: still open\n')
  expect(text).toMatch(/- 2026-11-21 03:00:00\+00:00 · \*\*Opened\*\*\n/)
  expect(text).toMatch(/ · 👀 Ana \\\[ops\\\] acknowledged \\#1 on web-1\n/)
  expect(text).toContain(' · Note by Ana \\[ops\\]: the \\*disk\\* \\<!here\\> is full\n')
  expect(text).toContain(' · Note by Ana \\[ops\\]: ask Cleo\n')
  expect(text).toMatch(/ handed \\#1 on web-1 to Ben\n/)
})

test.each([
  [timelineRowsMax, false],
  [timelineRowsMax + 1, true],
])('of %d acts it says whether there are more', async (count, isCut) => {
  const { store, clock, does, begin, firstText } = await world()
  await store.commit(opening([anAlert('1')], 'C0OPS', clock.nowMs()))
  const acts = Array.from({ length: count }, (_, n) =>
    anEntry(`act-${n}`, { act: 'acknowledge', alertId: '1', outcome: 'done', atMs: clock.nowMs() }),
  )
  await store.commit({ ...emptyPlan(clock.nowMs()), audit: acts })
  await does(asked)
  begin()
  await letPass(clock, 60_000)
  const text = firstText()
  expect(text.match(/ acknowledged /g)).toHaveLength(timelineRowsMax)
  expect(text.includes('It ends early')).toBe(isCut)
})

test('whether and when the pager was reached stood in no timeline', async () => {
  const { store, clock, pager, ...town } = await pagerWorld([paging(0)])
  await town.poll()
  town.startPaging()
  pager.will('away')
  pager.answersBy('Ana')
  const alertId = town.service.open({ hostname: 'web-1' })
  await town.poll()
  await town.passSeconds(15)
  pager.will('ok')
  await town.passSeconds(30)
  const entry = anEntry('wanted', { act: 'post_timeline', alertId, atMs: clock.nowMs() })
  const file = { auditId: 'wanted', alertId, channel: 'C1', cardId: `alert:${alertId}:C1` }
  await store.commit({ ...emptyPlan(clock.nowMs()), audit: [entry], state: [keptFile(file)] })
  const { begin, firstText } = filesOver({ store, clock, logger: town.logger })
  begin()
  await letPass(clock, 60_000)
  const [, happened = ''] = firstText().split('## What happened\n\n')
  expect(happened.trim().split('\n')).toEqual([
    '- 2026-11-21 04:00:00+00:00 · **Opened**',
    '- 2026-11-21 04:00:03+00:00 · The pager was asked to call somebody',
    '- 2026-11-21 04:00:03+00:00 · The pager did not take the call: the pager cannot be reached (ECONNREFUSED)',
    '- 2026-11-21 04:00:17+00:00 · **Paged**: the pager has the call',
    '- 2026-11-21 04:00:17+00:00 · 👀 Ana (in the pager) acknowledged \\#1 on web-1',
    '- 2026-11-21 04:00:18+00:00 · The pager was told that the call is over',
  ])
})

test('a kill between the upload and the card uploads once more, and posts once', async () => {
  const { store, clock, does, open, begin, files, made, chat } = await world()
  await store.commit(opening([anAlert('1')], 'C0OPS', clock.nowMs()))
  await does(asked)
  const answer = chat.isTakenIn
  // It never answers: whatever comes next is never done.
  chat.isTakenIn = () => new Promise(() => undefined)
  open().start()
  await letPass(clock, 60_000)
  expect([made.length, await files()]).toEqual([1, []])
  chat.isTakenIn = answer
  const part = begin()
  await letPass(clock, 60_000)
  await part.stop()
  expect([made.length, await files()]).toEqual([2, ['C0OPS below alert:1:C0OPS']])
})

test('one that Slack never takes is given up in words, and keeps no other', async () => {
  const { store, clock, does, begin, files, chat, audit } = await world()
  await store.commit(opening([anAlert('1'), anAlert('2')], 'C0OPS', clock.nowMs()))
  const attach = chat.attach
  chat.attach = async (file) => {
    if ('kind' in file && file.alert.alertId === '1')
      throw new OutsideFailure('rejected', 'Slack could not take a file: file_uploads_disabled')
    return attach(file)
  }
  await does(asked)
  await does({ ...asked, of: { by: 'alert', alert: '2' } })
  const part = begin()
  await letPass(clock, 60_000)
  await part.stop()
  expect((await files()).toSorted()).toEqual(['C0OPS below alert:1:C0OPS', 'C0OPS below alert:2:C0OPS'])
  const [first, second] = (await audit()).filter(({ act }) => act === 'post_timeline')
  expect(first).toMatchObject({
    outcome: 'failed',
    why: 'Slack could not take a file: file_uploads_disabled',
  })
  expect(second).toMatchObject({ outcome: 'done', detail: { file: { rows: 1, total: 1 } } })
})

test('a verdict counts once a person, can be changed, and is on the card', async () => {
  const { store, clock, does, audit } = await world()
  const alert = anAlert('1')
  await store.commit(opening([alert], 'C0OPS', clock.nowMs()))
  await store.commit(closing(alert, clock.nowMs()))
  const rate = (verdict: 'useful' | 'noise', userId = 'U0ANA') =>
    does({ kind: 'rate_alert', of: { by: 'alert', alert: '1' }, verdict }, { userId })
  const shown = async () => {
    const job = await store.nextJob('C0OPS', clock.nowMs(), ['post'])
    return job?.view.kind === 'alert' ? job.view.verdicts : null
  }
  expect(await shown()).toEqual({ useful: [], noise: [] })
  await rate('useful')
  clock.advance(1)
  await rate('noise')
  expect(await rate('noise')).toMatchObject({ isTheirs: true })
  await rate('noise', 'U0BEN')
  expect(await shown()).toEqual({ useful: [], noise: ['U0ANA', 'U0BEN'] })
  const { rules } = await store.happened(alert.startedMs, clock.nowMs() + 1, false)
  expect(rules).toMatchObject([{ rule: 'Load Average: last minute', opened: 1, useful: 0, noise: 2 }])
  expect((await audit()).map(({ act, outcome }) => `${act} ${outcome}`)).toEqual([
    'rate_alert done',
    'rate_alert done',
    'rate_alert nothing',
    'rate_alert done',
  ])
})
