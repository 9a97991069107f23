/** Forms: opened at once, refused on the field that is wrong, never lost when the API fails or is slow. */
import { expect, test } from 'vitest'
import { muteFingerprint } from '../../src/bot/domain/mute/shown.ts'
import type { FormName } from '../../src/bot/domain/request/named.ts'
import type { Form, Reply } from '../../src/bot/domain/request/reply.ts'
import { aMute } from '../support/acting-rows.ts'
import { cardId, formReply, inboundTown } from '../support/inbound.ts'
import { eventually, fieldsOf } from '../workspace/neighbour.ts'

const noted: Reply = { kind: 'done', act: 'add_marker', text: 'deployed' }

/** A town in which the first thing that ana asks opens this form, and what she sends is answered by `answer`. */
async function withForm(form: FormName, answer: () => Promise<Reply>, over: Partial<Form> = {}) {
  const town = await inboundTown({
    handle: async ({ via }) => (via === 'modal' ? answer() : formReply({ name: form, ...over })),
    ports: { roleNames: async (part) => ['db', 'db-replica', 'web'].filter((role) => role.includes(part)) },
  })
  const { workspace } = town
  const ts = await town.post()
  const choice = form === 'add_marker' ? 'drop_marker' : form
  const pressed = { user: 'ana', channel: '#alerts', ts, actionId: 'more', choice } as const
  if (['drop_marker', 'add_note'].includes(choice)) {
    await workspace.acts.click(pressed)
  } else {
    await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'status' })
  }
  const modal = fieldsOf(await eventually('the form', () => workspace.modals('ana').at(-1)))
  const viewId = String(modal.id)
  return {
    ...town,
    viewId,
    shown: () => JSON.stringify(workspace.modals('ana').at(-1)?.blocks),
    submit: (values: Record<string, string | string[]>) =>
      workspace.acts.submit({
        user: 'ana',
        viewId,
        values: Object.fromEntries(
          Object.entries(values).map(([field, value]) => [field, { [field]: value }]),
        ),
      }),
  }
}

test('what was written becomes a request that knows the card; when it is done, the form closes', async () => {
  const { submit, workspace, requests, answers } = await withForm('add_note', async () => noted)
  expect(await submit({ text: '  restarted nginx  ' })).toEqual({ ok: true })
  expect(workspace.modals('ana')).toEqual([])
  expect(requests.at(-1)).toEqual({
    intent: { kind: 'add_note', alert: '1', text: 'restarted nginx' },
    userId: 'U0ANA00001',
    via: 'modal',
    keys: [expect.stringMatching(/^trigger:/)],
    channel: 'C0ALERTS01',
    card: { cardId, version: 7 },
  })
  // The note stands in the thread, and nobody is told so twice.
  expect(answers('ana')).toEqual([])
})

test('the account’s form said nothing of a mute in force, and what it asked for counted as changed', async () => {
  const others = [aMute('m1', { subject: null, userId: 'U0BEN00001', reason: 'moving' })]
  const { submit, shown, requests } = await withForm('mute_account', async () => noted, { others })
  expect(shown()).toMatch(
    /The whole account is muted until .* by <@U0BEN00001> — moving\. This mute replaces it\./,
  )
  expect(await submit({ other_end: '20m', reason: 'second' })).toEqual({ ok: true })
  const told = { servers: [], open: 2, mutes: others.map(muteFingerprint) }
  expect(requests.at(-1)?.intent).toMatchObject({ kind: 'mute_account', shown: told })
})

