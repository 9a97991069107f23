/** Answers claim nothing that is not known, hide no failure, and do not repeat what the card above says. */
import { expect, test } from 'vitest'
import type { Receipt, Reply } from '../../../src/bot/domain/request/reply.ts'
import type { InboundPorts } from '../../../src/bot/slack/inbound/inbound-ports.ts'
import { isAlreadyShown } from '../../../src/bot/slack/inbound/respond.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { renderForm } from '../../../src/bot/slack/render/forms/forms.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { signatureOf } from '../../../src/bot/slack/transport/http-receiver.ts'
import { actingWorld, muting } from '../../support/acting-world.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aHappened } from '../../support/happened.ts'
import { inboundTown } from '../../support/inbound.ts'
import { nowMs, onePage, outage, well } from './answers.ts'
import { aMute, wordsOf } from './card-views.ts'

const ask = { kind: 'alerts', state: 'open', server: null, page: 1 } as const

test('Nobody is told that nothing is open while the API cannot be read', () => {
  for (const health of [outage, well({ lastPollMs: null })]) {
    const { text } = renderAnswer({ kind: 'alerts', ask, list: onePage([]), mutes: [], health })
    expect(text).toMatch(/^⚠️ .*(Can't read alerts since|not been read yet).* Last known:\nNo open alerts$/)
    const home = wordsOf(renderHome({ open: [], mutes: [], health })).join('\n')
    expect(home).toContain('⚠️ *No open alerts (last known)*')
    expect(home).not.toContain('🟢')
  }
})

test('Nobody is told that nothing is open while that is not known of something', () => {
  const lost = anAlert('9', { state: 'unreported', missingMs: nowMs - 60_000 })
  const answer = { kind: 'alerts', ask, list: onePage([]), lost: 1, mutes: [], health: well() } as const
  expect(renderAnswer(answer).text).toMatch(/^No open alerts\n⚪ 1 alert is unknown: /)
  const home = wordsOf(renderHome({ open: [], lost: [lost], mutes: [], health: well() })).join('\n')
  expect(home).toContain('⚠️ *No open alerts (last known)*\n⚪ 1 alert is unknown: ')
  expect(home).toContain('#9 · since ')
})

test('A report says that it may lack what could not be read', () => {
  const counts = { opened: 0, closed: 0, stillOpen: 0, openBefore: 0, lost: 0, oneoffs: 0 }
  const none = { ...counts, acknowledged: 0, toAcknowledgeMs: null, toCloseMs: null }
  const report = { fromMs: 0, toMs: 1, servers: [], happened: aHappened(1), parts: [], ...none }
  const { text } = renderAnswer({ kind: 'report', report, ms: 1, drawing: null, health: outage })
  expect(text).toMatch(/^Report .*\n⚠️ Can't read alerts since .* Last known:\n0 alerts opened/)
})

const unread = /^⚠️ The monitoring API has not been read yet\. Last known:$/m
const none = 'Hides no open alerts (none last week).'

test('An alert was denied, and a mute said to silence none, before any alert was read', async () => {
  const world = await actingWorld()
  const told = async (reply: Promise<Reply>) => renderReply(await reply)?.text ?? ''
  for (const named of ['web-1', 'web-44', '#106']) {
    const text = await told(world.does({ kind: 'acknowledge', alert: named }))
    expect(text).toMatch(unread)
    expect(text).toMatch(/no (alert|open)/i)
  }
  expect(await told(world.does(muting('db-*')))).toMatch(unread)
  const muted = await told(world.does(muting('web-1')))
  expect(muted).toMatch(unread)
  expect(muted).toContain(`Last known:\n${none}`)
  expect(await told(world.does(muting(['web-1', 'web-2'])))).toMatch(unread)
  const opened = await world.does({ kind: 'open_form', form: 'mute_server', alertId: null, given: 'web-1' })
  if (opened.kind !== 'form') throw new Error(`A form was expected; came ${opened.kind}`)
  expect(JSON.stringify(renderForm(opened.form, ''))).toContain(`Last known:\\n${none}`)
})

test('Once alerts were read, a number and a denial stand for themselves', async () => {
  const world = await actingWorld({ isRunning: true })
  const asked = [{ kind: 'acknowledge', alert: '#106' } as const, muting('web-1')]
  for (const one of asked) expect(renderReply(await world.does(one))?.text).not.toContain('Last known')
})

test('A mute was said to have silenced none while what has closed could not be read', async () => {
  const world = await actingWorld({ isRunning: true })
  world.script.isPastAway = true
  await world.bot.schedule.poll()
  expect(renderReply(await world.does(muting('web-1')))?.text).toMatch(
    /\n⚠️ Can't read what has closed since [^<]*: .*503.*\. Last known:\nHides /,
  )
})

test('A shortcut whose card cannot be looked up is answered with an id that is in the log', async () => {
  const cardAt: InboundPorts['cardAt'] = async () => {
    throw new Error('SQLITE_BUSY')
  }
  const town = await inboundTown({ ports: { cardAt } })
  const ts = await town.post()
  const message = { channel: '#alerts', ts }
  await town.workspace.acts.shortcut({ user: 'ana', callbackId: 'mute_server', message })
  await expect.poll(() => town.answers('ana').join()).toMatch(/error in monbot .*`e7f3`/s)
  expect(town.answers('ana').join()).not.toContain('Part of it')
  expect(JSON.stringify(town.logger.entries)).toContain('"errorId":"e7f3"')
})

test('An answer that cannot be put into words is told as a fault', async () => {
  const restored = { mode: 'timed', untilMs: Number.NaN } as never
  const town = await inboundTown({
    handle: async () => ({ kind: 'undone', server: 'x', restored, isSure: true }),
  })
  await command(town, 'status')
  await expect.poll(() => town.answers('ana').join()).toMatch(/Part of it may have been done.*`e7f3`/s)
})

test('A receipt that was confirmed can be answered no more while its mute is made', async () => {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const receipt: Receipt = {
    change: { kind: 'mute_server', servers: [], end: { kind: 'default' }, reason: '', shown: null },
    servers: ['web-1', 'web-2'],
    mode: 'open',
    untilMs: null,
    open: 0,
    lastWeek: 0,
    isDefaultEnd: false,
    others: [],
  }
  const town = await inboundTown({
    handle: async ({ intent }) => {
      if (intent.kind !== 'confirm') return { kind: 'confirm', receipt, pendingId: 'p1' }
      await done
      return { kind: 'unmuted', server: 'web-1', isSure: true }
    },
  })
  await command(town, 'mute web-1,web-2 1h')
  await expect.poll(() => town.answers('ana').join()).toContain('Mute 2 servers')
  const [asked] = town.workspace.ephemerals('ana')
  await town.workspace.acts.click({
    user: 'ana',
    channel: '#alerts',
    ts: String(asked?.ts),
    actionId: 'confirm',
  })
  await expect.poll(() => town.answers('ana')).toEqual([expect.stringContaining('Working on it…')])
  expect(JSON.stringify(town.workspace.ephemerals('ana'))).not.toContain('cancel')
  finish()
  await expect.poll(() => town.answers('ana')).toEqual([expect.stringContaining('web-1 is unmuted')])
})

test('Somebody of another workspace is refused, whatever the permissions say', async () => {
  const town = await inboundTown({ http: true })
  const send = async (over: Record<string, string>) => {
    const fields = { command: '/mon', text: 'status', user_id: town.workspace.person('ana').id, ...over }
    const place = { channel_id: town.workspace.channel('alerts').id, trigger_id: crypto.randomUUID() }
    const body = new URLSearchParams({ ...fields, ...place }).toString()
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signatureOf('canary-signing-secret', timestamp, Buffer.from(body)),
    }
    await town.slack.events?.(new Request('http://x/slack/events', { method: 'POST', body, headers }))
  }
  await send({ team_id: town.workspace.teamId })
  await expect.poll(() => town.answers('ana')).toEqual(['Cancelled. Nothing changed.'])
  await send({ team_id: 'T0OTHER' })
  await expect.poll(() => town.answers('ana').at(-1)).toMatch(/only from people of its own workspace/)
  expect(town.requests).toHaveLength(1)
})

async function command(town: Awaited<ReturnType<typeof inboundTown>>, text: string): Promise<void> {
  await town.workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text })
}

