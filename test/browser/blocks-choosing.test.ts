/** Menus, selects and fields in a real browser: by mouse and by keyboard, what they tell, and what a modal holds of them. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { actions, button, card, input, inputs, mrkdwn, muteMenu, option, plain } from './blocks-fixtures.ts'
import { expectTold, openGallery, openStage, type Stage } from './blocks-stage.ts'
import { expectAccessible } from './browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('by keyboard alone: arrows, Enter, and Escape gives the focus back', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(card)
  const mute = page.getByRole('combobox', { name: 'Mute' })
  await mute.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.bk-select:focus').count()).toBe(1)
  expect(await gallery.actions()).toEqual([])
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'More actions' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expectTold(gallery, card, [
    { actionId: 'mute_server', blockId: 'row', choice: 'd5' },
    { actionId: 'more', blockId: 'row', choice: 'drop_marker' },
  ])
})

test('what was chosen in a menu stays chosen until it comes in a block with another id', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const chosen = () => page.locator('.bk-select option:checked').textContent()
  const block = (id: string) => [{ ...actions(muteMenu), block_id: id }]
  await gallery.show(block('card|1'))
  const [prompt, first = ''] = await page.locator('.bk-select option').allTextContents()
  await page.getByRole('combobox').click()
  await page.getByRole('option', { name: first, exact: true }).click()
  await expect.poll(chosen).toBe(first)
  await gallery.update(block('card|1'))
  expect(await chosen()).toBe(first)
  await gallery.update(block('card|2'))
  await expect.poll(chosen).toBe(prompt)
})

test('the options of a menu stand under the names of their groups', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const groups = [
    { label: plain('Server'), options: [option('30 min', 'a'), option('1 h', 'b')] },
    { label: plain('This alert'), options: [option('1 h', 'c')] },
  ]
  const blocks = [actions({ type: 'static_select', action_id: 'mute', option_groups: groups })]
  await gallery.show(blocks)
  await page.getByRole('combobox').click()
  await page.locator('optgroup[label="This alert"]').getByRole('option', { name: '1 h' }).click()
  await expectTold(gallery, blocks, [{ actionId: 'mute', blockId: 'row', choice: 'c' }])
})

test('a press that asks first is told after a yes, and after no and Escape it is not', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const confirm = {
    title: plain('Delete web-2?'),
    text: mrkdwn('*web-2* goes with all its data.'),
    confirm: plain('Delete'),
    deny: plain('Cancel'),
    style: 'danger',
  }
  const blocks = [actions(button('Delete…', 'delete_server', { confirm }), { ...muteMenu, confirm })]
  await gallery.show(blocks)
  const dialog = page.getByRole('dialog', { name: 'Delete web-2?' })
  const press = page.getByRole('button', { name: 'Delete…' })
  await press.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await press.click()
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Cancel')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expectTold(gallery, blocks, [])
  await press.click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectTold(gallery, blocks, [{ actionId: 'delete_server', blockId: 'row' }])
  const menu = page.getByRole('combobox')
  const prompt = await menu.locator('option:checked').textContent()
  await menu.selectOption({ label: '1 hour' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => menu.locator('option:checked').textContent()).toBe(prompt)
  await expectTold(gallery, blocks, [{ actionId: 'delete_server', blockId: 'row' }])
})

test('an external select asks the bot: not too early, not for every key, and takes the whole option', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const blocks = [actions({ type: 'multi_external_select', action_id: 'server', min_query_length: 2 })]
  await gallery.show(blocks)
  await page.getByRole('combobox', { name: 'Choose some' }).click()
  await page.getByText('Type 2 more characters').waitFor()
  await page.keyboard.type('w')
  await page.getByText('Type 1 more character').waitFor()
  await page.keyboard.type('eb')
  await page.getByRole('option', { name: 'web-2' }).click()
  expect(await gallery.queries()).toEqual([{ actionId: 'server', blockId: 'row', value: 'web' }])
  await expectTold(gallery, blocks, [
    {
      actionId: 'server',
      blockId: 'row',
      choice: [{ text: { type: 'plain_text', text: 'web-2' }, value: 'id-web-2' }],
    },
  ])
  await gallery.answerWith('too slow')
  await page.getByRole('combobox', { name: 'Choose some' }).click()
  await page.keyboard.type('db')
  await page.getByText('Loading failed: too slow').waitFor()
})

test('suggestions that come late do not take the place of newer ones', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions({ type: 'multi_external_select', action_id: 'server', min_query_length: 0 })])
  await gallery.answerWith('wait')
  await page.getByRole('combobox', { name: 'Choose some' }).click()
  await expect.poll(() => gallery.queries()).toHaveLength(1)
  await gallery.answerWith('ok')
  await page.keyboard.type('db')
  await page.getByRole('option', { name: 'db-1' }).waitFor()
  await gallery.finish()
  expect(await page.getByRole('option').allInnerTexts()).toEqual(['db-1'])
})

test('several suggestions are chosen by keyboard alone, and the last one taken back', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const roles = { type: 'multi_external_select', action_id: 'roles', min_query_length: 0 }
  await gallery.show([input('Roles', roles)], { surface: 'modal' })
  const { keyboard } = page
  await page.getByRole('combobox', { name: 'Roles' }).focus()
  await keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'web-1' }).waitFor()
  await keyboard.press('Enter')
  await keyboard.press('ArrowUp')
  await keyboard.press('Enter')
  const chosen = () => page.getByRole('button', { name: 'Remove' }).allInnerTexts()
  await expect.poll(chosen).toEqual(['web-1', 'db-1'])
  await keyboard.press('Escape')
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
  await keyboard.press('Backspace')
  await expect.poll(chosen).toEqual(['web-1'])
  expect(await gallery.values()).toMatchObject({ roles_block: { roles: [{ value: 'id-web-1' }] } })
})

test('where every arrow key changes a closed select, only what Enter confirms is told', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(card)
  const mute = page.getByRole('combobox', { name: 'Mute' })
  const step = async (value: string): Promise<void> => {
    await mute.dispatchEvent('keydown', { key: 'ArrowDown' })
    await mute.selectOption(value)
  }
  await step('30 minutes')
  await step('1 hour')
  expect(await gallery.actions()).toEqual([])
  await mute.dispatchEvent('keydown', { key: 'Enter' })
  await expectTold(gallery, card, [{ actionId: 'mute_server', blockId: 'row', choice: 'd1' }])
})

test('in a modal, Escape closes the open menu first and the modal only then', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions(muteMenu)], { surface: 'modal' })
  await page.evaluate(`{
    const dialog = document.createElement('dialog')
    document.body.append(dialog)
    dialog.append(document.querySelector('#stage'))
    dialog.showModal()
  }`)
  await page.getByRole('combobox', { name: 'Mute' }).click()
  await page.getByRole('option', { name: '1 hour' }).hover()
  await page.keyboard.press('Escape')
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
  expect(await page.locator('dialog[open]').count()).toBe(1)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
})

test('a press elsewhere closes a menu, and opening one closes the other', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(card)
  await page.getByRole('combobox', { name: 'Mute' }).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menu').waitFor()
  expect(await page.locator(':popover-open').count()).toBe(1)
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  expect(await gallery.actions()).toEqual([])
})

const suggested = (name: string) => ({ text: { type: 'plain_text', text: name }, value: `id-${name}` })

test('every input is there, filled in or not', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(inputs, { surface: 'modal' })
  expect(await gallery.values()).toEqual({
    reason_block: { reason: null },
    notes_block: { notes: null },
    duration_block: { duration: '1 hour' },
    roles_block: { roles: [] },
    server_block: { server: [] },
  })
  await page.getByLabel('Reason').fill('deploying')
  await page.getByLabel('Notes').fill('two\nlines')
  await page.getByLabel('Duration').selectOption('1 day')
  const roles = page.getByRole('combobox', { name: 'Roles' })
  await roles.click()
  for (const name of ['web-1', 'db-1']) await page.getByRole('option', { name }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove web-1' }).click()
  await expect.poll(() => roles.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true)
  expect(await gallery.values()).toEqual({
    reason_block: { reason: 'deploying' },
    notes_block: { notes: 'two\nlines' },
    duration_block: { duration: '1 day' },
    roles_block: { roles: [suggested('db-1')] },
    server_block: { server: [] },
  })
  expect(await gallery.actions()).toEqual([])
})

test('what a view holds already lies over what the elements begin with, and what is typed over both', async () => {
  const gallery = await openGallery(stage)
  await gallery.show(inputs, {
    surface: 'modal',
    values: {
      reason_block: { reason: { type: 'plain_text_input', value: 'kept' } },
      duration_block: { duration: { type: 'static_select', selected_option: option('30 minutes') } },
      roles_block: { roles: { type: 'multi_external_select', selected_options: [suggested('db-1')] } },
    },
  })
  const values = {
    reason_block: { reason: 'kept' },
    duration_block: { duration: '30 minutes' },
    roles_block: { roles: [suggested('db-1')] },
  }
  expect(await gallery.values()).toMatchObject(values)
  await gallery.page.getByLabel('Reason').fill('typed')
  await gallery.update([{ type: 'divider', block_id: 'new' }, ...inputs.toReversed()])
  expect(await gallery.values()).toMatchObject({ ...values, reason_block: { reason: 'typed' } })
})

test('what is missing is told before it is sent, and errors leave what was typed alone', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(inputs, { surface: 'modal' })
  const missing = 'Please fill this in.'
  // A day cannot be chosen here, so nobody is held up by it.
  expect(await gallery.check()).toEqual({ reason_block: missing, server_block: missing })
  const reason = page.getByLabel('Reason')
  await reason.fill('no')
  expect(await gallery.check()).toEqual({ server_block: missing })
  await gallery.showErrors({ reason_block: 'Too short.' })
  expect(await reason.inputValue()).toBe('no')
  expect(await reason.getAttribute('aria-invalid')).toBe('true')
  await page.getByText('Too short.').waitFor()
  await gallery.showErrors({})
  expect(await reason.getAttribute('aria-invalid')).toBeNull()
  await page.getByText('Too short.').waitFor({ state: 'detached' })
})
