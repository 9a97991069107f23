/** What a modal holds, in a real browser: read as `/control/submit` takes it, kept from before, and checked before it goes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputs, option } from './blocks-fixtures.ts'
import { openGallery, openStage, type Stage } from './blocks-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

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
