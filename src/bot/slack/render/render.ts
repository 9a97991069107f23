/** Every card as a Slack message, and the same as text alone for the rare message whose blocks Slack refused. */
import type { CardKind, CardView } from '../../domain/card/kinds.ts'
import { link } from '../mrkdwn.ts'
import { renderAlert, renderPicture } from './cards/alert-card.ts'
import { renderBoard } from './cards/board.ts'
import { renderHandback } from './cards/hand-back.ts'
import { renderOutage } from './cards/outage-card.ts'
import { renderPage } from './cards/page.ts'
import { renderAgain, renderForgotten, renderReminder, renderWorsened } from './cards/reminder.ts'
import { renderStorm } from './cards/storm-card.ts'
import { renderMuteEnded, renderNote, renderTold } from './cards/thread.ts'
import { joinedWithin, type Rendered } from './text/message-parts.ts'

const renderers: { readonly [Kind in CardKind]: (view: CardView<Kind>) => Rendered } = {
  alert: renderAlert,
  summary: renderStorm,
  storm: renderStorm,
  worsened: renderWorsened,
  outage: renderOutage,
  page: renderPage,
  note: renderNote,
  told: renderTold,
  handback: renderHandback,
  mute_ended: renderMuteEnded,
  reminder: renderReminder,
  again: renderAgain,
  forgotten: renderForgotten,
  picture: renderPicture,
  board: renderBoard,
}

export function render<Kind extends CardKind>(view: CardView<Kind>): Rendered {
  return renderers[view.kind](view)
}

export function renderPlain(view: CardView): string {
  const { text } = render(view)
  return view.kind === 'alert' ? joinedWithin([text, link(view.alert.url, 'the alert')], ' · ') : text
}
