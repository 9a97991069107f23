// A Slack message as a person would like to read it in a terminal.

import { blockLines } from './terminal-blocks.ts'
import { type Clock, timeOfDay } from './terminal-date.ts'
import { mrkdwnLines } from './terminal-mrkdwn.ts'
import { type Line, line, type Span, span } from './terminal-span.ts'
import { wrap } from './terminal-wrap.ts'

/** A message as Slack's events and history give it; `ts` and `threadTs` are seconds with six decimals. */
export type TerminalMessage = {
  readonly text?: string
  readonly blocks?: readonly unknown[]
  readonly ts?: string
  readonly user?: string
  readonly channelName?: string
  readonly threadTs?: string
  readonly edited?: boolean
}

/**
 * `width` in columns. `timeZone` is an IANA name, by default the machine's. `now` lets dates say "today" and
 * "3 minutes ago"; without it they are written out.
 */
export type TerminalOptions = { readonly width: number; readonly color: boolean } & Clock

const columnsMin = 20
const columnsMax = 400
const threadIndent = '    '

function widthOf(width: number): number {
  if (Number.isNaN(width)) throw new RangeError('expected a number of columns as width, got NaN')
  return Math.min(Math.max(Math.floor(width), columnsMin), columnsMax)
}

const isReply = ({ ts, threadTs }: TerminalMessage): boolean => threadTs !== undefined && threadTs !== ts

function heading(message: TerminalMessage, clock: Clock): Line[] {
  const { channelName, user, ts, edited } = message
  const at = ts === undefined ? Number.NaN : Number(ts) * 1000
  const said = [
    channelName === undefined ? undefined : span(`#${channelName}`, ['cyan']),
    user === undefined ? undefined : span(user, ['bold']),
    Number.isNaN(new Date(at).getTime()) ? undefined : span(timeOfDay(new Date(at), clock), ['dim']),
    edited === true ? span('edited', ['dim']) : undefined,
  ].filter((part): part is Span => part !== undefined)
  if (said.length === 0) return []
  const spans = said.flatMap((part, index) => (index === 0 ? [part] : [span(' · ', ['dim']), part]))
  return [line(isReply(message) ? [span('↳ ', ['dim']), ...spans] : spans)]
}

/**
 * The message as lines joined by line feeds, none wider than `width` columns (20 to 400). It has ANSI colours only
 * with `color`. Nothing that stands in the message can steer the terminal: control characters and escape sequences of
 * its own are dropped. Blocks win over `text`, as in Slack. Throws a RangeError for an unknown time zone or a width
 * that is no number.
 */
export function renderMessage(message: TerminalMessage, options: TerminalOptions): string {
  const width = widthOf(options.width)
  const { color } = options
  const indent = isReply(message) ? threadIndent : ''
  const look = { ...options, width: width - indent.length }
  const { blocks = [], text = '' } = message
  const body =
    blocks.length > 0 ? blocks.flatMap((block) => blockLines(block, look)) : mrkdwnLines(text, look)
  const rows = wrap(body, { width: look.width, color }).map((row) => (row === '' ? row : `${indent}${row}`))
  return [...wrap(heading(message, options), { width, color }), ...rows].join('\n')
}
