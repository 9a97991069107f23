/**
 * What the app shows beside its messages: the modal in front of the person, and its Home tab.
 *
 * @import { Store } from '../shell/store.js'
 * @import { View } from '../shell/wire-shapes.js'
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Blocks } from '../blocks/blocks.js'
import { checkInputs, openForm, readValues } from '../blocks/form.js'
import { plainTextOf } from '../blocks/text.js'
import { html, useFreshId } from '../html.js'
import { useKeptFocus } from '../kept-focus.js'
import { ActError } from '../shell/ask-server.js'
import { blockContext } from '../shell/block-context.js'

const firstField = ':is(input, textarea, select, .bk-query)'

/**
 * Enter in a field and the button send it, Escape, × and its close button close it; errors stand under their inputs, and
 * what was typed stays through errors and updates.
 *
 * @param {{ store: Store, view: View }} props A modal of its own for each view.
 */
export function Modal({ store, view }) {
  const { id: viewId, title, close, submit, blocks, state } = view
  const titleId = useFreshId()
  const form = useMemo(openForm, [])
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  /** @type {[Record<string, string>, (errors: Record<string, string>) => void]} */
  const [errors, setErrors] = useState({})
  /** @type {{ current: HTMLDialogElement | null }} */
  const dialog = useRef(null)
  /** @type {{ current: HTMLElement | null }} */
  const body = useRef(null)
  useKeptFocus(body)

  useLayoutEffect(() => {
    dialog.current?.showModal()
    // Where the app asks for the focus it has it already.
    const first = body.current?.querySelector('[autofocus]') ?? body.current?.querySelector(firstField)
    ;(first instanceof HTMLElement ? first : body.current)?.focus()
    // Gives the focus back to where it was.
    return () => dialog.current?.close()
  }, [])
  useLayoutEffect(() => {
    const wrong = body.current?.querySelector('[aria-invalid=true]')
    if (wrong instanceof HTMLElement) wrong.focus()
  }, [errors])
  useLayoutEffect(() => body.current?.scrollTo(0, 0), [trouble])

  /** @type {(act: () => Promise<void>) => Promise<void>} */
  async function during(act) {
    if (isBusy) return
    setBusy(true)
    setTrouble('')
    try {
      await act()
    } catch (error) {
      if (!(error instanceof ActError)) throw error
      setTrouble(error.message)
    } finally {
      setBusy(false)
    }
  }

  /** The server closes it, so that the bot hears of it and every page of this person sees it.  @type {(event: Event) => void} */
  function onClose(event) {
    event.preventDefault()
    void during(async () => {
      await store.act('close', { viewId })
    })
  }

  /** @type {(event: Event) => void} */
  function onSubmit(event) {
    event.preventDefault()
    const wrong = checkInputs(form)
    setErrors(wrong)
    if (Object.keys(wrong).length > 0) return
    void during(async () => {
      const answer = await store.act('submit', { viewId, values: readValues(form) })
      if (answer.response_action === 'errors')
        setErrors(/** @type {Record<string, string>} */ (answer.errors))
    })
  }

  const context = { ...blockContext(store, 'modal', { viewId }), form, errors, values: state.values }
  return html`
    <dialog class="modal ${isBusy ? 'is-busy' : ''}" aria-labelledby=${titleId} ref=${dialog} onCancel=${onClose}>
      <form class="modal-form stack" novalidate aria-busy=${isBusy} onSubmit=${onSubmit}>
        <header class="modal-head row">
          <h2 class="modal-title" id=${titleId}>${plainTextOf(title)}</h2>
          <button type="button" class="tool bare" aria-label="Close dialog" onClick=${onClose}>✕${'\ufe0e'}</button>
        </header>
        <div class="modal-body" tabindex="-1" ref=${body}>
          <p class="trouble" role="alert">${trouble}</p>
          <${Blocks} blocks=${blocks} context=${context} />
        </div>
        <footer class="modal-foot row">
          <button type="button" class="bk-button" onClick=${onClose}>
            ${close === null ? 'Cancel' : plainTextOf(close)}
          </button>
          ${
            submit !== null &&
            html`<button type="submit" class="bk-button bk-primary" aria-disabled=${isBusy}>
              ${plainTextOf(submit)}
            </button>`
          }
        </footer>
      </form>
    </dialog>
  `
}

/**
 * Opening it tells the bot, as in Slack, and whatever the bot publishes for this person is shown at once.
 *
 * @param {{ store: Store }} props
 */
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
