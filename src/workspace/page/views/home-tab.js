/**
 * The app's Home tab. Opening it tells the bot, as in Slack, and whatever the bot publishes for this person is shown at once.
 *
 * @import { Store } from '../shell/store.js'
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Blocks } from '../blocks/blocks.js'
import { html } from '../html.js'
import { useKeptFocus } from '../kept-focus.js'
import { blockContext } from '../shell/block-context.js'

/** @param {{ store: Store }} props */
export function HomeTab({ store }) {
  const { home } = store
  const [trouble, setTrouble] = useState('')
  /** @type {{ current: HTMLElement | null }} */
  const holder = useRef(null)
  useKeptFocus(holder)
  useEffect(() => {
    store.act('home', {}).catch((error) => {
      setTrouble(error instanceof Error ? error.message : 'The Home tab could not be opened.')
    })
  }, [])
  const context = {
    ...blockContext(store, 'home', { viewId: home?.id ?? '' }),
    values: home?.state.values ?? {},
  }
  return html`
    <div class="home" tabindex="-1" ref=${holder}>
      <p class="trouble" role="alert">${trouble}</p>
      ${
        home === undefined
          ? html`<p class="empty">The app has not published its Home tab for you yet.</p>`
          : html`<${Blocks} key=${home.id} blocks=${home.blocks} context=${context} />`
      }
    </div>
  `
}
