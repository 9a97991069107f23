/**
 * Where a person writes. Enter sends, Shift+Enter begins a new line; `/` offers the bot's commands (arrows, Tab or Enter,
 * Escape). A draft stays until it is sent, over reloads too.
 *
 * @import { Command, Shortcut } from '../shell/wire-shapes.js'
 */
import { build, freshId } from '../blocks/build-node.js'
import { attachMenu } from '../shell/menu.js'
import { recallDraft, rememberDraft } from '../shell/remember.js'
import { commandOf, completionsOf } from './completion.js'

/** What `say` and `command` take. */
const draftLengthMax = 12_000
const heightMaxPx = 240

/**
 * @param {object} how
 * @param {string} how.label
 * @param {string} how.draftKey
 * @param {() => readonly Command[]} how.commands
 * @param {() => readonly Shortcut[]} how.shortcuts Those that need no message.
 * @param {(shortcut: Shortcut) => void} how.runShortcut
 * @param {(draft: string) => Promise<boolean>} how.send Whether it was taken; what was not is given back.
 * @returns {{ node: HTMLElement, focus(): void }}
 */
export function openComposer({ label, draftKey, commands, shortcuts, runShortcut, send }) {
  const listId = freshId('commands')
  const hintId = freshId('hint')
  const input = build('textarea', {
    class: 'composer-input',
    rows: '1',
    placeholder: label,
    'aria-label': label,
    'aria-describedby': hintId,
    maxlength: String(draftLengthMax),
    autocomplete: 'off',
    'aria-autocomplete': 'list',
    enterkeyhint: 'send',
  })
  const offers = build('ul', {
    class: 'offers',
    role: 'listbox',
    id: listId,
    'aria-label': 'Commands',
    hidden: true,
  })
  const hint = build('p', { class: 'composer-hint', id: hintId })
  const sendButton = build(
    'button',
    { type: 'submit', class: 'send', 'aria-label': 'Send', title: 'Send (Enter)' },
    '➤\ufe0e',
  )
  const more = build(
    'button',
    {
      type: 'button',
      class: 'tool',
      'aria-label': 'Shortcuts',
      title: 'Shortcuts',
      hidden: shortcuts().length === 0,
    },
    '⚡',
  )
  attachMenu(more, 'Shortcuts', () =>
    shortcuts().map((shortcut) => ({
      name: shortcut.name,
      ...(shortcut.description === undefined ? {} : { detail: shortcut.description }),
      choose: () => runShortcut(shortcut),
    })),
  )
  const node = build(
    'form',
    { class: 'composer' },
    offers,
    build('div', { class: 'composer-box' }, input, build('div', { class: 'composer-bar' }, more, sendButton)),
    hint,
  )

  /** @type {Command[]} */
  let offered = []
  let chosen = 0
  let isPutAway = false

  function show() {
    offered = isPutAway ? [] : completionsOf(input.value, commands())
    chosen = Math.min(chosen, Math.max(0, offered.length - 1))
    offers.hidden = offered.length === 0
    offers.replaceChildren(...offered.map((command, at) => renderOffer(command, at)))
    // A field of several lines cannot be a combobox: it says by itself which of the offers Enter takes.
    if (offered.length === 0) {
      for (const name of ['aria-controls', 'aria-activedescendant']) input.removeAttribute(name)
    } else {
      input.setAttribute('aria-controls', listId)
      input.setAttribute('aria-activedescendant', `${listId}-${chosen}`)
    }
    const known = commandOf(input.value, commands())
    hint.textContent = known?.usageHint === undefined ? '' : `${known.command} ${known.usageHint}`
    sendButton.disabled = input.value.trim() === ''
    input.style.setProperty('height', 'auto')
    input.style.setProperty('height', `${Math.min(input.scrollHeight, heightMaxPx)}px`)
  }

  /** @type {(command: Command, at: number) => HTMLElement} */
  function renderOffer(command, at) {
    const offer = build(
      'li',
      { role: 'option', id: `${listId}-${at}`, 'aria-selected': String(at === chosen), class: 'offer' },
      build('span', { class: 'offer-name' }, command.command),
      build('span', { class: 'offer-usage' }, command.usageHint),
      build('span', { class: 'offer-words' }, command.description),
    )
    // Pressed, not clicked: the focus stays where the person writes.
    offer.addEventListener('pointerdown', (event) => {
      event.preventDefault()
      take(command)
    })
    return offer
  }

  /** @type {(command: Command | undefined) => void} */
  function take(command) {
    if (command === undefined) return
    write(`${command.command} `)
  }

  /** @type {(text: string) => void} */
  function write(text) {
    input.value = text
    rememberDraft(draftKey, text)
    isPutAway = false
    chosen = 0
    show()
  }

  async function submit() {
    const draft = input.value
    if (draft.trim() === '') return
    write('')
    const isTaken = await send(draft)
    if (!isTaken && input.value === '') write(draft)
  }

  input.addEventListener('input', () => write(input.value))
  input.addEventListener('keydown', (event) => {
    // An input method that is composing a character uses Enter for itself.
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      const exact = offered[chosen]?.command === input.value
      if (offered.length > 0 && !exact) take(offered[chosen])
      else void submit()
      return
    }
    if (offered.length === 0) return
    if (event.key === 'Tab' && !event.shiftKey) take(offered[chosen])
    else if (event.key === 'ArrowDown') chosen = (chosen + 1) % offered.length
    else if (event.key === 'ArrowUp') chosen = (chosen + offered.length - 1) % offered.length
    else if (event.key === 'Escape') isPutAway = true
    else return
    event.preventDefault()
    event.stopPropagation()
    show()
  })
  input.addEventListener('blur', () => {
    isPutAway = true
    show()
  })
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })

  input.value = recallDraft(draftKey)
  // Its height is known once it stands in the document.
  requestAnimationFrame(show)
  sendButton.disabled = input.value.trim() === ''
  return { node, focus: () => input.focus() }
}
