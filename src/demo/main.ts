/**
 * `npm run demo`: everything on one laptop. The monitoring service samples this machine, a local Slack workspace runs
 * beside it, and the bot connects them exactly as `npm start` runs it: three processes that speak the real protocols.
 * The workspace's page shows them at work; the cards are printed here too, in case no browser is at hand.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithNpm, requireNode } from '../shared/program.ts'

requireNode()
endWithNpm(process.env)
const { optionsOrExit } = await import('./options.ts')
const options = optionsOrExit(process.argv.slice(2))
const { default: closeWithGrace } = await import('close-with-grace')
const { followCards } = await import('./follow-cards.ts')
const { listenToKeys } = await import('./keys.ts')
const { writePolicy } = await import('./policy.ts')
const { portsOrExit } = await import('./ports.ts')
const { startProcess } = await import('./process.ts')
const { startPrometheus } = await import('./prometheus.ts')
const { controlOf } = await import('./town.ts')
const { nightPolicy, playNight } = await import('./night.ts')
const { openNightTown } = await import('./night-town.ts')

const channel = 'C0ALERTS01'

const { ports, moved } = await portsOrExit(process.env.PORT)
// New each time, passed in the environment and never printed.
const random = () => randomBytes(18).toString('base64url')
const secrets = { apiKey: random(), botToken: `xoxb-${random()}`, appToken: `xapp-${random()}` }
const folder = mkdtempSync(join(tmpdir(), 'monbot-demo-'))
const workspaceUrl = `http://127.0.0.1:${ports.workspace}`
const serviceUrl = `http://127.0.0.1:${ports.service}`
const controlUrl = `http://127.0.0.1:${ports.control}`

const started: { stop(): Promise<void> }[] = []
// Each part has a time of its own to stop in; a second signal ends the demo at once.
const { close } = closeWithGrace({ delay: false, logger: false }, async ({ err }) => {
  if (err) process.stderr.write(`The demo failed: ${err.message}\n`)
  for (const part of started.reverse()) await part.stop()
  rmSync(folder, { recursive: true, force: true })
})
// Nobody reads any more, as in `| head`: that is an end, and what is still written must not break it off.
let isRead = true
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (isRead) close()
    isRead = false
  })
}

// Variables that any process needs, none of them a setting of the bot.
const { PATH, HOME, TZ } = process.env
const base = { PATH, HOME, TZ }

const say = (text: string) => process.stdout.write(`${text}\n`)
for (const line of moved) say(line)
say('Starting the monitoring service, the local Slack workspace and the bot…')

const real = options.prometheus
  ? await startPrometheus(folder, PATH ?? '', controlOf({ controlUrl, workspaceUrl }).isReady, say)
  : null
started.push(...(real?.parts ?? []))
const service = startProcess('service', 'service/main', {
  ...base,
  PORT: String(ports.service),
  MONITOR_CONTROL_PORT: String(ports.control),
  MONITOR_API_KEY: secrets.apiKey,
  ...(real === null
    ? // As many as the demo's storm hits at once.
      { MONITOR_FLEET: '200', MONITOR_SAMPLE: options.night === null ? 'on' : 'off' }
    : { PROMETHEUS_URL: real.prometheusUrl, ALERTMANAGER_URL: real.alertmanagerUrl }),
})
const workspace = startProcess('workspace', 'workspace/main', {
  ...base,
  PORT: String(ports.workspace),
  ...(options.host === null ? {} : { HOST: options.host }),
  SLACK_BOT_TOKEN: secrets.botToken,
  SLACK_APP_TOKEN: secrets.appToken,
  // In front of a real Prometheus the page has only those buttons that do not need simulated servers.
  MONITOR_CONTROL_URL: controlUrl,
})
started.push(service, workspace)
const town = controlOf({ controlUrl, workspaceUrl })
await Promise.all([
  service.until('is up', () => town.isServiceUp()),
  workspace.until('is up', () => town.isWorkspaceUp()),
])
const cards = await followCards(`${workspaceUrl}/control/events`, await town.names(), say)
started.push(cards)

const bot = startProcess('bot', 'bot/main', {
  ...base,
  MONITOR_URL: serviceUrl,
  MONITOR_API_KEY: secrets.apiKey,
  SLACK_BOT_TOKEN: secrets.botToken,
  SLACK_APP_TOKEN: secrets.appToken,
  SLACK_API_URL: `${workspaceUrl}/api/`,
  SLACK_CHANNEL: channel,
  DATABASE_URL: `sqlite:${join(folder, 'monbot.db')}`,
  POLL_CRON: '*/3 * * * * *',
  MONBOT_CONFIG: writePolicy(folder, options.night === null ? '' : nightPolicy(options.night.minutes)),
  PORT: String(ports.bot),
  LOG_LEVEL: 'warn',
})
started.push(bot)
await bot.until('is ready', () => town.isReady(`http://127.0.0.1:${ports.bot}/readyz`))

say(
  [
    '',
    `monbot is on call. Open ${workspaceUrl}/ to see it work: Slack on the left, the demo controls on the right.`,
    'Its cards in #alerts are printed here as well. You are ana there; ben and cleo can be chosen beside the name.',
    '',
    'Three things to try:',
    '  /mon help          typed into #alerts: all that can be asked, such as /mon mute ' +
      `${real === null ? 'web-2' : 'laptop'} 1h deploying`,
    '  Acknowledge        or Mute…, Chart and ⋯ on a card: what you do stands on it, and its thread says who did it',
    '  monbot, Home       below Apps on the left: what is open and muted, always up to date',
    '',
    ...(real === null
      ? [`  monitoring service   ${serviceUrl}   (samples this machine every two seconds)`]
      : [
          `  Prometheus           ${real.prometheusUrl}/alerts`,
          `  Alertmanager         ${real.alertmanagerUrl}/   (what you mute is silenced there)`,
          `  monitoring service   ${serviceUrl}   (the API in front of both)`,
        ]),
    `  local Slack          ${workspaceUrl}/`,
    `  bot                  http://127.0.0.1:${ports.bot}/readyz`,
    '',
    'To make this machine busy for 30 s from another terminal:',
    `  curl -X POST ${controlUrl}/control/busy -H 'content-type: application/json' -d '{"seconds":30}'`,
    '',
  ].join('\n'),
)
listenToKeys(town, say, real)
if (options.night !== null) {
  const { minutes } = options.night
  say(`A bad night of ${minutes} minutes begins; nothing has to be pressed.\n`)
  const at = { serviceUrl, controlUrl, apiKey: secrets.apiKey, workspaceUrl, channel }
  const nightTown = openNightTown(town, at)
  await playNight(nightTown, { minutes, say })
  nightTown.stop()
} else if (real === null) {
  say('> a CPU spike on web-2, to begin with')
  await town.startScenario('cpu-spike', { server: 'web-2', seconds: 240 })
} else {
  say('> 120 orders wait in the shop, to begin with: a rule of Prometheus fires')
  real.setOrdersWaiting(120)
}
