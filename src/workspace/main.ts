/**
 * `npm run workspace`: the local Slack alone, until it is stopped. It listens on `PORT` (8080) of 127.0.0.1 and keeps all
 * that is said in memory: nothing is left after a restart. Tokens come from `SLACK_BOT_TOKEN` and `SLACK_APP_TOKEN`, which
 * are then not printed; otherwise they are made and printed, because the bot needs them. `MONITOR_CONTROL_URL` is where a
 * monitoring service of this machine is, for the page's second pane. `HOST` is another address to listen on, which then
 * whoever reaches it can use. With `SLACK_SIGNING_SECRET` and `SLACK_REQUEST_URL` it speaks HTTP mode with the bot: signed
 * requests to that URL instead of envelopes on a socket. What people see of the app, what it may call and which events it
 * hears is what the manifest beside the sources says.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endWithNpm } from '../shared/program.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`The workspace needs Node 22.19 or newer; this is ${process.versions.node}.`)
  process.exit(78)
}
endWithNpm(process.env)

// What is compiled is kept beside the packages, and the next start takes half of the time. Not in the temporary folder, where
// somebody else could have put it; where it cannot be written, nothing is kept.
const { enableCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

const { readHttp, readPort, settingsFor, warningFor } = await import('./settings.ts')
const { parseManifest } = await import('./manifest.ts')
const { openWorkspace } = await import('./workspace.ts')
const { TownAddressError } = await import('./control/town.ts')
const { default: closeWithGrace } = await import('close-with-grace')

/** EX_CONFIG of sysexits.h: a supervisor need not start it again before a person changes a setting. */
const wrongSetting = 78

const port = readPort(process.env.PORT)
if (port === undefined) {
  console.error(`PORT: expected a whole number from 0 to 65535, got ${JSON.stringify(process.env.PORT)}.`)
  process.exit(wrongSetting)
}
const {
  HOST: host,
  SLACK_BOT_TOKEN: botToken,
  SLACK_APP_TOKEN: appToken,
  MONITOR_CONTROL_URL: townUrl,
} = process.env
const http = readHttp(process.env.SLACK_REQUEST_URL, process.env.SLACK_SIGNING_SECRET)
if ('problem' in http) {
  console.error(http.problem)
  process.exit(wrongSetting)
}
const manifest = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8')

try {
  const workspace = await openWorkspace({
    port,
    ...parseManifest(manifest),
    ...(host ? { host } : {}),
    ...(botToken ? { botToken } : {}),
    ...(appToken ? { appToken } : {}),
    ...(townUrl ? { townUrl } : {}),
    ...(http.http === undefined ? {} : { http: http.http }),
  })
  console.log(
    settingsFor(workspace, {
      showBotToken: !botToken,
      showAppToken: !appToken,
      requestUrl: http.http?.requestUrl,
    }),
  )
  const warning = warningFor(host, workspace.url)
  if (warning !== undefined) console.log(warning)
  closeWithGrace({ delay: 5_000 }, () => workspace.close())
} catch (error) {
  if (error instanceof TownAddressError) {
    console.error(`MONITOR_CONTROL_URL: ${error.message}.`)
    process.exit(wrongSetting)
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    console.error(`HOST: expected an address of this machine, got ${JSON.stringify(host)}.`)
    process.exit(1)
  }
  if (code === 'EACCES') {
    console.error(`PORT: ${port} is not allowed for this user; choose one above 1023.`)
    process.exit(wrongSetting)
  }
  if (code !== 'EADDRINUSE') throw error
  console.error(`PORT: ${port} is taken by another process; choose another, or 0 for any.`)
  process.exit(1)
}
