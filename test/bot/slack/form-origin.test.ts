/** What a form remembers comes back as it was, fits into what Slack keeps, and nothing else is taken for it. */
import { expect, test } from 'vitest'
import { type FormOrigin, metadataText, parseMetadata } from '../../../src/bot/slack/inbound/form-origin.ts'
import { plainWords } from '../../../src/bot/slack/mrkdwn.ts'
import { renderForm } from '../../../src/bot/slack/render/forms/forms.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { startedMs } from './card-views.ts'

const origin: FormOrigin = {
  form: 'delete_metrics',
  alertId: '1',
  given: 'jobs,"quotes",ünï',
  card: { cardId: 'alert:1:C1', version: 7 },
  openedMs: 1_000,
  shown: { servers: ['web-1'], open: 2, mutes: [] },
  channel: 'C1',
  threadTs: null,
  responseUrl: 'https://hooks.slack.com/actions/T1/1/x',
}

test('it comes back as it was', () => {
  expect(parseMetadata(metadataText(origin) ?? '')).toEqual(origin)
})

test('where it is too long, the response URL goes first, and then there is no form', () => {
  const long = { ...origin, given: 'x'.repeat(2_780) }
  const text = metadataText(long)
  expect(text?.length).toBeLessThanOrEqual(3_000)
  expect(parseMetadata(text ?? '')).toEqual({ ...long, responseUrl: null })
  expect(metadataText({ ...origin, given: 'x'.repeat(3_000) })).toBeNull()
})

test.each(['', '{', 'null', '[]', '{"form":"other"}', JSON.stringify({ ...origin, form: '__proto__' })])(
  '%j is not ours',
  (text) => {
    expect(parseMetadata(text)).toBeNull()
  },
)

test('our own words lose their marks, and nothing that came from outside is made anew', () => {
  expect(
    plainWords(
      '*web-1* is muted <!date^1^{time}|2026-11-21 15:00 UTC> by <@U1>,\nsee <https://x.example|it>',
    ),
  ).toBe('web-1 is muted 2026-11-21 15:00 UTC by @U1, see it')
  expect(plainWords('a &lt;!channel&gt; &amp;lt; b')).toBe('a <!channel> &lt; b')
})

const asked = { given: null, hidesNow: 1, hidLastWeek: 2, others: [], maxMs: 3_600_000, prefill: '' } as const

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
