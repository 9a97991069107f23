/** Every card as a Slack message, and the same as text alone for the rare message whose blocks Slack refused. */
import type { CardView } from '../../domain/card/card.ts'
import { link } from '../mrkdwn.ts'
import { renderAlert } from './cards/alert-card.ts'
import { renderTold } from './cards/announcement.ts'
import { renderBoard } from './cards/board.ts'
import { renderHandback } from './cards/hand-back.ts'
import { renderOutage } from './cards/outage-card.ts'
import { renderPage } from './cards/page.ts'
import { renderStorm } from './cards/storm-card.ts'
import { renderMuteEnded, renderNote, renderReminder } from './cards/thread.ts'
import { joinedWithin, type Rendered } from './text/message-parts.ts'

export function render(view: CardView): Rendered {
  switch (view.kind) {
    case 'alert':
      return renderAlert(view)
    case 'summary':
    case 'storm':
      return renderStorm(view)
    case 'blind':
      return renderOutage(view)
    case 'page':
      return renderPage(view)
    case 'note':
      return renderNote(view)
    case 'told':
      return renderTold(view.entry)
    case 'handback':
      return renderHandback(view)
    case 'mute_ended':
      return renderMuteEnded(view)
    case 'reminder':
      return renderReminder(view)
    case 'board':
      return renderBoard(view)
  }
}

export function renderPlain(view: CardView): string {
  const { text } = render(view)
  return view.kind === 'alert' ? joinedWithin([text, link(view.alert.url, 'the alert')], ' · ') : text
}
