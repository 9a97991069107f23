/** The blocks that cards and answers are made of, each within Slack's limits (slack-facts.md 2). */
import type { ActionsBlock, Button, ContextBlock, ImageBlock, KnownBlock } from '@slack/types'
import type { CardPicture } from '../../../domain/card/kinds.ts'
import type { Paged } from '../../../domain/request/answer.ts'
import { type Ask, commandOf } from '../../../domain/request/queries.ts'
import { printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { counted, inBlocks, inText, type When } from './phrases.ts'

/** What Slack is to show. `text` is the notification and all that a screen reader reads, so it says everything. */
export type Rendered = { readonly text: string; readonly blocks: KnownBlock[] }

export const sectionCharsMax = 3_000
/** `chat.update` refuses a text above 4,000 characters. */
export const textCharsMax = 4_000
const labelCharsMax = 75
const accessibilityCharsMax = 75
const altCharsMax = 1_000

/** `text` has 1 to `sectionCharsMax` characters and is escaped already. */
export function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } }
}

export function context(text: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] }
}

/** Lines, each of at most `sectionCharsMax` characters, in as few sections as hold them. */
export function sectionsOf(lines: readonly string[]): KnownBlock[] {
  const texts: string[] = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last !== undefined && last.length + 1 + line.length <= sectionCharsMax) {
      texts[texts.length - 1] = `${last}\n${line}`
    } else texts.push(line)
  }
  return texts.map(section)
}

/** The parts in their order; one that would make the text longer than `lengthMax` is left out. */
export function joinedWithin(parts: readonly string[], separator: string, lengthMax = textCharsMax): string {
  let text = ''
  for (const part of parts) {
    const longer = text === '' ? part : `${text}${separator}${part}`
    if (longer.length <= lengthMax) text = longer
  }
  return text
}

/** The `text` beside blocks: without bold, which is ours alone (`mrkdwn.ts` lets none in from outside). */
export function textOf(parts: readonly string[], separator: string): string {
  return joinedWithin(parts.map(withoutBold), separator)
}

/** Without bold; what is in code is to be typed as it is, such as `web-*`. */
export function withoutBold(mrkdwn: string): string {
  return mrkdwn.replace(/`[^`]*`|\*/g, (part) => (part === '*' ? '' : part))
}

/** An answer: the same lines as blocks and as text, and what can be pressed below them. */
export function said(lines: (when: When) => readonly string[], below: readonly KnownBlock[] = []): Rendered {
  return { text: textOf(lines(inText), '\n'), blocks: [...sectionsOf(lines(inBlocks)), ...below] }
}

/**
 * `label` is short and ours. `says` is what a screen reader says instead of it, and may hold names from outside; it begins with
 * the label, so that whoever speaks to the computer can name the button that they see.
 */
export function button(of: {
  actionId: string
  label: string
  value: string
  says: string
  style?: 'primary' | 'danger'
}): Button {
  return {
    type: 'button',
    action_id: of.actionId,
    text: { type: 'plain_text', text: of.label, emoji: true },
    value: of.value,
    accessibility_label: printable(of.says, accessibilityCharsMax),
    ...(of.style === undefined ? {} : { style: of.style }),
  }
}

/** Opens an address; `label` and `url` are the policy's. */
export function linkButton(of: { actionId: string; label: string; url: string; says: string }): Button {
  return {
    type: 'button',
    action_id: of.actionId,
    text: { type: 'plain_text', text: printable(of.label, labelCharsMax), emoji: true },
    url: of.url,
    accessibility_label: printable(of.says, accessibilityCharsMax),
  }
}

export function actionsBlock(elements: ActionsBlock['elements'], blockId?: string): ActionsBlock {
  return { type: 'actions', elements, ...(blockId === undefined ? {} : { block_id: blockId }) }
}

export function imageBlock({ fileId }: Pick<CardPicture, 'fileId'>, alt: string): ImageBlock {
  return { type: 'image', slack_file: { id: fileId }, alt_text: printable(alt, altCharsMax) }
}

type PagedAsk = Extract<Ask, { page: number }>

const valueCharsMax = 2_000

/** How the pages follow each other: by time, or just so. */
const labels = {
  time: { previous: 'Newer', next: 'Older' },
  place: { previous: 'Previous page', next: 'Next page' },
} as const

/** `page 2 of 7 · 64 alerts` below a list, and the buttons where there is more than one page. */
export function pageBlocks(
  ask: PagedAsk,
  list: Paged<unknown>,
  { noun, order }: { noun: string; order: keyof typeof labels },
): KnownBlock[] {
  if (list.total === 0) return []
  const { previous, next } = labels[order]
  const buttons = [
    ...(list.page > 1 ? pageButton(ask, list.page - 1, { id: 'prev', label: previous }) : []),
    ...(list.page < list.pages ? pageButton(ask, list.page + 1, { id: 'next', label: next }) : []),
  ]
  const place = list.pages === 1 ? '' : `page ${list.page} of ${list.pages} · `
  return [
    context(`${place}${counted(list.total, noun)}`),
    ...(buttons.length === 0 ? [] : [actionsBlock(buttons)]),
  ]
}

function pageButton(ask: PagedAsk, page: number, { id, label }: { id: string; label: string }): Button[] {
  return askButton({ ...ask, page }, { id, label, says: `${label}: page ${page}` })
}

/** A button that asks something; none where the command is longer than a button can carry: it can still be typed. */
export function askButton(
  ask: Ask,
  { id, label, says }: { id?: string; label: string; says?: string },
): Button[] {
  const value = commandOf(ask)
  const actionId = `${actions.ask}:${id ?? ask.kind}`
  return value.length > valueCharsMax ? [] : [button({ actionId, label, value, says: says ?? label })]
}