test('with a beginning a mute is planned, once or by its day and time; without one it begins at once', async () => {
  const { submit, workspace, requests } = await withForm('mute_server', async () => noted)
  const startMs = Date.UTC(2026, 11, 1, 21)
  const start = String(startMs / 1_000)
  const refuses = async (values: Record<string, string>, field: string) => {
    const told = await submit(values)
    expect(told).toMatchObject({ response_action: 'errors', errors: { [field]: expect.any(String) } })
  }
  await refuses({ repeat: 'week' }, 'start')
  await refuses({ start, end: 'healthy' }, 'other_end')
  await refuses({ start, other_end: 'until unmuted' }, 'other_end')
  expect(workspace.modals('ana')).toHaveLength(1)
  expect(await submit({ start, repeat: 'week', other_end: '02:00', reason: 'backup' })).toEqual({ ok: true })
  const of = { of: 'servers', servers: [{ by: 'alert', alertId: '1' }] }
  const plan = { is: 'moment', startMs, days: 'same', length: { untilMinute: 120 } }
  expect(requests.at(-1)?.intent).toEqual({ kind: 'plan_mute', of, plan, reason: 'backup' })
})

test('the same of one alert, for as long as was chosen', async () => {
  const { submit, requests } = await withForm('mute_alert', async () => noted)
  const startMs = Date.UTC(2026, 11, 1, 21)
  expect(await submit({ start: String(startMs / 1_000), end: '4h' })).toEqual({ ok: true })
  const plan = { is: 'moment', startMs, days: null, length: { ms: 4 * 3_600_000 } }
  const of = { of: 'alert', alert: '1' }
  expect(requests.at(-1)?.intent).toEqual({ kind: 'plan_mute', of, plan, reason: '' })
})

test('what is wrong with a field stands at that field, and nothing is asked of anybody', async () => {
  const { submit, workspace, requests } = await withForm('mute_account', async () => noted)
  // The account has no health of its own to wait for.
  for (const other_end of ['a while', 'until healthy']) {
    const told = await submit({ other_end, reason: 'power cut' })
    const errors = { other_end: expect.stringMatching(/^Enter .*90m/) }
    expect(told).toMatchObject({ response_action: 'errors', errors })
  }
  expect(workspace.modals('ana')).toHaveLength(1)
  expect(requests).toHaveLength(1)
})

test('a refusal and a failure stand at the field, in plain words, and the form stays open with what was written', async () => {
  const replies: Reply[] = [
    { kind: 'refused', refusal: { why: 'too_long', maxMs: 4 * 3_600_000 } },
    { kind: 'failed', doing: 'mute_account', words: 'no answer within 10 s', isUnknown: false },
    { kind: 'cancelled' },
  ]
  const next = async () => replies.shift() ?? noted
  const { submit, workspace, requests } = await withForm('mute_account', next)
  const values = { other_end: '9h', reason: 'power cut' }
  expect(await submit(values)).toMatchObject({ errors: { other_end: expect.stringContaining('4 h') } })
  const failed = await submit(values)
  expect(failed).toMatchObject({
    errors: { other_end: expect.stringMatching(/no answer within 10 s\. .*try again/i) },
  })
  expect(JSON.stringify(failed)).not.toMatch(/[*<]/)
  expect(workspace.modals('ana')).toHaveLength(1)
  expect(await submit(values)).toEqual({ ok: true })
  expect(workspace.modals('ana')).toEqual([])
  expect(requests.at(-1)?.intent).toEqual({
    kind: 'mute_account',
    end: { kind: 'for', ms: 9 * 3_600_000 },
    reason: 'power cut',
    shown: { servers: [], open: 2, mutes: [] },
  })
})

test('who may not is told in the form who may, with names that Slack shows', async () => {
  const refusal = { why: 'not_permitted', act: 'add_marker', audience: ['U0BEN00001', 'S0ONCALL01'] } as const
  const { submit, shown } = await withForm('add_marker', async () => ({ kind: 'refused', refusal }))
  expect(await submit({ text: 'deployed' })).toMatchObject({ ok: true, response_action: 'update' })
  expect(shown()).toContain('<@U0BEN00001>')
  expect(shown()).toContain('deployed')
})

