/** Says that the connection is lost, for as long as it is, and once that it is back. */
import { html } from '../html.js'

/** @param {{ isLive: boolean | undefined, retry: () => void }} props As in the store. */
export function Banner({ isLive, retry }) {
  const lost = 'Connection lost. What you see may be old. Trying again…'
  return html`
    <div>
      <div class="banner" hidden=${isLive !== false}>
        ${isLive === false && lost} <button type="button" class="link-button" onClick=${retry}>Try now</button>
      </div>
      <p class="unseen" role="status">${isLive === false ? lost : isLive && 'Connected again.'}</p>
    </div>
  `
}
