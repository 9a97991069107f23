/** Every block and element in a real browser: all of it is there, in light and dark, wide and narrow, and accessible. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { actions, button, card, input, inputs, plain, texts } from './blocks-fixtures.ts'
import { openGallery, openStage, type Stage } from './blocks-stage.ts'
import type { PageOptions } from './browser.ts'

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
      .toEqual(['🖼️ gone', '🖼️ private', '🖼️ script'])
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
