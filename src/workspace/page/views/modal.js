/**
 * The modal in front of the person: the top of their stack of views. Enter in a field and the button send it, Escape, × and
 * its close button close it; errors stand under their inputs, and what was typed stays through errors and updates.
 *
 * @import { Model } from '../shell/model.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 * @import { View } from '../shell/wire-shapes.js'
 */
import { build } from '../blocks/build-node.js'
import { checkInputs, showErrors } from '../blocks/render-blocks.js'
import { plainTextOf } from '../blocks/text.js'
import { ActError } from '../shell/ask-server.js'
import { openViewBlocks } from './view-blocks.js'

/** @type {(model: Model, around: Surroundings) => HTMLElement} */
export function openModals(model, around) {
  const holder = build('div')
  /** @type {ReturnType<typeof openModal> | undefined} */
  let shown
  /** @type {Element | null} */
  let before = null

  model.listen((change) => {
    if (change !== 'views') return
    const view = model.modals.at(-1)
    if (shown !== undefined && shown.viewId === view?.id) {
      shown.show(view, model.modals.length)
      return
    }
    if (shown === undefined) before = document.activeElement
    shown?.close()
    shown = view === undefined ? undefined : openModal(view, model, around)
    if (shown !== undefined && view !== undefined) {
      holder.append(shown.dialog)
      shown.show(view, model.modals.length)
      shown.dialog.showModal()
      shown.focus()
    } else if (before instanceof HTMLElement && before.isConnected) before.focus()
  })
  return holder
}

/** @type {(view: View, model: Model, around: Surroundings) => { viewId: string, dialog: HTMLDialogElement, show(view: View, depth: number): void, focus(): void, close(): void }} */
function openModal({ id: viewId }, model, around) {
  const title = build('h2', { class: 'modal-title', id: `title-${viewId}` })
  const depthMark = build('span', { class: 'modal-depth' })
  const cross = build('button', { type: 'button', class: 'tool', 'aria-label': 'Close dialog' }, '✕\ufe0e')
  const trouble = build('p', { class: 'modal-trouble', role: 'alert' })
  const blocks = openViewBlocks(around.viewContext(viewId, 'modal'))
  const closeButton = build('button', { type: 'button', class: 'bk-button' })
  const submitButton = build('button', { type: 'submit', class: 'bk-button bk-primary' })
  const body = build('div', { class: 'modal-body', tabindex: '-1' }, trouble, blocks.node)
  const form = build(
    'form',
    { class: 'modal-form', novalidate: true },
    build('header', { class: 'modal-head' }, title, depthMark, cross),
    body,
    build('footer', { class: 'modal-foot' }, closeButton, submitButton),
  )
  const dialog = build('dialog', { class: 'modal', 'aria-labelledby': title.id }, form)
  let isBusy = false

  /** @type {(act: () => Promise<void>) => Promise<void>} */
  async function during(act) {
    if (isBusy) return
    isBusy = true
    trouble.textContent = ''
    dialog.classList.add('is-busy')
    submitButton.setAttribute('aria-disabled', 'true')
    form.setAttribute('aria-busy', 'true')
    try {
      await act()
    } catch (error) {
      if (!(error instanceof ActError)) throw error
      trouble.textContent = error.message
      trouble.scrollIntoView({ block: 'nearest' })
    } finally {
      isBusy = false
      dialog.classList.remove('is-busy')
      submitButton.removeAttribute('aria-disabled')
      form.removeAttribute('aria-busy')
    }
  }

  const close = () =>
    during(async () => {
      await model.act('close', { viewId })
    })

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const wrong = checkInputs(blocks.node)
    showErrors(blocks.node, wrong)
    if (Object.keys(wrong).length > 0) return
    void during(async () => {
      const answer = await model.act('submit', { viewId, values: blocks.values() })
      if (answer.response_action === 'errors') {
        showErrors(blocks.node, /** @type {Record<string, string>} */ (answer.errors))
      }
    })
  })
  cross.addEventListener('click', () => void close())
  closeButton.addEventListener('click', () => void close())
  dialog.addEventListener('cancel', (event) => {
    // The server closes it, so that the bot hears of it and every page of this person sees it.
    event.preventDefault()
    void close()
  })

  return {
    viewId,
    dialog,
    show(view, depth) {
      title.textContent = plainTextOf(view.title)
      depthMark.textContent = depth > 1 ? `${depth} of 3` : ''
      closeButton.textContent = view.close === null ? 'Cancel' : plainTextOf(view.close)
      submitButton.hidden = view.submit === null
      submitButton.textContent = view.submit === null ? '' : plainTextOf(view.submit)
      blocks.show(view)
    },
    focus() {
      // Where the app asks for the focus it has it already.
      if (blocks.node.contains(document.activeElement)) return
      const first = blocks.node.querySelector('.bk-input :is(.bk-field, .bk-select, .bk-query)')
      if (first instanceof HTMLElement) first.focus()
      else body.focus()
    },
    close() {
      dialog.close()
      dialog.remove()
    },
  }
}
