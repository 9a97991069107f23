/** Which page of a list this is, and the buttons to the pages beside it. */
import type { Button, KnownBlock } from '@slack/types'
import type { Paged } from '../../../domain/request/answer.ts'
import type { Ask } from '../../../domain/request/queries.ts'
import { commandOf } from '../../../domain/request/queries.ts'
import { actions } from '../../vocabulary.ts'
import { actionsBlock, button, context } from './message-parts.ts'
import { counted } from './phrases.ts'

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
    ...(list.page > 1 ? pageButton(ask, list.page - 1, { action: 'prev', label: previous }) : []),
    ...(list.page < list.pages ? pageButton(ask, list.page + 1, { action: 'next', label: next }) : []),
  ]
  const place = list.pages === 1 ? '' : `page ${list.page} of ${list.pages} · `
  return [
    context(`${place}${counted(list.total, noun)}`),
    ...(buttons.length === 0 ? [] : [actionsBlock(buttons)]),
  ]
}

/** None where the command is longer than a button can carry; it can still be typed. */
function pageButton(
  ask: PagedAsk,
  page: number,
  { action, label }: { action: 'prev' | 'next'; label: string },
): Button[] {
  const value = commandOf({ ...ask, page })
  if (value.length > valueCharsMax) return []
  return [button({ actionId: `${actions.ask}:${action}`, label, value, says: `${label}: page ${page}` })]
}

/** A button that asks something else. */
export function askButton(ask: Ask, label: string): Button {
  return button({ actionId: `${actions.ask}:${ask.kind}`, label, value: commandOf(ask), says: label })
}
