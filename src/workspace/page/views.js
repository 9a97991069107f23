/**
 * What the app shows beside its messages: the modal in front of the person, and its Home tab.
 * @import { View } from './shapes.js'
 * @import { Store } from './store.js'
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Blocks } from './blocks/blocks.js'
import { valuesIn } from './blocks/elements.js'
import { plainTextOf } from './blocks/text.js'
import { html, useKeptFocus } from './html.js'
import { contextFor } from './page.js'
import { wordsOf } from './store.js'

/** What was typed stays through errors and updates.  @param {{ store: Store, view: View }} props A modal of its own for each view. */
export function Modal({ store, view }) {
  const { id: viewId, title, close, submit, blocks, state } = view
  const titleId = useId()
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  /** @type {[Record<string, string>, (errors: Record<string, string>) => void]} */
  const [errors, setErrors] = useState({})
  const dialog = /** @type {{ current: HTMLDialogElement | null }} */ (useRef(null))
  const body = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  useKeptFocus(body)
  useLayoutEffect(() => {
    dialog.current?.showModal()
    const first = body.current?.querySelector(':is(input, textarea, select)') ?? body.current
    if (first instanceof HTMLElement) first.focus()
    return () => dialog.current?.close()
  }, [])
  useLayoutEffect(() => {
    const wrong = body.current?.querySelector('[aria-invalid=true]')
    if (wrong instanceof HTMLElement) wrong.focus()
  }, [errors])

  /** @type {(act: () => Promise<unknown>) => Promise<void>} */
  async function during(act) {
    if (isBusy) return
    setBusy(true)
    setTrouble('')
    try {
      await act()
    } catch (error) {
      setTrouble(wordsOf(error))
    }
    setBusy(false)
  }

  /** The server closes it, so that every page of this person sees it.  @type {(event: Event) => void} */
  function onClose(event) {
    event.preventDefault()
    void during(() => store.act('close', { viewId }))
  }

  /** @type {(event: { preventDefault(): void, currentTarget: HTMLFormElement }) => void} */
  function onSubmit(event) {
    event.preventDefault()
    const values = valuesIn(event.currentTarget)
    const missing = [...event.currentTarget.querySelectorAll(':is(input, textarea, select):invalid')]
    const named = missing.map((one) => (one.getAttribute('name') ?? '').split('\n')[0] ?? '')
    setErrors(Object.fromEntries(named.map((blockId) => [blockId, 'Please fill this in.'])))
    if (missing.length > 0) return
    void during(async () => {
      const answer = await store.act('submit', { viewId, values })
      if (answer.response_action === 'errors')
        setErrors(/** @type {Record<string, string>} */ (answer.errors))
    })
  }

  const context = { ...contextFor(store, 'modal', { viewId }), errors, values: state.values }
  return html`
    <dialog class="modal" aria-labelledby=${titleId} ref=${dialog} onCancel=${onClose}>
      <form class="column" novalidate aria-busy=${isBusy} onSubmit=${onSubmit}>
        <header class="head row">
          <h2 id=${titleId}>${plainTextOf(title)}</h2>
          <button type="button" class="tool" aria-label="Close dialog" onClick=${onClose}>✕${'\ufe0e'}</button>
        </header>
        <div class="modal-body" tabindex="-1" ref=${body}>
          <p class="banner" role="alert">${trouble}</p>
          <${Blocks} blocks=${blocks} context=${context} />
        </div>
        <footer class="foot row">
          <button type="button" class="button" onClick=${onClose}>${close === null ? 'Cancel' : plainTextOf(close)}</button>
          ${submit && html`<button type="submit" class="button primary" aria-disabled=${isBusy}>${plainTextOf(submit)}</button>`}
        </footer>
      </form>
    </dialog>
  `
}

/** Opening it tells the bot, as in Slack, and whatever the bot publishes for this person is shown at once.  @param {{ store: Store }} props */
export function HomeTab({ store }) {
  const { home } = store
  const [trouble, setTrouble] = useState('')
  const holder = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  useKeptFocus(holder)
  useEffect(() => {
    store.act('home', {}).catch((error) => setTrouble(wordsOf(error)))
  }, [])
  const context = {
    ...contextFor(store, 'home', { viewId: home?.id ?? '' }),
    values: home?.state.values ?? {},
  }
  return html`
    <div class="home" tabindex="0" ref=${holder}>
      <p class="banner" role="alert">${trouble}</p>
      ${
        home === undefined
          ? html`<p class="empty soft">The app has not published its Home tab for you yet.</p>`
          : html`<${Blocks} blocks=${home.blocks} context=${context} />`
      }
    </div>
  `
}
