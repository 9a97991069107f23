/** The bot's settings in tests and measurements. */
import { join } from 'node:path'
import type { Service } from '../../src/service/service.ts'
import type { Workspace } from './slack.ts'

/**
 * Settings for a bot between a service and a workspace: it polls every second, and keeps its database in the folder. Socket Mode,
 * unless `http` gives the secret and port for HTTP mode.
 */
export function settingsFor(between: {
  service: Pick<Service, 'url' | 'key'>
  workspace: Workspace
  folder: string
  http?: { readonly signingSecret: string; readonly port: number } | undefined
}): Record<string, string> {
  const { service, workspace, folder, http } = between
  return {
    MONITOR_URL: service.url,
    MONITOR_API_KEY: service.key ?? '',
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
