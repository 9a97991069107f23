/**
 * Image blocks.
 *
 * @import { Fields, RenderContext, Shown } from './render-context.js'
 */
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { isFields, stringOf } from './fields.js'
import { fileUrl } from './safe-url.js'
import { plainTextOf } from './text.js'

/** Where the picture lies, if this page may show it.  @type {(image: Fields, context: RenderContext) => string | undefined} */
function addressOf(image, context) {
  // The workspace takes no picture by address, and fetches none.
  if (!isFields(image.slack_file)) return undefined
  const { id, url } = image.slack_file
  return fileUrl(context.fileUrl?.(stringOf(id)) ?? stringOf(url))
}

/** The picture is a link to itself; its alternative text takes its place when it cannot be loaded.  @type {(props: { block: Fields, context: RenderContext }) => Shown} */
export function ImageBlock({ block, context }) {
  const [gone, setGone] = useState('')
  const title = plainTextOf(block.title)
  const words = stringOf(block.alt_text)
  const src = addressOf(block, context)
  return html`
    <figure class="bk-image">
      ${title && html`<figcaption>${title}</figcaption>`}
      ${
        src === undefined || src === gone
          ? html`<span class="bk-no-image" role="img" aria-label=${words}>🖼️ ${words}</span>`
          : html`
              <a class="bk-picture-link" href=${src} target="_blank" rel="noopener noreferrer">
                <img
                  class="bk-picture"
                  src=${src}
                  alt=${words}
                  decoding="async"
                  referrerpolicy="no-referrer"
                  onError=${() => setGone(src)}
                />
              </a>
            `
      }
    </figure>
  `
}
