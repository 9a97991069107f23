/** docs/fleet.md does what it says: its files are read, and its commands are run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { compiled } from '../../support/compiled.ts'
import { freePort, isNodeExporterMissing, startNodeExporter } from './node-exporter.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const document = readFileSync(join(root, 'docs/fleet.md'), 'utf8')

function blocks(kind: string): string[] {
  return [...document.matchAll(/```([^\n]*)\n([\s\S]*?)```/g)].flatMap(([, info, text = '']) =>
    info === kind ? [text] : [],
  )
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the file of the document is one that the service takes', async () => {
  const folder = newFolder()
  const file = join(folder, 'fleet.yml')
  mkdirSync(join(folder, 'targets'))
  writeFileSync(file, blocks('yaml').join('\n'))
  const { config, problems } = await readConfig(file)
  expect(problems).toEqual([])
  expect(config?.scrape?.targets).toHaveLength(1)
  expect(config?.triggers).toHaveLength(3)
})

test('the command for a host is the one that installs what is tested', () => {
  const [command = ''] = blocks('sh host')
  const [, name = ''] = /apt-get install .*?(\S+)$/m.exec(command) ?? []
  expect(name).toBe('prometheus-node-exporter')
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(new RegExp(`^packages=\\(.*\\b${name}\\b`, 'm'))
})

test.skipIf(isNodeExporterMissing)('the commands lead from nothing to the card of a real host', async () => {
  const [exporter, service, workspace, bot] = await Promise.all([
    startNodeExporter(),
    freePort(),
    freePort(),
    freePort(),
  ])
  const folder = newFolder()
  const commands = blocks('sh')
    .join('\n')
    .replaceAll('127.0.0.1:9100', new URL(exporter).host)
    .replaceAll(':9090', `:${service}`)
    .replaceAll(':8080', `:${workspace}`)
    .replaceAll('fleet.yml', join(folder, 'fleet.yml'))
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
      .replace(/^curl (".*lifecycle=start")$/m, (_, asked: string) => until(asked, '*memory_used*'))
      .replace(/^(export MONITOR_URL)/m, `${until(messages, '*messages*')}\n$1`),
    until(messages, '*web-1*'),
    'kill $(jobs -p); wait',
  ].join('\n')
  const child = spawn('bash', ['-c', script], {
    cwd: root,
    env: { PATH: process.env.PATH, ...compiled },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
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
  expect(said).toContain('"server_hostname":"web-1"')
  expect(said).toMatch(/"text":"[^"]*Memory on web-1/)
  // What is pushed is taken whole.
  expect(said).toMatch(/^\{\}/m)
})
