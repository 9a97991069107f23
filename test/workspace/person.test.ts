/** The language of the stories: a person who uses the workspace by what can be seen there. */
import { expect, test } from 'vitest'
import { personIn } from '../support/person.ts'
import {
  button,
  eventually,
  type Fields,
  fieldsOf,
  neighbour,
  options,
  plain,
  section,
  withBot,
} from './neighbour.ts'

const select = { type: 'static_select', action_id: 'mute', placeholder: plain('Mute'), options }
const menu = {
  type: 'overflow',
  action_id: 'more',
  options: [{ text: plain('Drop marker…'), value: 'drop_marker' }],
}
const roles = {
  type: 'multi_external_select',
  action_id: 'roles',
  min_query_length: 1,
  placeholder: plain('Roles'),
}
const form = {
  type: 'modal',
  callback_id: 'roles',
  title: plain('Add roles'),
  submit: plain('Add'),
  blocks: [
    { type: 'input', block_id: 'roles', label: plain('Roles'), element: roles },
    {
      type: 'input',
      block_id: 'why',
      label: plain('Reason'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
  ],
}

/** The names of the select, each offered for what is typed. */
const offers = (envelope: Fields): unknown => {
  const payload = fieldsOf(envelope.payload)
  if (payload.type !== 'block_suggestion') return undefined
  const found = ['db', 'db-replica', 'web'].filter((name) => name.startsWith(String(payload.value)))
  return { options: found.map((name) => ({ text: plain(name), value: `role:${name}` })) }
}

test('types a command and reads the answer, presses a button of it, and says what else there was', async () => {
  const { workspace, last } = await withBot(() => ({
    text: ':no_bell: web-1 is muted',
    blocks: [section('web-1 is muted'), { type: 'actions', elements: [button('undo'), button('other')] }],
  }))
  const ana = personIn(workspace, 'ana', 200)
  await ana.types('/mon mute web-1 2h')
  expect(last()).toMatchObject({ command: '/mon', text: 'mute web-1 2h' })
  expect(ana.sees()).toEqual(['🔕 web-1 is muted'])
  await expect(ana.presses('Press')).rejects.toThrow('more than one "Press"; could use: "Press", "Press"')
  await expect(ana.presses('Undo')).rejects.toThrow('ana sees no "Undo"; could use: "Press", "Press"')
  await expect(personIn(workspace, 'ben', 50).presses('Press')).rejects.toThrow('ben has had no answer')
})

test('uses what stands on a card: a button, a select and an overflow menu', async () => {
  const { workspace, last, card } = await withBot()
  const ana = personIn(workspace, 'ana', 200)
  const ts = await card([button('acknowledge'), select, menu])
  await ana.presses('Press', { ts })
  expect(last()).toMatchObject({ user: { id: ana.id }, actions: [{ action_id: 'acknowledge' }] })
  await ana.chooses('Mute', '1h', { ts })
  expect(last()).toMatchObject({ actions: [{ action_id: 'mute', selected_option: { value: '1h' } }] })
  await ana.picks('More', 'Drop marker…', { ts })
  expect(last()).toMatchObject({
    actions: [{ action_id: 'more', selected_option: { value: 'drop_marker' } }],
  })
  await expect(ana.chooses('Mute', '9h', { ts })).rejects.toThrow('no "9h" in "Mute"; it offers: "30m", "1h"')
})

test('tells two buttons of the same name apart by what they stand by', async () => {
  const it = await withBot()
  const row = (name: string) => ({ ...section(name), accessory: button('unmute', name) })
  const blocks = [row('web-1'), row('db-1')]
  const { ts } = await it.call('chat.postMessage', { channel: '#alerts', text: 'mutes', blocks })
  const ana = personIn(it.workspace, 'ana', 200)
  await ana.presses('Press', { ts: String(ts) }, { beside: 'web-1' })
  expect(it.last()).toMatchObject({ actions: [{ value: 'web-1' }] })
})

test('fills in a modal by its labels, reads what is wrong, and sends it', async () => {
  let errors: Fields | undefined = { why: 'Say why.' }
  const it = await withBot((envelope) => {
    if (fieldsOf(envelope.payload).type !== 'view_submission') return offers(envelope)
    return errors && { response_action: 'errors', errors }
  })
  const ana = personIn(it.workspace, 'ana', 500)
  await ana.types('/mon')
  await it.call('views.open', { trigger_id: it.last().trigger_id, view: form })
  expect(ana.modal()).toMatchObject({ title: 'Add roles', labels: ['Roles', 'Reason'], errors: {} })
  await expect(ana.fills({ Roles: 'mail' })).rejects.toThrow('no "mail" in "Roles"; it offers: nothing')
  await ana.fills({ Roles: ['db', 'web'], Reason: 'new hardware' })
  await ana.submits()
  expect(ana.modal()?.errors).toEqual({ Reason: 'Say why.' })
  const values = fieldsOf(fieldsOf(it.last().view).state).values
  expect(values).toMatchObject({
    roles: { roles: { selected_options: [{ value: 'role:db' }, { value: 'role:web' }] } },
    why: { text: { value: 'new hardware' } },
  })
  errors = undefined
  await ana.submits()
  expect(ana.modal()).toBeNull()
})

test('uses a shortcut of a message, opens the Home tab, and finds direct messages', async () => {
  const shortcuts = [{ callbackId: 'mute_server', name: 'Mute this server', type: 'message' as const }]
  const it = await neighbour({ shortcuts })
  const line = await it.socket()
  const payloads: Fields[] = []
  line.ws.on('message', (data) => {
    const envelope = fieldsOf(JSON.parse(String(data)))
    if (envelope.envelope_id === undefined) return
    payloads.push(fieldsOf(envelope.payload))
    line.ack(envelope)
  })
  const ana = personIn(it.workspace, 'ana', 200)
  const { ts } = await it.call('chat.postMessage', { channel: '#alerts', text: 'card' })
  await ana.shortcuts('Mute this server', { ts: String(ts) })
  expect(payloads.at(-1)).toMatchObject({
    type: 'message_action',
    callback_id: 'mute_server',
    message_ts: ts,
  })
  await expect(ana.shortcuts('Add a note', { ts: String(ts) })).rejects.toThrow(
    'could use: "Mute this server"',
  )
  await ana.opensHome()
  await eventually('the event', () => payloads.find(({ type }) => type === 'event_callback'))
  expect(ana.home()).toBeNull()
  const view = { type: 'home', blocks: [section('2 alerts are open')] }
  await it.call('views.publish', { user_id: ana.id, view })
  expect(ana.home()).toBe('2 alerts are open')
  expect(await ana.inbox()).toEqual([])
  await it.call('chat.postMessage', { channel: ana.id, text: 'muted :no_bell:' })
  expect(await ana.inbox()).toEqual(['muted 🔕'])
})
