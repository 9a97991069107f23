/** A person fills in a modal and sends it; what the bot answers takes effect. */
import { describe, expect, test } from 'vitest'
import { type Fields, fieldsOf, neighbour } from './neighbour.ts'

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const options = ['30m', '1h'].map((value) => ({ text: plain(value), value }))
const form = (more: Fields = {}): Fields => ({
  type: 'modal',
  callback_id: 'mute',
  title: plain('Mute'),
  submit: plain('Mute'),
  blocks: [
    {
      type: 'input',
      block_id: 'reason',
      label: plain('Reason'),
      element: { type: 'plain_text_input', action_id: 'text', max_length: 20 },
    },
    {
      type: 'input',
      block_id: 'how_long',
      label: plain('How long'),
      element: { type: 'static_select', action_id: 'choice', options, initial_option: options[0] },
    },
    {
      type: 'input',
      block_id: 'note',
      optional: true,
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
    {
      type: 'actions',
      block_id: 'acts',
      elements: [{ type: 'button', action_id: 'preview', text: plain('Preview') }],
    },
  ],
  ...more,
})

/** Ana has opened a modal of a bot that answers submissions with what `answers` holds, one after the other. */
async function opened(view: Fields, ...answers: unknown[]) {
  const it = await neighbour()
  const line = await it.socket()
  const payloads: Fields[] = []
  line.ws.on('message', (data) => {
    const envelope = fieldsOf(JSON.parse(String(data)))
    if (envelope.envelope_id === undefined) return
    const payload = fieldsOf(envelope.payload)
    payloads.push(payload)
    line.ack(envelope, payload.type === 'view_submission' ? answers.shift() : undefined)
  })
  await it.workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon' })
  const made = await it.call('views.open', { trigger_id: payloads[0]?.trigger_id, view })
  const viewId = String(fieldsOf(made.view).id)
  const { acts } = it.workspace
  const values = { reason: { text: 'deploying' } }
  return {
    ...it,
    viewId,
    payloads,
    last: (): Fields => payloads.at(-1) ?? {},
    submit: (more: object = {}) => acts.submit({ user: 'ana', viewId, values, ...more }),
    modals: () => it.workspace.modals('ana'),
  }
}

describe('a submission', () => {
  test('carries every value, chosen or not, and an empty answer closes the modal', async () => {
    const { submit, last, modals, viewId } = await opened(form({ private_metadata: 'web-1' }), undefined)
    expect(await submit()).toEqual({ ok: true })
    expect(last()).toMatchObject({
      type: 'view_submission',
      user: { id: 'U0ANA00001' },
      view: {
        id: viewId,
        callback_id: 'mute',
        private_metadata: 'web-1',
        hash: expect.any(String),
        state: {
          values: {
            reason: { text: { type: 'plain_text_input', value: 'deploying' } },
            how_long: { choice: { type: 'static_select', selected_option: { value: '30m' } } },
            note: { text: { type: 'plain_text_input', value: null } },
          },
        },
      },
    })
    expect(modals()).toEqual([])
  })

  test('is not sent while the form is not right', async () => {
    const { submit, payloads } = await opened(form())
    expect(await submit({ values: {} })).toMatchObject({
      error: 'missing_input',
      detail: 'reason.text must be filled in',
    })
    expect(await submit({ values: { reason: { text: 'x'.repeat(21) } } })).toMatchObject({
      error: 'too_long',
    })
    expect(await submit({ values: { how_long: { choice: '2h' } } })).toMatchObject({
      error: 'invalid_choice',
    })
    expect(await submit({ values: { nothing: { text: 'x' } } })).toMatchObject({ error: 'unknown_input' })
    expect(payloads.filter(({ type }) => type === 'view_submission')).toEqual([])
  })

  test('may be answered with errors for inputs, and for nothing else; then sent again', async () => {
    const { submit, modals } = await opened(
      form(),
      { response_action: 'errors', errors: { reason: 'Say more.' } },
      { response_action: 'errors', errors: { acts: 'no input' } },
      { response_action: 'errors', errors: {} },
      {},
    )
    expect(await submit()).toEqual({ ok: true, response_action: 'errors', errors: { reason: 'Say more.' } })
    expect(await submit()).toMatchObject({ ok: false, error: 'invalid_response_action' })
    expect(await submit()).toMatchObject({ ok: false, error: 'invalid_response_action' })
    expect(modals()).toHaveLength(1)
    expect(await submit()).toEqual({ ok: true })
    expect(modals()).toEqual([])
  })

  test('may be answered with another view in its place', async () => {
    const again = { response_action: 'update', view: form({ callback_id: 'again' }) }
    const { submit, modals, viewId } = await opened(form(), again)
    expect(await submit()).toMatchObject({ response_action: 'update' })
    expect(modals()).toMatchObject([{ id: viewId, callback_id: 'again' }])
  })

  test('may not be answered with nonsense', async () => {
    const { submit, modals } = await opened(
      form(),
      { response_action: 'dance' },
      { response_action: 'update', view: { type: 'modal' } },
      { response_action: 'update' },
    )
    expect(await submit()).toMatchObject({ ok: false, error: 'invalid_response_action' })
    expect(await submit()).toMatchObject({ ok: false, error: 'invalid_arguments' })
    expect(await submit()).toMatchObject({ ok: false, error: 'invalid_arguments' })
    expect(modals()).toMatchObject([{ callback_id: 'mute' }])
  })

  test('that is not acknowledged leaves the modal open', async () => {
    const { submit, workspace, modals } = await opened(form())
    await workspace.acts.cut()
    expect(await submit()).toMatchObject({ error: 'dispatch_failed' })
    expect(modals()).toHaveLength(1)
  })
})

describe('what was typed', () => {
  test('survives an update that keeps the ids, and is told with a click', async () => {
    const { workspace, viewId, call, submit, last } = await opened(form(), undefined)
    await submit({ values: { reason: { text: '' } } })
    await workspace.acts.submit({
      user: 'ana',
      viewId,
      values: { reason: { text: '' }, note: { text: 'kept' } },
    })
    await workspace.acts.click({ user: 'ana', viewId, actionId: 'preview' })
    expect(last()).toMatchObject({ type: 'block_actions', container: { type: 'view', view_id: viewId } })
    expect(last().state).toMatchObject({ values: { note: { text: { value: 'kept' } } } })
    await call('views.update', { view_id: viewId, view: form() })
    expect(workspace.modals('ana')[0]).toMatchObject({
      state: { values: { note: { text: { value: 'kept' } } } },
    })
    const renamed = fieldsOf(form())
    const blocks = Array.isArray(renamed.blocks)
      ? renamed.blocks.map((block) => ({ ...block, block_id: `${block.block_id}_2` }))
      : []
    await call('views.update', { view_id: viewId, view: { ...renamed, blocks } })
    expect(workspace.modals('ana')[0]).toMatchObject({
      state: { values: { note_2: { text: { value: null } } } },
    })
  })

  test('is not dispatched from an input block', async () => {
    const { workspace, viewId } = await opened(form())
    const typed = { user: 'ana', viewId, actionId: 'text', blockId: 'reason', choice: 'x' }
    expect(await workspace.acts.click(typed)).toMatchObject({ error: 'no_dispatch' })
  })
})

describe('closing', () => {
  test('happens once, and nobody tells the bot', async () => {
    const { workspace, viewId, payloads, modals } = await opened(form())
    expect((await workspace.acts.close({ user: 'ana', viewId })).ok).toBe(true)
    expect(payloads).toHaveLength(1)
    expect(modals()).toEqual([])
    expect(await workspace.acts.close({ user: 'ana', viewId })).toMatchObject({ error: 'view_not_found' })
  })
})
