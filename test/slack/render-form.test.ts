/** A form says which alert it is about in the words of the alert's card. */
import { expect, test } from 'vitest'
import { renderForm } from '../../src/slack/render/forms/form.ts'
import { anAlert } from '../support/delivery-world.ts'
import { startedMs } from './card-views.ts'

const asked = { given: null, hidesNow: 1, hidLastWeek: 2, maxMs: 3_600_000, prefill: '' } as const

test.each([
  ['open', { closedMs: null }, '🔴 *<https://monitor.example/a/1|web-1>* CPU busy 97 % (limit 90 %)'],
  [
    'closed',
    { closedMs: startedMs + 60_000 },
    '🟢 *<https://monitor.example/a/1|web-1>* CPU busy closed after',
  ],
] as const)('the form of an %s alert begins with its headline', (state, over, line) => {
  const title = 'CPU busy met or exceeded 90.00%, increasing to 97.20%'
  const cpu = { plugin: 'CPU', metric: 'cpu_busy', value: 97.2, title, startedMs }
  const alert = anAlert('1', { ...cpu, state, ...over })
  const [first] = renderForm({ ...asked, name: 'mute_server', alert }, '{}').blocks
  expect(JSON.stringify(first)).toContain(line)
  expect(JSON.stringify(first)).not.toContain('increasing')
})
