/** `npm run workspace`: the local Slack alone, all in memory, until it is stopped. Settings: docs/settings.md#the-service-and-the-workspace. */
import { join } from 'node:path'
import { endWithNpm, requireNode } from '../shared/program.ts'

requireNode()
endWithNpm(process.env)

// Compiled code is kept, not in the temporary folder, where somebody else could have put it.
const { enableCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

const { readPort, settingsFor, warningFor } = await import('./settings.ts')
const { openWorkspace } = await import('./workspace.ts')
const { TownAddressError } = await import('./control/town.ts')
const { default: closeWithGrace } = await import('close-with-grace')

const {
  HOST: host,
  SLACK_BOT_TOKEN: botToken,
  SLACK_APP_TOKEN: appToken,
  MONITOR_CONTROL_URL: townUrl,
} = process.env

/** EX_CONFIG of sysexits.h: a supervisor need not start it again before a person changes a setting. */
function end(words: string, exitCode = 78): never {
  console.error(words)
  process.exit(exitCode)
}

const port = readPort(process.env.PORT)
if (port === undefined)
  end(`PORT: expected a whole number from 0 to 65535, got ${JSON.stringify(process.env.PORT)}.`)

try {
  const workspace = await openWorkspace({
    port,
    ...(host ? { host } : {}),
    ...(botToken ? { botToken } : {}),
    ...(appToken ? { appToken } : {}),
    ...(townUrl ? { townUrl } : {}),
  })
  console.log(settingsFor(workspace, { showBotToken: !botToken, showAppToken: !appToken }))
  const warning = warningFor(host, workspace.url)
  if (warning !== undefined) console.log(warning)
  closeWithGrace({ delay: 5_000 }, () => workspace.close())
} catch (error) {
  if (error instanceof TownAddressError) end(`MONITOR_CONTROL_URL: ${error.message}.`)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    end(`HOST: expected an address of this machine, got ${JSON.stringify(host)}.`, 1)
  if (code === 'EACCES') end(`PORT: ${port} is not allowed for this user; choose one above 1023.`)
  if (code === 'EADDRINUSE')
    end(`PORT: ${port} is taken by another process; choose another, or 0 for any.`, 1)
  throw error
}
