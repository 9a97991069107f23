/** What stands in a form's place once it was sent: that it is being done, and what came of it. */
import type { KnownBlock, ModalView } from '@slack/types'
import type { FormName } from '../../../domain/request/named.ts'
import { printable } from '../../mrkdwn.ts'
import { type Rendered, said, section } from '../text/message-parts.ts'
import { titleOf } from './form.ts'
import { modal } from './form-parts.ts'

const writtenCharsMax = 3_000

export function workingView(form: FormName): ModalView {
  return modal({
    title: titleOf(form),
    close: 'Close',
    blocks: [
      section('Working on it… You may close this: the outcome is then told below your command or card.'),
    ],
  })
}

/** What stands in a receipt's place from its confirmation to its outcome. */
export function workingWords(): Rendered {
  return said(() => ['🔕 Muting… The outcome takes the place of this line.'])
}

/** `written`: what the person wrote, for another try; empty where it is not needed any more. */
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
  return modal({ title: titleOf(form), close: 'Close', blocks: [...blocks, ...kept] })
}
