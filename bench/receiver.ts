/**
 * `npm run bench -- receiver`: monbot beside Alertmanager's own Slack receiver, with `update_message` and without, over the same
 * alerts of a real Prometheus in the same workspace, at Slack's limits. It takes about 25 minutes, and needs `prometheus` and a
 * `prometheus-alertmanager` from 0.32 on in the PATH (Debian's forky has one, and it runs on older releases).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openTown, startBot } from '../test/bot/worlds/town.ts'
import { openExporter, runManager, runPrometheus } from '../test/service/worlds/real.ts'
import { openProxy } from '../test/support/proxy.ts'

/** Who posts into which channel. */
const posters = { monbot: 'alerts', messages: 'db', updates: 'general' }
type Column = keyof typeof posters
const columns = Object.keys(posters) as Column[]

/** Five: as many messages at once are within what a channel takes. */
const kinds = ['Kind0', 'Kind1', 'Kind2', 'Kind3', 'Kind4']
const rules = [...kinds, 'Limited', 'Killed', 'Silenced', 'Flapping'].map((alert) => ({
  alert,
  expr: `${alert} > 90`,
  labels: { severity: 'critical' },
  annotations: { summary: `${alert} of {{ $labels.host }} is too high` },
}))
const hosts = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${n}-host`)
const all = kinds.flatMap((kind) => hosts(kind, 40))
const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
const patienceSeconds = 8 * 60

const rows: string[] = []
function note(what: string, cell: (column: Column) => string | number | boolean): void {
  const words = (value: string | number | boolean) =>
    typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
  rows.push(`| ${what} | ${columns.map((column) => words(cell(column))).join(' | ')} |`)
  process.stdout.write(`${rows.at(-1)}\n`)
}

/** How long it takes from now until it is so in each channel. */
async function noteWhen(what: string, isSo: (column: Column) => boolean): Promise<void> {
  const took = new Map<Column, string>()
  const fromMs = performance.now()
  for (let seconds = 0; took.size < columns.length && seconds < patienceSeconds; await wait(0.05)) {
    seconds = (performance.now() - fromMs) / 1_000
    for (const column of columns)
      if (!took.has(column) && isSo(column)) took.set(column, `${seconds.toFixed(1)} s`)
  }
  note(what, (column) => took.get(column) ?? `not in ${patienceSeconds / 60} min`)
}

export async function receiver(): Promise<void> {
  const world = await openWorld()
  await opened(world)
  await Promise.all([over(world), limited(world), silenced(world), flapping(world)])
  await killed(world)
  const said = execFileSync('prometheus-alertmanager', ['--version'], { encoding: 'utf8' })
  const head = ['monbot', `Alertmanager ${/version (\S+)/.exec(said)?.[1]}`, '… with `update_message`']
  process.stdout.write(`\n| | ${head.join(' | ')} |\n|---|---:|---:|---:|\n${rows.join('\n')}\n`)
  await world.close()
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Both as their documents begin: a poll every 15 s; groups by `alertname`, told after 30 s and then every 5 minutes. */
async function openWorld() {
  const closings: (() => void | Promise<void>)[] = []
  const finished = (work: () => void | Promise<void>) => void closings.unshift(work)
  const town = await openTown()
  finished(town.close)
  // Alertmanager updates at this address only, whatever is configured: the proxy leads to the local workspace.
  const proxy = await openProxy({ 'slack.com': Number(new URL(town.workspace.url).port) })
  finished(proxy.close)
  const exporter = await openExporter(finished)

  const to = (channel: string, update_message: boolean) => {
    const http_config = {
      authorization: { credentials: town.workspace.botToken },
      proxy_url: proxy.url,
      tls_config: { ca_file: proxy.caFile },
    }
    const api_url = 'https://slack.com/api/chat.postMessage'
    const text = '{{ range .Alerts }}{{ .Status }}: {{ .Annotations.summary }}\n{{ end }}'
    // Its own default since 0.32, said here because Debian's reads its templates from wherever an older one may be installed.
    const color = '{{ if eq .Status "firing" }}danger{{ else }}good{{ end }}'
    const slack = { channel, api_url, http_config, color, text, send_resolved: true, update_message }
    return { name: channel, slack_configs: [slack] }
  }
  const times = { group_wait: '30s', group_interval: '5m', repeat_interval: '4h' }
  const config = {
    route: {
      ...{ group_by: ['alertname'], ...times, receiver: posters.messages },
      routes: [{ receiver: posters.messages, continue: true }, { receiver: posters.updates }],
    },
    receivers: [to(posters.messages, false), to(posters.updates, true)],
  }
  const manager = await runManager(finished, JSON.stringify(config))
  const groups = JSON.stringify({ groups: [{ name: 'bench', rules }] })
  const prometheus = await runPrometheus(finished, exporter.target, manager.url, {}, groups)
  const engines = { PROMETHEUS_URL: prometheus.url, ALERTMANAGER_URL: manager.url }
  const { MONITOR_URL: _url, MONITOR_API_KEY: _key, POLL_CRON: _often, ...rest } = town.settings(engines)
  const begin = async () => {
    const bot = startBot(rest)
    while (bot.logged('app:started').length === 0) await wait(0.05)
    return bot
  }
  let bot = await begin()
  finished(async () => void (await bot.kill('SIGKILL')))

  /** The messages of a channel that name a text; replies are none. */
  const posts = (column: Column, text: string) =>
    town
      .cards(posters[column])
      .map((card) => JSON.stringify(card))
      .filter((post) => post.includes(text))
  return {
    ...{ town, manager, posts },
    pid: (column: Column) => (column === 'monbot' ? bot.child.pid : manager.pid()),
    async killBot() {
      await bot.kill('SIGKILL')
      bot = await begin()
    },
    set(names: readonly string[], value: number) {
      for (const host of names) exporter.set(host.split('-')[0] ?? '', { host }, value)
    },
    /** Whether all of them stand in the channel or its threads; a board tells nobody. */
    names(column: Column, all: readonly string[]) {
      const board = town.board(posters[column])
      const standing = JSON.stringify(town.messages(posters[column]).filter(({ ts }) => ts !== board?.ts))
      return all.every((name) => standing.includes(name))
    },
    saysOver: (column: Column, text: string) =>
      posts(column, text).some((post) => /🟢|:large_green_circle:|resolved: /.test(post)),
    async close() {
      for (const work of closings) await work()
    },
  }
}

async function opened({ set, posts, names, pid }: World): Promise<void> {
  set(all, 97)
  await Promise.all([
    noteWhen(
      '200 alerts of 5 kinds at once: to the first message',
      (column) => posts(column, 'Kind').length > 0,
    ),
    noteWhen('… until each is named', (column) => names(column, all)),
  ])
  note('… messages', (column) => posts(column, 'Kind').length)
  await wait(30)
  const memory = (column: Column) =>
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid(column)}/status`, 'utf8'))
  note('memory with them open', (column) => `${Math.round(Number(memory(column)?.[1]) / 1024)} MB`)
}

