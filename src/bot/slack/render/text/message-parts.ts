/** Builds the blocks of cards and answers within Slack's limits (docs/slack.md#limits-of-messages), with as many lines as fit. */
import type { ActionsBlock, Button, ContextBlock, ImageBlock, KnownBlock } from '@slack/types'
import type { CardPicture } from '../../../domain/card/kinds.ts'
import type { Paged } from '../../../domain/request/answer.ts'
import { type Ask, commandOf } from '../../../domain/request/queries.ts'
import { printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { counted, inBlocks, inText, type When } from './phrases.ts'

/** A message for Slack. `text` is the notification and all that a screen reader reads, so it says everything. */
export type Rendered = { readonly text: string; readonly blocks: KnownBlock[] }

export const sectionCharsMax = 3_000
/** `chat.update` refuses a text above 4,000 characters. */
const textCharsMax = 4_000
const labelCharsMax = 75
const accessibilityCharsMax = 75
const altCharsMax = 1_000

/** A section; `text` has 1 to `sectionCharsMax` characters and is escaped already. */
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

/** Joins the parts in their order; one that would make the text longer than `lengthMax` is left out. */
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

/** Removes bold, except in code, which is typed as it is, such as `web-*`. */
function withoutBold(mrkdwn: string): string {
  return mrkdwn.replace(/`[^`]*`|\*/g, (part) => (part === '*' ? '' : part))
}

/** An answer: the same lines as blocks and as text, with buttons below. */
export function said(lines: (when: When) => readonly string[], below: readonly KnownBlock[] = []): Rendered {
  return { text: textOf(lines(inText), '\n'), blocks: [...sectionsOf(lines(inBlocks)), ...below] }
}

/**
 * A button. `label` is short and ours. `says` is what a screen reader says instead, and may contain names from outside; it begins
 * with the label, so that people who use speech can name the button that they see.
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

/** A button that opens an address; `label` and `url` come from the policy. */
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

/** Slack's limit on what a button carries. */
export const valueCharsMax = 2_000

/** The labels for turning pages of lists that are ordered by time, or otherwise. */
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

/** A button that runs a query; none if the command is longer than a button can carry (it can still be typed). */
export function askButton(
  ask: Ask,
  { id, label, says }: { id?: string; label: string; says?: string },
): Button[] {
  return commandButton(commandOf(ask), { id: id ?? ask.kind, label, says: says ?? label })
}

/** A button that runs a command, given without `/mon`, which somebody would otherwise have to type. */
export function commandButton(
  value: string,
  { id, label, says }: { id: string; label: string; says: string },
): Button[] {
  const isFitting = value !== '' && value.length <= valueCharsMax
  return !isFitting ? [] : [button({ actionId: `${actions.ask}:${id}`, label, value, says })]
}

/** Room that one list has in a message: Slack refuses more than about 13,000 characters in all (docs/slack.md#limits-of-messages). */
export const listCharsMax = 9_000

export type Room = {
  readonly charsMax: number
  readonly linesMax: number
  /** The line that says how many are left out. */
  readonly more: (left: number) => string
}

/** The lines of the first items, as many as fit. No more are made, because there may be ten thousand items. */
export function fitted<Item>(items: readonly Item[], lineOf: (item: Item) => string, room: Room): string[] {
  const shown: string[] = []
  let chars = 0
  for (const item of items) {
    const line = shown.length < room.linesMax ? lineOf(item) : null
    chars += (line?.length ?? 0) + 1
    if (line === null || chars > room.charsMax) return [...shown, room.more(items.length - shown.length)]
    shown.push(line)
  }
  return shown
}

/** A list such as `a, b and 3 more`: as many items as fit, and at least one. */
export function listedWithin<Item>(
  items: readonly Item[],
  wordOf: (item: Item) => string,
  charsMax: number,
): string {
  const shown: string[] = []
  let chars = 0
  for (const item of items) {
    const word = wordOf(item)
    chars += word.length + 2
    if (shown.length > 0 && chars > charsMax) break
    shown.push(word)
  }
  const rest = items.length - shown.length
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/**
 * The words of blocks for a notification or a screen reader: the blocks' own, so that both always say the same. Names
 * from outside are escaped in them already, so what looks like a link, a date or bold here is ours.
 */
export function spokenText(blocks: readonly KnownBlock[]): string {
  const lines = blocks.flatMap(wordsOf).flatMap((words) => plain(words).split('\n'))
  const ellipsis = '…'
  const charsMax = textCharsMax - ellipsis.length
  const room = { charsMax, linesMax: lines.length, more: () => ellipsis }
  return fitted(lines, (line) => line, room).join('\n')
}

function wordsOf(block: KnownBlock): string[] {
  switch (block.type) {
    case 'section':
      return [...(block.text === undefined ? [] : [block.text]), ...(block.fields ?? [])].map(
        ({ text }) => text,
      )
    case 'context':
      return block.elements.flatMap((element) => ('text' in element ? [element.text] : []))
    default:
      return []
  }
}

function plain(mrkdwn: string): string {
  return withoutBold(
    mrkdwn.replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1').replace(/<https?:[^|>]*\|([^>]*)>/g, '$1'),
  )
}
