/** The real process between an API whose list of what is over cannot be read, and whose list of what is open can. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { soon } from '../support/shared-town.ts'
import { openTown, texts } from '../support/town.ts'

const load = { server: 'web-1', title: 'Last minute met or exceeded 3.00', plugin: 'Load Average' }

/** Passes on every question but the one for everything; answers its own address. */
async function withoutHistory(apiUrl: string): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url?.includes('lifecycle=all')) {
      response.writeHead(503).end()
      return
    }
    const answer = await fetch(new URL(request.url ?? '', apiUrl))
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a start from which on the history cannot be read keeps back neither what is open nor its reminder', async () => {
  const town = await openTown()
  const policy = join(town.folder, 'policy.yml')
  writeFileSync(policy, 'images: off\nboard: off\nreminders: [{ after: 2s }]\n')
  await town.bot({ MONITOR_URL: await withoutHistory(town.service.url), MONBOT_CONFIG: policy })
  town.service.openAlert(load)
  const ofAlert = () => town.cards().filter(({ text }) => text.includes('web-1'))
  await expect.poll(() => ofAlert().length, soon).toBeGreaterThan(0)

  const ana = town.person('ana')
  await ana.types('/mon status')
  await expect.poll(() => ana.sees().at(-1), soon).toMatch(/1 open alert[\s\S]*Can't read what has closed/)
  expect(ana.sees().at(-1)).not.toMatch(/Not known yet|No good poll/)

  const [card] = ofAlert()
  await expect
    .poll(() => texts(town.thread(card?.ts ?? '')), { ...soon, timeout: patienceMs })
    .toHaveLength(1)
})
