/** Renders every kind of card as a Slack message; also as text alone, for the rare card whose blocks Slack refused. */
import type { CardKind, CardView } from '../../domain/card/kinds.ts'
import { link } from '../mrkdwn.ts'
import { renderAlert, renderPicture } from './cards/alert-card.ts'
import { renderBoard } from './cards/board.ts'
import { renderMuteExpiring } from './cards/mute-expiring.ts'
import { renderNotice } from './cards/notice.ts'
import { renderOutage } from './cards/outage-card.ts'
import { renderPage } from './cards/page.ts'
import { renderStorm } from './cards/storm-card.ts'
import { renderMuteEnded, renderNote } from './cards/thread.ts'
import { joinedWithin, type Rendered } from './text/message-parts.ts'

const renderers: { readonly [Kind in CardKind]: (view: CardView<Kind>) => Rendered } = {
  alert: renderAlert,
  summary: renderStorm,
  storm: renderStorm,
  outage: renderOutage,
  page: renderPage,
  note: renderNote,
  notice: renderNotice,
  mute_expiring: renderMuteExpiring,
  mute_ended: renderMuteEnded,
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
