/** What each button, select and overflow means, from payloads as Slack sends them. */
import { expect, test } from 'vitest'
import type { Intent } from '../../../src/bot/domain/request/intent.ts'
import { decodePress } from '../../../src/bot/slack/inbound/decode-press.ts'
import { stampText } from '../../../src/bot/slack/vocabulary.ts'

const stamp = stampText({ cardId: 'alert:1:C1', version: 7, alertId: '1' })
const stormStamp = stampText({ cardId: 'storm:1:C1', version: 7, alertId: null })
const actionTs = '1700000000.000100'

/** `block_actions`, with the fields that Slack documents (docs/slack.md#requests); many are of no use to the bot. */
function payload(action: Record<string, unknown>, over: Record<string, unknown> = {}) {
  return {
    type: 'block_actions',
    api_app_id: 'A0MONBOT01',
    team: { id: 'T0TOWN0001', domain: 'town' },
    enterprise: null,
    is_enterprise_install: false,
    user: { id: 'U1', username: 'ana', name: 'ana', team_id: 'T0TOWN0001' },
    trigger_id: '1.2.abc',
    container: { type: 'message', message_ts: '1699999999.000100', channel_id: 'C1', is_ephemeral: false },
    channel: { id: 'C1', name: 'alerts' },
    message: { type: 'message', text: 'down', ts: '1699999999.000100' },
    response_url: 'https://hooks.slack.com/actions/T1/1/x',
    state: { values: {} },
    actions: [{ block_id: stamp, action_ts: actionTs, type: 'button', ...action }],
    ...over,
  }
}

const chosen = (value: string) => ({ selected_option: { text: { type: 'plain_text', text: 'x' }, value } })
const mute = (end: Extract<Intent, { kind: 'mute_server' }>['end']): Intent => ({
  kind: 'mute_server',
  servers: [{ by: 'alert', alertId: '1' }],
  end,
  reason: '',
  shown: null,
})
type OpenForm = Extract<Intent, { kind: 'open_form' }>
const form = (name: OpenForm['form'], alertId: string | null = '1'): OpenForm => {
  return { kind: 'open_form', form: name, alertId, given: null }
}

type Row = readonly [actionId: string, given: string, intent: Intent, block?: typeof stormStamp | 'x']

const seconds = (count: number) => ({ kind: 'for', ms: count * 1_000 }) as const
const onStorm = { ...mute(seconds(3_600)), servers: [{ by: 'card', cardId: 'storm:1:C1' }] } as Intent
const byName = (name: string) => ({ kind: 'unmute_server', server: { by: 'name', name } }) as const
const ofAlert = { kind: 'unmute_server', server: { by: 'alert', alertId: '1' } } as const

const chooses: readonly Row[] = [
  ['mute_server', '30m', mute(seconds(1_800))],
  ['mute_server', '24h', mute(seconds(86_400))],
  ['mute_server', 'healthy', mute({ kind: 'healthy' })],
  ['mute_server', 'unmuted', mute({ kind: 'unmuted' })],
  ['mute_server', 'custom', form('mute_server')],
  ['mute_all', 'custom', form('mute_server', null), stormStamp],
  ['mute_all', '1h', onStorm, stormStamp],
  ['more', 'add_roles', form('add_roles')],
  ['more', 'drop_marker', form('add_marker')],
  ['more', 'add_note', form('add_note')],
  ['more', 'mute_account', form('mute_account')],
  ['more', 'timeline', { kind: 'post_timeline', of: { by: 'alert', alert: '1' } }],
]

const presses: readonly Row[] = [
  ['acknowledge', '1', { kind: 'acknowledge', alert: '1' }],
  ['acknowledge', '9', { kind: 'acknowledge', alert: '9' }, 'x'],
  ['unmute_server', '1', ofAlert],
  ['unmute_server', 'server:web-1', byName('web-1'), 'x'],
  ['unmute_server:2', 'account', { kind: 'unmute_account' }, 'x'],
  ['unmute_server', 'mute:m1:5:9|', { ...ofAlert, shown: 'm1:5:9' }],
  ['show_chart', '1', { kind: 'alert_chart', alertId: '1' }],
  ['useful', '1', { kind: 'rate_alert', of: { by: 'alert', alert: '1' }, verdict: 'useful' }],
  ['noise', '1', { kind: 'rate_alert', of: { by: 'alert', alert: '1' }, verdict: 'noise' }],
  [
    'noise',
    'storm:1:C1',
    { kind: 'rate_alert', of: { by: 'card', cardId: 'storm:1:C1' }, verdict: 'noise' },
    stormStamp,
  ],
  ['timeline', '1', { kind: 'post_timeline', of: { by: 'alert', alert: '1' } }],
  ['timeline', 'storm:1:C1', { kind: 'post_timeline', of: { by: 'card', cardId: 'storm:1:C1' } }, stormStamp],
  ['acknowledge_all', '30', { kind: 'acknowledge_all', cardId: 'storm:1:C1', shown: 30 }, stormStamp],
  ['acknowledge_all', 'x', { kind: 'acknowledge_all', cardId: 'storm:1:C1', shown: null }, stormStamp],
  ['drop_marker', 'storm:1:C1', form('add_marker', null), stormStamp],
  ['add_roles', 'home', form('add_roles', null), 'x'],
  ['mute_account', 'home', form('mute_account', null), 'x'],
  ['mute_account', 'storm:1:C1', form('mute_account', null), stormStamp],
  ['undo_mute', 'm1|170|a1', { kind: 'undo_mute', muteId: 'm1', termsMs: 170, auditId: 'a1' }, 'x'],
  ['undo_mute', 'm1|170', { kind: 'undo_mute', muteId: 'm1', termsMs: 170 }],
  ['end_silence', 's:1', { kind: 'end_silence', id: 's:1', shown: null }, 'x'],
  ['skip_planned', '170|p:1', { kind: 'skip_planned', plannedId: 'p:1', startMs: 170 }, 'x'],
  ['cancel_planned', 'p1', { kind: 'cancel_planned', plannedId: 'p1' }, 'x'],
  ['extend_mute', 'm1', { kind: 'extend_mute', muteId: 'm1', ms: 3_600_000 }],
  ['unmute_now', 'server:web-1', byName('web-1')],
  ['unmute_now', 'mute:m1:5:9|server:web|1', { ...byName('web|1'), shown: 'm1:5:9' }],
  ['unmute_now', 'account', { kind: 'unmute_account' }],
  ['unmute_now', 'mute:m1:5:|account', { kind: 'unmute_account', shown: 'm1:5:' }],
  ['confirm', 'p1', { kind: 'confirm', pendingId: 'p1' }],
  ['cancel', 'p1', { kind: 'cancel', pendingId: 'p1' }],
  ['ask:next', 'mutes page 2', { kind: 'mutes', page: 2 }],
  ['ask', 'help mute', { kind: 'help', topic: 'mute' }],
]

