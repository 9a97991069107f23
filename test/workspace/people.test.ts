/** What people do reaches the bot as Slack tells it, and what the bot answers reaches the people. */

import { describe, expect, test } from 'vitest'
import { button, neighbour, options, plain, respond, section, withBot } from './neighbour.ts'

describe('a click', () => {
  test('on a button carries the button, the message and where it stands', async () => {
    const { workspace, card, last } = await withBot()
    const ts = await card([button('acknowledge', '42')])
    expect(
      await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' }),
    ).toEqual({ ok: true })
    expect(last()).toMatchObject({
      type: 'block_actions',
      user: { id: 'U0ANA00001', username: 'ana', team_id: workspace.teamId },
      container: { type: 'message', message_ts: ts, channel_id: 'C0ALERTS01', is_ephemeral: false },
      channel: { id: 'C0ALERTS01', name: 'alerts' },
      message: { ts, text: 'card' },
      actions: [{ action_id: 'acknowledge', block_id: 'buttons', type: 'button', value: '42' }],
      trigger_id: expect.any(String),
      response_url: expect.stringContaining('/respond/actions/'),
    })
  })

  test('on a select chooses one of its options', async () => {
    const { workspace, card, last } = await withBot()
    const ts = await card([{ type: 'static_select', action_id: 'mute_server', options }])
    const at = { user: 'ana', channel: '#alerts', ts }
    await workspace.acts.click({ ...at, actionId: 'mute_server', choice: '1h' })
    expect(last().actions).toMatchObject([{ type: 'static_select', selected_option: { value: '1h' } }])
    expect(last().state).toEqual({
      values: {
        buttons: {
          mute_server: { type: 'static_select', selected_option: expect.objectContaining({ value: '1h' }) },
        },
      },
    })
    expect(await workspace.acts.click({ ...at, actionId: 'mute_server', choice: '2h' })).toMatchObject({
      error: 'invalid_choice',
    })
  })

  test('on a select chooses an option of any of its groups', async () => {
    const { workspace, card, last } = await withBot()
    const groups = ['Server', 'This alert'].map((label, at) => ({
      label: plain(label),
      options: [{ text: plain('1 h'), value: `${at}` }],
    }))
    const ts = await card([{ type: 'static_select', action_id: 'mute', option_groups: groups }])
    const at = { user: 'ana', channel: '#alerts', ts, actionId: 'mute' }
    await workspace.acts.click({ ...at, choice: '1' })
    expect(last().actions).toMatchObject([{ selected_option: { value: '1' } }])
    expect(await workspace.acts.click({ ...at, choice: '2' })).toMatchObject({ error: 'invalid_choice' })
  })

  test('on what an edit has just replaced is delivered as it was seen, on what is older not', async () => {
    const { workspace, call, card, last } = await withBot()
    const ts = await card([{ type: 'static_select', action_id: 'mute', options }])
    const edit = (block_id: string) => {
      const blocks = [{ type: 'actions', block_id, elements: [button('unmute')] }]
      return call('chat.update', { channel: 'C0ALERTS01', ts, text: 'muted', blocks })
    }
    const late = { user: 'ana', channel: '#alerts', ts, blockId: 'buttons', actionId: 'mute', choice: '1h' }
    await edit('first')
    expect(await workspace.acts.click(late)).toEqual({ ok: true })
    expect(last()).toMatchObject({
      actions: [{ block_id: 'buttons', selected_option: { value: '1h' } }],
      message: { text: 'muted' },
    })
    await edit('second')
    expect(await workspace.acts.click(late)).toMatchObject({ error: 'unknown_action' })
  })

  test('on what is not there is refused, with what is', async () => {
    const { workspace, card, payloads } = await withBot()
    const ts = await card([button('acknowledge')])
    const at = { user: 'ana', channel: '#alerts', ts }
    const wrong = await workspace.acts.click({ ...at, actionId: 'explode' })
    expect(wrong).toMatchObject({
      error: 'unknown_action',
      detail: 'expected one of ["acknowledge"], got "explode"',
    })
    expect(await workspace.acts.click({ ...at, user: 'zoe', actionId: 'acknowledge' })).toMatchObject({
      error: 'user_not_found',
    })
    const nowhere = { ...at, ts: '1700000000.000100', actionId: 'acknowledge' }
    expect(await workspace.acts.click(nowhere)).toMatchObject({ error: 'message_not_found' })
    expect(payloads).toEqual([])
  })

  test('on an ephemeral message is for who sees it, and sends no copy of it', async () => {
    const { workspace, call, last } = await withBot()
    const blocks = [{ type: 'actions', elements: [button('undo')] }]
    const { message_ts } = await call('chat.postEphemeral', {
      channel: 'C0ALERTS01',
      user: 'U0ANA00001',
      text: 'done',
      blocks,
    })
    const at = { channel: '#alerts', ts: String(message_ts), actionId: 'undo' }
    expect(await workspace.acts.click({ user: 'ben', ...at })).toMatchObject({ error: 'message_not_found' })
    expect((await workspace.acts.click({ user: 'ana', ...at })).ok).toBe(true)
    expect(last()).toMatchObject({ container: { is_ephemeral: true } })
    expect(last()).not.toHaveProperty('message')
    const redone = { replace_original: true, text: 'undone' }
    expect((await respond(last().response_url, redone)).status).toBe(200)
    expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'undone' }])
  })

  test('without an answer in three seconds is operation_timeout, without a socket dispatch_failed', async () => {
    const it = await neighbour()
    const asked = { user: 'ana', channel: '#alerts', command: '/mon' }
    expect(await it.workspace.acts.command(asked)).toMatchObject({ ok: false, error: 'dispatch_failed' })
    const line = await it.socket()
    const waiting = it.workspace.acts.command(asked)
    const late = await line.take('the command', ({ type }) => type === 'slash_commands')
    it.clock.nowMs += 3_000
    expect(await waiting).toMatchObject({ ok: false, error: 'operation_timeout' })
    line.ack(late, { text: 'too late' })
    expect(it.workspace.ephemerals('ana')).toEqual([])
  })
})

