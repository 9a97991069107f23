/** docs/prometheus.md does what it says: its file is read, and its commands are run against a real Prometheus. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { compiled } from '../../support/compiled.ts'
import { freePort } from '../scrape/node-exporter.ts'
import { lacks, tempFolder } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const document = readFileSync(join(root, 'docs/prometheus.md'), 'utf8')

function blocks(kind: string): string[] {
  return [...document.matchAll(/```([^\n]*)\n([\s\S]*?)```/g)].flatMap(([, info, text = '']) =>
    info === kind ? [text] : [],
  )
}

test('the file of the document is one that the service takes', async (t) => {
  const file = join(tempFolder(t), 'monitor.yml')
  writeFileSync(file, blocks('yaml').join('\n'))
  const { config, problems } = await readConfig(file)
  expect(problems).toEqual([])
  expect(config?.prometheus).toMatchObject({ serverLabel: 'instance', serviceless: 'job' })
  expect(Object.keys(config?.prometheus?.metrics ?? {})).toEqual(['cpu_busy'])
})

test.skipIf(lacks('prometheus', 'prometheus-alertmanager'))(
  'the commands lead from a running Prometheus to the first card',
  { timeout: 120_000 },
  async (t) => {
    const [alertmanager] = await openAlertmanagers(t)
    const prometheus = await openPrometheus(t, {
      rules: [{ alert: 'ShopClosed', expr: 'vector(7) > 1', labels: { instance: 'shop-1:80' } }],
      alertmanagers: [alertmanager?.url ?? ''],
    })
    const [service, workspace, bot] = await Promise.all([freePort(), freePort(), freePort()])
    const folder = tempFolder(t)
    mkdirSync(join(folder, 'data'))
    const commands = blocks('sh')
      .join('\n')
      .replace('127.0.0.1:9090', new URL(prometheus.url).host)
      .replace('127.0.0.1:9093', new URL(alertmanager?.url ?? '').host)
      .replaceAll(':9095', `:${service}`)
      .replaceAll(':8080', `:${workspace}`)
      .replaceAll('data/', join(folder, 'data/'))
      .replace('npm run service', `PORT=${service} node src/service/main.ts`)
      .replace('npm run workspace', `PORT=${workspace} node src/workspace/main.ts`)
      .replace('npm start', `PORT=${bot} node src/main.ts`)
    // Some are repeated, as a person does: until there is what the document promises.
    const until = (command: string, seen: string) =>
      `until said=$(curl -s ${command} || true); echo "$said"; [[ $said == ${seen} ]]; do sleep 0.5; done`
    const messages = `http://127.0.0.1:${workspace}/control/messages?channel=C0ALERTS01`
    const script = [
      commands
        .replace(/^curl (".*lifecycle=start")$/m, (_, asked: string) => until(asked, '*ShopClosed*'))
        .replace(/^(export MONITOR_URL)/m, `${until(messages, '*messages*')}\n$1`),
      until(messages, '*shop-1*'),
      'kill $(jobs -p); wait',
    ].join('\n')
    const child = spawn('bash', ['-c', script], {
      cwd: root,
      env: { PATH: process.env.PATH, ...compiled },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const ended = once(child, 'exit')
    t.onTestFinished(async () => {
      // The whole group, of which this process is no part.
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await ended
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += String(chunk)
      })
    }
    await ended
    expect(said).toContain('"server_hostname":"shop-1"')
    expect(said).toMatch(/"text":"[^"]*ShopClosed on shop-1/)
  },
)
