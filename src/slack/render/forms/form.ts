/** A form as Slack shows it, and what replaces it after it was sent. */
import type { KnownBlock, ModalView } from '@slack/types'
import type { FormName } from '../../../domain/request/named.ts'
import type { Form } from '../../../domain/request/reply.ts'
import { printable } from '../../mrkdwn.ts'
import { section } from '../text/message-parts.ts'
import { modal } from './form-parts.ts'
import { forms } from './forms.ts'

const writtenCharsMax = 3_000

/** `metadata` comes back with the form when it is sent. */
export function renderForm(form: Form, metadata: string): ModalView {
  const { title, submit, blocks } = forms[form.name]
  return modal({ title, submit, close: 'Cancel', callbackId: form.name, metadata, blocks: blocks(form) })
}

export function workingView(form: FormName): ModalView {
  return modal({
    title: forms[form].title,
    close: 'Close',
    blocks: [section('Working on it… You may close this: the outcome then comes as a message.')],
  })
}

/** `written`: the person's text, for another try; empty if it is not needed any more. */
export function outcomeView(form: FormName, blocks: readonly KnownBlock[], written: string): ModalView {
  const lines = written.split('\n').map((line) => printable(line, writtenCharsMax))
  const shown = lines.join('\n').slice(0, writtenCharsMax)
  const kept: KnownBlock[] =
    shown.trim() === ''
      ? []
      : [
          section('What you wrote, for another try:'),
          { type: 'section', text: { type: 'plain_text', text: shown, emoji: false } },
        ]
  return modal({ title: forms[form].title, close: 'Close', blocks: [...blocks, ...kept] })
}
