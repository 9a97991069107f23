/**
 * One engine and two ways to Slack: a real Prometheus whose one Alertmanager has Slack receivers of its own, and the service with
 * the bot on top of the same Alertmanager, all of them posting into the local workspace.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openService, type Service } from '../src/service/service.ts'
import { parseManifest } from '../src/workspace/manifest.ts'
import { openWorkspace, type Workspace } from '../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../test/support/bot-process.ts'
import { endWithUs } from '../test/support/end-with-us.ts'
import { freePort } from '../test/support/free-port.ts'
import { settingsFor } from '../test/support/settings.ts'
import { isShort } from './measured.ts'

/** Where each of them posts. */
export const places = { bot: 'alerts', quick: 'db', usual: 'general' } as const
export type Place = keyof typeof places

export type Posted = {
  readonly atMs: number
  readonly ts: string
  readonly text: string
  readonly isReply: boolean
}

/**
 * An alert of a queue. Each queue has a rule of its own, so its alerts are a group of their own at the receiver with its own times;
 * at the quick one the alerts of one server are.
 */
export type Waiting = { readonly queue: Queue; readonly server: string; readonly part: string }

/** What each of them is measured with. */
export const queues = ['single0', 'single1', 'single2', 'flapping', 'killed', 'many'] as const
export type Queue = (typeof queues)[number]

export type AlertmanagerTown = {
  /** `Alertmanager 0.25.0, Prometheus 2.42.0` */
  readonly versions: string
  /** Sets or takes back the value at which the rule fires. */
  fire(waiting: Waiting, isHigh: boolean): void
  /** When Prometheus says that it fires; null: not (yet). */
  firingSinceMs(waiting: Waiting): Promise<number | null>
  posted(place: Place): readonly Posted[]
  edits(place: Place): number
  /** The next posts into this place are done, and their answer is held back. */
  holdAnswers(place: Place): Promise<void>
  killAlertmanager(): Promise<void>
  killBot(): Promise<void>
  close(): Promise<void>
}

const loopback = '127.0.0.1'
const program = { prometheus: 'prometheus', alertmanager: 'prometheus-alertmanager' } as const

