/** docs/fleet.md does what it says, with its own files and commands on free ports: from nothing to the card of a real host. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { freePort } from '../support/free-port.ts'
import { lacks, run, until } from './worlds/real.ts'
import { send } from './worlds/town.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const document = read('docs/fleet.md')
const blocks = (kind: string) =>
  [...document.matchAll(/```([^\n]*)\n([\s\S]*?)```/g)]
    .filter(([, is]) => is === kind)
    .map(([, , text]) => text ?? '')

test('the packages that are named are those that the tests run', () => {
  const named = /apt-get install -y (.*)/.exec(blocks('sh packages').join())?.[1]?.split(' ') ?? []
  const tested = /^packages=\((.*)\)$/m.exec(read('.ci/run'))?.[1]?.split(' ') ?? []
  expect(named.length).toBe(3)
  expect(tested).toEqual(expect.arrayContaining(named))
})

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'prometheus-node-exporter', 'amtool'))(
  'its files and commands lead to a card at a push, and to the card of a host that is silent',
  async () => {
    const [bot, page] = [await freePort(), await freePort()]
    const exporter = await run(
      'prometheus-node-exporter',
      {},
      (port) => [`--web.listen-address=127.0.0.1:${port}`],
      '/',
    )
    const ports: Record<string, string> = {
      3000: `${bot}`,
      8080: `${page}`,
      9100: new URL(exporter.url).port,
    }
    const here = (text: string) =>
      Object.entries(ports).reduce((all, [from, to]) => all.replaceAll(`:${from}`, `:${to}`), text)
    const file = (name: string) =>
      here(read(`deploy/fleet/${name}`))
        .replace(/15s/g, '1s')
        .replace('for: 1m', 'for: 2s')
    const alertmanager = await run(
      'prometheus-alertmanager',
      { 'alertmanager.yml': file('alertmanager.yml') },
      (port, folder) => [
        `--config.file=${folder}/alertmanager.yml`,
        `--storage.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
    )
    ports[9093] = new URL(alertmanager.url).port
    const files = Object.fromEntries(
      ['prometheus.yml', 'hosts.yml', 'rules.yml'].map((name) => [name, file(name)]),
    )
    const prometheus = await run('prometheus', files, (port, folder) => [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ])
    ports[9090] = new URL(prometheus.url).port

    const folder = mkdtempSync(join(tmpdir(), 'monbot-fleet-'))
    // Seldom, so that only a push brings the card in time.
    const env = { DATABASE_URL: `sqlite:${folder}/monbot.db`, POLL_CRON: '0 0 * * * *' }
    const script = here(blocks('sh').join('\n'))
      .replace('npm run workspace', `PORT=${page} node src/workspace/main.ts`)
      .replace('npm start', `PORT=${bot} node src/bot/main.ts`)
    const shell = spawn('bash', ['-c', `${script}\nwait`], {
      cwd: root,
      env: { PATH: process.env.PATH, ...compiled, ...env },
      stdio: 'ignore',
      detached: true,
    })
    onTestFinished(async () => {
      process.kill(-(shell.pid ?? 0), 'SIGKILL')
      await once(shell, 'exit')
      rmSync(folder, { recursive: true, force: true })
    })
    const said = async (words: RegExp) => {
      const answer = await send(`http://127.0.0.1:${page}/control/messages?channel=C0ALERTS01`).catch(
        () => null,
      )
      return words.test(JSON.stringify(answer?.body))
    }
    const isReady = () =>
      send(`http://127.0.0.1:${bot}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    await until('the bot is ready', isReady)
    const card = spawn('bash', ['-c', here(blocks('sh card').join())], { stdio: 'ignore' })
    expect((await once(card, 'exit'))[0]).toBe(0)
    await until('the card of amtool', () => said(/web-1.*TestCard/))
    await exporter.kill()
    await until('the card of the silent host', () => said(/web-1.* has sent no data since/))
  },
)
