/** Cards in the browser: they appear, change in place, act, and their answers are for one person. */
import { expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { openStage } from './small-bot.ts'

test('a card appears, is acknowledged in place without losing the focus, and turns green', async () => {
  const { workspace, card, close } = await openStage()
  const page = await openPage(workspace.url)
  const messages = page.locator('.front .message')
  await page.getByText('Nothing has been said here yet.').waitFor()

  const ts = await card('Load Average on web-1')
  await messages.getByText('Load Average on web-1').waitFor()
  expect(await messages.locator('.app-badge').allTextContents()).toEqual(['APP'])
  await messages.first().evaluate((node) => {
    node.dataset.seen = 'before'
  })

  const acknowledge = page.getByRole('button', { name: 'Acknowledge' })
  await acknowledge.focus()
  await page.keyboard.press('Enter')
  await messages.getByText('Acknowledged by @ana').waitFor()
  expect(await acknowledge.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true)

  await close(ts, 'Load Average on web-1')
  await messages.getByText('🟢 Load Average on web-1 ended after 4 min').waitFor()
  expect(await messages.first().getAttribute('class')).toContain('is-fresh')
  expect(await messages.count()).toBe(1)
  expect(await messages.first().getAttribute('data-seen')).toBe('before')
  expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0)
  // The button is gone; whoever was on it is on its message.
  expect(await messages.first().evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true)
})

test('a select is answered to its person alone, who puts the answer away on every page', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const ana = await openPage(workspace.url)
  const anaToo = await openPage(workspace.url)
  await ana.getByRole('combobox', { name: 'Mute' }).click()
  await ana.getByRole('option', { name: '1 hour' }).click()
  for (const page of [ana, anaToo]) {
    const answer = page.locator('.message', { hasText: 'Muted for 1 hour.' })
    await answer.getByText('Only visible to you').waitFor()
  }
  await anaToo.getByLabel('Act as').selectOption('Ben Okafor')
  await expect.poll(() => anaToo.locator('.message').getByText('Muted for 1 hour.').count()).toBe(0)
  await anaToo.locator('.message').getByText('Disk on db-1').waitFor()

  await ana.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => ana.locator('.message').getByText('Muted for 1 hour.').count()).toBe(0)
  expect(workspace.ephemerals('ana')).toEqual([])
})

test('two pages stay in step, and a reload keeps everything', async () => {
  const { workspace, card, close } = await openStage()
  const ts = await card('Disk on db-1')
  const pages = [await openPage(workspace.url), await openPage(workspace.url, { width: 390 })]
  for (const page of pages) await page.locator('.message').getByText('Disk on db-1').waitFor()
  await close(ts, 'Disk on db-1')
  for (const page of pages) await page.locator('.message').getByText('ended after 4 min').waitFor()

  const [page] = pages
  if (page === undefined) throw new Error('there is no page')
  // Whoever is chosen acts from then on, not once everything has been loaded for them.
  const { promise: loading, resolve: load } = Promise.withResolvers<void>()
  await page.route('**/control/state', async (route) => {
    await loading
    await route.continue()
  })
  await page.getByLabel('Act as').selectOption('Cleo Tanaka')
  await page.getByRole('link', { name: 'db' }).click()
  await page.getByRole('textbox', { name: 'Message #db' }).fill('half a thought')
  load()
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await page.getByRole('heading', { name: '#db' }).waitFor()
  expect(await page.getByLabel('Act as').evaluate((node: { value?: string }) => node.value)).toBe(
    'U0CLEO0001',
  )
  const composer = page.getByRole('textbox', { name: 'Message #db' })
  await expect.poll(() => composer.inputValue()).toBe('half a thought')
})

test('an app that is gone is said to be gone, where it was asked', async () => {
  const { workspace, card, leave } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url, { expected: [/409 \(Conflict\)/] })
  await page.locator('.message').getByText('Disk on db-1').waitFor()
  await leave()
  await page.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByText('The app is not connected (dispatch_failed).').waitFor()
})
