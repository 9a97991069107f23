/** Says that the connection is lost, for as long as it is, and once that it is back. */
import { build } from '../blocks/build-node.js'

/** @type {(retry: () => void) => { node: HTMLElement, show(isLive: boolean): void }} */
export function openBanner(retry) {
  const words = build('span')
  const again = build('button', { type: 'button', class: 'link-button' }, 'Try now')
  again.addEventListener('click', retry)
  const bar = build('div', { class: 'banner', hidden: true }, words, again)
  const said = build('p', { class: 'unseen', role: 'status' })
  let wasLive = true
  return {
    node: build('div', {}, bar, said),
    show(isLive) {
      if (isLive === wasLive) return
      wasLive = isLive
      bar.hidden = isLive
      words.textContent = isLive ? '' : 'Connection lost. What you see may be old. Trying again…'
      said.textContent = isLive ? 'Connected again.' : words.textContent
    },
  }
}
