/** The page's line to the workspace: lost, said to be lost, and whole again without a reload. */
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { openWorkspace } from '../../src/workspace/workspace.ts'
import { afterPages, openPage } from './browser.ts'
import { openStage } from './small-bot.ts'

/** What a browser says of requests that a network or a server broke off. */
const refused = /net::ERR_(?:CONNECTION_|INTERNET_|EMPTY_|INCOMPLETE_|CONTENT_LENGTH_|NETWORK_)/

test('a page without a network says so, and then has all that it missed, in its order', async () => {
  const { workspace, card, close } = await openStage()
  const first = await card('Disk on db-1')
  const page = await openPage(workspace.url, { expected: [refused] })
  const messages = page.locator('.front .message')
  await messages.getByText('Disk on db-1').waitFor()
  await page.context().setOffline(true)
  await page.getByText('Connection lost.').first().waitFor()
  await close(first, 'Disk on db-1')
  await card('Load Average on web-1')
  await page.context().setOffline(false)
  await messages.getByText('Load Average on web-1').waitFor()
  await expect.poll(() => page.locator('.banner').isVisible()).toBe(false)
  expect(await messages.count()).toBe(2)
  await messages.nth(0).getByText('Disk on db-1 ended after 4 min').waitFor()
})

test('where more was missed than the workspace remembers, everything is loaded anew', async () => {
  const { workspace, card, close } = await openStage()
  const first = await card('Disk on db-1')
  const page = await openPage(workspace.url, { expected: [refused] })
  await page.locator('.message').getByText('Disk on db-1').waitFor()
  await page.context().setOffline(true)
  await page.getByText('Connection lost.').first().waitFor()
  await close(first, 'Disk on db-1')
  for (let at = 0; at < 2_100; at += 1) workspace.events.emit({ type: 'fault_cleared', fault: 'all' })
  await page.context().setOffline(false)
  await page.locator('.message').getByText('Disk on db-1 ended after 4 min').waitFor()
})

test('a workspace that was started anew is shown as it is now', async () => {
  const before = await openWorkspace({ limits: 'off' })
  await before.acts.say({ user: 'ben', channel: '#alerts', text: 'before the restart' })
  const page = await openPage(before.url, { expected: [refused] })
  await page.locator('.message').getByText('before the restart').waitFor()
  await before.close()
  await page.getByText('Connection lost.').first().waitFor()
  await page.getByRole('button', { name: 'Try now' }).waitFor()

  const after = await openWorkspace({ limits: 'off', port: Number(new URL(before.url).port) })
  afterPages(() => after.close())
  await after.acts.say({ user: 'ben', channel: '#alerts', text: 'after the restart' })
  await page.locator('.message').getByText('after the restart').waitFor()
  expect(await page.locator('.message').count()).toBe(1)
  await after.acts.say({ user: 'ben', channel: '#alerts', text: 'live again' })
  await page.locator('.message').getByText('live again').waitFor()
})

test('a server that hangs is noticed by its silence', async () => {
  const workspace = await openWorkspace({ limits: 'off', pingMs: 500 })
  const line = await openLine(workspace.url)
  afterPages(() => workspace.close())
  afterPages(line.close)
  const page = await openPage(line.url, { expected: [refused] })
  await page.getByText('Nothing has been said here yet.').waitFor()
  await workspace.acts.say({ user: 'ben', channel: '#alerts', text: 'the line is live' })
  await page.locator('.message').getByText('the line is live').waitFor()
  line.freeze()
  await workspace.acts.say({ user: 'ben', channel: '#alerts', text: 'still here' })
  await page.locator('.message').getByText('still here').waitFor()
  await page.getByText('Connected again.').waitFor()
})

/** A line to a server, whose streams can be frozen: they stay open and say nothing more. New ones are well. */
async function openLine(target: string): Promise<{ url: string; freeze(): void; close(): Promise<void> }> {
  const flowing = new Set<ServerResponse>()
  const server = createServer((asked, answer) => {
    const { method, headers } = asked
    const onward = request(new URL(asked.url ?? '/', target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      if (answered.headers['content-type'] !== 'text/event-stream') {
        answered.pipe(answer)
        return
      }
      flowing.add(answer)
      answered.on('data', (bytes) => flowing.has(answer) && answer.write(bytes))
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    freeze: () => flowing.clear(),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
