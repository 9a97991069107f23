/** Cards and what they show, as the tests of rendering build them; and their words as Slack would show them. */
import type { KnownBlock } from '@slack/types'
import { expect } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import type { AuditEntry } from '../../../src/bot/domain/request/audit.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { blocksTextLength, checkBlocks } from '../../../src/workspace/blocks/check.ts'
import { anEntry as storedEntry, aMute as storedMute } from '../../support/acting-rows.ts'
import { anAlert } from '../../support/delivery-world.ts'

/** 2026-11-21 03:00 UTC. */
export const startedMs = Date.UTC(2026, 10, 21, 3, 0, 0)
export const minuteMs = 60_000

export type AlertView = CardView<'alert'>

export function view(over: Partial<Alert> = {}, more: Partial<AlertView> = {}): AlertView {
  return {
    kind: 'alert',
    stamp: { cardId: 'alert:1:C1', version: 3 },
    alert: anAlert('1', { hostname: 'web-1', serverName: 'web-1', startedMs, ...over }),
    timesThisWeek: 1,
    picture: null,
    mention: null,
    ackedBefore: null,
    mute: null,
    flaps: null,
    timeline: [],
    notes: 0,
    lastNote: null,
    alsoOpen: [],
    lastTime: null,
    links: [],
    labels: [],
    ...more,
  }
}

/** Of ben, for an hour from the start of the alert. */
export function aMute(over: Partial<Mute> = {}): Mute {
  const untilMs = startedMs + 60 * minuteMs
  return storedMute('m1', { userId: 'U2', startedMs, termsMs: startedMs, untilMs, ...over })
}

/** Of ana, when the alert started. */
export function anEntry(over: Partial<AuditEntry> = {}): AuditEntry {
  return storedEntry('a1', { atMs: startedMs, userId: 'U1', ...over })
}

/** A time as it stands in blocks. */
export const local = (ms: number): string =>
  `<!date^${ms / 1000}^{date_short_pretty} {time}|${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC>`

/** An age as it stands in blocks, of something that goes on. */
export const ago = (ms: number): string =>
  `<!date^${ms / 1000}^opened {ago}|since ${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC>`

/** The words of blocks, one block each, with the labels of what can be pressed; Slack takes them. */
export function wordsOf(blocks: readonly KnownBlock[]): string[] {
  expect(checkBlocks(blocks), JSON.stringify(blocks).slice(0, 300)).toEqual([])
  expect(blocksTextLength(blocks)).toBeLessThanOrEqual(12_000)
  return blocks.map((block) => {
    switch (block.type) {
      case 'section':
        return block.text?.text ?? ''
      case 'context':
        return block.elements.map((one) => ('text' in one ? one.text : one.type)).join(' ')
      case 'actions':
        return block.elements.map(labelOf).join(' ')
      default:
        return block.type
    }
  })
}

export function words(card: CardView): string[] {
  return wordsOf(render(card).blocks)
}

function labelOf(element: Extract<KnownBlock, { type: 'actions' }>['elements'][number]): string {
  if (element.type === 'button') return `[${element.text.text}]`
  if ('placeholder' in element) return `[${element.placeholder?.text} ▾]`
  return element.type === 'overflow' ? '[⋯]' : element.type
}

/** Names and words that somebody chose in order to do harm. */
export const hostile = [
  '<!channel> everyone',
  '<https://evil.example|https://bank.example>',
  '@here & <@U123> `code` *bold* ~gone~',
  'a\u202Egnp.exe\nsecond\u0000 line\u200B',
  '&lt;!here&gt;',
  '<!date^1^{date}^https://evil.example|x>',
]

const hidden = new Set(['\u200b', '\u202e', '~'])

/** What hides or turns text or formats it, and no mark of ours. */
export function hiddenIn(text: string): string[] {
  return [...text].filter((char) => hidden.has(char) || (char < ' ' && char !== '\n'))
}

/** Longer than anything that Slack lets through, and five times as long once it is escaped. */
export const long = '&<>'.repeat(2_000)
