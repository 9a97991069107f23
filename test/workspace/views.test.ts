/** Modals and Home tabs: triggers that expire, hashes that go stale. */
import { describe, expect, test } from 'vitest'
import { type Fields, fieldsOf, neighbour, section } from './neighbour.ts'

const title = { type: 'plain_text', text: 'Mute' }
const modal = (more: Fields = {}): Fields => ({
  type: 'modal',
  title,
  blocks: [section('how long?')],
  ...more,
})
const home = (text: string): Fields => ({ type: 'home', blocks: [section(text)] })

/** A workspace with a bot on a plain socket, and triggers from it. */
async function staged() {
  const it = await neighbour()
  const line = await it.socket()
  async function trigger(user = 'ana'): Promise<string> {
    const asked = it.workspace.acts.command({ user, channel: '#alerts', command: '/mon' })
    const envelope = await line.take('the command', ({ type }) => type === 'slash_commands')
    line.ack(envelope)
    await asked
    return String(fieldsOf(envelope.payload).trigger_id)
  }
  return { ...it, line, trigger }
}

describe('a trigger', () => {
  test('opens one view within three seconds', async () => {
    const { call, trigger, clock, workspace } = await staged()
    const trigger_id = await trigger()
    const opened = await call('views.open', { trigger_id, view: modal({ private_metadata: 'x' }) })
    expect(opened).toMatchObject({
      ok: true,
      view: { type: 'modal', private_metadata: 'x', hash: expect.any(String) },
    })
    expect(workspace.modals('ana')).toHaveLength(1)
    expect((await call('views.open', { trigger_id, view: modal() })).error).toBe('exchanged_trigger_id')
    expect((await call('views.open', { trigger_id: '1.2.x', view: modal() })).error).toBe(
      'invalid_trigger_id',
    )
    const late = await trigger()
    clock.nowMs += 3_000
    expect((await call('views.open', { trigger_id: late, view: modal() })).error).toBe('expired_trigger_id')
    const early = await trigger()
    clock.nowMs += 2_999
    expect((await call('views.open', { trigger_id: early, view: modal() })).ok).toBe(true)
  })

  test('is not spent on a view that is refused', async () => {
    const { call, trigger } = await staged()
    const trigger_id = await trigger()
    const refused = await call('views.open', {
      trigger_id,
      view: modal({ title: { ...title, text: 'x'.repeat(25) } }),
    })
    expect(refused.error).toBe('invalid_arguments')
    expect(JSON.stringify(refused.response_metadata)).toContain('[json-pointer:/view/title/text]')
    expect((await call('views.open', { trigger_id, view: home('x') })).error).toBe('invalid_arguments')
    expect((await call('views.open', { trigger_id, view: '{' })).error).toBe('invalid_arguments')
    expect((await call('views.open', { trigger_id })).error).toBe('invalid_arguments')
    expect((await call('views.open', { trigger_id, view: modal() })).ok).toBe(true)
  })
})

describe('a modal', () => {
  test('has limits: 3,000 characters of private metadata, 250 KB', async () => {
    const { call, trigger } = await staged()
    const open = async (view: Fields) => call('views.open', { trigger_id: await trigger(), view })
    expect((await open(modal({ private_metadata: 'x'.repeat(3_001) }))).error).toBe('invalid_arguments')
    const large = modal({ blocks: Array.from({ length: 90 }, () => section('x'.repeat(2_800))) })
    expect((await open(large)).error).toBe('view_too_large')
  })

  test('is updated by its id, and not with an old hash', async () => {
    const { call, trigger, workspace } = await staged()
    const opened = await call('views.open', { trigger_id: await trigger(), view: modal() })
    const { id, hash } = fieldsOf(opened.view)
    const updated = await call('views.update', {
      view_id: id,
      hash,
      view: modal({ blocks: [section('two')] }),
    })
    expect(updated.ok).toBe(true)
    expect((await call('views.update', { view_id: id, hash, view: modal() })).error).toBe('hash_conflict')
    expect(workspace.modals('ana')).toMatchObject([{ id, blocks: [{ text: { text: 'two' } }] }])
    expect((await call('views.update', { view: modal() })).error).toBe('invalid_arguments')
    await workspace.acts.close({ user: 'ana', viewId: String(id) })
    expect((await call('views.update', { view_id: id, view: modal() })).error).toBe('not_found')
  })

  test('is the only one: another takes its place', async () => {
    const { call, trigger, workspace } = await staged()
    for (const text of ['one', 'two'])
      await call('views.open', { trigger_id: await trigger(), view: modal({ blocks: [section(text)] }) })
    expect(workspace.modals('ana')).toMatchObject([{ blocks: [{ text: { text: 'two' } }] }])
  })
})

describe('a Home tab', () => {
  test('is published per person, and not over a newer one', async () => {
    const { call, workspace } = await neighbour()
    const first = await call('views.publish', { user_id: 'U0ANA00001', view: home('one') })
    const { hash } = fieldsOf(first.view)
    expect((await call('views.publish', { user_id: 'U0ANA00001', hash, view: home('two') })).ok).toBe(true)
    expect((await call('views.publish', { user_id: 'U0ANA00001', hash, view: home('three') })).error).toBe(
      'hash_conflict',
    )
    expect(workspace.home('ana')).toMatchObject({ type: 'home', blocks: [{ text: { text: 'two' } }] })
    expect(workspace.home('ben')).toBeUndefined()
    expect((await call('views.publish', { user_id: 'U0NOBODY01', view: home('x') })).error).toBe(
      'invalid_arguments',
    )
    expect((await call('views.publish', { user_id: 'U0ANA00001', view: modal() })).error).toBe(
      'invalid_arguments',
    )
  })

  test('can be switched off', async () => {
    const { call } = await neighbour({ homeEnabled: false })
    expect((await call('views.publish', { user_id: 'U0ANA00001', view: home('x') })).error).toBe(
      'not_enabled',
    )
  })
})
