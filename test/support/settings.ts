/** The bot's settings in a town of tests or measurements. */
import { join } from 'node:path'
import type { Service } from '../../src/service/service.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

/**
 * What the bot needs to work between the two; it polls every second, and keeps its database in the folder. Socket Mode,
 * where `http` does not say by which secret and at which port requests come.
 */
export function settingsFor(between: {
  service: Pick<Service, 'url' | 'keys'>
  workspace: Workspace
  folder: string
  http?: { readonly signingSecret: string; readonly port: number } | undefined
}): Record<string, string> {
  const { service, workspace, folder, http } = between
  return {
    MONITOR_URL: service.url,
    MONITOR_API_KEY: service.keys[0] ?? '',
    SLACK_BOT_TOKEN: workspace.botToken,
    ...(http === undefined
      ? { SLACK_APP_TOKEN: workspace.appToken }
      : { SLACK_SIGNING_SECRET: http.signingSecret }),
    SLACK_API_URL: workspace.apiUrl,
    SLACK_CHANNEL: workspace.channel('alerts').id,
    DATABASE_URL: `sqlite:${join(folder, 'monbot.db')}`,
    POLL_CRON: '* * * * * *',
    PORT: String(http?.port ?? 0),
  }
}

/**
 * More settings: the bot's clock is ahead by so much. Started so between neighbours whose clocks are as far ahead, it has been
 * away for that long, by every time that anybody knows.
 */
export function clockAhead(ms: number): Record<string, string> {
  const preload = new URL('clock-ahead.ts', import.meta.url)
  return { NODE_OPTIONS: `--import=${preload}`, CLOCK_AHEAD_MS: String(ms) }
}