test.for(chooses)('%s, %s', ([action_id, choice, intent, block_id = stamp]) => {
  expectAsked({ action_id, block_id, ...chosen(choice) }, intent)
})

test.for(presses)('%s of %s', ([action_id, value, intent, block_id = stamp]) => {
  expectAsked({ action_id, block_id, value }, intent)
})

function expectAsked(action: { action_id: string; block_id: string; value?: string }, intent: Intent): void {
  const asked = decodePress(payload(action))
  expect(asked).toMatchObject({ kind: 'request', request: { intent, userId: 'U1', channel: 'C1' } })
  if (asked?.kind !== 'request') throw new Error('it is a request')
  expect(asked.request.keys).toEqual([`action:U1:${actionTs}:${action.action_id}`])
  const cardId = { [stamp]: 'alert:1:C1', [stormStamp]: 'storm:1:C1' }[action.block_id]
  expect(asked.request.card).toEqual(cardId === undefined ? null : { cardId, version: 7 })
}

const aboutNothing: [what: string, body: unknown][] = [
  ['a duration that is not offered', payload({ action_id: 'mute_server', ...chosen('99y') })],
  ['a mute of no alert', payload({ action_id: 'mute_server', block_id: 'x', ...chosen('1h') })],
  ['an acknowledgement of no card', payload({ action_id: 'acknowledge_all', block_id: 'x', value: '1' })],
  ['a mute of no card', payload({ action_id: 'mute_all', block_id: 'x', ...chosen('1h') })],
  ['nothing chosen', payload({ action_id: 'more', selected_option: null })],
  ['a button without a value', payload({ action_id: 'confirm' })],
  ['an empty value', payload({ action_id: 'undo_mute', value: '' })],
]
test.each(aboutNothing)('%s of a message of ours met silence', (_, body) => {
  expect(decodePress(body)).toMatchObject({ kind: 'refused', refusal: { why: 'unknown_card' } })
})

const nothing: [what: string, body: unknown][] = [
  ['an unknown action', payload({ action_id: 'made_up', value: '1' })],
  ['an action whose name only begins like ours', payload({ action_id: 'confirmed', value: '1' })],
  ['no action', payload({}, { actions: [] })],
  ['no person', payload({ action_id: 'acknowledge', value: '1' }, { user: undefined })],
  [
    'another kind of payload',
    payload({ action_id: 'acknowledge', value: '1' }, { type: 'interactive_message' }),
  ],
  ['a name of every object', payload({ action_id: '__proto__', value: '1' })],
  ['no object', 'block_actions'],
  ['nothing at all', null],
]
test.each(nothing)('%s is not understood', (_, body) => {
  expect(decodePress(body)).toBeNull()
})

test('a button that only opens a page asks for nothing', () => {
  expect(decodePress(payload({ action_id: 'open', value: 'x' }))).toEqual({ kind: 'nothing' })
  expect(decodePress(payload({ action_id: 'open:2' }))).toEqual({ kind: 'nothing' })
})

test('only answers of ours are replaced, never a card', () => {
  const undo = { action_id: 'undo_mute', value: 'm1', block_id: 'x' }
  const container = { type: 'message', is_ephemeral: true }
  const replaces = (body: unknown) => {
    const asked = decodePress(body)
    return asked?.kind === 'request' ? asked.asker.replaces : asked
  }
  expect(replaces(payload(undo))).toBe('never')
  expect(replaces(payload(undo, { container }))).toBe('when_done')
  expect(replaces(payload({ ...undo, action_id: 'cancel' }, { container }))).toBe('always')
  expect(replaces(payload({ action_id: 'unmute_server', value: 'account' }, { container }))).toBe('never')
})

test('on the Home tab there is no channel and no response URL', () => {
  const home = {
    container: { type: 'view', view_id: 'V1' },
    channel: undefined,
    message: undefined,
    response_url: undefined,
  }
  expect(
    decodePress(payload({ action_id: 'unmute_now', value: 'account', block_id: 'x' }, home)),
  ).toMatchObject({
    request: { channel: null, card: null },
    asker: { channel: null, responseUrl: null, threadTs: null },
  })
})

test('a thread is answered in the thread', () => {
  const container = { type: 'message', message_ts: '2.0', thread_ts: '1.0', is_ephemeral: false }
  expect(decodePress(payload({ action_id: 'extend_mute', value: 'm1' }, { container }))).toMatchObject({
    asker: { threadTs: '1.0' },
  })
})
