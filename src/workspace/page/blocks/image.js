/**
 * Pictures, and their words where a picture cannot be shown.
 *
 * @import { Fields, RenderContext, Shown } from './render-context.js'
 */
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { fieldsOf, stringOf } from './fields.js'
import { fileUrl, pictureUrl } from './safe-url.js'
import { plainTextOf } from './text.js'

/** Where the picture lies, if this page may show it.  @type {(image: Fields, context: RenderContext) => string | undefined} */
function addressOf(image, context) {
  if (typeof image.image_url === 'string') return pictureUrl(image.image_url)
  const { id, url } = fieldsOf(image.slack_file)
  return fileUrl(context.fileUrl?.(stringOf(id)) ?? stringOf(url))
}

/**
 * A picture; its alternative text takes its place when it cannot be loaded. With `opens`, it is a link to itself.
 *
 * @type {(props: { image: Fields, context: RenderContext, class: string, opens?: boolean }) => Shown}
 */
export function Picture({ image, context, class: className, opens = false }) {
  const [gone, setGone] = useState('')
  const words = stringOf(image.alt_text)
  const src = addressOf(image, context)
  if (src === undefined || src === gone)
    return html`<span class="${className} bk-no-image" role="img" aria-label=${words}>🖼️ ${words}</span>`
  const picture = html`
    <img
      src=${src}
      alt=${words}
      class=${className}
      decoding="async"
      referrerpolicy="no-referrer"
      onError=${() => setGone(src)}
    />
  `
  return opens
    ? html`<a class="bk-picture-link" href=${src} target="_blank" rel="noopener noreferrer">${picture}</a>`
    : picture
}

/** @type {(props: { block: Fields, context: RenderContext }) => Shown} */
export function ImageBlock({ block, context }) {
  const title = plainTextOf(block.title)
  return html`
    <figure class="bk-image">
      ${title && html`<figcaption>${title}</figcaption>`}
      <${Picture} image=${block} context=${context} class="bk-picture" opens />
    </figure>
  `
}
