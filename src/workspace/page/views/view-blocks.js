/**
 * The blocks of a view, changed in place: what was typed or chosen stays wherever the new blocks have the same ids.
 *
 * @import { RenderContext } from '../blocks/render-context.js'
 * @import { View } from '../shell/wire-shapes.js'
 */
import { build } from '../blocks/build-node.js'
import { readValues, renderBlocks } from '../blocks/render-blocks.js'
import { openParts } from '../messages/keep-nodes.js'
import { overlay } from './state-of-choice.js'

/**
 * @param {RenderContext} context
 * @returns {{ node: HTMLElement, show(view: View): void, values(): ReturnType<typeof readValues> }}
 */
export function openViewBlocks(context) {
  const node = build('div', { class: `view-blocks view-blocks-${context.surface}` })
  const showParts = openParts(node)
  return {
    node,
    values: () => readValues(node),
    show(view) {
      const values = overlay(view.blocks, view.state.values, readValues(node))
      showParts(
        view.blocks.map((block) => ({
          key: JSON.stringify(block),
          render: () => renderBlocks([block], { ...context, values }),
        })),
      )
    },
  }
}
