/** `npm run demo`: service, local Slack and bot as three processes of one laptop, which speak the real protocols. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithNpm, requireNode } from '../shared/program.ts'

requireNode()
endWithNpm(process.env)
const { optionsOrExit } = await import('./options.ts')
const options = optionsOrExit(process.argv.slice(2))
const { default: closeWithGrace } = await import('close-with-grace')
const { followCards } = await import('./follow-cards.ts')
const { choosePorts } = await import('./ports.ts')
const { isUp, startProcess } = await import('./process.ts')
const { startPrometheus } = await import('./prometheus.ts')

const { ports, moved } = await choosePorts(process.env.PORT).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
// New each time, passed in the environment and never printed.
const random = () => randomBytes(18).toString('base64url')
const apiKey = random()
const tokens = { SLACK_BOT_TOKEN: `xoxb-${random()}`, SLACK_APP_TOKEN: `xapp-${random()}` }
const folder = mkdtempSync(join(tmpdir(), 'monbot-demo-'))
const local = (port: number) => `http://127.0.0.1:${port}`
const workspaceUrl = local(ports.workspace)

const started: { stop(): Promise<void> }[] = []
closeWithGrace({ delay: false, logger: false }, async ({ err }) => {
  if (err) process.stderr.write(`The demo failed: ${err.message}\n`)
  for (const part of started.reverse()) await part.stop()
  rmSync(folder, { recursive: true, force: true })
})
const policy = join(folder, 'policy.yaml')
writeFileSync(
  policy,
  `severity:
  - { match: { plugin: Heartbeat }, is: critical }
  - { match: { plugin: "Disk*" }, is: critical }
  - { match: { server: "db-*" }, is: critical }
links:
  - { match: {}, text: Runbook, url: "${workspaceUrl}/runbook?plugin={plugin}&server={server}" }
flap_settle: 20s
`,
)

// Variables that any process needs, none of them a setting of the bot.
const { PATH, HOME, TZ } = process.env
const base = { PATH, HOME, TZ }
const say = (text: string) => process.stdout.write(`${text}\n`)
for (const line of moved) say(line)
say('Starting the monitoring service, the local Slack workspace and the bot…')

const real = options.prometheus ? await startPrometheus(folder, PATH ?? '', say) : null
started.push(...(real?.parts ?? []))
const service = startProcess('service', 'service/main', {
  ...base,
  PORT: String(ports.service),
  MONITOR_CONTROL_PORT: String(ports.control),
  MONITOR_API_KEY: apiKey,
  // As many servers as the demo's storm hits at once.
  ...(real?.settings ?? { MONITOR_FLEET: '200', MONITOR_SAMPLE: 'on' }),
})
const workspace = startProcess('workspace', 'workspace/main', {
  ...base,
  ...tokens,
  PORT: String(ports.workspace),
  ...(options.host === null ? {} : { HOST: options.host }),
  MONITOR_CONTROL_URL: local(ports.control),
})
started.push(service, workspace)
await service.until('is up', () => isUp(`${local(ports.control)}/control/state`))
await workspace.until('is up', () => isUp(`${workspaceUrl}/control/state`))
type Named = { readonly id: string; readonly name: string }
const { channels, users } = (await (await fetch(`${workspaceUrl}/control/state`)).json()) as {
  channels: Named[]
  users: Named[]
}
const names = new Map([...channels, ...users].map(({ id, name }) => [id, name]))
started.push(await followCards(`${workspaceUrl}/control/events`, names, say))

const bot = startProcess('bot', 'bot/main', {
  ...base,
  ...tokens,
  MONITOR_URL: local(ports.service),
  MONITOR_API_KEY: apiKey,
  SLACK_API_URL: `${workspaceUrl}/api/`,
  SLACK_CHANNEL: 'C0ALERTS01',
  DATABASE_URL: `sqlite:${join(folder, 'monbot.db')}`,
  POLL_CRON: '*/3 * * * * *',
  MONBOT_CONFIG: policy,
  PORT: String(ports.bot),
  LOG_LEVEL: 'warn',
})
started.push(bot)
await bot.until('is ready', () => isUp(`${local(ports.bot)}/readyz`))

say(`
monbot is on call. Open ${workspaceUrl}/ to see it work: Slack on the left, the demo controls on the right.
Its cards in #alerts are printed here as well. You are ana there; ben and cleo can be chosen beside the name.

Three things to try:
  /mon help          typed into #alerts: what can be asked, such as /mon mute ${real === null ? 'web-2' : 'laptop'} 1h deploying
  Acknowledge        or Mute…, Chart and More… on a card: what you do stands on it, and its thread says who did it
  monbot · Home      below Apps on the left: what is open and muted, always up to date

${(real?.lines ?? []).map((line) => `${line}\n`).join('')}  monitoring service   ${local(ports.service)}
  local Slack          ${workspaceUrl}/
  bot                  ${local(ports.bot)}/readyz
`)

async function order(path: string, body: object): Promise<void> {
  const asked = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(workspaceUrl + path, asked).catch(() => undefined)
  if (answer?.ok !== true) say('It did not start.')
}
if (options.minutes !== null) await order('/town/play', { minutes: options.minutes })
else if (real === null) {
  say('> a CPU spike on web-2, to begin with')
  const body = new URLSearchParams({ notes: 'deploy 1.2.3', by: 'ci' })
  await fetch(`${local(ports.service)}/api/v2/${apiKey}/markers`, { method: 'POST', body })
  await order('/town/scenarios/cpu-spike', { server: 'web-2', seconds: 240 })
} else {
  say('> 120 orders wait in the shop, to begin with: a rule of Prometheus fires')
  real.setOrdersWaiting(120)
}
if (process.stdin.isTTY) {
  say(
    real === null
      ? 'q stops everything.'
      : 'w: 120 orders wait · e: none waits any more · q stops everything.',
  )
  process.stdin.setRawMode(true).on('data', (pressed) => {
    const key = String(pressed)
    if (key === 'q' || key === '\u0003') process.kill(process.pid, 'SIGINT')
    if (key === 'w' || key === 'e') real?.setOrdersWaiting(key === 'w' ? 120 : 0)
  })
}
