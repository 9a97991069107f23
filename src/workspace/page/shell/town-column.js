/**
 * The town's column, loaded when it is first seen, and only where a town is attached; and the line that leads to it.
 *
 * @import { ComponentChild, ComponentType } from 'preact'
 * @import { Names } from '../town/log-panel.js'
 * @import { Store } from './store.js'
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { namesIn } from './block-context.js'
import { Head } from './header.js'
import { forgetIntro, recallIntro, recallTown, rememberTown } from './remember.js'

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
      class=${isOpen ? 'town-column-pane stack' : 'town-column-pane stack is-folded'}
      aria-label="Demo controls" data-region="town" tabindex="-1"
    >
      <${Head} title="Demo controls">
        <button
          type="button" class="tool bare fold" onClick=${fold}
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

/**
 * One line over a workspace with demo controls: what this is, and what is to be done next. Whoever puts it away has read it.
 *
 * @param {{ store: Store }} props
 */
export function Intro({ store }) {
  const [isShown, setShown] = useState(recallIntro)
  function putAway() {
    forgetIntro()
    setShown(false)
  }
  return (
    isShown &&
    html`
      <div class="intro row">
        <p>This is monbot in a local Slack. ${nextStep(store)}</p>
        <button type="button" class="tool bare" onClick=${putAway} aria-label="Dismiss the hint">✕${'\ufe0e'}</button>
      </div>
    `
  )
}

/** By what stands in the channels, whoever did it. @type {(store: Store) => ComponentChild} */
function nextStep(store) {
  const found = store.channels.flatMap((channel) =>
    store.room(channel.id).messages.map((message) => ({ channel, ids: actionIdsOf(message.blocks) })),
  )
  const untaken = found.findLast(({ ids }) => ids.includes('acknowledge'))
  if (untaken !== undefined) {
    const { id } = untaken.channel
    const where = id === store.channelId ? '' : ` in #${store.channelName(untaken.channel)}`
    return html`Press <strong>Acknowledge</strong> on a card${where}.`
  }
  return found.some(({ ids }) => ids.includes('mute_server'))
    ? html`Now choose a time with <strong>Mute…</strong> on the card, or send <strong>/mon help</strong>.`
    : html`Press a button of the demo controls: its card comes here within seconds.`
}

/** @type {(blocks: unknown) => string[]} */
function actionIdsOf(blocks) {
  const found = JSON.stringify(blocks ?? []).matchAll(/"action_id":"([^"]+)"/g)
  return Array.from(found, ([, id = '']) => id)
}
