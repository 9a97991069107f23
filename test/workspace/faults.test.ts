/** Everything that goes wrong on command does so, and does or does not do what was asked, as its name says. */
import { describe, expect, test } from 'vitest'
import type { Effect } from '../../src/workspace/faults/faults.ts'
import { eventually, fieldsOf, neighbour, png } from './neighbour.ts'

const post = { channel: '#alerts', text: 'x' }

/** One post under an effect: what the caller got, and how many messages there are. */
async function under(effect: Effect) {
  const it = await neighbour()
  await it.workspace.acts.fault({ method: 'chat.postMessage', effect })
  const posted = () => it.workspace.messages('alerts').length
  return { ...it, posted }
}

describe('a call that fails before anything is done', () => {
  test.each<[Effect, number, string]>([
    [{ kind: 'status', status: 503 }, 503, 'upstream error'],
    [{ kind: 'status', status: 500, body: 'boom' }, 500, 'boom'],
    [{ kind: 'html' }, 200, '<!doctype html>'],
    [{ kind: 'error', error: 'fatal_error' }, 200, '{"ok":false,"error":"fatal_error"}'],
    [{ kind: 'error', error: 'x', more: { needed: 'y' } }, 200, '{"ok":false,"error":"x","needed":"y"}'],
    [{ kind: 'ratelimited', retryAfterSeconds: 7 }, 429, '{"ok":false,"error":"ratelimited"}'],
  ])('%o', async (effect, status, body) => {
    const { raw, posted } = await under(effect)
    const answer = await raw('chat.postMessage', post)
    expect(answer.status).toBe(status)
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('7')
    expect(await answer.text()).toContain(body)
    expect(posted()).toBe(0)
    expect((await raw('chat.postMessage', post)).status).toBe(200)
    expect(posted()).toBe(1)
  })

  test('reset', async () => {
    const { raw, posted } = await under({ kind: 'reset' })
    await expect(raw('chat.postMessage', post)).rejects.toThrow('fetch failed')
    expect(posted()).toBe(0)
  })

  test('hang: no answer, until the caller gives up', async () => {
    const { workspace, posted } = await under({ kind: 'hang' })
    const giveUp = new AbortController()
    const calling = fetch(`${workspace.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.botToken}` },
      body: new URLSearchParams(post),
      signal: giveUp.signal,
    })
    await eventually('the call to hang', () =>
      JSON.stringify(workspace.events.since(0)).includes('"fault":"hang"'),
    )
    giveUp.abort()
    await expect(calling).rejects.toThrow('aborted')
    await eventually('the end of the call', () =>
      JSON.stringify(workspace.events.since(0)).includes('"outcome":"hang"'),
    )
    expect(posted()).toBe(0)
  })
})

describe('a call that is done all the same', () => {
  test('delay: it waits by the clock, then does it', async () => {
    const { call, clock, posted, workspace } = await under({ kind: 'delay', delayMs: 20_000 })
    const calling = call('chat.postMessage', post)
    await eventually('the call to wait', () =>
      JSON.stringify(workspace.events.since(0)).includes('"fault":"delay"'),
    )
    expect(posted()).toBe(0)
    clock.nowMs += 20_000
    expect((await calling).ok).toBe(true)
    expect(posted()).toBe(1)
  })

  test('commit_then_reset', async () => {
    const { raw, posted } = await under({ kind: 'commit_then_reset' })
    await expect(raw('chat.postMessage', post)).rejects.toThrow('fetch failed')
    expect(posted()).toBe(1)
  })

  test('commit_then_status', async () => {
    const { raw, posted } = await under({ kind: 'commit_then_status', status: 502 })
    expect((await raw('chat.postMessage', post)).status).toBe(502)
    expect(posted()).toBe(1)
  })

  test('commit_then_delay: done at once, answered later', async () => {
    const { call, clock, posted } = await under({ kind: 'commit_then_delay', delayMs: 30_000 })
    const calling = call('chat.postMessage', post)
    await eventually('the message', () => posted() === 1)
    clock.nowMs += 30_000
    expect((await calling).ok).toBe(true)
  })

  test('commit_late: the connection dies, the message comes afterwards', async () => {
    const { raw, clock, posted } = await under({ kind: 'commit_late', afterMs: 40_000 })
    await expect(raw('chat.postMessage', post)).rejects.toThrow('fetch failed')
    expect(posted()).toBe(0)
    clock.nowMs += 39_999
    clock.nowMs += 1
    await eventually('the late message', () => posted() === 1)
  })

  test('truncate: half an answer', async () => {
    const { raw, posted } = await under({ kind: 'truncate' })
    const answer = await raw('chat.postMessage', post)
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow('terminated')
    expect(posted()).toBe(1)
  })
})

