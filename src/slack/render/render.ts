/** Every card as a Slack message, and the same as text alone for the rare message whose blocks Slack refused. */
import type { CardView } from '../../domain/card.ts'
import { link } from '../mrkdwn.ts'
import { joinedWithin, type Rendered } from './message-parts.ts'
import { renderAlert } from './render-alert.ts'
import { renderBlind } from './render-blind.ts'
import { renderBoard } from './render-board.ts'
import { renderHandback } from './render-handback.ts'
import { renderPage } from './render-page.ts'
import { renderStorm } from './render-storm.ts'
import { renderMuteEnded, renderNote, renderReminder } from './render-thread.ts'
import { renderTold } from './render-told.ts'

export function render(view: CardView): Rendered {
  switch (view.kind) {
    case 'alert':
      return renderAlert(view)
    case 'summary':
    case 'storm':
      return renderStorm(view)
    case 'blind':
      return renderBlind(view)
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
