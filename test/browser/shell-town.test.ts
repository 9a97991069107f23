/** The town beside the messages: folded away and remembered, a column of its own on a phone. */
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { openPage } from './browser.ts'
import { openTownStage } from './town-stage.ts'

test('the town stands beside the messages, gives way to a thread, and stays folded', async () => {
  const { workspace } = await openTownStage()
  const { ts } = await workspace.acts.say({ user: 'ben', channel: '#alerts', text: 'a word' })
  const page = await openPage(workspace.url)
  const town = page.getByRole('complementary', { name: 'Demo controls' })
  await town.getByRole('button', { name: /CPU/ }).first().waitFor()
  await expectAccessible(page)
  await page.goto(`${workspace.url}#/${workspace.channel('alerts').id}/${ts}`)
  await page.getByRole('complementary', { name: 'Thread' }).getByText('a word').waitFor()
  expect(await town.isVisible()).toBe(false)
  await page.keyboard.press('Escape')
  await town.getByRole('button', { name: 'Fold the demo controls away' }).click()
  await page.reload()
  await town.getByRole('button', { name: 'Show the demo controls' }).waitFor()
  expect(await town.locator('.town').isVisible()).toBe(false)
})

test('one line says what this is and what to press first, until it is put away', async () => {
  const { workspace } = await openTownStage()
  const page = await openPage(workspace.url)
  const line = page.getByText('This is monbot in a local Slack.')
  const first = page
    .getByRole('complementary', { name: 'Demo controls' })
    .locator('[data-action="cpu-spike"] button')
  const name = (await first.innerText()).trim()
  expect(await line.locator('strong').allInnerTexts()).toEqual([name, 'Acknowledge'])
  await page.getByRole('button', { name: 'Dismiss the hint' }).click()
  await expect.poll(() => line.count()).toBe(0)
  await page.reload()
  await first.waitFor()
  expect(await line.count()).toBe(0)
})

test('on a phone the town is a column of its own', async () => {
  const { workspace } = await openTownStage()
  const page = await openPage(workspace.url, { width: 390, colorScheme: 'dark' })
  await page.getByRole('link', { name: 'Demo controls' }).click()
  const town = page.getByRole('complementary', { name: 'Demo controls' })
  await town.getByRole('button', { name: /CPU/ }).first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await expectAccessible(page)
  await page.goBack()
  await page.getByRole('textbox', { name: 'Message #alerts' }).waitFor()
})
