/**
 * Buttons. One with a `url` is a link that also tells the bot; with a confirmation it opens after that.
 *
 * @import { ElementProps, Shown } from './render-context.js'
 */
import { html } from '../html.js'
import { Acting, useAct } from './act.js'
import { isFields, stringOf } from './fields.js'
import { linkUrl } from './safe-url.js'
import { plainTextOf } from './text.js'

const styles = new Map([
  ['primary', 'bk-primary'],
  ['danger', 'bk-danger'],
])

/** @type {(props: ElementProps) => Shown} */
export function Button({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const href = linkUrl(stringOf(element.url))
  const props = {
    class: `bk-button ${styles.get(stringOf(element.style)) ?? ''}`,
    'aria-label': stringOf(element.accessibility_label) || undefined,
    async onClick(/** @type {Event} */ event) {
      const opensLater = href !== undefined && isFields(element.confirm)
      if (opensLater) event.preventDefault()
      const isDone = await act()
      if (opensLater && isDone) open(href, '_blank', 'noopener,noreferrer')
    },
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
