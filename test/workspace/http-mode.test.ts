/** HTTP mode from the bot's side: what comes in, how it is signed, what an answer does, and what becomes of an event. */
import { describe, expect, test } from 'vitest'
import { button, plain } from './answering-bot.ts'
import { withHttpBot } from './http-bot.ts'
import { eventually, type Fields, section } from './neighbour.ts'

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
