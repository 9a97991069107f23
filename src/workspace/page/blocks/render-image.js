/**
 * Pictures, and their words where a picture cannot be shown.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build } from './build-node.js'
import { fieldsOf, stringOf } from './fields.js'
import { plainTextOf } from './render-text.js'
import { fileUrl, pictureUrl } from './safe-url.js'

/** Where the picture of an image block or element lies, if this page may show it.  @type {(image: Fields, context: RenderContext) => string | undefined} */
function addressOf(image, context) {
  if (typeof image.image_url === 'string') return pictureUrl(image.image_url)
  const { id, url } = fieldsOf(image.slack_file)
  const told = context.fileUrl?.(stringOf(id)) ?? stringOf(url)
  return told === '' ? undefined : fileUrl(told)
}

/**
 * The picture itself; its alternative text takes its place when it is not to be had.
 *
 * @param {Fields} image
 * @param {RenderContext} context
 * @param {string} className
 * @returns {HTMLElement}
 */
export function renderPicture(image, context, className) {
  const words = stringOf(image.alt_text)
  const src = addressOf(image, context)
  const instead = () =>
    build('span', { class: `${className} bk-no-image`, role: 'img', 'aria-label': words }, `🖼️ ${words}`)
  if (src === undefined) return instead()
  const picture = build('img', {
    src,
    alt: words,
    class: className,
    decoding: 'async',
    referrerpolicy: 'no-referrer',
  })
  picture.addEventListener('error', () => {
    const link = picture.closest('a')
    ;(link ?? picture).replaceWith(instead())
  })
  return picture
}

/** An image block: its title, and the picture, which opens in full.  @type {(block: Fields, context: RenderContext) => HTMLElement} */
export function renderImageBlock(block, context) {
  const title = plainTextOf(block.title)
  const picture = renderPicture(block, context, 'bk-picture')
  const shown =
    picture instanceof HTMLImageElement
      ? build(
          'a',
          { href: picture.src, target: '_blank', rel: 'noopener noreferrer', class: 'bk-picture-link' },
          picture,
        )
      : picture
  return build('figure', { class: 'bk-image' }, title !== '' && build('figcaption', {}, title), shown)
}
