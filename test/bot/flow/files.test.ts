/** The timeline that somebody asks for: made once, posted once, and whatever is not known of it is not in it. */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { Timeline } from '../../../src/bot/domain/request/timeline.ts'
import { openFiles } from '../../../src/bot/flow/files.ts'
import { renderTimeline } from '../../../src/bot/slack/render/files/timeline.ts'
import { actingWorld } from '../../support/acting-world.ts'
import { anAlert, closing, letPass, opening } from '../../support/delivery-world.ts'
import { forgetfulChat } from '../../support/forgetful-chat.ts'
import { startPart } from '../../support/start-part.ts'

const people = new Map([
  ['U0ANA', 'Ana [ops]'],
  ['U0BEN', 'Ben'],
  ['U0CLEO', 'Cleo'],
])

async function world() {
  const acting = await actingWorld()
  const { store, clock, logger } = acting
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
  const begin = () => startPart(open())
  const files = async () =>
    (await store.noticesOf('file')).map(({ channel, parentId }) => `${channel} below ${parentId}`)
  return { ...acting, chat, made, open, begin, files }
}

const asked = { kind: 'post_timeline', of: { by: 'alert', alert: '1' } } as const

test('it comes in the thread of the card, once for each request, also after a restart', async () => {
  const { store, clock, does, begin, files, made } = await world()
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
  const [timeline] = made
  if (timeline === undefined) throw new Error('nothing was made')
  const text = Buffer.from(renderTimeline(timeline).bytes).toString('utf8')
  expect(text).toMatch(/^# Timeline: Load Average: last minute on web-1\n/)
  expect(text).toContain('- Closed: still open\n')
  expect(text).toMatch(/- 2026-11-21 03:00:00\+00:00 · \*\*Opened\*\*\n/)
  expect(text).toMatch(/ · 👀 Ana \\\[ops\\\] acknowledged \\#1 on web-1\n/)
  expect(text).toContain(' · Note by Ana \\[ops\\]: the \\*disk\\* \\<!here\\> is full\n')
  expect(text).toContain(' · Note by Ana \\[ops\\]: ask Cleo\n')
  expect(text).toMatch(/ handed \\#1 on web-1 to Ben\n/)
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
