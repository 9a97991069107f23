/** The bot's settings in a town of tests or measurements. */
import { join } from 'node:path'
import type { Service } from '../../src/service/service.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

/** What the bot needs to work between the two; it polls every second, and keeps its database in the folder. */
export function settingsFor(between: {
  service: Service
  workspace: Workspace
  folder: string
}): Record<string, string> {
  const { service, workspace, folder } = between
  return {
    MONITOR_URL: service.url,
    MONITOR_API_KEY: service.keys[0] ?? '',
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    SLACK_CHANNEL: workspace.channel('alerts').id,
    DATABASE_URL: `sqlite:${join(folder, 'monbot.db')}`,
    POLL_CRON: '* * * * * *',
    PORT: '0',
  }
}
