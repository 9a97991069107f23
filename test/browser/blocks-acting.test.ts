/** Using elements in a real browser: what they tell is what the workspace's control API takes, once, and after asking. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actions, button, card, muteMenu, overflow } from './blocks-fixtures.ts'
import { openGallery, openStage, type Stage } from './blocks-stage.ts'
import { expectTold } from './blocks-told.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('the buttons and menus of a card', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(card)
  await page.getByRole('button', { name: 'Acknowledge' }).click()
  await page.getByRole('combobox', { name: 'Mute' }).click()
  await page.getByRole('option', { name: '4 hours', exact: true }).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Note…' }).click()
  await expectTold(gallery, card, [
    { actionId: 'acknowledge', blockId: 'row' },
    { actionId: 'mute_server', blockId: 'row', choice: 'd2' },
    { actionId: 'more', blockId: 'row', choice: 'add_note' },
  ])
  expect(await page.locator('option:checked').innerText()).toBe('4 hours')
})

test('an element is busy until the bot has answered; a second press does nothing', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions(button('Go', 'go'))])
  await gallery.answerWith('wait')
  await page.getByRole('button', { name: 'Go' }).dblclick()
  await page.locator('[aria-busy=true]').waitFor()
  await page.getByRole('button', { name: 'Go' }).click()
  expect(await gallery.actions()).toEqual([{ actionId: 'go', blockId: 'row' }])
  await gallery.finish()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await gallery.answerWith('ok')
  await page.getByRole('button', { name: 'Go' }).click()
  await expect.poll(() => gallery.actions()).toHaveLength(2)
})

test('an error is told beside the element, and goes with the next try', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions(muteMenu, overflow)])
  await gallery.answerWith('operation_timeout: monbot did not answer')
  const pick = async (): Promise<void> => {
    await page.getByRole('combobox', { name: 'Mute' }).click()
    await page.getByRole('option', { name: '1 hour' }).click()
  }
  await pick()
  await page.getByRole('alert').getByText('operation_timeout: monbot did not answer').waitFor()
  await gallery.answerWith('ok')
  await pick()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await gallery.actions()).toHaveLength(2)
})

test('a button with an address opens it elsewhere, and still tells the bot', async () => {
  const gallery = await openGallery(stage)
  const url = new URL('/page/theme.css', stage.url).href
  await gallery.show([actions(button('Open', 'open', { url }))])
  const opened = gallery.page.waitForEvent('popup')
  await gallery.page.getByRole('link', { name: 'Open' }).click()
  expect((await opened).url()).toBe(url)
  await expect.poll(() => gallery.actions()).toEqual([{ actionId: 'open', blockId: 'row' }])
})

test('an updated card starts over, and the focus stays on its button', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions(button('Acknowledge', 'acknowledge'), muteMenu, button('Chart', 'chart'))])
  await page.getByRole('combobox', { name: 'Mute' }).click()
  await page.getByRole('option', { name: '1 hour' }).click()
  await gallery.answerWith('too late')
  await page.getByRole('button', { name: 'Chart' }).click()
  await page.getByRole('alert').getByText('too late').waitFor()
  const options = muteMenu.options.map((one) => ({ ...one, value: `${one.value}:8` }))
  const chart = button('Chart', 'chart', { value: '42:8' })
  await gallery.update([actions({ ...muteMenu, options }, chart)])
  await expect.poll(() => page.locator('option:checked').textContent()).toBe('Mute')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.locator(':focus').innerText()).toBe('Chart')
})
