/**
 * The town's column: loaded when it is first seen, and only where a town is attached.
 *
 * @import { Model } from './model.js'
 */
import { build } from '../blocks/build-node.js'
import { renderBack } from './header.js'
import { recallTown, rememberTown } from './remember.js'

/** @type {(model: Model) => HTMLElement} */
export function openTownColumn(model) {
  const holder = build('div', { class: 'town-holder' })
  const fold = build('button', { type: 'button', class: 'tool fold' })
  const node = build(
    'aside',
    { class: 'town-column-pane', 'aria-label': 'Town', 'data-region': 'town', hidden: true, tabindex: '-1' },
    build(
      'header',
      { class: 'head' },
      renderBack('#/list', 'Back to the channels'),
      build(
        'div',
        { class: 'head-words' },
        build('h2', { class: 'head-title' }, 'Town'),
        build('p', { class: 'head-topic' }, 'What stands around the bot'),
      ),
      fold,
    ),
    holder,
  )
  let isOpen = recallTown()
  let isMounted = false

  function show() {
    node.hidden = !model.state.town
    node.classList.toggle('is-folded', !isOpen)
    fold.textContent = isOpen ? '✕\ufe0e' : 'Town'
    fold.setAttribute('aria-label', isOpen ? 'Fold the town away' : 'Show the town')
    fold.setAttribute('aria-expanded', String(isOpen))
    if (!model.state.town || isMounted) return
    isMounted = true
    mount().catch((error) => {
      isMounted = false
      holder.textContent = 'The town could not be loaded.'
      throw error
    })
  }

  async function mount() {
    const { mountTown } = await import('../town/mount-town.js')
    holder.replaceChildren()
    await mountTown(holder, {
      names: {
        user: (id) => model.user(id)?.name ?? id,
        channel: (id) => model.channel(id)?.name ?? id,
      },
    })
  }

  fold.addEventListener('click', () => {
    isOpen = !isOpen
    rememberTown(isOpen)
    show()
  })
  model.listen((change) => {
    if (change === 'state') show()
  })
  return node
}
