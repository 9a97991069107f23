/**
 * What is pressed: buttons, and the overflow menu, a `⋯` button with up to five options.
 *
 * @import { ElementProps, Shown } from './render-context.js'
 */
import { html } from '../html.js'
import { Acting, useAct } from './act.js'
import { fieldsIn, linkUrl, stringOf } from './fields.js'
import { Menu } from './menu.js'
import { plainTextOf } from './text.js'

const styles = new Map([
  ['primary', 'bk-primary'],
  ['danger', 'bk-danger'],
])

/** One with a `url` is a link that also tells the bot.  @type {(props: ElementProps) => Shown} */
export function Button({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const href = linkUrl(stringOf(element.url))
  const props = {
    class: `bk-button ${styles.get(stringOf(element.style)) ?? ''}`,
    'aria-label': stringOf(element.accessibility_label) || undefined,
    onClick: () => void act(),
  }
  const words = plainTextOf(element.text)
  return html`
    <${Acting} progress=${progress}>
      ${
        href === undefined
          ? html`<button type="button" ...${props}>${words}</button>`
          : html`<a href=${href} target="_blank" rel="noopener noreferrer" ...${props}>${words}</a>`
      }
    <//>
  `
}

/** The choice is the option's value.  @type {(props: ElementProps) => Shown} */
export function Overflow({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const items = fieldsIn(element.options).map(({ text, value }) => ({
    name: plainTextOf(text),
    choose: () => void act(stringOf(value)),
  }))
  return html`
    <${Acting} progress=${progress}>
      <${Menu} label="More actions" class="bk-button bk-overflow" items=${items}>⋯<//>
    <//>
  `
}
