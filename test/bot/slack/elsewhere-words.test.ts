/** What hides alerts elsewhere, wherever one looks: card, list of a storm, board, Home, status, handoff and the list of mutes. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { MutedBy } from '../../../src/bot/domain/alert/details.ts'
import { mutedElsewhere } from '../../../src/bot/domain/mute/hiding.ts'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import { renderAlert } from '../../../src/bot/slack/render/cards/alert-card.ts'
import { renderBoard } from '../../../src/bot/slack/render/cards/board.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { renderStorm } from '../../../src/bot/slack/render/cards/storm-card.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aStatus, onePage, well } from './answers.ts'
import { aMute, local, minuteMs, startedMs, view, wordsOf } from './card-views.ts'

const untilMs = startedMs + 60 * minuteMs
const until = local(untilMs)
const silence: MutedBy = { kind: 'silence', id: 's1', by: 'ana', untilMs, why: 'new disks', isOurs: false }
const inhibition: MutedBy = {
  ...silence,
  kind: 'inhibition',
  id: null,
  by: 'NodeDown on node-3',
  untilMs: null,
  why: null,
}
const unknown: MutedBy = { ...silence, id: null, by: null, untilMs: null, why: null }
const ours: MutedBy = { ...silence, isOurs: true }
const details = { labels: {}, description: '', links: [], trouble: null, canMute: true }
const muted = (alertId: string, ...mutedBy: MutedBy[]): Alert =>
  anAlert(alertId, { hostname: 'web-1', serverName: 'web-1', startedMs, mutedBy, details })

describe('on the card', () => {
  const lineOf = (mute: Mute | null, ...mutedBy: MutedBy[]) =>
    wordsOf(renderAlert(view({ ...muted('7', ...mutedBy) }, { mute })).blocks).filter((words) =>
      words.includes('🔕'),
    )
  const aMuteWords = `🔕 Muted by <@U2> until ${until} — deploying`
  const table: [string, readonly MutedBy[], string[]][] = [
    [
      'who, until when and why',
      [silence],
      [`🔕 silenced at the Alertmanager by ana until ${until}: new disks`],
    ],
    ['nothing that is unknown', [unknown], ['🔕 silenced at the Alertmanager']],
    ['which alert inhibits it', [inhibition], ['🔕 inhibited by NodeDown on node-3']],
    ['an inhibition of which nothing is known', [{ ...inhibition, by: null }], ['🔕 inhibited']],
    ['a mute of another client', [ours], [`🔕 muted by ana until ${until}: new disks`]],
    [
      'the one that ends last, and how many more',
      [inhibition, { ...silence, id: 's0', untilMs: untilMs - 1, by: 'ben' }, silence, unknown],
      [`🔕 silenced at the Alertmanager by ana until ${until}: new disks (and 3 more)`],
    ],
    [
      'one without an end before all others',
      [silence, { ...ours, untilMs: null }],
      ['🔕 muted by ana: new disks (and 1 more)'],
    ],
    [
      'names and reasons of others call nobody, and hide nothing',
      [{ ...silence, by: '<!channel>', why: '*x* <@U1> <http://evil.example|Sign in>' }],
      [
        `🔕 silenced at the Alertmanager by &lt;!channel&gt; until ${until}: ∗x∗ &lt;@U1&gt; &lt;http://evil.example|Sign in&gt;`,
      ],
    ],
  ]
  test.each(table)('%s', (_, mutedBy, said) => {
    expect(lineOf(null, ...mutedBy)).toEqual(said)
  })

  test('a mute of monbot’s is said first, and alone where the silence was made for it', () => {
    const mute = aMute({ subject: 'web-1' })
    expect(lineOf(mute, ours)).toEqual([aMuteWords])
    expect(lineOf(mute, ours, inhibition)).toEqual([`${aMuteWords}\n🔕 inhibited by NodeDown on node-3`])
  })
})

describe('in overviews', () => {
  const open = [
    muted('1', silence),
    muted('2', silence, inhibition),
    muted('3', inhibition),
    muted('4', { ...unknown, id: null }),
    anAlert('5', { hostname: 'db-1', startedMs }),
  ]
  const counts = '3 silenced elsewhere · 1 inhibited'

  test('they count as muted, each silence is listed, and what waits for somebody comes first', () => {
    const [first, lines, mutes] = wordsOf(
      renderBoard({ kind: 'board', open, mutes: [], health: well() }).blocks,
    )
    expect(first).toBe(`🔴 *5 open alerts · ${counts} · monitoring OK*`)
    expect(lines?.split('\n').map((line) => /#(\d)/.exec(line)?.[1])).toEqual(['5', '1', '2', '3', '4'])
    expect(lines).toContain(`#1 · 🔕 silenced at the Alertmanager by ana until ${until}\n`)
    expect(mutes?.split('\n')).toEqual([
      `🔕 *Silenced at the Alertmanager* by ana until ${until}: new disks · hides 2 open alerts`,
      '🔕 *Silenced at the Alertmanager* · hides 1 open alert',
      '🔕 1 open alert is inhibited, by NodeDown on node-3',
    ])
  })

  test('the Home tab, the status, the handoff and the list of mutes say the same', () => {
    const home = wordsOf(renderHome({ open, mutes: [], health: well() }))
    expect(home).toContain(`🔕 *${counts}*`)
    const outside = mutedElsewhere(open, [])
    const [status] = wordsOf(renderAnswer(aStatus({ open: 5, mutes: [], outside })).blocks)
    expect(status).toMatch(new RegExp(`\n🔕 ${counts}$`))
    const list = wordsOf(
      renderAnswer({
        kind: 'mutes',
        ask: { kind: 'mutes', page: 1 },
        list: onePage(outside.silences),
        outside,
      }).blocks,
    )
    expect(list[0]).toBe('*Muted now*')
    expect(list).toContain(
      `🔕 *Silenced at the Alertmanager* by ana until ${until}: new disks · hides 2 open alerts`,
    )
    expect(list.at(-1)).toBe('🔕 1 open alert is inhibited, by NodeDown on node-3')
    const stamp = { cardId: 'c', version: 1 }
    const storm = renderStorm({ kind: 'storm', stamp, alerts: open, mention: null, mutes: [] })
    expect(storm.text).toContain('🔕 3 silenced elsewhere, 1 inhibited')
  })

  test('under a mute of monbot’s they are counted there', () => {
    const mutes = [aMute({ subject: 'web-1' })]
    expect(mutedElsewhere(open, mutes)).toMatchObject({ silenced: 0, inhibited: 0 })
    expect(mutedElsewhere([muted('1', ours)], mutes).silences).toEqual([])
  })

  test('a silence that can be ended has an id, at a service that can', () => {
    const canEnd = (alert: Alert) => mutedElsewhere([alert], []).silences.map((one) => one.canEnd)
    expect(canEnd(muted('1', silence))).toEqual([true])
    expect(canEnd(muted('1', unknown))).toEqual([false])
    expect(canEnd({ ...muted('1', silence), details: { ...details, canMute: false } })).toEqual([false])
  })
})
