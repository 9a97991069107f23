/**
 * Every element of Block Kit, whatever block it stands in.
 *
 * @import { Fields, Spot } from './render-context.js'
 */
import { renderBoxes } from './boxes.js'
import { renderButton, renderFeedback, renderIconButton } from './button.js'
import { renderOverflow } from './overflow-menu.js'
import { renderPicker } from './pickers.js'
import { renderPicture } from './render-image.js'
import { renderUnknown } from './render-text.js'
import { renderSelect } from './select.js'
import { renderTextInput } from './text-inputs.js'

/** @type {(element: Fields, spot: Spot) => HTMLElement} */
export function renderElement(element, spot) {
  switch (element.type) {
    case 'button':
    case 'workflow_button':
      return renderButton(element, spot)
    case 'icon_button':
      return renderIconButton(element, spot)
    case 'feedback_buttons':
      return renderFeedback(element, spot)
    case 'overflow':
      return renderOverflow(element, spot)
    case 'checkboxes':
    case 'radio_buttons':
      return renderBoxes(element, spot)
    case 'image':
      return renderPicture(element, spot.context, 'bk-thumbnail')
    default:
      return (
        renderSelect(element, spot) ??
        renderPicker(element, spot) ??
        renderTextInput(element, spot) ??
        renderUnknown(element, 'element')
      )
  }
}
