/** What people read of a card is so: after a memory was restored, and of what was written below a card that is gone. */
import { expect, test } from 'vitest'
import { movingTown, usual } from '../support/moving-town.ts'

const byBen = { ackedBy: 'U0BEN', ackedMs: 1 }

/** Slack shows an acknowledgement that the memory knows nothing of: it is a copy from before. */
async function restored() {
  const it = await movingTown()
  it.service.open({ hostname: 'web-1' })
  await it.pass(1)
  const [message] = it.chat.messages
  if (message?.view.kind !== 'alert') throw new Error('the card is posted')
  const owner = () => (message.view.kind === 'alert' ? message.view.alert.ackedBy : undefined)
  message.view = { ...message.view, alert: { ...message.view.alert, ...byBen } }
  return { ...it, owner }
}

test('a restored backup left “acknowledged” on a card that nobody has', async () => {
  const it = await restored()
  // Started again on the copy, whose last poll is a while ago.
  await it.stop()
  await it.pass(10)
  await it.start()
  expect(it.owner()).toBeNull()
})

test('a restart a moment later shows no card anew', async () => {
  const it = await restored()
  await it.stop()
  await it.pass(1)
  const tries = it.tries.length
  await it.start()
  await it.pass(5)
  expect(it.tries).toHaveLength(tries)
})

test('a note on a closed alert whose card is gone was “added”, and stood nowhere', async () => {
  const it = await movingTown(usual)
  const alertId = it.service.open({ hostname: 'web-1' })
  await it.pass(1)
  it.service.close(alertId)
  await it.pass(5)
  it.chat.messages.length = 0
  expect(await it.does({ kind: 'add_note', alert: alertId, text: 'it was the cron job' })).toMatchObject({
    kind: 'done',
  })
  await it.pass(5)
  const [note, ...none] = it.chat.messages
  expect(none).toEqual([])
  expect(note).toMatchObject({
    channel: 'C0OPS',
    threadTs: null,
    view: { kind: 'note', note: { text: 'it was the cron job' }, about: { alertId } },
  })
})
