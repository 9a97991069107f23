/** The control API over HTTP, its stream of events, and who is kept out. */
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { eventually, type Fields, fieldsOf, neighbour } from './neighbour.ts'

async function controlled() {
  const it = await neighbour()
  const root = `${it.workspace.url}control/`
  const act = async (
    name: string,
    body: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => {
    const answer = await fetch(root + name, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, body: fieldsOf(await answer.json()) }
  }
  const get = async (path: string): Promise<Fields> => fieldsOf(await (await fetch(root + path)).json())
  return { ...it, root, act, get }
}

describe('an act', () => {
  test('is done, and its outcome told', async () => {
    const { act, get } = await controlled()
    expect(await act('say', { user: 'ana', channel: '#alerts', text: 'hello' })).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect(await get('messages?channel=C0ALERTS01')).toMatchObject({
      messages: [{ text: 'hello', user: 'U0ANA00001' }],
    })
    const refused = await act('say', { user: 'ana', channel: '#nowhere', text: 'hello' })
    expect(refused).toEqual({
      status: 409,
      body: { ok: false, error: 'channel_not_found', detail: 'there is no channel "#nowhere"' },
    })
  })

  test('that does not fit is refused with what was expected', async () => {
    const { act } = await controlled()
    const wrong = await act('say', { user: 'ana', channel: '#alerts', text: 7 })
    expect(wrong.status).toBe(400)
    expect(wrong.body.detail).toContain('expected string, received number')
    expect((await act('say', '{')).status).toBe(400)
    expect((await act('holdPosts', { seconds: -1 })).status).toBe(400)
    const unknown = await act('dance', {})
    expect(unknown.status).toBe(404)
    expect(unknown.body.detail).toContain('say, command, click')
  })

  test('is for pages of this server and programs only', async () => {
    const { act, workspace } = await controlled()
    const plain = { 'content-type': 'text/plain' }
    expect((await act('say', '{"user":"ana","channel":"#alerts","text":"x"}', plain)).status).toBe(415)
    // fetch sets these by itself; a page that reaches 127.0.0.1 by another name sends that name.
    const statusFor = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request(`${workspace.url}control/state`, { headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        asked.on('error', reject)
        asked.end()
      })
    const own = new URL(workspace.url)
    const other = 'http://localhost:1'
    expect(await statusFor({ host: 'rebound.example:80' })).toBe(403)
    expect(await statusFor({ origin: 'https://evil.example' })).toBe(403)
    expect(await statusFor({ origin: 'null' })).toBe(403)
    expect(await statusFor({ origin: other, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await statusFor({ 'sec-fetch-site': 'cross-site' })).toBe(403)
    for (const passedOn of [
      'Forwarded',
      'X-Forwarded-For',
      'x-forwarded-anything',
      'X_Forwarded_For',
      'X-Real-IP',
      'Via',
    ])
      expect(await statusFor({ [passedOn]: '' }), passedOn).toBe(403)
    expect(await statusFor({ origin: own.origin, 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await statusFor({ 'sec-fetch-site': 'none' })).toBe(200)
    expect(workspace.messages('alerts')).toEqual([])
  })
})

test('the state names everybody and everything', async () => {
  const { get } = await controlled()
  expect(await get('state')).toMatchObject({
    bot: { userId: 'U0MONBOT01', name: 'monbot' },
    users: expect.arrayContaining([expect.objectContaining({ name: 'ana', tz: 'Europe/Lisbon' })]),
    channels: expect.arrayContaining([expect.objectContaining({ name: 'random', withBot: false })]),
  })
  expect(await get('messages?channel=nowhere')).toMatchObject({ error: 'channel_not_found' })
  expect(await get('own?user=U0ANA00001')).toEqual({ ok: true, messages: [], modals: [], home: null })
})

test('events are sent as they happen, and again from where a listener left', async () => {
  const { root, call } = await controlled()
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const stop = new AbortController()
    const answer = await fetch(root + path, { headers, signal: stop.signal })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const until = async (part: string): Promise<string> => {
      while (!text.includes(part)) {
        const next = await reader?.read()
        if (next === undefined || next.done) throw new Error(`the stream ended before ${part}`)
        text += next.value
      }
      return text
    }
    return { until, stop: () => stop.abort() }
  }
  const live = await read('events')
  await live.until('hello')
  await call('chat.postMessage', { channel: '#alerts', text: 'first' })
  const heard = await live.until('"type":"api_call"')
  expect(heard).toContain('event: message_posted')
  expect(heard).toContain('"text":"first"')
  live.stop()
  await call('chat.postMessage', { channel: '#alerts', text: 'second' })
  const later = await read('events', { 'last-event-id': '2' })
  const missed = await later.until('"text":"second"')
  expect(missed).not.toContain('"text":"first"')
  later.stop()
  const all = await read('events?since=0')
  expect(await all.until('"text":"second"')).toContain('"text":"first"')
  all.stop()
})

describe('people come, go and talk', () => {
  const types = (heard: readonly Fields[]): unknown[] =>
    heard
      .filter(({ type }) => type === 'events_api')
      .map(({ payload }) => fieldsOf(fieldsOf(payload).event).type)

  test('and the bot hears of what it has subscribed to', async () => {
    const { socket, workspace } = await neighbour({
      botEvents: ['app_home_opened', 'member_joined_channel', 'channel_unarchive'],
    })
    const { acts } = workspace
    const line = await socket()
    await acts.say({ user: 'ana', channel: '#alerts', text: 'the bot does not listen to what people say' })
    await acts.home({ user: 'ben' })
    await acts.kick({ channel: '#alerts', who: 'cleo' })
    await acts.invite({ channel: '#alerts', who: 'cleo' })
    await acts.kick({ channel: '#alerts', who: 'bot' })
    await acts.kick({ channel: '#private-ops', who: 'bot' })
    await acts.archive({ channel: '#db' })
    await acts.archive({ channel: '#db', archived: false })
    await eventually('three events', () => types(line.heard).length === 3)
    expect(types(line.heard)).toEqual(['app_home_opened', 'member_joined_channel', 'channel_unarchive'])
  })

  test('within what a workspace allows', async () => {
    const { workspace } = await neighbour()
    const { acts } = workspace
    await acts.kick({ channel: '#alerts', who: 'ben' })
    expect(await acts.say({ user: 'ben', channel: '#alerts', text: 'x' })).toMatchObject({
      error: 'not_in_channel',
    })
    expect(await acts.say({ user: 'ana', channel: '#old-alerts', text: 'x' })).toMatchObject({
      error: 'is_archived',
    })
    expect(await acts.say({ user: 'ana', channel: '#alerts', text: ' ' })).toMatchObject({ error: 'no_text' })
    const nowhere = { user: 'ana', channel: '#alerts', text: 'x', threadTs: '1700000000.000100' }
    expect(await acts.say(nowhere)).toMatchObject({ error: 'thread_not_found' })
    const { ts } = await acts.say({ user: 'ana', channel: '#alerts', text: 'parent' })
    const reply = await acts.say({ user: 'ana', channel: '#alerts', text: 'reply', threadTs: String(ts) })
    expect(reply.ok).toBe(true)
  })
})
