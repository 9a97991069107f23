/**
 * The elements that people use: buttons, menus, fields. Elsewhere than in an input block, using one tells the bot at once: it asks
 * first where the element says so, shows that it is busy, says what went wrong, and never tells twice while it waits.
 * @import { ComponentChildren } from 'preact'
 * @import { ElementProps, Fields, RenderContext, Shown, Spot } from '../shapes.js'
 * @typedef {{ confirm: Fields, context: RenderContext, answer: (isSure: boolean) => void }} Question
 * @typedef {{ busy?: boolean, error?: string, question?: Question }} Progress
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { fieldsIn, fieldsOf, isFields, stringOf } from '../shapes.js'
import { plainTextOf, renderText } from './text.js'

/** @type {(element: Fields, spot: Spot) => { progress: Progress, act: (choice?: string) => Promise<void> }} */
function useAct(element, { context, blockId }) {
  const [progress, show] = useState(/** @type {Progress} */ ({}))
  const isWaiting = useRef(false)
  return {
    progress,
    async act(choice) {
      if (isWaiting.current) return
      isWaiting.current = true
      try {
        const { confirm } = element
        const isSure =
          !isFields(confirm) ||
          (await new Promise((answer) => show({ question: { confirm, context, answer } })))
        show({ busy: isSure })
        const action = { actionId: stringOf(element.action_id), blockId }
        if (isSure) await context.act(choice === undefined ? action : { ...action, choice })
        show({})
      } catch (error) {
        show({ error: (error instanceof Error && error.message) || 'This did not work.' })
      }
      isWaiting.current = false
    },
  }
}

/** @type {(props: { progress: Progress, children?: ComponentChildren }) => Shown} */
function Acting({ progress: { busy, error, question }, children }) {
  return html`
    <span class=${busy ? 'element is-busy' : 'element'} aria-busy=${busy}>${children}</span>
    ${question && html`<${Confirm} question=${question} />`}
    ${error && html`<p class="wrong" role="alert">${error}</p>`}
  `
}

/** Escape is a no. The first button, which has the focus, is the one that does nothing.  @type {(props: { question: Question }) => Shown} */
function Confirm({ question: { confirm, context, answer } }) {
  const id = useId()
  const dialog = /** @type {{ current: HTMLDialogElement | null }} */ (useRef(null))
  useLayoutEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const style = confirm.style === 'danger' ? 'danger' : 'primary'
  return html`
    <dialog class="confirm" aria-labelledby=${id} ref=${dialog} onCancel=${() => answer(false)}>
      <h2 id=${id}>${plainTextOf(confirm.title)}</h2>
      ${renderText(confirm.text, context)}
      <div class="foot row">
        <button type="button" class="button" onClick=${() => answer(false)}>${plainTextOf(confirm.deny)}</button>
        <button type="button" class="button ${style}" onClick=${() => answer(true)}>
          ${plainTextOf(confirm.confirm)}
        </button>
      </div>
    </dialog>
  `
}

/** @type {(props: ElementProps) => Shown} */
function Button({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  return html`
    <${Acting} progress=${progress}>
      <button type="button" class="button ${stringOf(element.style)}" onClick=${() => void act()}>
        ${plainTextOf(element.text)}
      </button>
    <//>
  `
}

/** The browser's own select. A menu of a card goes back to its words once the bot was told.  @type {(props: ElementProps) => Shown} */
function Select({ element, spot }) {
  const { input, context } = spot
  const { progress, act } = useAct(element, spot)
  const isPeople = element.type === 'users_select'
  const groups = isPeople
    ? [{ name: '', options: context.people().map(({ id, realName, name }) => [id, realName || name]) }]
    : [element, ...fieldsIn(element.option_groups)].map((group) => ({
        name: plainTextOf(group.label),
        options: fieldsIn(group.options).map(({ value, text }) => [stringOf(value), plainTextOf(text)]),
      }))
  const start = startOf(element, spot)
  const chosen = isPeople ? stringOf(start) : stringOf(fieldsOf(start).value)
  const prompt = plainTextOf(element.placeholder) || 'Choose one'
  /** @type {(event: { currentTarget: HTMLSelectElement }) => Promise<void>} */
  async function tell({ currentTarget: select }) {
    if (input !== undefined || select.value === '') return
    await act(select.value)
    select.value = ''
  }
  return html`
    <${Acting} progress=${progress}>
      <select
        class="select" name=${nameOf(element, spot)} ...${naming(spot, prompt)} onChange=${tell}
      >
        <option value="" class="prompt" selected=${chosen === ''}>${prompt}</option>
        ${groups.map(({ name, options }) => {
          const rows = options.map(
            ([value, label]) => html`<option value=${value} selected=${value === chosen}>${label}</option>`,
          )
          return name === '' ? rows : html`<optgroup label=${name}>${rows}</optgroup>`
        })}
      </select>
    <//>
  `
}

/** @type {(props: ElementProps) => Shown} */
function TextInput({ element, spot }) {
  const [start] = useState(() => stringOf(startOf(element, spot)))
  const prompt = plainTextOf(element.placeholder)
  return html`<${element.multiline === true ? 'textarea' : 'input'}
    class="field" name=${nameOf(element, spot)} ...${naming(spot, prompt || 'Text')} placeholder=${prompt}
    maxlength=${element.max_length} rows="4" autocomplete="off" defaultValue=${start}
  />`
}

/** By which `valuesIn` finds it in the form of a view. @type {(element: Fields, spot: Spot) => string} */
const nameOf = (element, { blockId }) => `${blockId}\n${stringOf(element.action_id)}`

/** `block_id` → `action_id` → choice, for every element of a form: what `/control/submit` takes.  @type {(form: HTMLFormElement) => Record<string, Record<string, string | null>>} */
export function valuesIn(form) {
  /** @type {Record<string, Record<string, string | null>>} */
  const values = {}
  for (const [name, value] of new FormData(form)) {
    const [blockId = '', actionId = ''] = name.split('\n')
    values[blockId] = { ...values[blockId], [actionId]: String(value) || null }
  }
  return values
}

/** What names and describes a field: the label, hint and error of its input block, elsewhere its own words.  @type {(spot: Spot, words: string) => object} */
function naming({ input }, words) {
  if (input === undefined) return { 'aria-label': words }
  const { id, optional, invalid } = input
  const wrong = { 'aria-invalid': invalid || undefined, 'aria-describedby': `${id}-error ${id}-hint` }
  return { id, ...wrong, required: !optional }
}

/** What an element held last, or its initial value.  @type {(element: Fields, spot: Spot) => unknown} */
function startOf(element, { context, blockId }) {
  const { type: _type, ...held } = fieldsOf(
    fieldsOf(fieldsOf(context.values)[blockId])[stringOf(element.action_id)],
  )
  return Object.values(held)[0] ?? element.initial_option
}

/** @type {ReadonlyMap<unknown, (props: ElementProps) => Shown>} */
const elements = new Map([
  ['button', Button],
  ['static_select', Select],
  ['users_select', Select],
  ['plain_text_input', TextInput],
])

/** Its own ids are the key: among the buttons of an updated card, the focus stays on the one it was on.  @type {(element: Fields, spot: Spot) => Shown} */
export const renderElement = (element, spot) => html`
  <${elements.get(element.type)} key=${`${spot.blockId} ${element.action_id}`} element=${element} spot=${spot} />
`
