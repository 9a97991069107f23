/** Menus, selects, boxes and pickers in a real browser: by mouse and by keyboard, and what they tell. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actions, card, muteMenu, option, plain } from './blocks-fixtures.ts'
import { openGallery, openStage, type Stage } from './blocks-stage.ts'
import { expectTold } from './blocks-told.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('by keyboard alone: arrows, letters, Enter, and Escape gives the focus back', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show(card)
  const mute = page.getByRole('combobox', { name: 'Mute' })
  await mute.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.bk-select:focus').count()).toBe(1)
  expect(await mute.getAttribute('aria-expanded')).toBe('false')
  expect(await gallery.actions()).toEqual([])
  await page.keyboard.press('Enter')
  await page.keyboard.press('u')
  await page.keyboard.press('u')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'More actions' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expectTold(gallery, card, [
    { actionId: 'mute_server', blockId: 'row', choice: 'd5' },
    { actionId: 'more', blockId: 'row', choice: 'add_note' },
  ])
})

test('an external select asks the bot: not too early, not for every key, and takes the whole option', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const blocks = [actions({ type: 'external_select', action_id: 'server', min_query_length: 2 })]
  await gallery.show(blocks)
  await page.getByRole('combobox', { name: 'Choose one' }).click()
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
      choice: { text: { type: 'plain_text', text: 'web-2' }, value: 'id-web-2' },
    },
  ])
  await gallery.answerWith('too slow')
  await page.getByRole('combobox', { name: 'Choose one' }).click()
  await page.keyboard.type('db')
  await page.getByText('Loading failed: too slow').waitFor()
})

test('suggestions that come late do not take the place of newer ones', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  await gallery.show([actions({ type: 'external_select', action_id: 'server', min_query_length: 0 })])
  await gallery.answerWith('wait')
  await page.getByRole('combobox', { name: 'Choose one' }).click()
  await expect.poll(() => gallery.queries()).toHaveLength(1)
  await gallery.answerWith('ok')
  await page.keyboard.type('db')
  await page.getByRole('option', { name: 'db-1' }).waitFor()
  await gallery.finish()
  expect(await page.getByRole('option').allInnerTexts()).toEqual(['db-1'])
})

test('selects of people and places, boxes and pickers', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const options = ['a', 'b', 'c'].map((one) => option(one))
  const blocks = [
    actions(
      { type: 'users_select', action_id: 'user', placeholder: plain('User') },
      { type: 'channels_select', action_id: 'channel', placeholder: plain('Channel') },
      {
        type: 'conversations_select',
        action_id: 'place',
        placeholder: plain('Place'),
        filter: { include: ['im'] },
      },
      {
        type: 'multi_static_select',
        action_id: 'many',
        placeholder: plain('Many'),
        options,
        max_selected_items: 2,
      },
      { type: 'checkboxes', action_id: 'checks', options, initial_options: [option('b')] },
      { type: 'radio_buttons', action_id: 'radio', options: options.map((one) => option(`r${one.value}`)) },
      { type: 'datepicker', action_id: 'date', placeholder: plain('Day') },
      { type: 'timepicker', action_id: 'time', placeholder: plain('Hour') },
      { type: 'datetimepicker', action_id: 'moment' },
    ),
    {
      type: 'context_actions',
      block_id: 'feedback',
      elements: [
        {
          type: 'feedback_buttons',
          action_id: 'thumbs',
          positive_button: { text: plain('Good'), value: 'good' },
          negative_button: { text: plain('Bad'), value: 'bad' },
        },
      ],
    },
  ]
  await gallery.show(blocks, { timeZone: 'Asia/Tokyo' })
  const pick = async (select: string, ...names: string[]): Promise<void> => {
    await page.getByRole('combobox', { name: select, exact: true }).click()
    // A press on what cannot be chosen any more is part of the story.
    for (const name of names) await page.getByRole('option', { name, exact: true }).click({ force: true })
    await page.keyboard.press('Escape')
  }
  await pick('User', '@ben')
  await pick('Channel', '#alerts')
  await pick('Place', '@ana')
  await pick('Many', 'c', 'a', 'b')
  await page.getByRole('checkbox', { name: 'c' }).check()
  await page.getByRole('radio', { name: 'ra' }).check()
  await page.getByLabel('Day').fill('2026-03-05')
  await page.getByLabel('Hour').fill('14:30')
  await page.getByLabel('Date and time').fill('2026-03-05T23:00')
  await page.getByRole('button', { name: 'Bad' }).click()
  const told = (actionId: string, choice: unknown, blockId = 'row') => ({ actionId, blockId, choice })
  await expectTold(gallery, blocks, [
    told('user', 'U2'),
    told('channel', 'C1'),
    told('place', 'D1'),
    told('many', ['c', 'a']),
    told('checks', ['b', 'c']),
    told('radio', 'ra'),
    told('date', '2026-03-05'),
    told('time', '14:30'),
    told('moment', '1772719200'),
    told('thumbs', 'bad', 'feedback'),
  ])
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

test('several choices are told together when the list closes; a date once it is whole', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const options = ['a', 'b'].map((one) => option(one))
  await gallery.show([
    actions(
      { type: 'multi_static_select', action_id: 'many', placeholder: plain('Many'), options },
      { type: 'datepicker', action_id: 'date', initial_date: '2026-03-05' },
    ),
  ])
  await page.getByRole('combobox', { name: 'Many' }).click()
  await page.getByRole('option', { name: 'a' }).click()
  await page.getByRole('option', { name: 'b' }).click()
  await page.getByRole('option', { name: 'b' }).click()
  expect(await gallery.actions()).toEqual([])
  await page.keyboard.press('Escape')
  // Every step of an arrow key makes another date, wherever the locale puts day and month.
  const day = page.getByLabel('Date')
  await day.press('ArrowUp')
  await day.press('ArrowUp')
  expect(await gallery.actions()).toHaveLength(1)
  await day.press('Enter')
  await expect
    .poll(() => gallery.actions())
    .toEqual([
      { actionId: 'many', blockId: 'row', choice: ['a'] },
      { actionId: 'date', blockId: 'row', choice: await day.inputValue() },
    ])
})