describe('a fault', () => {
  test('meets its method and its channel only, as often as it says', async () => {
    const { call, workspace } = await neighbour()
    const effect = { kind: 'error', error: 'fatal_error' } as const
    await workspace.acts.fault({ method: 'chat.postMessage', channel: '#db', times: 2, effect })
    const codes: unknown[] = []
    for (const channel of ['#alerts', '#db', 'C0DB000001', '#db'])
      codes.push((await call('chat.postMessage', { channel, text: 'x' })).error)
    expect(codes).toEqual([undefined, 'fatal_error', 'fatal_error', undefined])
    expect((await call('conversations.info', { channel: 'C0DB000001' })).ok).toBe(true)
  })

  test('for all methods stands until it is cleared', async () => {
    const { call, workspace } = await neighbour()
    const set = await workspace.acts.fault({
      method: '*',
      times: null,
      effect: { kind: 'error', error: 'internal_error' },
    })
    for (const method of ['auth.test', 'users.info', 'auth.test'])
      expect((await call(method)).error).toBe('internal_error')
    expect(await workspace.acts.clearFaults({ id: String(set.id) })).toEqual({ ok: true, cleared: 1 })
    expect((await call('auth.test')).ok).toBe(true)
  })

  test('for a channel that is not is refused', async () => {
    const { workspace } = await neighbour()
    const refused = await workspace.acts.fault({
      method: '*',
      channel: '#nowhere',
      effect: { kind: 'reset' },
    })
    expect(refused).toMatchObject({ ok: false, error: 'channel_not_found' })
  })

  test('can meet the bytes of an upload', async () => {
    const { call, workspace } = await neighbour()
    const announced = await call('files.getUploadURLExternal', {
      filename: 'a.png',
      length: String(png.byteLength),
    })
    const send = () => fetch(String(announced.upload_url), { method: 'POST', body: new Uint8Array(png) })
    await workspace.acts.fault({ method: 'upload', effect: { kind: 'status', status: 500 } })
    expect((await send()).status).toBe(500)
    await workspace.acts.fault({ method: 'upload', effect: { kind: 'commit_then_reset' } })
    await expect(send()).rejects.toThrow('fetch failed')
    const completed = await call('files.completeUploadExternal', { files: [{ id: announced.file_id }] })
    expect(completed.ok).toBe(true)
  })

  test('of thirty seconds is over after thirty seconds, and says so', async () => {
    const { raw, clock, workspace } = await neighbour()
    const effect = { kind: 'ratelimited', retryAfterSeconds: 10 } as const
    await workspace.acts.fault({ method: 'chat.postMessage', times: null, seconds: 30, effect })
    const status = async () => (await raw('chat.postMessage', post)).status
    expect(await status()).toBe(429)
    clock.nowMs += 29_000
    expect(await status()).toBe(429)
    clock.nowMs += 1_000
    await expect.poll(status).toBe(200)
    expect(workspace.events.since(0).map(({ event }) => event.type)).toContain('fault_cleared')
  })

  test('that was used up before its time ends without a word', async () => {
    const { raw, clock, workspace } = await neighbour()
    const effect = { kind: 'ratelimited', retryAfterSeconds: 1 } as const
    await workspace.acts.fault({ method: 'chat.postMessage', seconds: 30, effect })
    await workspace.acts.fault({ method: 'chat.update', times: null, seconds: 31, effect })
    expect((await raw('chat.postMessage', post)).status).toBe(429)
    expect((await raw('chat.postMessage', post)).status).toBe(200)
    clock.nowMs += 31_000
    const cleared = () => workspace.events.since(0).filter(({ event }) => event.type === 'fault_cleared')
    await expect.poll(() => cleared().length).toBeGreaterThan(0)
    expect(cleared()).toHaveLength(1)
  })

  test('is told among the events, with what became of the call', async () => {
    const { raw, workspace } = await under({ kind: 'status', status: 503 })
    await raw('chat.postMessage', post)
    const told = workspace.events.since(0).map(({ event }) => event)
    expect(told).toContainEqual({ type: 'fault_set', fault: 'chat.postMessage: status' })
    expect(told).toContainEqual({ type: 'fault_used', fault: 'status' })
    expect(told.map((event) => fieldsOf(event).outcome)).toContain('http_503')
  })
})