export async function openAlertmanagerTown(): Promise<AlertmanagerTown> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-alertmanager-'))
  const manifest = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8')
  const workspace = await openWorkspace({ limits: 'slack', ...parseManifest(manifest) })
  const shop = await openShop()
  const ports = { prometheus: await freePort(), alertmanager: await freePort() }
  const urls = {
    prometheus: `http://${loopback}:${ports.prometheus}`,
    alertmanager: `http://${loopback}:${ports.alertmanager}`,
  }
  writeFileSync(join(folder, 'alertmanager.yml'), JSON.stringify(receivers(workspace)))
  writeFileSync(join(folder, 'rules.yml'), JSON.stringify(rules))
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(engine(ports.alertmanager, shop.port, folder)))
  const startAlertmanager = (): Promise<ChildProcess> =>
    start(
      program.alertmanager,
      [
        `--config.file=${join(folder, 'alertmanager.yml')}`,
        `--storage.path=${join(folder, 'alertmanager')}`,
        `--web.listen-address=${loopback}:${ports.alertmanager}`,
        '--cluster.listen-address=',
      ],
      `${urls.alertmanager}/-/ready`,
    )
  let alertmanager = await startAlertmanager()
  const prometheus = await start(
    program.prometheus,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=${loopback}:${ports.prometheus}`,
    ],
    `${urls.prometheus}/-/ready`,
  )
  const service: Service = await openService({
    key: 'bench-key-000003',
    file: join(folder, 'monitor.db'),
    prometheus: {
      engine: { url: urls.prometheus, authorization: null },
      alertmanagers: [{ url: urls.alertmanager, authorization: null }],
      serverLabel: 'instance',
      roleLabels: ['job'],
      environmentLabel: 'env',
      serviceless: 'job',
      metrics: {},
    },
  })
  let bot = await startReady({ service, workspace, folder })
  const seen = { bot: new Map(), quick: new Map(), usual: new Map() } as Record<Place, Map<string, Posted>>
  const edited = { bot: 0, quick: 0, usual: 0 }
  workspace.events.listen(({ atMs, event }) => {
    if (event.type !== 'message_posted' && event.type !== 'message_updated') return
    const place = placeOf(workspace, event.channel)
    if (place === null) return
    const message = event.message as { ts: string; text?: string; thread_ts?: string; metadata?: Metadata }
    // The board is one message for ever, and says nothing that is new.
    if (message.metadata?.event_payload?.card?.startsWith('board:')) return
    if (event.type === 'message_updated') {
      edited[place] += 1
      return
    }
    const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts
    seen[place].set(message.ts, { atMs, ts: message.ts, text: JSON.stringify(message), isReply })
  })

  return {
    versions: await versionsOf(urls),
    fire: shop.set,
    async firingSinceMs({ queue, server, part }) {
      const answer = (await (await fetch(`${urls.prometheus}/api/v1/alerts`)).json()) as {
        data: { alerts: { labels: Readonly<Record<string, string>>; state: string; activeAt: string }[] }
      }
      const found = answer.data.alerts.find(
        ({ labels, state }) =>
          state === 'firing' &&
          labels.instance === `${server}:9100` &&
          labels.queue === queue &&
          labels.part === part,
      )
      return found === undefined ? null : Date.parse(found.activeAt)
    },
    posted: (place) => [...seen[place].values()],
    edits: (place) => edited[place],
    async holdAnswers(place) {
      await workspace.acts.fault({
        method: 'chat.postMessage',
        channel: workspace.channel(places[place]).id,
        times: 1,
        effect: { kind: 'commit_then_delay', delayMs: 5_000 },
      })
    },
    async killAlertmanager() {
      await killed(alertmanager)
      alertmanager = await startAlertmanager()
    },
    async killBot() {
      await bot.kill('SIGKILL')
      bot = await startReady({ service, workspace, folder })
    },
    async close() {
      await bot.kill('SIGTERM')
      await service.close()
      await killed(prometheus)
      await killed(alertmanager)
      await workspace.close()
      await shop.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Metadata = { readonly event_payload?: { readonly card?: string } }

function placeOf(workspace: Workspace, channelId: string): Place | null {
  const found = (Object.keys(places) as Place[]).find(
    (place) => workspace.channel(places[place]).id === channelId,
  )
  return found ?? null
}

async function startReady(between: Parameters<typeof settingsFor>[0]): Promise<BotProcess> {
  const bot = startBot(settingsFor(between))
  while (bot.logged('app:started').length === 0) {
    if (bot.child.exitCode !== null) throw new Error(`the bot did not start:\n${bot.output()}`)
    await wait(20)
  }
  return bot
}

/** Resolves once it answers at this address. */
async function start(file: string, options: readonly string[], url: string): Promise<ChildProcess> {
  const child = spawn(file, options, { env: { PATH: process.env.PATH ?? '' }, stdio: 'ignore' })
  endWithUs(child)
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`${file} ended before it was up`)
    await wait(50)
  }
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** As they say themselves: the figures are of these. */
async function versionsOf(urls: {
  readonly prometheus: string
  readonly alertmanager: string
}): Promise<string> {
  const read = async (url: string) => (await (await fetch(url)).json()) as Record<string, never>
  const { versionInfo } = (await read(`${urls.alertmanager}/api/v2/status`)) as {
    versionInfo?: { version?: string }
  }
  const { data } = (await read(`${urls.prometheus}/api/v1/status/buildinfo`)) as {
    data?: { version?: string }
  }
  if (versionInfo?.version === undefined || data?.version === undefined)
    throw new Error('expected both to name their version; came none')
  return `Alertmanager ${versionInfo.version}, Prometheus ${data.version}`
}

async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** An application whose numbers can be set: one series for each server. */
async function openShop(): Promise<{
  readonly port: number
  set(waiting: Waiting, isHigh: boolean): void
  close(): Promise<void>
}> {
  const values = new Map<string, number>()
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end([...values].map(([labels, value]) => `orders_waiting{${labels}} ${value}\n`).join(''))
  }).listen(0, loopback)
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    set: ({ queue, server: name, part }, isHigh) =>
      values.set(`instance="${name}:9100",queue="${queue}",part="${part}"`, isHigh ? 200 : 1),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const rules = {
  groups: [
    {
      name: 'shop',
      rules: queues.map((queue) => ({
        alert: `OrdersWaiting_${queue}`,
        expr: `orders_waiting{queue="${queue}"} > 100`,
        annotations: { summary: 'orders wait in {{ $labels.part }} of {{ $labels.instance }}' },
      })),
    },
  ],
}

function engine(alertmanager: number, shop: number, folder: string): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [join(folder, 'rules.yml')],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`${loopback}:${alertmanager}`] }] }] },
    scrape_configs: [
      { job_name: 'shop', honor_labels: true, static_configs: [{ targets: [`${loopback}:${shop}`] }] },
    ],
  }
}

/**
 * `usual`: the times that the Alertmanager has by default, one message a group of one name. `quick`: as fast as it goes, one
 * message an alert, which is what a card is.
 */
function receivers(workspace: Workspace): object {
  const slack = (place: Place): object => ({
    name: place,
    slack_configs: [
      {
        api_url: `${workspace.apiUrl}chat.postMessage`,
        channel: workspace.channel(places[place]).id,
        send_resolved: true,
        text: '{{ range .Alerts }}{{ .Annotations.summary }}\n{{ end }}',
        http_config: { authorization: { credentials: workspace.botToken } },
      },
    ],
  })
  return {
    route: {
      receiver: 'usual',
      group_by: ['alertname'],
      // Its own times are half a minute and five.
      ...(isShort ? { group_wait: '2s', group_interval: '3s' } : {}),
      routes: [
        {
          receiver: 'quick',
          group_by: ['alertname', 'instance'],
          group_wait: '1s',
          group_interval: '1s',
          continue: true,
        },
        { receiver: 'usual', group_by: ['alertname'] },
      ],
    },
    receivers: [slack('quick'), slack('usual')],
  }
}
