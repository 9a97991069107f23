/**
 * The town's column: loaded when it is first seen, and only where a town is attached.
 *
 * @import { Store } from './store.js'
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { namesIn } from './block-context.js'
import { Head } from './header.js'
import { recallTown, rememberTown } from './remember.js'

/** @param {{ store: Store }} props */
export function TownColumn({ store }) {
  const [isOpen, setOpen] = useState(recallTown)
  const [isBroken, setBroken] = useState(false)
  /** @type {{ current: HTMLElement | null }} */
  const holder = useRef(null)

  useEffect(() => {
    mount(holder.current, store).catch((error) => {
      setBroken(true)
      throw error
    })
  }, [])

  function fold() {
    rememberTown(!isOpen)
    setOpen(!isOpen)
  }

  return html`
    <aside
      class=${isOpen ? 'town-column-pane' : 'town-column-pane is-folded'}
      aria-label="Town" data-region="town" tabindex="-1"
    >
      <${Head} title="Town" topic="What stands around the bot">
        <button
          type="button" class="tool fold" onClick=${fold}
          aria-label=${isOpen ? 'Fold the town away' : 'Show the town'} aria-expanded=${isOpen}
        >
          ${isOpen ? '✕\ufe0e' : 'Town'}
        </button>
      <//>
      <div class="town-holder" ref=${holder}>${isBroken && 'The town could not be loaded.'}</div>
    </aside>
  `
}

/** @type {(holder: HTMLElement | null, store: Store) => Promise<void>} */
async function mount(holder, store) {
  const { mountTown } = await import('../town/mount-town.js')
  if (holder === null) return
  await mountTown(holder, { names: namesIn(store) })
}
