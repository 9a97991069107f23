/**
 * Asks "are you sure?" as a `confirm` object wants it.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build, freshId } from './build-node.js'
import { plainTextOf, renderText } from './render-text.js'

/**
 * Resolves to whether the person agreed; Escape is a no. The dialog lies on top of everything and is gone afterwards.
 *
 * @param {Fields} confirm
 * @param {RenderContext} context
 * @returns {Promise<boolean>}
 */
export function askToConfirm(confirm, context) {
  const [titleId, textId] = [freshId('confirm'), freshId('confirm')]
  const danger = confirm.style === 'danger'
  const deny = build('button', { type: 'button', class: 'bk-button' }, plainTextOf(confirm.deny) || 'Cancel')
  const agree = build(
    'button',
    { type: 'button', class: `bk-button ${danger ? 'bk-danger' : 'bk-primary'}` },
    plainTextOf(confirm.confirm) || 'Yes',
  )
  // What cannot be taken back is not under the finger that opened this.
  const first = danger ? deny : agree
  first.setAttribute('autofocus', '')
  const dialog = build(
    'dialog',
    { class: 'bk-confirm', 'aria-labelledby': titleId, 'aria-describedby': textId },
    build('h2', { id: titleId, class: 'bk-confirm-title' }, plainTextOf(confirm.title) || 'Are you sure?'),
    build('div', { id: textId, class: 'bk-confirm-text' }, renderText(confirm.text, context)),
    build('div', { class: 'bk-confirm-choices' }, deny, agree),
  )
  const opener = document.activeElement
  document.body.append(dialog)
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
      resolve(dialog.returnValue === 'yes')
    })
    deny.addEventListener('click', () => dialog.close(''))
    agree.addEventListener('click', () => dialog.close('yes'))
    dialog.showModal()
  })
}