const pressed = { card: { cardId: 'alert:1:C1', version: 1 }, via: 'button' } as const
const alert = anAlert('1')
const acknowledged: Reply = { kind: 'done', act: 'acknowledge', alert }
const all = { kind: 'done', act: 'acknowledge_all', others: 0, owners: [], mine: 0 } as const
const roles = { kind: 'done', act: 'add_roles', server: 'web-1', roles: ['web'], already: [] } as const

test.each<[string, Reply]>([
  ['an acknowledgement', acknowledged],
  ['all of a list', { ...all, count: 30, later: 0 }],
  ['a take-over', { kind: 'done', act: 'take_over', alerts: [alert], owner: null }],
  ['a note in the thread', { kind: 'done', act: 'add_note', alert, text: 'x', isTold: true }],
  ['a role that exists', { ...roles, created: [] }],
  ['an unmute', { kind: 'unmuted', server: 'web-1', isSure: true }],
  ['an extension', { kind: 'extended', mute: aMute() }],
])('%s from a card is answered by the card; typed, or from elsewhere, by an answer', (_, reply) => {
  expect(isAlreadyShown(pressed, reply)).toBe(true)
  expect(isAlreadyShown({ ...pressed, via: 'command' }, reply)).toBe(false)
  expect(isAlreadyShown({ ...pressed, card: null }, reply)).toBe(false)
})

test.each<[string, Reply]>([
  ['what came later than the list', { ...all, count: 30, later: 1 }],
  ['nothing left to acknowledge', { ...all, count: 0, later: 0 }],
  ['what the person has already', { kind: 'done', act: 'take_over', alerts: [], owner: null }],
  ['a note that nobody sees', { kind: 'done', act: 'add_note', alert, text: 'x', isTold: false }],
  ['a role that did not exist', { ...roles, created: ['web'] }],
  ['an unmute that is not sure', { kind: 'unmuted', server: 'web-1', isSure: false }],
  ['a refusal', { kind: 'refused', refusal: { why: 'pending_gone' } }],
  ['a stale press', { kind: 'stale', changed: { what: 'closed', alert }, nowMs: 1 }],
  ['a failure', { kind: 'failed', doing: 'acknowledge', words: 'away', isUnknown: false }],
])('%s is told to whoever pressed', (_, reply) => {
  expect(isAlreadyShown(pressed, reply)).toBe(false)
})
