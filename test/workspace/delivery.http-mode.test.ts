/** HTTP mode from the bot's side: what comes in, how it is signed, what an answer does, what becomes of an event, and what goes wrong on command. */

import { describe, expect, test } from 'vitest'
import { signingSecret, withHttpBot } from './http-bot.ts'
import { button, eventually, type Fields, neighbour, plain, section } from './neighbour.ts'

const mon = { user: 'ana', channel: '#alerts', command: '/mon' }
const form = 'application/x-www-form-urlencoded'

const noteModal = {
  type: 'modal',
  callback_id: 'note',
  title: plain('Add a note'),
  submit: plain('Add'),
  blocks: [
    {
      type: 'input',
      block_id: 'note',
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
  ],
}

describe('a request', () => {
  test('of a command is a signed form with its fields, of exactly that type', async () => {
    const { workspace, taken, clock } = await withHttpBot()
    expect(await workspace.acts.command({ ...mon, text: 'mute web-1 <2h> & more' })).toEqual({ ok: true })
    expect(taken).toHaveLength(1)
    expect(taken[0]).toMatchObject({
      isSigned: true,
      headers: { 'content-type': form, 'x-slack-request-timestamp': String(clock.nowMs / 1_000) },
      payload: { command: '/mon', text: 'mute web-1 &lt;2h&gt; &amp; more', user_id: 'U0ANA00001' },
    })
    expect(taken[0]?.headers).not.toHaveProperty('x-slack-retry-num')
  })

  test('of a button is a form with one field, payload', async () => {
    const { workspace, taken, call } = await withHttpBot()
    const { ts } = await call('chat.postMessage', {
      channel: '#alerts',
      text: 'card',
      blocks: [section('a card'), { type: 'actions', elements: [button('acknowledge')] }],
    })
    const pressed = { user: 'ana', channel: '#alerts', ts: String(ts), actionId: 'acknowledge' }
    expect(await workspace.acts.click(pressed)).toEqual({ ok: true })
    expect(taken[0]).toMatchObject({ isSigned: true, headers: { 'content-type': form } })
    expect([...new URLSearchParams(taken[0]?.body).keys()]).toEqual(['payload'])
    expect(taken[0]?.payload).toMatchObject({
      type: 'block_actions',
      actions: [{ action_id: 'acknowledge' }],
    })
  })

  test('of an event is JSON', async () => {
    const { workspace, taken } = await withHttpBot()
    await workspace.acts.home({ user: 'ana' })
    await eventually('the event', () => taken.length > 0)
    expect(taken[0]).toMatchObject({
      isSigned: true,
      headers: { 'content-type': 'application/json' },
      payload: { type: 'event_callback', event: { type: 'app_home_opened', user: 'U0ANA00001' } },
    })
  })
})

describe('the answer', () => {
  test('to a command is shown to the asker, as text or as JSON', async () => {
    const { workspace } = await withHttpBot(({ payload }) =>
      payload.text === 'plain'
        ? { body: 'in plain text' }
        : { body: '{"text":"in JSON"}', headers: { 'content-type': 'application/json' } },
    )
    await workspace.acts.command({ ...mon, text: 'plain' })
    await workspace.acts.command({ ...mon, text: 'json' })
    expect(workspace.ephemerals('ana').map(({ text }) => text)).toEqual(['in plain text', 'in JSON'])
  })

  test('to a modal: errors keep it open, nothing closes it, and words that are no JSON are refused', async () => {
    let body = '{"response_action":"errors","errors":{"note":"Say more."}}'
    const it = await withHttpBot(({ payload }) => (payload.type === 'view_submission' ? { body } : undefined))
    const { workspace, taken, call } = it
    await workspace.acts.shortcut({ user: 'ana', callbackId: 'add_note' })
    const opened = await call('views.open', { trigger_id: taken[0]?.payload.trigger_id, view: noteModal })
    expect(opened.ok).toBe(true)
    const viewId = String(workspace.modals('ana')[0]?.id)
    const send = () => workspace.acts.submit({ user: 'ana', viewId, values: { note: { text: 'rebooting' } } })
    expect(await send()).toEqual({ ok: true, response_action: 'errors', errors: { note: 'Say more.' } })
    body = 'ok'
    expect(await send()).toMatchObject({ ok: false, error: 'dispatch_failed' })
    expect(workspace.modals('ana')).toHaveLength(1)
    body = ''
    expect(await send()).toEqual({ ok: true })
    expect(workspace.modals('ana')).toEqual([])
  })

  test('that does not come within three seconds is a time-out, for whoever asked', async () => {
    const { workspace, clock, taken } = await withHttpBot(() => null)
    const asked = workspace.acts.command(mon)
    await eventually('the request', () => taken.length > 0)
    clock.nowMs += 3_000
    expect(await asked).toMatchObject({ ok: false, error: 'operation_timeout' })
  })

  test.each([500, 404, 302])('%i is a failed dispatch', async (status) => {
    const { workspace } = await withHttpBot(() => ({ status, headers: { location: '/elsewhere' } }))
    const detail = `the bot answered ${status}`
    expect(await workspace.acts.command(mon)).toEqual({ ok: false, error: 'dispatch_failed', detail })
  })

  test('of nobody is a failed dispatch, and says neither the URL nor the secret', async () => {
    const { workspace, leave } = await withHttpBot()
    await leave()
    const detail = 'the bot was not reached at its request URL (connection_failed)'
    expect(await workspace.acts.command(mon)).toEqual({ ok: false, error: 'dispatch_failed', detail })
  })
})

describe('an event that fails', () => {
  const sentAtMs = (workspace: {
    events: { since(seq: number): readonly { event: Fields; atMs: number }[] }
  }) => workspace.events.since(0).flatMap(({ event, atMs }) => (event.type === 'event_sent' ? [atMs] : []))

  test('is sent again at once, after a minute and after five, with a number and a reason, each signed anew', async () => {
    const it = await withHttpBot(() => ({ status: 503 }))
    const { workspace, taken, clock } = it
    const startMs = clock.nowMs
    await workspace.acts.home({ user: 'ana' })
    await eventually('the first retry', () => taken.length === 2)
    for (const [waitMs, count] of [
      [60_000, 3],
      [300_000, 4],
    ] as const) {
      await eventually('the answer', () => missed() === count - 1)
      clock.nowMs += waitMs
      await eventually(`try ${count}`, () => taken.length === count)
    }
    await eventually('the loss', () =>
      workspace.events.since(0).some(({ event }) => event.type === 'event_lost'),
    )
    expect(taken.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3'])
    expect(new Set(taken.slice(1).map(({ headers }) => headers['x-slack-retry-reason']))).toEqual(
      new Set(['http_error']),
    )
    expect(taken.every(({ isSigned }) => isSigned)).toBe(true)
    expect(new Set(taken.map(({ payload }) => payload.event_id)).size).toBe(1)
    expect(sentAtMs(workspace).map((atMs) => atMs - startMs)).toEqual([0, 0, 60_000, 360_000])
    function missed(): number {
      return workspace.events.since(0).filter(({ event }) => event.type === 'event_missed').length
    }
  })

  test('and was not answered in time says so as the reason', async () => {
    const { workspace, taken, clock } = await withHttpBot(({ headers }) =>
      headers['x-slack-retry-num'] === undefined ? null : undefined,
    )
    await workspace.acts.home({ user: 'ana' })
    await eventually('the request', () => taken.length === 1)
    clock.nowMs += 3_000
    await eventually('the retry', () => taken.length === 2)
    expect(taken[1]?.headers['x-slack-retry-reason']).toBe('http_timeout')
  })

  test('is let go where the answer asks for no retry', async () => {
    const { workspace, taken } = await withHttpBot(() => ({
      status: 500,
      headers: { 'x-slack-no-retry': '1' },
    }))
    await workspace.acts.home({ user: 'ana' })
    await eventually('the loss', () =>
      workspace.events.since(0).some(({ event }) => event.type === 'event_lost'),
    )
    expect(taken).toHaveLength(1)
  })
})

describe('on command', () => {
  test('signatures are forged or missing, once each, and then good again', async () => {
    const { workspace, taken } = await withHttpBot()
    await workspace.acts.requestFault({ kind: 'forged_signature' })
    await workspace.acts.requestFault({ kind: 'no_signature' })
    for (let n = 0; n < 3; n += 1) await workspace.acts.command(mon)
    expect(taken.map(({ isSigned }) => isSigned)).toEqual([false, false, true])
    expect(taken[0]?.headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/)
    expect(taken[1]?.headers).not.toHaveProperty('x-slack-signature')
  })

  test('requests were made ten minutes ago, until that is cleared', async () => {
    const { workspace, taken, clock } = await withHttpBot()
    await workspace.acts.requestFault({ kind: 'shifted_timestamp', seconds: -600, times: null })
    await workspace.acts.command(mon)
    await workspace.acts.command(mon)
    await workspace.acts.clearFaults({})
    await workspace.acts.command(mon)
    const ages = taken.map(
      ({ headers }) => clock.nowMs / 1_000 - Number(headers['x-slack-request-timestamp']),
    )
    expect(ages).toEqual([600, 600, 0])
    expect(taken.every(({ isSigned }) => isSigned)).toBe(true)
  })

  test('a request comes twice, the same to the byte', async () => {
    const { workspace, taken, clock } = await withHttpBot()
    await workspace.acts.redeliver({ afterMs: 10_000 })
    await workspace.acts.command(mon)
    clock.nowMs += 10_000
    await eventually('the repeat', () => taken.length === 2)
    const proof = ({ body, headers }: (typeof taken)[number]) => ({
      body,
      signature: headers['x-slack-signature'],
      timestamp: headers['x-slack-request-timestamp'],
    })
    expect(taken.map(proof)[1]).toEqual(taken.map(proof)[0])
    await eventually('the answer to it', () =>
      workspace.events
        .since(0)
        .some(({ event }) => event.type === 'request_answered' && event.isRepeat && event.answer === '200'),
    )
  })

  test('the bot proves itself at a new URL, and only then everything goes there', async () => {
    const other = await withHttpBot(({ payload }) => ({
      body: JSON.stringify({ challenge: payload.challenge }),
    }))
    const silent = await withHttpBot()
    const { acts } = silent.workspace
    expect(await acts.requestUrl({})).toMatchObject({ ok: false, error: 'url_not_verified' })
    expect(await acts.requestUrl({ url: other.requestUrl })).toEqual({ ok: true })
    expect(other.taken[0]).toMatchObject({ isSigned: true, payload: { type: 'url_verification' } })
    await acts.command(mon)
    expect(other.taken[1]?.payload).toMatchObject({ command: '/mon' })
    expect(silent.taken).toHaveLength(1)
  })

  test('its certificate is looked at, without a signature', async () => {
    const { workspace, taken } = await withHttpBot()
    expect(await workspace.acts.sslCheck({})).toEqual({ ok: true })
    expect(taken[0]).toMatchObject({ isSigned: false, body: 'ssl_check=1' })
  })

  test('nothing of that is there in Socket Mode', async () => {
    const { workspace } = await neighbour()
    const replies = [
      await workspace.acts.requestFault({ kind: 'no_signature' }),
      await workspace.acts.requestUrl({}),
      await workspace.acts.sslCheck({}),
    ]
    expect(replies.map((reply) => (reply.ok ? '' : reply.error))).toEqual(Array(3).fill('not_http_mode'))
  })
})

test('the signing secret stands in no event and no state', async () => {
  const { workspace } = await withHttpBot(() => ({ status: 500 }))
  await workspace.acts.requestFault({ kind: 'forged_signature' })
  const reply = await workspace.acts.command(mon)
  const state = await (await fetch(`${workspace.url}control/state`)).text()
  expect(JSON.stringify([reply, workspace.events.since(0)]) + state).not.toContain(signingSecret)
})
