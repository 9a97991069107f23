/** The demo controls beside a real service: they tell the truth about what runs. */
import { expect, test } from 'vitest'
import { openService } from '../../src/service/service.ts'
import { openWorkspace } from '../../src/workspace/workspace.ts'
import { afterPages, expectAccessible, openPage } from './browser.ts'

async function openDemo() {
  const service = await openService({ key: 'k', sample: false, fleet: 60, sampleMs: null, controlPort: 0 })
  afterPages(() => service.close())
  const workspace = await openWorkspace({ townUrl: service.controlUrl ?? '' })
  afterPages(() => workspace.close())
  return { service, workspace }
}

test('trouble says that it runs and for how long, a one-off does not, and stopping ends all of it', async () => {
  const { workspace } = await openDemo()
  const page = await openPage(workspace.url)
  const controls = page.getByRole('complementary', { name: 'Demo controls' })
  const running = controls.locator('.running')
  await controls.getByText('0 alerts are open.').waitFor()
  await controls.getByRole('button', { name: 'One-off of a plugin' }).click()
  await controls.getByText('Done: One-off of a plugin.').waitFor()
  expect(await running.count()).toBe(0)
  for (const name of ['200 alerts at once', 'Monitoring down', 'Slack rate limit'])
    await controls.getByRole('button', { name }).click()
  await expect
    .poll(() => running.allTextContents())
    .toEqual(Array(3).fill(expect.stringMatching(/^Running, \d min left$/)))
  await expectAccessible(page)
  await controls.getByRole('button', { name: 'Stop all' }).click()
  await expect.poll(() => running.count()).toBe(0)
})

test('an incident is told at the top, on the phone too, and can be stopped', async () => {
  const { workspace } = await openDemo()
  const page = await openPage(workspace.url, { width: 390, height: 844 })
  await page.getByText('This is monbot in a local Slack.').waitFor()
  await page.getByRole('link', { name: 'Demo controls' }).click()
  await page.getByRole('button', { name: 'Play an incident' }).click()
  const line = page.getByRole('status').filter({ hasText: /The incident begins|The CPU of web-4 is busy/ })
  await line.waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText('The incident was stopped').waitFor()
})

test('a service that is gone is said to be gone', async () => {
  const { service, workspace } = await openDemo()
  await service.close()
  const page = await openPage(workspace.url, { expected: [/502 \(Bad Gateway\)/] })
  await page.getByText('The monitoring service does not answer.').waitFor()
})
