/** Every block and element in a real browser: all of it is there, in light and dark, wide and narrow, accessible; and what its use tells, once, after asking. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actions, button, card, input, inputs, muteMenu, overflow, plain, texts } from './blocks-fixtures.ts'
import { expectTold, openGallery, openStage, type Stage } from './blocks-stage.ts'
import type { PageOptions } from './browser.ts'
import { expectAccessible } from './browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** axe-core tries out styles of its own, which the policy refuses; what the page itself does has an address. */
const expected = [/style-src.*\(:\d+\)$/]

test.each<PageOptions>([
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
])('everything is accessible and fits, $width wide and $colorScheme', async (options) => {
  const gallery = await openGallery(stage, { ...options, expected })
  await gallery.show([...card, ...texts])
  await expectAccessible(gallery.page)
  expect(await overhang(gallery.page)).toBe(0)
  await gallery.show(inputs, { surface: 'modal', errors: { reason_block: 'Say why.' } })
  await expectAccessible(gallery.page)
  expect(await overhang(gallery.page)).toBe(0)
})

test('open menus, waiting and an error are accessible, and stay inside a phone', async () => {
  const gallery = await openGallery(stage, { width: 390, height: 844, colorScheme: 'dark', expected })
  const { page } = gallery
  const look = async (): Promise<void> => {
    await expectAccessible(page)
    expect(await overhang(page)).toBe(0)
  }
  await gallery.show(card)
  await page.getByRole('combobox', { name: 'Mute' }).click()
  await look()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More actions' }).click()
  await look()
  await gallery.show(inputs, { surface: 'modal' })
  await page.getByRole('combobox', { name: 'Roles' }).click()
  await page.getByRole('option', { name: 'db-1' }).click()
  await page.getByRole('option', { name: 'web-1' }).click()
  await look()

  await gallery.show([actions(button('Delete', 'delete', { style: 'danger' }))])
  await gallery.answerWith('wait')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('[aria-busy=true]').waitFor()
  await look()
  await gallery.finish()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await gallery.answerWith('monbot did not answer in time.')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alert').waitFor()
  await look()
})

/** How far anything stands out over the right edge, in pixels. */
function overhang(page: Awaited<ReturnType<typeof openGallery>>['page']): Promise<number> {
  return page.evaluate<number>(
    `Math.max(0, document.documentElement.scrollWidth - innerWidth,
      ...[...document.querySelectorAll(':popover-open, dialog[open]')].map((one) => one.getBoundingClientRect().right - innerWidth))`,
  )
}

describe('what is there', () => {
  test('a card: headline with its link, local time, picture, state and buttons', async () => {
    const { page, show } = await openGallery(stage)
    await show(card)
    const text = await page.locator('#stage').innerText()
    expect(text).toContain('web-1 Load Average: last minute 3.5 (limit 3)')
    expect(text).toContain('Started today 14:00 · role web · 4th this week')
    expect(text).toContain('Muted by @ana until 15:00')
    const link = page.getByRole('link', { name: 'web-1', exact: true })
    expect(await link.getAttribute('rel')).toContain('noopener')
    expect(await link.getAttribute('target')).toBe('_blank')
    await page.getByRole('img', { name: /the metric around the time/ }).waitFor()
    await expect.poll(() => page.evaluate("document.querySelector('.bk-picture').naturalWidth")).toBe(480)
  })

  test('fields, and anything that the bot never sends as named JSON', async () => {
    const { page, show } = await openGallery(stage)
    await show(texts)
    expect(await page.locator('.bk-fields > *').allInnerTexts()).toEqual([
      'Server\nweb-1',
      'Role\nweb',
      'Value\n3.5',
      'Since\n14:00',
    ])
    await show([
      { type: 'hologram', depth: 3 },
      actions({ type: 'dial', action_id: 'dial' }),
      { type: 'section', text: { type: 'poem', text: 'x' } },
      'not even an object',
    ])
    const unknown = [
      ['Unknown block: hologram', '{\n  "type": "hologram",\n  "depth": 3\n}'],
      ['Unknown element: dial', '{\n  "type": "dial",\n  "action_id": "dial"\n}'],
      ['Unknown text: poem', '{\n  "type": "poem",\n  "text": "x"\n}'],
      ['Unknown block', '"not even an object"'],
    ] as const
    for (const [name, json] of unknown) {
      const details = page.locator('details', { has: page.getByText(name, { exact: true }) })
      await details.locator('summary').click()
      expect(await details.locator('pre').innerText()).toBe(json)
    }
  })

  test('the words of a picture stand where it cannot be shown: gone or private', async () => {
    const { page, show } = await openGallery(stage, { expected: [/404/] })
    const image = (alt_text: string, from: object) => ({ type: 'image', alt_text, ...from })
    await show([
      image('gone', { slack_file: { id: 'F99999999' } }),
      image('private', { image_url: 'http://10.0.0.1/x.png' }),
      image('script', { image_url: 'javascript:alert(1)' }),
    ])
    await expect
      .poll(() => page.locator('.bk-no-image').allInnerTexts())
      .toEqual(['gone', 'private', 'script'].map((words) => `🖼️ ${words} · file not found`))
  })

  test('an input ties its label, hint and error to the field', async () => {
    const { page, show } = await openGallery(stage)
    const reason = { type: 'plain_text_input', action_id: 'reason' }
    await show([input('Reason', reason, { hint: plain('Shown to all') })], {
      surface: 'modal',
      errors: { reason_block: 'Say why.' },
    })
    const field = page.getByRole('textbox', { name: 'Reason' })
    const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
    const described = await Promise.all(ids.map((id) => page.locator(`#${id}`).innerText()))
    expect(described).toEqual(['Say why.', 'Shown to all'])
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('Reason', { exact: true }).click()
    expect(await page.locator('textarea:focus, input:focus').getAttribute('aria-describedby')).toBe(
      ids.join(' '),
    )
  })
})

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
