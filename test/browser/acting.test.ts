/** Acting in the browser: receipts that one person sees, modals that take their time, Home, threads. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { handback, listenToActs } from './acting-bot.ts'
import { openPage } from './browser.ts'
import { openStage } from './small-bot.ts'

async function open() {
  const shortcut = { callbackId: 'mute_server', name: 'Mute this server', type: 'message' as const }
  const stage = await openStage({ shortcuts: [shortcut] })
  const acted = listenToActs(stage.bot)
  const page = await openPage(stage.workspace.url)
  await page.getByText('Nothing has been said here yet.').waitFor()
  return { ...stage, ...acted, page }
}

async function type(page: Page, text: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message #alerts' })
  await composer.fill(text)
  await composer.press('Enter')
}

test('a receipt is confirmed and undone: one message that changes, for its person alone', async () => {
  const { page, workspace } = await open()
  await type(page, '/monitor mute web-*')
  const receipt = page.locator('.front .message', { hasText: 'Only visible to you' })
  await receipt.getByText('14 last week').waitFor()
  await receipt.getByRole('button', { name: 'Mute 3 servers' }).click()
  await receipt.getByText('3 servers are muted until 15:00.').waitFor()
  expect(await receipt.count()).toBe(1)
  expect(await receipt.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await receipt.getByRole('button', { name: 'Undo' }).click()
  await receipt.getByText('Undone: nothing is muted.').waitFor()
  expect(await receipt.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  expect(workspace.ephemerals('ana')).toHaveLength(1)
  expect(workspace.messages('alerts')).toEqual([])
})

test('a shortcut opens a modal with suggested roles, which shows errors, works on it, and tells how it ended', async () => {
  const { page, card, heard, finish } = await open()
  await card('Disk on web-1')
  const message = page.locator('.front .message', { hasText: 'Disk on web-1' })
  await message.hover()
  await message.getByRole('button', { name: 'More message actions' }).click()
  await page.getByRole('menuitem', { name: 'Mute this server' }).click()
  const modal = page.getByRole('dialog', { name: 'Add roles' })
  await modal.getByRole('combobox', { name: 'Roles' }).click()
  for (const letters of ['db', 'we']) {
    await page.keyboard.type(letters)
    await page.getByRole('option', { name: letters === 'db' ? 'role db' : 'role web', exact: true }).click()
  }
  await page.keyboard.press('Escape')
  await modal.getByRole('textbox', { name: 'New roles' }).fill('not a role')
  await modal.getByRole('button', { name: 'Add' }).click()
  await modal.getByText('A role has no spaces.').waitFor()
  expect(await modal.locator('.bk-chip').allInnerTexts()).toEqual(['role db', 'role web'])

  await modal.getByRole('textbox', { name: 'New roles' }).fill('')
  await modal.getByRole('button', { name: 'Add' }).click()
  await modal.getByText('Working on it…').waitFor()
  expect(await modal.getByRole('button', { name: 'Add' }).count()).toBe(0)
  const role = (name: string) => ({
    text: { type: 'plain_text', text: `role ${name}` },
    value: name,
  })
  expect(heard.at(-1)).toMatchObject([role('db'), role('web')])
  finish()
  await modal.getByText('web-1 has the roles db and web now.').waitFor()
  await modal.getByRole('button', { name: 'Close', exact: true }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

test('the Home tab is published for whoever opens it, and its buttons act and change it in place', async () => {
  const { page, heard } = await open()
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'monbot' }).click()
  await page.getByText('web-1 is muted by @ben').waitFor()
  await page.getByRole('button', { name: 'Unmute' }).click()
  await page.getByText('Nothing is muted.').waitFor()
  expect(await page.getByText('is muted by').count()).toBe(0)
  expect(heard).toEqual(['server:web-1'])
  await page.getByLabel('Act as').selectOption('Ben Okafor')
  await page.getByText('web-1 is muted by @ben').waitFor()
})

test('notes and a hand-back stand in the thread of a card, and the answer to a button there too', async () => {
  const { page, card, bot } = await open()
  const ts = await card('Disk on web-1')
  const say = (text: string, blocks?: typeof handback) =>
    bot.client.chat.postMessage({ channel: '#alerts', thread_ts: ts, text, ...(blocks && { blocks }) })
  await say('Note by <@U0BEN00001>: rebooting it now')
  await say('The mute of web-1 ends in 10 minutes.', handback)
  await page.getByRole('link', { name: /2 replies/ }).click()
  const thread = page.getByRole('complementary', { name: 'Thread' })
  await thread.getByText('Note by @ben: rebooting it now').waitFor()
  await thread.getByRole('button', { name: 'Extend 1 h' }).click()
  await thread.getByText('Muted one hour longer.').waitFor()
  expect(await page.locator('.front').getByText('Muted one hour longer.').count()).toBe(0)
})