test('while the API is slow the form says so within three seconds, and then what came of it', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<Reply>()
  const { submit, shown, workspace, answers } = await withForm('add_marker', () => slow)
  // The workspace tells `operation_timeout` of what is not answered within three seconds.
  expect(await submit({ text: 'deployed' })).toMatchObject({ ok: true, response_action: 'update' })
  expect(shown()).toContain('Working on it')
  resolve({ kind: 'failed', doing: 'add_marker', words: 'no answer within 10 s', isUnknown: true })
  await eventually('the outcome', () => /no answer within 10 s/i.test(shown()))
  expect(shown()).toContain('deployed')
  expect(workspace.modals('ana')).toHaveLength(1)
  expect(answers('ana')).toEqual([])
})

test('a form that was closed meanwhile is answered in the channel', async () => {
  const { promise: slow, resolve } = Promise.withResolvers<Reply>()
  const { submit, workspace, answers, viewId } = await withForm('add_marker', () => slow)
  await submit({ text: 'deployed' })
  await workspace.acts.close({ user: 'ana', viewId })
  resolve(noted)
  await eventually('the answer', () => answers('ana').length === 1)
})

test('roles are suggested while somebody types, and new ones are written beside them', async () => {
  const { submit, requests, workspace, viewId } = await withForm('add_roles', async () => noted)
  const suggested = await workspace.acts.suggest({ user: 'ana', viewId, actionId: 'roles', value: 'db' })
  expect(suggested).toMatchObject({ options: [{ value: 'db' }, { value: 'db-replica' }] })
  expect(await submit({})).toMatchObject({ errors: { new_roles: expect.any(String) } })
  expect(await submit({ roles: ['db'], new_roles: 'canary, db , ,edge' })).toEqual({ ok: true })
  expect(requests.at(-1)?.intent).toEqual({
    kind: 'add_roles',
    server: { by: 'alert', alertId: '1' },
    roles: ['db', 'canary', 'edge'],
    existing: ['db'],
  })
})

test('suggestions that hang are an empty list, in time', async () => {
  const town = await inboundTown({
    handle: async () => formReply({ name: 'add_roles' }),
    ports: { roleNames: () => new Promise(() => {}) },
  })
  const { workspace } = town
  await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'status' })
  const modal = await eventually('the form', () => workspace.modals('ana')[0])
  const ask = { user: 'ana', viewId: String(modal.id), actionId: 'roles', value: 'db' }
  expect(await workspace.acts.suggest(ask)).toMatchObject({ ok: true, options: [] })
})

test('a form that cannot be opened any more is said so', async () => {
  const { workspace, answers, logger } = await inboundTown({
    handle: async () => formReply({ name: 'add_marker' }),
  })
  await workspace.acts.fault({ method: 'views.open', effect: { kind: 'error', error: 'expired_trigger_id' } })
  await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'status' })
  await eventually('the answer', () => answers('ana').length === 1)
  expect(logger.events()).toContain('form:not_opened')
})

const every: [FormName, given: string | undefined, says: RegExp][] = [
  ['mute_server', undefined, /Hides 2 open alerts \(14 last week\).*At most 4 h/],
  [
    'mute_account',
    '2h deploying',
    /No new alerts will be posted.*at most 4 h.*"initial_value":"2h".*"deploying"/,
  ],
  ['add_roles', undefined, /multi_external_select/],
  ['add_marker', undefined, /What happened/],
  ['add_note', undefined, /Note/],
  ['delete_server', 'web-<1>', /cannot be undone.*web-&lt;1&gt;/],
  ['delete_metrics', 'jobs,queue', /cannot be undone.*jobs,queue/],
  ['delete_metrics', '<'.repeat(2_600), /cannot be undone.*&lt;/],
]
test.each(every)('Slack takes the form %s, about %.20s', async (form, given, says) => {
  const { shown } = await withForm(form, async () => noted, given === undefined ? {} : { given })
  expect(shown()).toMatch(says)
})