describe('a command', () => {
  test('carries who, where and what, and its answer is shown to the asker', async () => {
    const { workspace, last } = await withBot(() => ({ text: 'two open' }))
    const asked = { user: 'ana', channel: '#private-ops', command: '/mon', text: 'alerts <open> & all' }
    expect((await workspace.acts.command(asked)).ok).toBe(true)
    expect(last()).toMatchObject({
      command: '/mon',
      text: 'alerts &lt;open&gt; &amp; all',
      user_id: 'U0ANA00001',
      channel_id: 'C0PRIVOPS1',
      channel_name: 'privategroup',
      trigger_id: expect.any(String),
    })
    expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'two open', channel: 'C0PRIVOPS1' }])
    expect(workspace.messages('private-ops')).toEqual([])
  })

  test('may answer everybody, and a wrong answer is told', async () => {
    const answers = [{ text: 'all see', response_type: 'in_channel' }, { blocks: [section('')] }, {}]
    const { workspace } = await withBot(() => answers.shift())
    const asked = { user: 'ana', channel: '#alerts', command: '/mon' }
    expect((await workspace.acts.command(asked)).ok).toBe(true)
    expect(workspace.messages('alerts')).toMatchObject([{ text: 'all see' }])
    expect(await workspace.acts.command(asked)).toMatchObject({ ok: false, error: 'invalid_blocks' })
    expect(await workspace.acts.command(asked)).toEqual({ ok: true })
  })

  test('that the bot does not have is invalid', async () => {
    const { workspace } = await neighbour()
    const wrong = await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/moon' })
    expect(wrong).toMatchObject({ error: 'invalid_command', detail: 'expected /mon, got "/moon"' })
  })
})

describe('a response URL', () => {
  async function asked() {
    const it = await withBot()
    await it.workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon' })
    return { ...it, url: it.last().response_url }
  }

  test('serves five times', async () => {
    const { url, workspace } = await asked()
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) statuses.push((await respond(url, { text: `n${n}` })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404])
    expect(workspace.ephemerals('ana')).toHaveLength(5)
  })

  test('serves for thirty minutes', async () => {
    const { url, clock } = await asked()
    clock.nowMs += 30 * 60_000 - 1
    expect((await respond(url, { text: 'x' })).status).toBe(200)
    clock.nowMs += 1
    const late = await respond(url, { text: 'x' })
    expect(late.status).toBe(404)
    expect(await late.json()).toEqual({ ok: false, error: 'expired_url' })
  })

  test('refuses with 404 what could not be posted, by the bare code', async () => {
    const { url, workspace } = await asked()
    expect(await (await respond(url, { blocks: [section('')] })).json()).toEqual({
      ok: false,
      error: 'invalid_blocks',
    })
    expect(await (await respond(url, {})).json()).toMatchObject({ error: 'no_text' })
    expect(
      await (await respond(`${workspace.url}respond/commands/T0LOCAL001/none`, { text: 'x' })).json(),
    ).toMatchObject({ error: 'unknown_url' })
  })

  test('can answer in the channel, and replace the message it came from', async () => {
    const { workspace, card, last } = await withBot()
    const ts = await card([button('acknowledge')])
    await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' })
    const url = last().response_url
    await respond(url, { text: 'for all', response_type: 'in_channel' })
    await respond(url, { text: 'taken', replace_original: true })
    expect(workspace.messages('alerts')).toMatchObject([{ ts, text: 'taken' }, { text: 'for all' }])
    expect(workspace.messages('alerts')[0]).not.toHaveProperty('blocks')
  })

  test('knows no thread: what was pressed in one is answered in the channel', async () => {
    const { workspace, card, last } = await withBot()
    const thread_ts = await card([button('x')])
    const ts = await card([button('acknowledge')], { thread_ts })
    await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' })
    expect(last()).toMatchObject({ container: { message_ts: ts, thread_ts } })
    await respond(last().response_url, { text: 'for you' })
    expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'for you' }])
    expect(workspace.ephemerals('ana')[0]).not.toHaveProperty('thread_ts')
  })

  test('goes wrong when it is told to', async () => {
    const { url, workspace } = await asked()
    await workspace.acts.fault({ method: 'response_url', effect: { kind: 'status', status: 500 } })
    expect((await respond(url, { text: 'x' })).status).toBe(500)
    expect((await respond(url, { text: 'x' })).status).toBe(200)
  })
})