async function over({ set, posts, saysOver }: World): Promise<void> {
  set(all, 1)
  await noteWhen('over at once: until each kind says so', (column) =>
    kinds.every((kind) => saysOver(column, kind)),
  )
  note('… messages then', (column) => posts(column, 'Kind').length)
}

async function limited({ set, names, town }: World): Promise<void> {
  const one = hosts('Limited', 1)
  await wait(60)
  await town.workspace.acts.holdPosts({ seconds: 60 })
  set(one, 97)
  await wait(60)
  await noteWhen('opened within a minute of 429: told after its end', (column) => names(column, one))
}

async function silenced({ set, saysOver, posts, town, manager }: World): Promise<void> {
  const [host = ''] = hosts('Silenced', 1)
  const silences = async () => (await fetch(`${manager.url}/api/v2/silences`)).text()
  set([host], 97)
  while (columns.some((column) => posts(column, host).length === 0)) await wait(0.1)
  await town.person('ana').types(`/mon mute ${host} 1h its disk is replaced`)
  while (!(await silences()).includes(host)) await wait(0.1)
  set([host], 1)
  // Prometheus repeats an end for 15 minutes, and Alertmanager tells of a group every 5: nothing comes of itself after these.
  await wait(16 * 60)
  note('over for 16 min under a silence: the channel says so meanwhile', (column) => saysOver(column, host))
  await town.person('ana').types(`/mon unmute ${host}`)
  await wait(330)
  note('… or within 5 min of the end of the silence', (column) => saysOver(column, host))
}

async function flapping({ set, posts, saysOver }: World): Promise<void> {
  const [host = ''] = hosts('Flapping', 1)
  set([host], 97)
  while (columns.some((column) => posts(column, host).length === 0)) await wait(0.1)
  set([host], 1)
  await noteWhen('one is over: said after', (column) => saysOver(column, host))
  note('… by an edit of its message', (column) => posts(column, host).length === 1)
  set([host], 97)
  await wait(90)
  note('over and back within ten minutes: messages of it', (column) => posts(column, host).length)
}

/** Each is killed the moment that it has posted, and started again. */
async function killed({ set, posts, names, manager, killBot }: World): Promise<void> {
  const all = hosts('Killed', 40)
  const hasPosted = (column: Column) => posts(column, 'Killed').length > 0
  set(all, 97)
  while (!hasPosted('monbot')) await wait(0.005)
  await killBot()
  while (!hasPosted('messages') || !hasPosted('updates')) await wait(0.005)
  await manager.kill()
  await manager.start()
  await wait(90)
  note('kill -9 at the first message of 40 alerts of a kind: all are named', (column) => names(column, all))
  note('… messages of them', (column) => posts(column, 'Killed').length)
}
