/**
 * Where a person writes. Enter sends, Shift+Enter begins a new line; `/` offers the bot's commands (arrows, Tab or Enter,
 * Escape). Only the command itself completes; what follows it is the bot's own language, for which its usage hint is shown.
 * A draft stays until it is sent, over reloads too.
 *
 * @import { Command } from '../shell/wire-shapes.js'
 */
import { useRef, useState } from 'preact/hooks'
import { html, useFreshId } from '../html.js'
import { recallDraft, rememberDraft } from '../shell/remember.js'

/** What `say` and `command` take. */
const draftLengthMax = 12_000

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.draftKey
 * @param {readonly Command[]} props.commands
 * @param {(draft: string) => Promise<boolean>} props.send Whether it was taken; what was not is given back.
 */
export function Composer({ label, draftKey, commands, send }) {
  const id = useFreshId()
  const [draft, setDraft] = useState(() => recallDraft(draftKey))
  const latest = useRef(draft)
  const [wanted, choose] = useState(0)
  const [isPutAway, setPutAway] = useState(false)
  const offered = isPutAway ? [] : completionsOf(draft, commands)
  const at = Math.min(wanted, offered.length - 1)
  const chosen = offered[at]
  const known = commandOf(draft, commands)

  /** @type {(text: string) => void} */
  function write(text) {
    latest.current = text
    rememberDraft(draftKey, text)
    setDraft(text)
    setPutAway(false)
    choose(0)
  }

  async function submit() {
    if (draft.trim() === '') return
    write('')
    const isTaken = await send(draft)
    if (!isTaken && latest.current === '') write(draft)
  }

  /** @type {(event: KeyboardEvent) => void} */
  function onKeyDown(event) {
    const { key, shiftKey } = event
    // An input method that is composing a character uses Enter for itself.
    if (event.isComposing || (chosen === undefined && (key !== 'Enter' || shiftKey))) return
    if (key === 'Enter' && !shiftKey && (chosen === undefined || chosen.command === draft)) void submit()
    else if (chosen !== undefined && (key === 'Enter' || key === 'Tab') && !shiftKey)
      write(`${chosen.command} `)
    else if (key === 'ArrowDown') choose((at + 1) % offered.length)
    else if (key === 'ArrowUp') choose((at + offered.length - 1) % offered.length)
    else if (key === 'Escape') setPutAway(true)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  // Pressed, not clicked: the focus stays where the person writes.
  const take = (/** @type {Event} */ event, /** @type {Command} */ { command }) => {
    event.preventDefault()
    write(`${command} `)
  }

  // A field of several lines cannot be a combobox: it says by itself which of the offers Enter takes.
  const pointers = chosen && { 'aria-controls': `${id}-offers`, 'aria-activedescendant': `${id}-${at}` }
  return html`
    <form
      class="composer"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        void submit()
      }}
    >
      ${
        chosen &&
        html`<ul class="offers bare" role="listbox" id="${id}-offers" aria-label="Commands">
          ${offered.map(
            (command, n) => html`
              <li
                class="offer" role="option" id="${id}-${n}" aria-selected=${n === at}
                onPointerDown=${(/** @type {Event} */ event) => take(event, command)}
              >
                <strong>${command.command}</strong>${command.usageHint}
                <small>${command.description}</small>
              </li>
            `,
          )}
        </ul>`
      }
      <div class="composer-box">
        <textarea
          class="composer-input bare" rows="1" placeholder=${label} aria-label=${label} aria-describedby="${id}-hint"
          maxlength=${draftLengthMax} autocomplete="off" aria-autocomplete="list" enterkeyhint="send"
          ...${pointers} value=${draft}
          onInput=${(/** @type {{ currentTarget: HTMLTextAreaElement }} */ event) => write(event.currentTarget.value)}
          onKeyDown=${onKeyDown} onBlur=${() => setPutAway(true)}
        />
        <button type="submit" class="send bare" aria-label="Send" title="Send (Enter)" disabled=${draft.trim() === ''}>
          ➤${'\ufe0e'}
        </button>
      </div>
      <p class="composer-hint fine cut" id="${id}-hint">${known?.usageHint && `${known.command} ${known.usageHint}`}</p>
    </form>
  `
}

const offeredMax = 8

/** @type {(draft: string, commands: readonly Command[]) => Command[]} Nothing unless the draft is the start of a command. */
function completionsOf(draft, commands) {
  if (!/^\/\S*$/.test(draft)) return []
  const typed = draft.toLowerCase()
  return commands.filter(({ command }) => command.toLowerCase().startsWith(typed)).slice(0, offeredMax)
}

/** The command that the draft begins with, once there is a space after it.  @type {(draft: string, commands: readonly Command[]) => Command | undefined} */
function commandOf(draft, commands) {
  const [, name] = /^(\/\S+)\s/.exec(draft) ?? []
  return commands.find(({ command }) => command === name)
}

/** What a draft asks for: a command with its text, or something to say.  @type {(draft: string) => { command: string, text: string } | { say: string }} */
export function readDraft(draft) {
  const found = /^(\/[^\s/]\S*)(?:\s+([\s\S]*))?$/.exec(draft.trim())
  return found === null ? { say: draft.trim() } : { command: found[1] ?? '', text: found[2] ?? '' }
}

/**
 * What a person types becomes what Slack stores: `@ana` and `#alerts` become mentions, `& < >` are escaped. Whoever writes
 * markup gets to see the markup.
 *
 * @param {string} text
 * @param {{ user: (name: string) => string | undefined, channel: (name: string) => string | undefined,
 *   group: (name: string) => string | undefined }} ids
 * @returns {string}
 */
export function mentionNames(text, ids) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replace(/(^|[\s(])([@#])([\w.-]*\w)/g, (whole, before, sign, name) => {
    if (sign === '#') {
      const channel = ids.channel(name)
      return channel === undefined ? whole : `${before}<#${channel}>`
    }
    if (name === 'here' || name === 'channel' || name === 'everyone') return `${before}<!${name}>`
    const user = ids.user(name)
    if (user !== undefined) return `${before}<@${user}>`
    const group = ids.group(name)
    return group === undefined ? whole : `${before}<!subteam^${group}>`
  })
}
