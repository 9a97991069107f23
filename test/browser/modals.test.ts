/** Modals in the browser. */
import { expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { openStage } from './small-bot.ts'

test('an overflow menu opens a modal, which shows its errors and then succeeds', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url)
  await page.locator('.message-body').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Note…' }).click()
  const modal = page.getByRole('dialog', { name: 'Add a note' })
  const note = modal.getByRole('textbox', { name: 'Note' })
  await note.fill('rebooting')

  await modal.getByRole('button', { name: 'Add' }).click()
  await modal.getByText('Please fill this in.').waitFor()

  await modal.getByRole('combobox', { name: 'Server' }).click()
  await page.keyboard.type('web')
  await page.getByRole('option', { name: 'web-2' }).click()
  await modal.getByRole('button', { name: 'Add' }).click()
  await modal.getByText('Say it in more than one word.').waitFor()
  expect(await note.inputValue()).toBe('rebooting')
  expect(await note.getAttribute('aria-invalid')).toBe('true')

  await note.fill('rebooting it now')
  await modal.getByRole('button', { name: 'Add' }).click()
  await page.getByText('@ana on web-2: rebooting it now').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

test('a shortcut of a message opens a modal, and Escape closes it and gives the focus back', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url)
  const message = page.locator('.message', { hasText: 'Disk on db-1' })
  await message.focus()
  const more = message.getByRole('button', { name: 'More message actions' })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Add a note' }).press('Enter')
  const note = page.getByRole('dialog', { name: 'Add a note' }).getByRole('textbox', { name: 'Note' })
  await expect.poll(() => note.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect.poll(() => workspace.modals('ana').length).toBe(0)
  await expect.poll(() => more.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true)
})

test('what was typed stays when the bot updates the modal, as far as the ids stay', async () => {
  const { workspace, card, bot } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url)
  await page.locator('.message-body').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Note…' }).click()
  const modal = page.getByRole('dialog')
  await modal.getByRole('textbox', { name: 'Note' }).fill('half a note')
  const [view] = workspace.modals('ana')
  await bot.client.views.update({
    view_id: String(view?.id),
    view: {
      type: 'modal',
      callback_id: 'note',
      title: { type: 'plain_text', text: 'Add a note' },
      submit: { type: 'plain_text', text: 'Add' },
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'This alert has just closed.' } },
        {
          type: 'input',
          block_id: 'note',
          label: { type: 'plain_text', text: 'Note for the closed alert' },
          element: { type: 'plain_text_input', action_id: 'text', multiline: true },
        },
        {
          type: 'input',
          block_id: 'other',
          optional: true,
          label: { type: 'plain_text', text: 'Other' },
          element: { type: 'plain_text_input', action_id: 'text' },
        },
      ],
    },
  })
  await modal.getByText('This alert has just closed.').waitFor()
  expect(await modal.getByRole('textbox', { name: 'Note for the closed alert' }).inputValue()).toBe(
    'half a note',
  )
  expect(await modal.getByRole('textbox', { name: 'Other' }).inputValue()).toBe('')
})

test('an app that does not answer a modal leaves it open, with words and with what was typed', async () => {
  const { workspace, card, leave } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url, { expected: [/409 \(Conflict\)/] })
  await page.locator('.message-body').getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Note…' }).click()
  const modal = page.getByRole('dialog')
  await modal.getByRole('textbox', { name: 'Note' }).fill('rebooting it now')
  await modal.getByRole('combobox', { name: 'Server' }).click()
  await page.keyboard.type('db')
  await page.getByRole('option', { name: 'db-1' }).click()
  await leave()
  await modal.getByRole('button', { name: 'Add' }).click()
  await modal.getByText('The app is not connected (dispatch_failed).').waitFor()
  expect(await modal.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('rebooting it now')
  await modal.getByRole('button', { name: 'Not now' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})
