import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { isLoopback } from './control/serve.ts'
import type { AppOptions } from './state/state.ts'
import type { Workspace } from './workspace.ts'

/** What people see of the app, what it may call and which events it hears, by its manifest (docs/slack.md#setting-up-an-app). */
export function readManifest(): AppOptions {
  const file = new URL('../../manifest.yml', import.meta.url)
  const { features, oauth_config, settings } = parse(readFileSync(file, 'utf8'))
  const { app_home: home, slash_commands: commands } = features
  return {
    // An optional scope is one of these. Nobody refuses any here.
    scopes: oauth_config.scopes.bot,
    botEvents: settings.event_subscriptions.bot_events,
    homeEnabled: home.home_tab_enabled,
    isMessagesTabOpen: !home.messages_tab_read_only_enabled,
    commands: commands.map((one: Record<string, string>) => ({
      command: one.command,
      usageHint: one.usage_hint,
    })),
  }
}

const usualPort = 8080

export function readPort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return usualPort
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

export function warningFor(host: string | undefined, url: string): string | undefined {
  if (host === undefined || host === '' || isLoopback(host)) return undefined
  const { port } = new URL(url)
  return `\nHOST=${host}: anyone who reaches port ${port} there can read everything and act as any person. There is no password.`
}

export function settingsFor(
  workspace: Workspace,
  show: { showBotToken: boolean; showAppToken: boolean },
): string {
  const { channels, people, tokens, bot } = workspace.state
  const places = [...channels.all.values()].map(({ id, name, kind, archived, members }) => {
    const state = archived ? 'archived' : members.has(bot.userId) ? 'the bot is in' : 'the bot is not in'
    return `  ${id}  #${name} (${kind}, ${state})`
  })
  const humans = [...people.values()].filter(({ isBot }) => !isBot)
  return [
    `The local Slack workspace is open at ${workspace.url} (its page; control API below ${workspace.url}control).`,
    'Everything is kept in memory and gone when it stops.',
    '',
    'Channels:',
    ...places,
    `People: ${humans.map(({ name, id }) => `${name} (${id})`).join(', ')}`,
    '',
    'Settings for the bot:',
    `  SLACK_API_URL=${workspace.apiUrl}`,
    `  SLACK_BOT_TOKEN=${show.showBotToken ? tokens.bot : '(the one in the environment)'}`,
    `  SLACK_APP_TOKEN=${show.showAppToken ? tokens.app : '(the one in the environment)'}`,
    `  SLACK_CHANNEL=${channels.find('alerts')?.id}`,
    '',
    'To try it:',
    `  curl -s -X POST ${workspace.url}control/say -H 'content-type: application/json' -d '{"user":"ana","channel":"#alerts","text":"hello"}'`,
  ].join('\n')
}
