/** The Home tab: what a person finds there, and how much of it. */
import type { KnownBlock } from '@slack/types'
import { expect, test } from 'vitest'
import { renderHome } from '../../src/slack/render/cards/home.ts'
import { unmuteValue } from '../../src/slack/render/text/mute-line.ts'
import { checkView } from '../../src/workspace/blocks/check.ts'
import { anAlert } from '../support/delivery-world.ts'
import { nowMs, outage, well } from './answers.ts'
import { aMute, local, startedMs } from './card-views.ts'

const web1 = { hostname: 'web-1', serverName: 'web-1', startedMs }

/** The words and buttons, block by block; Slack takes the view. */
function words(blocks: readonly KnownBlock[]): string[] {
  expect(checkView({ type: 'home', blocks })).toEqual([])
  return blocks.map((block) => {
    switch (block.type) {
      case 'section': {
        const button = block.accessory
        const label = button?.type === 'button' ? ` [${button.text.text}: ${button.value}]` : ''
        return `${block.text?.text}${label}`
      }
      case 'context':
        return block.elements.map((one) => ('text' in one ? one.text : one.type)).join(' ')
      default:
        return block.type
    }
  })
}

test('nothing is open and nothing is muted', () => {
  expect(words(renderHome({ open: [], mutes: [], health: well() }))).toEqual([
    '🟢 *Monitoring OK.*',
    `Last good poll ${local(nowMs - 12_000)} · Slack connected since ${local(startedMs)} over 2 connections`,
    'divider',
    '🟢 *No open alerts*',
    'divider',
    '*Nothing is muted.*',
    'divider',
    'Type `/mon help` in any channel to see what you can do, or `/mon status` for this in short.',
  ])
})

test('how many are critical is told', () => {
  const open = [anAlert('8', { ...web1, severity: 'critical' }), anAlert('7', web1)]
  expect(words(renderHome({ open, mutes: [], health: well() }))).toContain('🚨 *2 open alerts · 1 critical*')
})

test('open alerts, and mutes with owner, end and a button that ends them', () => {
  const [db, all] = [aMute({ hostname: 'db-1' }), aMute({ hostname: null })]
  const shown = words(
    renderHome({
      open: [anAlert('7', { ...web1, ackedBy: 'U1' })],
      mutes: [db, all],
      health: well(),
    }),
  )
  expect(shown).toContain('🔴 *1 open alert*')
  expect(shown.find((line) => line.includes('#7'))).toContain('👀 <@U1>')
  const until = local(startedMs + 3_600_000)
  expect(shown).toContain(`🔕 *db-1* muted by <@U2> until ${until} — deploying [Unmute: ${unmuteValue(db)}]`)
  expect(shown).toContain(
    `🔕 *The whole account* muted by <@U2> until ${until} — deploying [Unmute: ${unmuteValue(all)}]`,
  )
})

test('what is wrong with monbot stands above everything else', () => {
  expect(words(renderHome({ open: [], mutes: [], health: outage }))[0]).toMatch(
    /^⚠️ \*monbot has a problem\.\*\nNo alerts can be read since .*ECONNREFUSED/,
  )
})

test('the latest thirty of many alerts, and how to see the rest', () => {
  const open = Array.from({ length: 42 }, (_, n) => anAlert(String(n)))
  const shown = words(renderHome({ open, mutes: [], health: well() }))
  expect(shown.filter((line) => line.includes('#'))).toHaveLength(30)
  expect(shown).toContain('and 12 more: `/mon alerts`')
})

test('each open alert has its buttons and the way to its message; a full tab is one that Slack takes', () => {
  const place = { alertId: '7', cardId: 'alert:7:C1', channel: 'C1', ts: '1.2' }
  const linkTo = ({ channel, ts }: { channel: string; ts: string }) =>
    `https://team.slack.com/${channel}/${ts}`
  const buttonsOf = (over: object, mutes: ReturnType<typeof aMute>[] = []) => {
    const open = [anAlert('7', { ...web1, ...over })]
    const blocks = renderHome({ open, places: [place], mutes, health: well() }, linkTo)
    return blocks.flatMap((block) => (block.type === 'actions' ? [block] : []))
  }
  const [actions] = buttonsOf({})
  expect(actions?.block_id).toBe('card|0|7|alert:7:C1')
  expect(actions?.elements).toMatchObject([
    { action_id: 'acknowledge', value: '7' },
    { action_id: 'mute_server' },
    { action_id: 'open', url: 'https://team.slack.com/C1/1.2' },
  ])
  const [held] = buttonsOf({ ackedBy: 'U1' }, [aMute({ hostname: 'web-1' })])
  expect(held?.elements).toMatchObject([{ action_id: 'take_over' }, { action_id: 'unmute_server' }, {}])

  const open = Array.from({ length: 200 }, (_, at) => anAlert(`${at}`, web1))
  const mutes = Array.from({ length: 200 }, (_, at) => aMute({ hostname: `db-${at}` }))
  expect(words(renderHome({ open, mutes, health: well() }))).toHaveLength(100)
})
