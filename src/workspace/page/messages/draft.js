/**
 * What a draft means: which commands it could become, what it asks for, whom it mentions. Only the command itself
 * completes; what follows it is the bot's own language, for which its usage hint is shown.
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
