/** Using elements in a real browser: what they tell is what the workspace's control API takes, once, and in order. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choose, elementsIn } from '../../src/workspace/act/elements.ts'
import { actions, button, card, input, mrkdwn, muteMenu, option, overflow, plain } from './blocks-fixtures.ts'
import { type Action, type Gallery, openGallery, openStage, type Stage } from './blocks-stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** Waits for these actions, exactly, and asks the workspace whether the elements offer what was chosen. */
async function expectTold(
  gallery: Gallery,
  blocks: readonly object[],
  expected: readonly Action[],
): Promise<void> {
  await expect.poll(() => gallery.actions()).toEqual(expected)
  for (const { actionId, blockId, choice } of await gallery.actions()) {
    const element = elementsIn(blocks).find((one) => one.actionId === actionId && one.blockId === blockId)
    expect(element, actionId).toBeDefined()
    if (element !== undefined) {
      const verdict = choose(element, (choice ?? null) as Parameters<typeof choose>[1])
      expect(verdict, JSON.stringify(choice)).toMatchObject({ ok: true })
    }
  }
}

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
  expect(await page.getByRole('combobox', { name: 'Mute' }).innerText()).toContain('4 hours')
})

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

test('a confirmation asks first: no tells nothing and takes the choice back, yes tells it', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const confirm = {
    title: plain('Mute it?'),
    text: mrkdwn('*web-1*'),
    confirm: plain('Mute'),
    deny: plain('Keep'),
  }
  const menu = { ...muteMenu, confirm }
  await gallery.show([actions(menu, button('Go', 'go', { confirm }))])
  const pick = async (): Promise<void> => {
    await page.getByRole('combobox', { name: 'Mute' }).click()
    await page.getByRole('option', { name: '1 hour' }).click()
    await page.getByRole('dialog', { name: 'Mute it?' }).waitFor()
  }
  await pick()
  await page.getByRole('button', { name: 'Keep' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'Mute' }).innerText()).toBe('Mute')
  await page.getByRole('button', { name: 'Go' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => page.locator('.bk-button:focus').innerText()).toBe('Go')
  expect(await gallery.actions()).toEqual([])
  await pick()
  await page.getByRole('button', { name: 'Mute', exact: true }).click()
  await expectTold(gallery, [actions(menu)], [{ actionId: 'mute_server', blockId: 'row', choice: 'd1' }])
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

test('an input tells nothing until it is sent, unless it dispatches: then on Enter, or with every character', async () => {
  const gallery = await openGallery(stage)
  const { page } = gallery
  const field = (action_id: string, more: object = {}) => ({ type: 'plain_text_input', action_id, ...more })
  const dispatch = { dispatch_action: true }
  const typing = { dispatch_action_config: { trigger_actions_on: ['on_character_entered'] } }
  const blocks = [
    input('Quiet', field('quiet')),
    input('Enter', field('enter'), dispatch),
    input('Each', field('each', typing), dispatch),
  ]
  await gallery.show(blocks, { surface: 'modal' })
  await page.getByLabel('Quiet').fill('one')
  await page.getByLabel('Quiet').press('Enter')
  await page.getByLabel('Enter').fill('two')
  await page.getByLabel('Enter').press('Enter')
  await page.getByLabel('Each').fill('three')
  await expectTold(gallery, blocks, [
    { actionId: 'enter', blockId: 'enter_block', choice: 'two' },
    { actionId: 'each', blockId: 'each_block', choice: 'three' },
  ])
})
