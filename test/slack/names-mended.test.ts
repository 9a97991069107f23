/** Faults in how names were shown: each test is named for what went wrong. */
import { expect, test } from 'vitest'
import { openSuggestions } from '../../src/slack/inbound/suggestion.ts'
import { render } from '../../src/slack/render/render.ts'
import { renderReply } from '../../src/slack/render/replies/reply.ts'
import { alertCharsMin, alertLine } from '../../src/slack/render/text/alert-line.ts'
import { actions } from '../../src/slack/vocabulary.ts'
import { anAlert } from '../support/delivery-world.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { view, words } from './card-views.ts'

const shop = { hostname: 'ip-10-0-0-7', serverName: 'Web shop' }
const listing = { mutes: [], charsMax: 3_000, isCompact: false }

test('the card of a server with a display name did not say the name that the monitoring knows', () => {
  const [headline, facts] = words(view(shop))
  expect(headline).toContain('|Web shop>*')
  expect(facts).toContain(' · host ip-10-0-0-7 · ')
  expect(render(view(shop)).text).toContain('host ip-10-0-0-7')
  expect(alertLine(anAlert('1', shop), listing)).toContain('host ip-10-0-0-7')
})

test('where both names are the same it is said once', () => {
  for (const names of [{}, { hostname: 'web-1', serverName: '' }]) {
    expect(words(view(names)).join('\n')).not.toContain('host ')
    expect(alertLine(anAlert('1', names), listing)).not.toContain('host ')
  }
})

test('a line of an alert stays as short as it must, however long its host is called', () => {
  const long = { hostname: '&'.repeat(253), serverName: '<'.repeat(253), title: '>'.repeat(3_000) }
  const line = alertLine(anAlert('9'.repeat(40), { ...long, ackedBy: 'U0ANA' }), {
    ...listing,
    charsMax: alertCharsMin,
  })
  expect(line.length).toBeLessThanOrEqual(alertCharsMin)
})

test('a name that was to be typed again was cut', () => {
  const expected = Array.from({ length: 20 }, (_, n) => `metric_${n}_${'x'.repeat(38)}`).join(', ')
  expect(expected.length).toBeGreaterThan(950)
  const shown = renderReply({ kind: 'refused', refusal: { why: 'name_differs', expected, typed: 'x' } })
  expect(shown?.text).toContain(`\`${expected}\``)
})

test('a role of invisible characters made Slack refuse every suggestion', async () => {
  const suggest = openSuggestions(
    { roleNames: async () => ['web', '\u200b\u2060', ' ', 'db'] },
    { clock: manualClock(), logger: keptJournal() },
  )
  const options = await suggest({ action_id: actions.roles, value: '' })
  expect(options.map(({ text }) => text.text)).toEqual(['web', 'db'])
})
