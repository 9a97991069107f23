/** What a modal holds, in a real browser: read as `/control/submit` takes it, kept from before, and checked before it goes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputs, option } from './blocks-fixtures.ts'
import { openGallery, openStage, type Stage } from './blocks-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('every input is there, filled in or not', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(inputs, { surface: 'modal' })
  expect(await gallery.values()).toEqual({
    reason_block: { reason: null },
    notes_block: { notes: null },
    count_block: { count: null },
    email_block: { email: null },
    address_block: { address: null },
    rich_block: { rich: null },
    duration_block: { duration: '1 hour' },
    roles_block: { roles: [] },
    server_block: { server: null },
    owner_block: { owner: 'U2' },
    where_block: { where: null },
    tell_block: { tell: ['me'] },
    kind_block: { kind: null },
    day_block: { day: '2026-03-05' },
    time_block: { time: null },
    moment_block: { moment: '1772719200' },
  })
  await page.getByLabel('Reason').fill('deploying')
  await page.getByLabel('Notes').fill('two\nlines')
  await page.getByLabel('How many').fill('3')
  await page.getByLabel('Words').fill('rich')
  await page.getByRole('combobox', { name: 'Roles' }).click()
  await page.getByRole('option', { name: 'cache' }).click()
  await page.getByRole('option', { name: 'edge' }).click()
  // The third of at most two is not taken.
  await page.getByRole('option', { name: 'web' }).click({ force: true })
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Where' }).click()
  await page.getByRole('option', { name: '#db' }).click()
  await page.getByRole('button', { name: 'Clear Where' }).click()
  await page.getByRole('radio', { name: 'Server' }).check()
  await page.getByLabel('Time').fill('08:15')
  expect(await gallery.values()).toMatchObject({
    reason_block: { reason: 'deploying' },
    notes_block: { notes: 'two\nlines' },
    count_block: { count: '3' },
    rich_block: {
      rich: {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'rich' }] }],
      },
    },
    roles_block: { roles: ['cache', 'edge'] },
    where_block: { where: null },
    kind_block: { kind: 'server' },
    time_block: { time: '08:15' },
  })
  expect(await gallery.actions()).toEqual([])
})

test('what a view holds already lies over what the elements begin with', async () => {
  const gallery = await openGallery(stage)
  await gallery.show(inputs, {
    surface: 'modal',
    values: {
      reason_block: { reason: { type: 'plain_text_input', value: 'kept' } },
      duration_block: { duration: { type: 'static_select', selected_option: option('30 minutes') } },
      roles_block: { roles: { type: 'multi_static_select', selected_options: [option('db')] } },
      owner_block: { owner: { type: 'users_select', selected_user: null } },
      tell_block: { tell: { type: 'checkboxes', selected_options: [] } },
      moment_block: { moment: { type: 'datetimepicker', selected_date_time: 1_772_722_800 } },
    },
  })
  expect(await gallery.values()).toMatchObject({
    reason_block: { reason: 'kept' },
    duration_block: { duration: '30 minutes' },
    roles_block: { roles: ['db'] },
    owner_block: { owner: null },
    tell_block: { tell: [] },
    moment_block: { moment: '1772722800' },
  })
})

test('what is missing or wrong is told before it is sent, and errors leave what was typed alone', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(inputs, { surface: 'modal' })
  await page.getByLabel('Reason').fill('no')
  await page.getByLabel('E-mail').fill('nobody')
  await page.getByLabel('How many').fill('0')
  const errors = await gallery.check()
  expect(errors).toMatchObject({
    reason_block: 'Expected at least 3 characters, got 2.',
    email_block: expect.stringContaining('@'),
    count_block: expect.stringContaining('1'),
    server_block: 'Please fill this in.',
    kind_block: 'Please fill this in.',
    time_block: 'Please fill this in.',
  })
  expect(errors).not.toHaveProperty('notes_block')
  await gallery.showErrors({ reason_block: 'Too short.' })
  const reason = page.getByLabel('Reason')
  expect(await reason.inputValue()).toBe('no')
  expect(await reason.getAttribute('aria-invalid')).toBe('true')
  await page.getByText('Too short.').waitFor()
  expect(await page.locator('.bk-field:focus').inputValue()).toBe('no')
  await gallery.showErrors({})
  expect(await reason.getAttribute('aria-invalid')).toBeNull()
  await page.getByText('Too short.').waitFor({ state: 'detached' })
})
