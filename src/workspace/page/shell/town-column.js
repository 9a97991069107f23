/**
 * The town's column: loaded when it is first seen, and only where a town is attached.
 *
 * @import { ComponentType } from 'preact'
 * @import { Names } from '../town/log-entry.js'
 * @import { Store } from './store.js'
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { namesIn } from './block-context.js'
import { Head } from './header.js'
import { recallTown, rememberTown } from './remember.js'

/** @param {{ store: Store }} props */
export function TownColumn({ store }) {
  const [isOpen, setOpen] = useState(recallTown)
  const [Town, setTown] = useState(() => Nothing)
  // The town looks after itself: it is not drawn again with the page.
  const town = useMemo(() => html`<${Town} names=${namesIn(store)} />`, [Town])

  useEffect(() => {
    import('../town/town.js').then(
      (loaded) => setTown(() => loaded.Town),
      () => setTown(() => Broken),
    )
  }, [])

  function fold() {
    rememberTown(!isOpen)
    setOpen(!isOpen)
  }

  return html`
    <aside
      class=${isOpen ? 'town-column-pane' : 'town-column-pane is-folded'}
      aria-label="Demo controls" data-region="town" tabindex="-1"
    >
      <${Head} title="Demo controls">
        <button
          type="button" class="tool fold" onClick=${fold}
          aria-label=${isOpen ? 'Fold the demo controls away' : 'Show the demo controls'} aria-expanded=${isOpen}
        >
          ${isOpen ? '✕\ufe0e' : 'Demo'}
        </button>
      <//>
      <div class="town-holder">${town}</div>
    </aside>
  `
}

/** @type {ComponentType<{ names: Names }>} */
const Nothing = () => null
const Broken = () => html`<p>The demo controls could not be loaded.</p>`
