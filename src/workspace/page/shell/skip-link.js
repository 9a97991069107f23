/** The first stop of Tab: past the channels, to the messages. Seen while it has the focus. */
import { html } from '../html.js'
import { enter } from './keys.js'
import { hrefOf } from './place.js'

/** @param {{ channelId: string | undefined }} props The channel that is in front; undefined on the Home tab. */
export function SkipLink({ channelId }) {
  /** @type {(event: MouseEvent) => void} */
  function skip(event) {
    const front = document.querySelector('.front')
    // On a phone something else may be in front: then it leads there.
    if (!(front instanceof HTMLElement) || !front.checkVisibility()) return
    event.preventDefault()
    enter(front)
  }
  return html`
    <a class="skip" href=${channelId === undefined ? '#/home' : hrefOf(channelId)} onClick=${skip}>
      ${channelId === undefined ? 'Skip to Home' : 'Skip to the messages'}
    </a>
  `
}
