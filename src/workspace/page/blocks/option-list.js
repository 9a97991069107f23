/**
 * The panel of a select: a field to type into, the options that fit, and a line that says what is going on. Focus stays
 * in the field (or, without one, in the list); the arrow keys move over the options.
 *
 * @import { Group, Option, Source } from './option-sources.js'
 */
import { build, freshId } from './build-node.js'

/** After the last key, before the bot is asked. */
const askAfterMs = 250
/** A select with fewer options of its own needs no field to look for them. */
const filterFrom = 9

/** @typedef {{ panel: HTMLElement, list: HTMLElement, start: () => void, mark: () => void, stop: () => void }} OptionList */

/**
 * @param {Source} source
 * @param {{ name: string, many: boolean, isChosen: (option: Option) => boolean, isFull: () => boolean, pick: (option: Option) => void }} how
 * @returns {OptionList}
 */
export function makeOptionList(source, { name, many, isChosen, isFull, pick }) {
  const asks = source.queryCharsMin !== undefined
  const listId = freshId('list')
  const list = build('div', {
    id: listId,
    role: 'listbox',
    class: 'bk-options',
    'aria-label': name,
    'aria-multiselectable': many ? 'true' : undefined,
    tabindex: '-1',
  })
  const query = build('input', {
    type: 'text',
    class: 'bk-query',
    role: 'combobox',
    'aria-label': `Search: ${name}`,
    'aria-autocomplete': 'list',
    'aria-expanded': 'true',
    'aria-controls': listId,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Type to search',
  })
  const status = build('p', { class: 'bk-status', role: 'status' })
  const panel = build('div', { class: 'bk-popup bk-select-popup', popover: 'manual' }, query, list, status)

  /** @type {{ option: Option, row: HTMLElement }[]} */
  let rows = []
  let active = -1
  let asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const focused = () => (query.hidden ? list : query)

  /** @type {(to: number) => void} */
  function move(to) {
    active = rows.length === 0 ? -1 : (to + rows.length) % rows.length
    for (const [at, { row }] of rows.entries()) row.classList.toggle('bk-active', at === active)
    const row = rows[active]?.row
    if (row === undefined) focused().removeAttribute('aria-activedescendant')
    else focused().setAttribute('aria-activedescendant', row.id)
    row?.scrollIntoView({ block: 'nearest' })
  }

  function mark() {
    for (const { option, row } of rows) {
      const chosen = isChosen(option)
      row.setAttribute('aria-selected', String(chosen))
      if (many) row.setAttribute('aria-disabled', String(!chosen && isFull()))
    }
  }

  /** @type {(option: Option, at: number) => HTMLElement} */
  function rowOf(option, at) {
    const row = build(
      'div',
      { id: freshId('option'), role: 'option', class: 'bk-option' },
      build('span', {}, option.label),
      option.description !== '' && build('span', { class: 'bk-description' }, option.description),
    )
    row.addEventListener('pointermove', () => {
      if (active !== at) move(at)
    })
    // A press would take the focus away from the field.
    row.addEventListener('mousedown', (event) => event.preventDefault())
    row.addEventListener('click', () => take(option))
    rows.push({ option, row })
    return row
  }

  /** Of several options the next may be typed at once, in place of what was typed for this one.  @type {(option: Option) => void} */
  function take(option) {
    pick(option)
    if (many) query.select()
  }

  /** @type {(groups: Group[]) => void} */
  function fill(groups) {
    rows = []
    let at = -1
    const nodes = groups.flatMap(({ label, options }) => {
      const own = options.map((option) => {
        at += 1
        return rowOf(option, at)
      })
      if (label === '') return own
      const labelId = freshId('group')
      const title = build('div', { id: labelId, class: 'bk-group', role: 'presentation' }, label)
      return [build('div', { role: 'group', 'aria-labelledby': labelId }, title, ...own)]
    })
    list.replaceChildren(...nodes)
    status.textContent = rows.length === 0 ? 'No results' : ''
    mark()
    const chosen = rows.findIndex(({ option }) => isChosen(option))
    move(Math.max(0, chosen))
  }

  /** @type {(typed: string) => Promise<void>} */
  async function ask(typed) {
    asked += 1
    const mine = asked
    status.textContent = 'Loading…'
    try {
      const groups = await source.groups(typed)
      // An answer that was overtaken by a newer question is of no interest.
      if (mine === asked) fill(groups)
    } catch (error) {
      if (mine !== asked) return
      fill([])
      status.textContent = `Loading failed: ${error instanceof Error ? error.message : 'no reason was given'}`
    }
  }

  function look() {
    const typed = query.value
    const { queryCharsMin } = source
    clearTimeout(timer)
    asked += 1
    if (queryCharsMin === undefined) {
      const groups = source.groups(typed)
      if (Array.isArray(groups)) fill(groups)
      return
    }
    const missing = queryCharsMin - typed.length
    if (missing > 0) {
      fill([])
      status.textContent = `Type ${missing} more character${missing === 1 ? '' : 's'}`
      return
    }
    status.textContent = 'Loading…'
    timer = setTimeout(() => void ask(typed), typed === '' ? 0 : askAfterMs)
  }

  query.addEventListener('input', look)
  panel.addEventListener('keydown', (event) => {
    const toEnds = event.target === list ? { Home: 0, End: -1 }[event.key] : undefined
    const to = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key] ?? toEnds
    const picks = event.key === 'Enter' || (event.key === ' ' && event.target === list)
    if (to === undefined && !picks) return jump(event)
    event.preventDefault()
    event.stopPropagation()
    const option = rows[active]?.option
    if (to !== undefined) move(to)
    else if (option !== undefined) take(option)
  })

  /** A letter goes to the next option that begins with it.  @type {(event: KeyboardEvent) => void} */
  function jump({ key, target, ctrlKey, metaKey, altKey }) {
    if (target !== list || key.length !== 1 || ctrlKey || metaKey || altKey) return
    const order = rows.map((_, at) => (active + 1 + at) % rows.length)
    const found = order.find((at) =>
      rows[at]?.option.label.toLocaleLowerCase().startsWith(key.toLocaleLowerCase()),
    )
    if (found !== undefined) move(found)
  }

  return {
    panel,
    list,
    mark,
    start: () => {
      query.value = ''
      look()
      query.hidden = !asks && rows.length < filterFrom
      move(active)
      focused().focus()
    },
    stop: () => {
      clearTimeout(timer)
      asked += 1
    },
  }
}
