/**
 * The app's Home tab. Opening it tells the bot, as in Slack, and whatever the bot publishes for this person is shown at once.
 *
 * @import { Model } from '../shell/model.js'
 * @import { Surroundings } from '../shell/surroundings.js'
 */
import { build } from '../blocks/build-node.js'
import { openViewBlocks } from './view-blocks.js'

/** @type {(model: Model, around: Surroundings) => { node: HTMLElement, close(): void, focus(): void }} */
export function openHomeTab(model, around) {
  const trouble = build('p', { class: 'home-trouble', role: 'alert' })
  const empty = build('p', { class: 'empty' }, 'The app has not published its Home tab for you yet.')
  const node = build('div', { class: 'home', tabindex: '-1' }, trouble, empty)
  /** @type {{ viewId: string, blocks: ReturnType<typeof openViewBlocks> } | undefined} */
  let shown

  function show() {
    const { home } = model
    empty.hidden = home !== undefined
    if (home === undefined) return
    if (shown?.viewId !== home.id) {
      shown?.blocks.node.remove()
      shown = { viewId: home.id, blocks: openViewBlocks(around.viewContext(home.id, 'home')) }
      node.append(shown.blocks.node)
    }
    shown.blocks.show(home)
  }

  show()
  const stop = model.listen((change) => {
    if (change === 'views') show()
  })
  model.act('home', {}).catch((error) => {
    trouble.textContent = error instanceof Error ? error.message : 'The Home tab could not be opened.'
  })
  return { node, close: stop, focus: () => node.focus() }
}
