/** Debian's Prometheus, Alertmanager, node_exporter and VictoriaMetrics, for real: on free ports of loopback, from folders of their own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { freePort } from '../../support/free-port.ts'
import { type Ending, type Running, run, start, tempFolder } from './programs.ts'

const loopback = '127.0.0.1'

export type ScrapeJob = {
  readonly job: string
  /** `127.0.0.1:9100`, or whole URLs. */
  readonly targets: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** What `instance` is in place of the address. */
  readonly instance?: string
  /** Whether the labels that an exporter shows take the place of the job's. */
  readonly honorLabels?: boolean
}

export type RuleGiven = {
  readonly alert: string
  readonly expr: string
  /** `5s`; at once without. */
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export type Recording = {
  readonly record: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
}

export type PrometheusGiven = {
  readonly jobs?: readonly ScrapeJob[]
  readonly rules?: readonly RuleGiven[]
  /** Evaluated before the rules. */
  readonly recordings?: readonly Recording[]
  /** Their URLs. */
  readonly alertmanagers?: readonly string[]
  readonly externalLabels?: Readonly<Record<string, string>>
  /** How often it scrapes, and how often it evaluates. */
  readonly intervalMs?: number
  readonly flags?: readonly string[]
  /** After how long it tells an Alertmanager again what still fires; `1m` by default in life, `1s` here. */
  readonly resendDelay?: string
  /** What it has known for long: OpenMetrics with times. */
  readonly past?: string
}

export type RealPrometheus = Running & {
  /** Takes up other jobs or rules; what is not given stays. */
  change(given: Pick<PrometheusGiven, 'jobs' | 'rules' | 'recordings' | 'alertmanagers'>): Promise<void>
}

const hostOf = (address: string): string => (address.includes('://') ? new URL(address).host : address)

/** Every text that it writes is JSON, which is YAML too. */
export async function openPrometheus(t: Ending, given: PrometheusGiven = {}): Promise<RealPrometheus> {
  const folder = tempFolder(t)
  let now = given
  const config = join(folder, 'prometheus.yml')
  const rulesFile = join(folder, 'rules.yml')

  function write(): void {
    const interval = `${now.intervalMs ?? 1_000}ms`
    const rules = [...(now.recordings ?? []), ...(now.rules ?? [])]
    writeFileSync(rulesFile, JSON.stringify({ groups: [{ name: 'town', interval, rules }] }))
    writeFileSync(
      config,
      JSON.stringify({
        global: {
          scrape_interval: interval,
          scrape_timeout: interval,
          evaluation_interval: interval,
          external_labels: now.externalLabels ?? {},
        },
        rule_files: [rulesFile],
        alerting: {
          alertmanagers: (now.alertmanagers ?? []).map((url) => ({
            static_configs: [{ targets: [hostOf(url)] }],
          })),
        },
        scrape_configs: scrapeConfigs(now.jobs ?? []),
      }),
    )
  }

  write()
  if (now.past !== undefined) {
    const past = join(folder, 'past.om')
    writeFileSync(past, now.past)
    await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', past, join(folder, 'data')])
  }
  const url = `http://${loopback}:${await freePort()}`
  const running = await start(t, {
    program: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${hostOf(url)}`,
      '--web.enable-lifecycle',
      '--log.level=warn',
      `--rules.alert.resend-delay=${now.resendDelay ?? '1s'}`,
      ...(given.flags ?? []),
    ],
    url,
    readyPath: '/-/ready',
  })
  return {
    ...running,
    async change(next) {
      now = { ...now, ...next }
      write()
      const response = await request(`${url}/-/reload`, { method: 'POST' })
      const said = await response.body.text()
      if (response.statusCode !== 200) throw new Error(`it did not take up its file: ${said}`)
    },
  }
}

function scrapeConfigs(jobs: readonly ScrapeJob[]): readonly object[] {
  return jobs.map(({ job, targets, labels = {}, instance, honorLabels = false }) => ({
    job_name: job,
    honor_labels: honorLabels,
    static_configs: [
      {
        targets: targets.map(hostOf),
        labels: { ...labels, ...(instance === undefined ? {} : { instance }) },
      },
    ],
  }))
}

/** Gets and stores what it scrapes, as Prometheus does; the metrics can be asked for at once. */
export async function openVictoriaMetrics(
  t: Ending,
  {
    jobs = [],
    intervalMs = 1_000,
    rulesUrl,
  }: Pick<PrometheusGiven, 'jobs' | 'intervalMs'> & {
    /** Where it sends those to who ask it for rules. */
    readonly rulesUrl?: string
  } = {},
): Promise<Running> {
  const folder = tempFolder(t)
  const config = join(folder, 'scrape.yml')
  const interval = `${intervalMs}ms`
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: interval, scrape_timeout: interval },
      scrape_configs: scrapeConfigs(jobs),
    }),
  )
  const url = `http://${loopback}:${await freePort()}`
  return start(t, {
    program: 'victoria-metrics',
    args: [
      `-httpListenAddr=${hostOf(url)}`,
      `-storageDataPath=${join(folder, 'data')}`,
      `-promscrape.config=${config}`,
      '-search.latencyOffset=1s',
      '-loggerLevel=ERROR',
      ...(rulesUrl === undefined ? [] : [`-vmalert.proxyURL=${rulesUrl}`]),
    ],
    url,
    readyPath: '/health',
  })
}

/** Evaluates rules over a VictoriaMetrics, at `url`, and tells an Alertmanager. */
export async function openVmalert(
  t: Ending,
  given: {
    readonly url: string
    readonly datasource: string
    readonly notifier: string
    readonly rules: readonly RuleGiven[]
    readonly externalLabels?: Readonly<Record<string, string>>
  },
): Promise<Running> {
  const { url, datasource, notifier, rules, externalLabels = {} } = given
  const file = join(tempFolder(t), 'rules.yml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'town', interval: '1s', rules }] }))
  return start(t, {
    program: 'vmalert',
    args: [
      `-rule=${file}`,
      `-datasource.url=${datasource}`,
      `-notifier.url=${notifier}`,
      `-remoteWrite.url=${datasource}`,
      '-evaluationInterval=1s',
      `-httpListenAddr=${hostOf(url)}`,
      '-loggerLevel=ERROR',
      ...Object.entries(externalLabels).map(([name, value]) => `-external.label=${name}=${value}`),
    ],
    url,
    readyPath: '/health',
  })
}

/** Alertmanagers of one cluster, which tell no one anything unless the configuration says so. */
export async function openAlertmanagers(
  t: Ending,
  { count = 1, config = silentConfig }: { readonly count?: number; readonly config?: object } = {},
): Promise<readonly Running[]> {
  const peers: string[] = []
  const opened: Running[] = []
  for (let at = 0; at < count; at += 1) {
    const folder = tempFolder(t)
    const file = join(folder, 'alertmanager.yml')
    writeFileSync(file, JSON.stringify(config))
    const own = `${loopback}:${await freePort()}`
    const url = `http://${loopback}:${await freePort()}`
    opened.push(
      await start(t, {
        program: 'prometheus-alertmanager',
        args: [
          `--config.file=${file}`,
          `--storage.path=${join(folder, 'data')}`,
          `--web.listen-address=${hostOf(url)}`,
          `--cluster.listen-address=${count === 1 ? '' : own}`,
          '--cluster.settle-timeout=1s',
          '--log.level=warn',
          ...peers.map((peer) => `--cluster.peer=${peer}`),
        ],
        url,
        readyPath: '/-/ready',
      }),
    )
    peers.push(own)
  }
  return opened
}

const silentConfig = {
  route: { receiver: 'nobody', group_wait: '1s', group_interval: '1s', repeat_interval: '1h' },
  receivers: [{ name: 'nobody' }],
}

/** Its metrics are at `/metrics`. */
export async function openNodeExporter(t: Ending, flags: readonly string[] = []): Promise<Running> {
  const url = `http://${loopback}:${await freePort()}`
  return start(t, {
    program: 'prometheus-node-exporter',
    args: [`--web.listen-address=${hostOf(url)}`, ...flags],
    url,
    readyPath: '/metrics',
  })
}

/** Rejects with what promtool says where it does not take these rules. */
export async function checkRules(t: Ending, rules: readonly RuleGiven[]): Promise<string> {
  const file = join(tempFolder(t), 'rules.yml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'checked', rules }] }))
  return run('promtool', ['check', 'rules', file])
}
