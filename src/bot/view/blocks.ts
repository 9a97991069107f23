/** Slack's blocks, each within its limits whatever it is given (docs/slack.md#limits-of-messages). `viewOf` makes their ids. */
import { createHash } from 'node:crypto'
import type {
  ActionsBlock,
  Button,
  ConfirmationDialog,
  KnownBlock,
  PlainTextElement,
  PlainTextOption,
  RichTextSection,
  StaticSelect,
  TableBlock,
} from '@slack/types'
import { z } from 'zod'
import { hidingMutes } from '../decide/hidden.ts'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import type { Scene, View } from './view.ts'
import { cut, escaped, plain, unescaped } from './words.ts'

const sectionCharsMax = 2_900
const textCharsMax = 3_900
const optionsMax = 100
const altCharsMax = 1_900

export type Element = ActionsBlock['elements'][number]
/** What an option says, and the words of its value. */
export type Choice = readonly [text: string, words: string]

/** `verbatim`: Slack makes nothing of `#general` or `@here` in a title. */
function mrkdwn(text: string, charsMax = sectionCharsMax) {
  return { type: 'mrkdwn', text: cut(text, charsMax) || ' ', verbatim: true } as const
}

export function plainText(text: string, charsMax = 75): PlainTextElement {
  return { type: 'plain_text', text: plain(text, charsMax) || '-', emoji: true }
}

export function section(text: string, accessory?: Button, blockId?: string): KnownBlock {
  if (accessory === undefined) return { type: 'section', text: mrkdwn(text) }
  return { type: 'section', block_id: blockId ?? 'row', text: mrkdwn(text), accessory }
}

/** Parts with a middle dot between them: whole ones are left out before one is cut. */
export function context(parts: readonly string[]): KnownBlock[] {
  const fitting: string[] = []
  for (const part of parts.filter((one) => one !== ''))
    if ([...fitting, part].join(' · ').length <= sectionCharsMax) fitting.push(part)
  return fitting.length === 0 ? [] : [{ type: 'context', elements: [mrkdwn(fitting.join(' · '))] }]
}

export function image(file: string, alt: string): KnownBlock {
  return { type: 'image', slack_file: { id: file }, alt_text: plain(alt, altCharsMax) || 'A chart' }
}

/** Lines in as few sections as they need; empty ones are left out. */
export function sections(lines: readonly string[]): KnownBlock[] {
  const texts: string[] = []
  for (const line of lines.filter((one) => one !== '')) {
    const last = texts.at(-1)
    if (last === undefined || last.length + line.length + 1 > sectionCharsMax) texts.push(line)
    else texts[texts.length - 1] = `${last}\n${line}`
  }
  return texts.map((text) => section(text))
}

/** `blockId` is a prefix: `viewOf` adds the hash of the view. */
export function actions(blockId: string, elements: readonly (Element | null)[]): KnownBlock[] {
  const some = elements.filter((element) => element !== null).slice(0, 25)
  return some.length === 0 ? [] : [{ type: 'actions', block_id: blockId, elements: some }]
}

/** The id of the block of a message's menus: another one after each choice. */
export function menuBlock(name: string, { data: { choices = 0 } }: Post): string {
  return choices === 0 ? name : `${name}:${choices}`
}

export type ButtonWish = {
  readonly id: string
  readonly label: string
  readonly value: ButtonValue
  readonly style?: 'primary' | 'danger'
  readonly confirm?: ConfirmationDialog
}

export function button({ id, label, value, style, confirm }: ButtonWish): Button {
  return {
    type: 'button',
    action_id: id,
    text: plainText(label),
    value: buttonValueOf(value),
    ...(style === undefined ? {} : { style }),
    ...(confirm === undefined ? {} : { confirm }),
  }
}

/** Slack's red dialog. `text` is mrkdwn, of at most 300 characters. */
export function confirmation(title: string, text: string, yes: string): ConfirmationDialog {
  return {
    title: plainText(title, 100),
    text: mrkdwn(text, 300),
    confirm: plainText(yes, 30),
    deny: plainText('Cancel', 30),
    style: 'danger',
  }
}

export function option(text: string, value: ButtonValue): PlainTextOption {
  return { text: plainText(text), value: optionValueOf(value) }
}

/** A select whose options stand in groups; a group without options is left out. */
export function groupedSelect(
  id: string,
  placeholder: string,
  groups: readonly (readonly [label: string, choices: readonly Choice[]])[],
  value: ButtonValue,
): StaticSelect {
  return {
    type: 'static_select',
    action_id: id,
    placeholder: plainText(placeholder, 150),
    option_groups: groups
      .filter(([, choices]) => choices.length > 0)
      .map(([label, choices]) => ({
        label: plainText(label),
        options: choices.slice(0, optionsMax).map(([text, words]) => option(text, { ...value, words })),
      })),
  }
}

/** The text says what the blocks say, without what can be pressed. */
export function viewOfBlocks(blocks: readonly KnownBlock[]): View {
  const texts = blocks.flatMap((block) => {
    if (block.type === 'section') return [block.text?.text ?? '']
    if (block.type === 'image') return [escaped(block.alt_text)]
    return block.type === 'context' ? block.elements.map((one) => ('text' in one ? one.text : '')) : []
  })
  return { text: cut(texts.filter((text) => text !== '').join('\n'), textCharsMax), blocks }
}

