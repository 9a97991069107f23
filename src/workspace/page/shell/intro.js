/** One line over a workspace with demo controls: what this is, and what to press first. Whoever puts it away has read it. */
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { forgetIntro, recallIntro } from './remember.js'

/** Draws nothing once it was put away. */
export function Intro() {
  const [isShown, setShown] = useState(recallIntro)
  function putAway() {
    forgetIntro()
    setShown(false)
  }
  return (
    isShown &&
    html`
      <div class="intro">
        <p>
          This is monbot in a local Slack. Press <strong>CPU spike on web-2</strong> in the demo controls, then
          ${' '}<strong>Acknowledge</strong> on its card.
        </p>
        <button type="button" class="tool" onClick=${putAway} aria-label="Dismiss the hint">✕${'\ufe0e'}</button>
      </div>
    `
  )
}
