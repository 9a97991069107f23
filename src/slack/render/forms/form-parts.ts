/** The pieces that forms are made of. */
import type { InputBlock, KnownBlock, ModalView, PlainTextElement } from '@slack/types'
import { printable } from '../../mrkdwn.ts'

/** Slack's limit on a form's title and its buttons. */
const titleCharsMax = 24
const labelCharsMax = 200

export function plain(text: string, charsMax = labelCharsMax): PlainTextElement {
  return { type: 'plain_text', text: printable(text, charsMax), emoji: true }
}

type Line = {
  readonly field: string
  readonly label: string
  readonly charsMax: number
  readonly isOptional?: boolean
  readonly isLong?: boolean
  readonly hint?: string
  readonly placeholder?: string
  readonly initial?: string
}

/** A field to write in. */
export function writing(line: Line): InputBlock {
  return {
    type: 'input',
    block_id: line.field,
    label: plain(line.label),
    optional: line.isOptional === true,
    ...(line.hint === undefined ? {} : { hint: plain(line.hint) }),
    element: {
      type: 'plain_text_input',
      action_id: line.field,
      multiline: line.isLong === true,
      max_length: line.charsMax,
      ...(line.placeholder === undefined ? {} : { placeholder: plain(line.placeholder, 150) }),
      ...(line.initial === undefined || line.initial === ''
        ? {}
        : { initial_value: visible(line.initial).slice(0, line.charsMax) }),
    },
  }
}

/** What stands in a field at first may come from an alert, and is sent on as it stands there: line by line, all of it seen. */
function visible(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join('\n')
}

/** A modal; without `submit` there is nothing to send. */
export function modal(view: {
  readonly title: string
  readonly submit?: string
  readonly close: string
  readonly callbackId?: string
  readonly metadata?: string
  readonly blocks: KnownBlock[]
}): ModalView {
  return {
    type: 'modal',
    title: plain(view.title, titleCharsMax),
    close: plain(view.close, titleCharsMax),
    ...(view.submit === undefined ? {} : { submit: plain(view.submit, titleCharsMax) }),
    ...(view.callbackId === undefined ? {} : { callback_id: view.callbackId }),
    ...(view.metadata === undefined ? {} : { private_metadata: view.metadata }),
    blocks: view.blocks,
  }
}
