/**
 * The overflow menu: a `⋯` button with up to five options; the choice is the option's value.
 *
 * @import { ElementProps, Shown } from './render-context.js'
 */
import { html } from '../html.js'
import { Acting, useAct } from './act.js'
import { fieldsIn, stringOf } from './fields.js'
import { Menu } from './menu.js'
import { plainTextOf } from './text.js'

/** @type {(props: ElementProps) => Shown} */
export function Overflow({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const items = fieldsIn(element.options).map(({ text, description, value }) => ({
    name: plainTextOf(text),
    detail: plainTextOf(description),
    choose: () => void act(stringOf(value)),
  }))
  return html`
    <${Acting} progress=${progress}>
      <${Menu} label="More actions" class="bk-button bk-overflow" items=${items}>⋯<//>
    <//>
  `
}
