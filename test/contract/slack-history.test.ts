/** Looking a post up in a long history: every part is asked for, each in its turn. */
import { afterEach, expect, test } from 'vitest'
import { realClock } from '../../src/clock.ts'
import { Secret } from '../../src/config/secret.ts'
import { openSlack } from '../../src/slack/connect.ts'
import { openWorkspace } from '../../src/workspace/workspace.ts'
import { view } from '../slack/card-views.ts'
import { keptJournal } from '../support/journal.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

test('each part of a history after the first waits until it may be read', async () => {
  const workspace = await openWorkspace({ limits: 'off' })
  closers.push(workspace.close)
  const { id: channel } = workspace.channel('alerts')
  const { connect, chat, stop } = openSlack({
    botToken: new Secret(workspace.botToken),
    appToken: new Secret(workspace.appToken),
    signingSecret: null,
    apiUrl: workspace.apiUrl,
    channels: [channel],
    logger: keptJournal(),
    clock: realClock,
  })
  await connect()
  closers.push(stop)
  const sinceMs = Date.now() - 60_000
  const first = await chat.post({ channel, threadTs: null, key: 'alert:1:C1', plain: true }, view())
  for (let n = 0; n < 450; n += 1) await workspace.acts.say({ user: 'ana', channel, text: `noise ${n}` })
  const calls: string[] = []
  const stopListening = workspace.events.listen(({ event }) => {
    if (event.type === 'api_call') calls.push(event.method)
  })
  const found = await chat.find({ channel, threadTs: null, key: 'alert:1:C1', sinceMs }, async () => {
    calls.push('in its turn')
  })
  stopListening()
  expect(first).toEqual({ kind: 'shown', ts: found[0] })
  const part = 'conversations.history'
  expect(calls).toEqual([part, 'in its turn', part, 'in its turn', part])
})
