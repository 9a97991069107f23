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
