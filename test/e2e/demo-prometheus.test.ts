/** `npm run demo -- --prometheus`: a town with a real Prometheus in it, or a sentence that says what to install. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { lacks } from '../service/prometheus/programs.ts'
import { freePort } from '../service/scrape/node-exporter.ts'
import { compiled } from '../support/compiled.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const soon = { timeout: 60_000, interval: 200 }

async function startDemo(path: string) {
  const child = spawn(process.execPath, ['src/demo.ts', '--prometheus'], {
    cwd: root,
    env: { PATH: path, ...compiled, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return {
    said: () => said,
    async stop() {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

test.skipIf(lacks('prometheus', 'prometheus-alertmanager', 'prometheus-node-exporter'))(
  'the demo with a real Prometheus shows an alert of a rule as a card, and leaves nothing behind when it is stopped',
  async () => {
    const demo = await startDemo(process.env.PATH ?? '')
    await expect
      .poll(demo.said, soon)
      .toMatch(/🚨 CRITICAL laptop OrdersWaiting.* 120 — 120 orders wait in the shop/)
    const [, url = ''] = /Prometheus {2,}(http:\/\/127\.0\.0\.1:\d+)\/alerts/.exec(demo.said()) ?? []
    expect((await fetch(`${url}/-/ready`)).status).toBe(200)
    expect(await demo.stop()).toBe(0)
    await expect(fetch(`${url}/-/ready`)).rejects.toThrow()
    expect(demo.said()).not.toContain('ended by itself')
  },
)

test('where Prometheus is not installed the demo says which packages to install, and starts without', async () => {
  const demo = await startDemo('/usr/none')
  await expect
    .poll(demo.said, soon)
    .toContain(
      '--prometheus needs prometheus, prometheus-alertmanager, prometheus-node-exporter, not found here: ' +
        'apt-get install prometheus prometheus-alertmanager prometheus-node-exporter\n',
    )
  await expect.poll(demo.said, soon).toContain('monbot is on call.')
  expect(await demo.stop()).toBe(0)
})
