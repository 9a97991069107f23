/** Debian's Alertmanager, for real: one, or several of one cluster, to be killed, frozen and started anew. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { onTestFinished, vi } from 'vitest'
import type { Endpoint } from '../../../src/service/prometheus/settings.ts'
import { endWithUs } from '../../support/end-with-us.ts'
import { freePort } from '../../support/free-port.ts'
import { patienceMs } from '../../support/patience.ts'

function programOf(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

const alertmanager = programOf('prometheus-alertmanager')
const amtool = programOf('amtool')
/** The tests that need it say so loudly and are skipped; where everything must be tested, one of them fails. */
export const isAlertmanagerMissing = alertmanager === undefined || amtool === undefined
if (isAlertmanagerMissing) {
  const how = 'apt-get install --no-install-recommends prometheus-alertmanager'
  process.stderr.write(`NOT TESTED: no prometheus-alertmanager on this machine; ${how}\n`)
}

/** An alert of A holds back those of the same instance that are a warning. */
const config = `
route: { receiver: nobody }
receivers: [{ name: nobody }]
inhibit_rules:
  - source_matchers: [ severity = critical ]
    target_matchers: [ severity = warning ]
    equal: [ instance ]
`

export type TestAlert = {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly startsAt?: string
  readonly endsAt?: string
}

export type Alertmanager = {
  readonly url: string
  readonly endpoint: Endpoint
  /** Tells it what fires, as Prometheus does. */
  post(alerts: readonly TestAlert[]): Promise<void>
  /** What it prints for a person. */
  amtool(...args: string[]): Promise<string>
  /** SIGKILL unless another one is asked for; resolves when it is gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Resolves when it does nothing any more. */
  freeze(): Promise<void>
  thaw(): void
  /** On the same port; with what it wrote before it was ended, unless that is to be lost. Resolves when it answers. */
  restart(options?: { readonly isDataLost: boolean }): Promise<void>
}

/** Resolves when it answers. `peers`: ports for the cluster, its own first. */
export async function openAlertmanager(peers: readonly number[] = []): Promise<Alertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'alertmanager-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  writeFileSync(join(folder, 'config.yml'), config)
  const [own, ...others] = peers
  const cluster =
    own === undefined
      ? ['--cluster.listen-address=']
      : [
          `--cluster.listen-address=127.0.0.1:${own}`,
          ...others.map((other) => `--cluster.peer=127.0.0.1:${other}`),
          '--cluster.settle-timeout=0s',
          '--cluster.gossip-interval=50ms',
          '--cluster.pushpull-interval=1s',
          '--cluster.reconnect-interval=500ms',
        ]
  let child: ChildProcess

  async function start(): Promise<void> {
    child = spawn(
      alertmanager ?? '',
      [
        `--config.file=${join(folder, 'config.yml')}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        ...cluster,
      ],
      { stdio: 'ignore' },
    )
    endWithUs(child)
    await vi.waitFor(async () => (await request(`${url}/-/ready`)).body.dump(), { timeout: patienceMs })
  }

  async function kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  onTestFinished(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url,
    endpoint: { url, authorization: null },
    async post(alerts) {
      const { statusCode, body } = await request(`${url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts),
      })
      const said = await body.text()
      if (statusCode !== 200) throw new Error(`the Alertmanager answered ${statusCode}: ${said}`)
    },
    async amtool(...args) {
      const { stdout } = await promisify(execFile)(amtool ?? '', [`--alertmanager.url=${url}`, ...args])
      return stdout
    },
    kill,
    async freeze() {
      child.kill('SIGSTOP')
      await vi.waitFor(
        () => {
          if (!isStopped(child.pid)) throw new Error('it still runs')
        },
        { timeout: patienceMs },
      )
    },
    thaw: () => void child.kill('SIGCONT'),
    async restart({ isDataLost } = { isDataLost: false }) {
      await kill()
      if (isDataLost) rmSync(join(folder, 'data'), { recursive: true, force: true })
      await start()
    },
  }
}

/** Each of its threads is stopped a moment after the signal. */
function isStopped(pid = 0): boolean {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).every((task) => /\) [Tt] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')))
}

/** Two that tell each other of silences. */
export async function openCluster(): Promise<readonly [Alertmanager, Alertmanager]> {
  const [one, other] = [await freePort(), await freePort()]
  return Promise.all([openAlertmanager([one, other]), openAlertmanager([other, one])])
}
