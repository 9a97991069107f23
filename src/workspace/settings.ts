/** Reads the settings of `npm run workspace`, and prints those for the bot. */
import { isLoopback } from './control/strangers.ts'
import type { Workspace } from './workspace.ts'

const usualPort = 8080

/** Parses a port; undefined if it is none. */
export function readPort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return usualPort
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

/** A warning if other machines can reach the workspace; else undefined. */
export function warningFor(host: string | undefined, url: string): string | undefined {
  if (host === undefined || host === '' || isLoopback(host)) return undefined
  const { port } = new URL(url)
  return `\nHOST=${host}: anyone who reaches port ${port} there can read everything and act as any person. There is no password.`
}

/** The address, the channels, and the settings to give the bot. Tokens that came from outside stay out of it. */
export function settingsFor(
  workspace: Workspace,
  show: { showBotToken: boolean; showAppToken: boolean },
): string {
  const channels = workspace.channels.map(({ id, name, kind, archived, members }) => {
    const state = archived
      ? 'archived'
      : members.has(workspace.botUserId)
        ? 'the bot is in'
        : 'the bot is not in'
    return `  ${id}  #${name} (${kind}, ${state})`
  })
  return [
    `The local Slack workspace is open at ${workspace.url} (its page; control API below ${workspace.url}control).`,
    'Everything is kept in memory and gone when it stops.',
    '',
    'Channels:',
    ...channels,
    `People: ${workspace.users.map(({ name, id }) => `${name} (${id})`).join(', ')}`,
    '',
    'Settings for the bot:',
    `  SLACK_API_URL=${workspace.apiUrl}`,
    `  SLACK_BOT_TOKEN=${show.showBotToken ? workspace.botToken : '(the one in the environment)'}`,
    `  SLACK_APP_TOKEN=${show.showAppToken ? workspace.appToken : '(the one in the environment)'}`,
    `  SLACK_CHANNEL=${workspace.channel('alerts').id}`,
    '',
    'To try it:',
    `  curl -s -X POST ${workspace.url}control/say -H 'content-type: application/json' -d '{"user":"ana","channel":"#alerts","text":"hello"}'`,
  ].join('\n')
}
