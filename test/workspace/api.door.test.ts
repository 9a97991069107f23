/** The door of the Web API: methods, tokens, scopes, content types. */
import { describe, expect, test } from 'vitest'
import { fieldsOf, neighbour } from './neighbour.ts'

const channel = 'C0ALERTS01'

describe('a token', () => {
  test('is asked for, checked, and of the right kind', async () => {
    const { call, workspace } = await neighbour()
    expect((await call('auth.test', {}, '')).error).toBe('not_authed')
    expect((await call('auth.test', {}, 'xoxb-wrong')).error).toBe('invalid_auth')
    expect((await call('users.info', {}, workspace.appToken)).error).toBe('not_allowed_token_type')
    expect((await call('apps.connections.open')).error).toBe('not_allowed_token_type')
    expect(await call('auth.test')).toMatchObject({
      ok: true,
      user_id: workspace.botUserId,
      bot_id: workspace.botId,
      team_id: workspace.teamId,
    })
  })

  test('may stand in the form, never in the address', async () => {
    const { workspace } = await neighbour()
    const body = new URLSearchParams({ token: workspace.botToken })
    const inForm = await fetch(`${workspace.apiUrl}auth.test`, { method: 'POST', body })
    expect(fieldsOf(await inForm.json()).ok).toBe(true)
    const inAddress = await fetch(`${workspace.apiUrl}auth.test?token=${workspace.botToken}`, {
      method: 'POST',
    })
    expect(await inAddress.json()).toEqual({ ok: false, error: 'invalid_auth' })
  })

  test('is in no event and no snapshot', async () => {
    const { call, workspace } = await neighbour()
    await call('auth.test')
    await call('auth.test', { token: workspace.botToken }, '')
    await call('chat.postMessage', { channel, text: 'x' })
    const state = await (await fetch(`${workspace.url}control/state`)).text()
    const told = JSON.stringify(workspace.events.since(0))
    expect(told).toContain('"method":"auth.test"')
    for (const token of [workspace.botToken, workspace.appToken]) {
      expect(told).not.toContain(token)
      expect(state).not.toContain(token)
    }
  })
})

describe('a call', () => {
  test('of a method that is none is unknown_method, before anything else', async () => {
    const { call } = await neighbour()
    expect((await call('chat.shout', {}, '')).error).toBe('unknown_method')
    expect((await call('reactions.add')).error).toBe('unknown_method')
  })

  test('without its scope is told which one, and what there is', async () => {
    const { raw } = await neighbour({ scopes: ['commands'] })
    const refused = await raw('chat.postMessage', { channel, text: 'x' })
    expect(refused.headers.get('x-oauth-scopes')).toBe('commands')
    expect(refused.headers.get('x-accepted-oauth-scopes')).toBe('chat:write')
    expect(await refused.json()).toEqual({
      ok: false,
      error: 'missing_scope',
      needed: 'chat:write',
      provided: 'commands',
    })
  })

  test('takes forms, as the SDK sends them, and JSON, as Alertmanager does', async () => {
    const { workspace } = await neighbour()
    const send = async (method: string, type: string, body: string) => {
      const headers = { authorization: `Bearer ${workspace.botToken}`, 'content-type': type }
      return fieldsOf(
        await (await fetch(workspace.apiUrl + method, { method: 'POST', headers, body })).json(),
      )
    }
    const form = 'application/x-www-form-urlencoded'
    expect((await send('chat.postMessage', form, `channel=${channel}&text=x`)).ok).toBe(true)
    expect((await send('chat.postMessage', 'text/plain', 'x')).error).toBe('invalid_post_type')
    const json = 'application/json'
    expect((await send('chat.postMessage', json, `{"channel":"${channel}","text":"x"}`)).ok).toBe(true)
    expect((await send('chat.postMessage', json, 'channel=x')).error).toBe('invalid_json')
  })

  test('above two million bytes is refused', async () => {
    const { raw } = await neighbour()
    expect((await raw('chat.postMessage', { channel, text: 'x'.repeat(2_000_001) })).status).toBe(413)
  })

  test('may carry team_id, whatever the method', async () => {
    const { call } = await neighbour()
    const team_id = 'T0LOCAL001'
    expect((await call('auth.test', { team_id })).ok).toBe(true)
    expect((await call('users.info', { team_id, user: 'U0ANA00001' })).ok).toBe(true)
  })
})
