/**
 * Which commands a draft could become. Only the command itself completes; what follows it is the bot's own language, for
 * which its usage hint is shown.
 *
 * @import { Command } from '../shell/wire-shapes.js'
 */

const offeredMax = 8

/** @type {(draft: string, commands: readonly Command[]) => Command[]} Nothing unless the draft is the start of a command. */
export function completionsOf(draft, commands) {
  if (!/^\/\S*$/.test(draft)) return []
  const typed = draft.toLowerCase()
  return commands.filter(({ command }) => command.toLowerCase().startsWith(typed)).slice(0, offeredMax)
}

/** The command that the draft begins with, once there is a space after it.  @type {(draft: string, commands: readonly Command[]) => Command | undefined} */
export function commandOf(draft, commands) {
  const [, name] = /^(\/\S+)\s/.exec(draft) ?? []
  return commands.find(({ command }) => command === name)
}

/** What a draft asks for: a command with its text, or something to say.  @type {(draft: string) => { command: string, text: string } | { say: string }} */
export function readDraft(draft) {
  const found = /^(\/[^\s/]\S*)(?:\s+([\s\S]*))?$/.exec(draft.trim())
  return found === null ? { say: draft.trim() } : { command: found[1] ?? '', text: found[2] ?? '' }
}
