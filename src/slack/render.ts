/** Every card as a Slack message, and the same as text alone for the rare message whose blocks Slack refused. */
import type { CardView } from '../domain/card.ts'
import { link } from './mrkdwn.ts'
import { type Rendered, renderAlert } from './render-alert.ts'
import { renderPage, renderSummary } from './render-summary.ts'

export function render(view: CardView): Rendered {
  switch (view.kind) {
    case 'alert':
      return renderAlert(view)
    case 'summary':
      return renderSummary(view)
    case 'page':
      return renderPage(view)
  }
}

export function renderPlain(view: CardView): string {
  const { text } = render(view)
  return view.kind === 'alert' ? `${text} · ${link(view.alert.url, 'the alert')}` : text
}