/** Its head, what it says of each row, and where: in our own mrkdwn. */
export type Column<T> = readonly [head: string, words: (row: T) => string, align?: 'right']
type Cell = TableBlock['rows'][number][number]

/** `rows` as a table, of which the text has a line each. Slack takes 99, with 10,000 characters in all. */
export function viewOfTable<T>(
  before: readonly string[],
  rows: readonly T[],
  lineOf: (row: T) => string,
  columns: readonly Column<T>[],
  after: readonly KnownBlock[],
): View {
  const { text } = viewOfBlocks([...sections([...before, ...rows.map(lineOf)]), ...after])
  const table: TableBlock = {
    type: 'table',
    column_settings: columns.map(([, , align]) => (align === undefined ? { is_wrapped: true } : { align })),
    rows: [
      columns.map(([head]) => cell(head)),
      ...rows.map((row) => columns.map(([, words]) => cell(words(row)))),
    ],
  }
  return { text, blocks: [...sections(before), ...(rows.length === 0 ? [] : [table]), ...after] }
}

/** A date, a mention or a link alone, else words. None of it is escaped in a cell. */
function cell(mrkdwn: string): Cell {
  const [, timestamp, format = '', fallback = '', user_id, url, text = ''] =
    /^<(?:!date\^(\d+)\^([^|]+)\|([^>]+)|@(\w+)|([^|>]+)\|([^>]+))>$/.exec(mrkdwn) ?? []
  if (timestamp !== undefined) return rich({ type: 'date', timestamp: Number(timestamp), format, fallback })
  if (user_id !== undefined) return rich({ type: 'user', user_id })
  if (url !== undefined) return rich({ type: 'link', url, text: unescaped(text) })
  return { type: 'raw_text', text: unescaped(mrkdwn) || '–' }
}

function rich(element: RichTextSection['elements'][number]): Cell {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [element] }] }
}

const blocksMax = 50
/** Slack refuses a message near 13,200 characters. */
const messageCharsMax = 11_500

/** The last guard: whatever the blocks are, the message is one that Slack takes. */
export function fitted(blocks: readonly KnownBlock[]): KnownBlock[] {
  let left = messageCharsMax
  return blocks.slice(0, blocksMax).flatMap((block) => {
    if (block.type !== 'section' || block.text === undefined) {
      left -= JSON.stringify(block).length
      return [block]
    }
    const text = cut(block.text.text, Math.max(left, 1))
    left -= text.length
    return left <= 0 && text.length < 2 ? [] : [{ ...block, text: mrkdwn(text) }]
  })
}

/** A new id for each rendering: Slack's clients keep a chosen option over an update of the same block. */
export function withBlockIds(blocks: readonly KnownBlock[]): KnownBlock[] {
  const hash = digest(JSON.stringify(blocks), 8)
  return blocks.map((block, at) =>
    block.block_id === undefined
      ? block
      : { ...block, block_id: `${block.block_id.slice(0, 200)}:${at}:${hash}` },
  )
}

const shape = z.object({
  alert: z.string().exactOptional(),
  post: z.string().exactOptional(),
  mutes: z.array(z.string()).exactOptional(),
  act: z.string().exactOptional(),
  /** What it showed: if that differs by now, somebody must look again. */
  seen: z.string().exactOptional(),
  /** Until when the mutes lasted that it showed. */
  untilMs: z.number().exactOptional(),
  /** A command, or which of several things an option means (`server 30m`, `note`). */
  words: z.string().exactOptional(),
  /** Of a list's alerts those of this kind. */
  kind: z.string().exactOptional(),
  /** What asks first is confirmed once: the key of the request that asked. */
  once: z.string().exactOptional(),
})
export type ButtonValue = Readonly<z.output<typeof shape>>

const valueCharsMax = 2_000
const optionCharsMax = 150

/** Mutes that do not fit are left out: a message of that many carries its act. */
export function buttonValueOf(value: ButtonValue): string {
  const text = JSON.stringify(value)
  if (text.length <= valueCharsMax) return text
  const { mutes: _, ...rest } = value
  return JSON.stringify(rest).slice(0, valueCharsMax)
}

/** The value of an option. The message is known from where it was pressed, and so is the alert of a card. */
export function optionValueOf({ seen, words, alert }: ButtonValue): string {
  const text = JSON.stringify({ seen, words, alert })
  return text.length <= optionCharsMax ? text : JSON.stringify({ seen, words }).slice(0, optionCharsMax)
}

export function readValue(text: string): ButtonValue | null {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Of a message that shows several: what it shows only grows, so a number says what it showed. */
export function listValue({ id, shows }: Post): ButtonValue {
  return { post: id, seen: String(shows.length) }
}

export function valueFor(alert: Alert, { world, nowMs }: Scene): ButtonValue & { readonly alert: string } {
  return { alert: alert.id, seen: seenOf([alert], world, nowMs) }
}

/** Equal as long as the same people are on the same alerts and the same mutes hide them. */
export function seenOf(alerts: readonly Alert[], world: World, nowMs: number): string {
  const shown = alerts.map((alert) => [
    alert.id,
    alert.closedMs,
    alert.holder,
    alert.round?.count ?? null,
    ...hidingMutes(world, alert, nowMs).map(({ id }) => id),
  ])
  return digest(JSON.stringify(shown), 8)
}

/** The first characters of a hash, which an id may hold. */
export function digest(text: string, chars: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, chars)
}
