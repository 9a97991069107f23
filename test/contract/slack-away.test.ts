/** While the memory is away, every way in which somebody can ask something ends in words, within Slack's three seconds. */
import { expect, test } from 'vitest'
import { MemoryAway } from '../../src/bot/domain/base/failure.ts'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import { formReply, inboundTown } from '../support/inbound.ts'
import { personIn } from '../support/person.ts'
import { eventually } from '../workspace/neighbour.ts'

const away: Reply = { kind: 'away', mayBeDone: false }
const words = 'monbot cannot reach its memory; nothing was changed.'
const lost = async () => {
  throw new MemoryAway('Postgres is away')
}

async function townWithoutMemory() {
  let answer: Reply = away
  const town = await inboundTown({
    handle: async () => answer,
    ports: {
      cardAt: lost,
      roleNames: lost,
      onReopened: lost,
      onHome: (userId) => town.slack.chat.publishHome(userId, null),
    },
  })
  const ts = await town.post()
  return {
    ...town,
    ts,
    acts: town.workspace.acts,
    ana: personIn(town.workspace, 'ana'),
    answerWith: (reply: Reply) => {
      answer = reply
    },
  }
}

const at = { user: 'ana', channel: '#alerts' } as const

test.each<[string, (town: Awaited<ReturnType<typeof townWithoutMemory>>) => Promise<unknown>]>([
  ['a command', ({ acts }) => acts.command({ ...at, command: '/mon', text: 'ack 1' })],
  ['a question', ({ acts }) => acts.command({ ...at, command: '/mon', text: 'status' })],
  ['a mention', ({ acts, workspace }) => acts.say({ ...at, text: `<@${workspace.botUserId}> status` })],
  ['a button', ({ acts, ts }) => acts.click({ ...at, ts, actionId: 'acknowledge' })],
  ['a menu', ({ acts, ts }) => acts.click({ ...at, ts, actionId: 'more', choice: 'add_note' })],
  ['a select', ({ ana, ts }) => ana.chooses('Mute…', 'web-1: 1 h', { ts })],
  [
    'a shortcut',
    ({ acts, ts }) =>
      acts.shortcut({ user: 'ana', callbackId: 'add_note', message: { channel: '#alerts', ts } }),
  ],
])('%s is answered', async (_, ask) => {
  const town = await townWithoutMemory()
  const begunMs = performance.now()
  await ask(town)
  await eventually('the answer', () => town.answers('ana').some((text) => text.includes(words)))
  expect(performance.now() - begunMs).toBeLessThan(10_000)
  expect(town.logger.events()).not.toContain('request:broken')
})

test('a form stays open with what was written, says so at its field, and can be sent again', async () => {
  const { ts, acts, ana, answerWith, requests } = await townWithoutMemory()
  answerWith(formReply({ name: 'add_note' }))
  await acts.click({ ...at, ts, actionId: 'more', choice: 'add_note' })
  await ana.fills({ Note: 'restarted nginx' })
  answerWith(away)
  await ana.submits()
  expect(Object.values(ana.modal()?.errors ?? {}).join()).toContain(words)
  answerWith({ kind: 'done', act: 'add_marker', text: 'x' })
  await ana.submits()
  expect(ana.modal()).toBeNull()
  expect(requests.filter(({ via }) => via === 'modal')).toHaveLength(2)
})

test('the Home tab says so', async () => {
  const { ana } = await townWithoutMemory()
  await ana.opensHome()
  await eventually('her Home', () => ana.home()?.includes(words))
})

test('a select of roles offers none, and a channel that works again ends nothing', async () => {
  const { ts, acts, answerWith, workspace, logger } = await townWithoutMemory()
  answerWith(formReply({ name: 'add_roles' }))
  await acts.click({ ...at, ts, actionId: 'more', choice: 'add_note' })
  const modal = await eventually('the form', () => workspace.modals('ana').at(-1))
  const asked = await acts.suggest({ user: 'ana', viewId: String(modal.id), actionId: 'roles', value: 'w' })
  expect(asked).toMatchObject({ ok: true, options: [] })
  await acts.archive({ channel: '#alerts' })
  await acts.archive({ channel: '#alerts', archived: false })
  await eventually('the log', () => logger.events().includes('request:away'))
})
