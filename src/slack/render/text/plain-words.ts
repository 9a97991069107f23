/** Our own mrkdwn as plain text, for the places where Slack formats nothing. */

const entities = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
])

/** One line without marks, with links and times as their words, people and groups as their ids. */
export function plainWords(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<!subteam\^([^|>]+)[^>]*>/g, '@$1')
    .replace(/<[@#!]([^|>]+)[^>]*>/g, '@$1')
    .replace(/<[^|>]+\|([^>]*)>/g, '$1')
    .replace(/`([^`]*)`|[*`]/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/&(?:lt|gt|amp);/g, (entity) => entities.get(entity) ?? entity)
}
