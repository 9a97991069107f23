/**
 * Selects of several options that the bot suggests for what was typed. The chosen ones stand before the field, each a
 * button that takes it away; the arrow keys move over the suggestions while the focus stays in the field.
 *
 * @import { ElementProps, Fields, Shown } from './render-context.js'
 * @typedef {{ options: Fields[], words: string }} Offer
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html, useFreshId } from '../html.js'
import { Acting, useAct, useStateOf } from './act.js'
import { fieldsIn, stringOf } from './fields.js'
import { nameField, startOf, useForm } from './form.js'
import { plainTextOf } from './text.js'

/** After the last key, before the bot is asked. */
const askAfterMs = 250
/** What Slack takes where an external select does not say. */
const queryCharsDefault = 3

/** @type {(props: ElementProps) => Shown} */
export function Suggest({ element, spot }) {
  const { input } = spot
  const { progress, act } = useAct(element, spot)
  const [chosen, choose] = useStateOf(
    input === undefined ? element : '',
    fieldsIn(startOf(element, spot, 'selected_options', 'initial_options')),
  )
  const [query, setQuery] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { options, words, active, setActive } = useOffer(element, spot, isOpen, query)
  const field = /** @type {{ current: HTMLInputElement | null }} */ (useRef(null))
  const panel = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  const id = useFreshId()
  // Nobody but the bot knows these options, so it gets them back whole.
  useForm(element, spot, { read: () => chosen })

  useLayoutEffect(() => {
    const holder = field.current?.parentElement
    if (isOpen && holder) panel.current?.showPopover({ source: holder })
    else panel.current?.hidePopover()
  }, [isOpen])
  useEffect(() => {
    panel.current?.querySelector('.bk-active')?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const isChosen = (/** @type {Fields} */ { value }) => chosen.some((one) => one.value === value)

  /** @type {(next: Fields[]) => Promise<void>} */
  async function change(next) {
    choose(next)
    if (input !== undefined || (await act(next))) return
    choose(chosen)
  }

  /** @type {(option: Fields) => void} */
  function take(option) {
    setQuery('')
    if (isChosen(option)) drop(option)
    else void change([...chosen, option])
  }

  /** @type {(option: Fields) => void} */
  const drop = (option) => void change(chosen.filter(({ value }) => value !== option.value))

  /** @type {(event: KeyboardEvent) => void} */
  function steer(event) {
    const { key } = event
    const option = options[active]
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (isOpen) setActive((active + (key === 'ArrowDown' ? 1 : -1) + options.length) % options.length || 0)
      setOpen(true)
    } else if (isOpen && key === 'Enter') {
      if (option !== undefined) take(option)
    } else if (isOpen && key === 'Escape') {
      // The dialog underneath stays open: Escape closes one thing at a time.
      event.stopPropagation()
      setOpen(false)
    } else {
      if (key === 'Backspace' && query === '' && chosen.length > 0) void change(chosen.slice(0, -1))
      return
    }
    event.preventDefault()
  }

  const prompt = plainTextOf(element.placeholder) || 'Choose some'
  return html`
    <${Acting} progress=${progress}>
      <span class="bk-suggest">
        ${chosen.map((option) => {
          const name = plainTextOf(option.text)
          return html`<button
            type="button"
            class="bk-chip"
            aria-label="Remove ${name}"
            key=${option.value}
            onClick=${() => {
              drop(option)
              field.current?.focus()
            }}
          >
            ${name}
          </button>`
        })}
        <input
          ref=${field}
          class="bk-query bare"
          ...${nameField(spot, prompt)}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded=${isOpen}
          aria-controls="${id}-list"
          aria-activedescendant=${isOpen && options.length > 0 ? `${id}-${active}` : undefined}
          placeholder=${chosen.length === 0 ? prompt : ''}
          autocomplete="off"
          spellcheck=${false}
          value=${query}
          onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => {
            setQuery(currentTarget.value)
            setOpen(true)
          }}
          onClick=${() => setOpen(true)}
          onKeyDown=${steer}
          onBlur=${() => {
            setOpen(false)
            setQuery('')
          }}
        />
      </span>
      <div class="bk-popup" popover="manual" ref=${panel}>
        <div id="${id}-list" role="listbox" aria-label=${prompt} aria-multiselectable="true">
          ${options.map(
            (option, at) => html`
              <div
                id="${id}-${at}"
                class="bk-option ${at === active ? 'bk-active' : ''}"
                role="option"
                aria-selected=${isChosen(option)}
                onPointerMove=${() => setActive(at)}
                onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}
                onClick=${() => take(option)}
              >
                ${plainTextOf(option.text)}
              </div>
            `,
          )}
        </div>
        <p class="bk-status" role="status">${words}</p>
      </div>
    <//>
  `
}

/**
 * What the bot suggests for the query while the list is open, and which suggestion the arrow keys have reached.
 *
 * @param {Fields} element
 * @param {ElementProps['spot']} spot
 * @param {boolean} isOpen
 * @param {string} query
 */
function useOffer(element, { context, blockId }, isOpen, query) {
  const [active, setActive] = useState(0)
  const [{ options, words }, setOffer] = useState(/** @type {Offer} */ ({ options: [], words: '' }))
  const least = Number(element.min_query_length ?? queryCharsDefault)
  useEffect(() => {
    if (!isOpen) return
    const missing = least - query.length
    if (missing > 0) {
      setOffer({ options: [], words: `Type ${missing} more character${missing === 1 ? '' : 's'}` })
      return
    }
    setOffer((offer) => ({ ...offer, words: 'Loading…' }))
    let isOvertaken = false
    const timer = setTimeout(
      () =>
        void ask(() => context.suggest({ actionId: stringOf(element.action_id), blockId }, query)).then(
          (offer) => {
            if (isOvertaken) return
            setOffer(offer)
            setActive(0)
          },
        ),
      query === '' ? 0 : askAfterMs,
    )
    return () => {
      isOvertaken = true
      clearTimeout(timer)
    }
  }, [isOpen, query])
  return { options, words, active, setActive }
}

/** What the bot offers, or what went wrong in words.  @type {(suggest: () => Promise<{ options?: object[] }>) => Promise<Offer>} */
async function ask(suggest) {
  try {
    const offered = fieldsIn((await suggest()).options)
    return { options: offered, words: offered.length === 0 ? 'No results' : '' }
  } catch (error) {
    const words = error instanceof Error ? error.message : 'no reason was given'
    return { options: [], words: `Loading failed: ${words}` }
  }
}
