/** A storm: 200 cards, of which one changes in place, and nothing is built twice. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { openStage, redCard } from './small-bot.ts'

const cards = 200
/** A card is about 40 elements; more would be work that nobody sees. */
const elementsPerCardMax = 60

test('200 cards stand, scroll and change one by one', async () => {
  const { workspace, bot } = await openStage()
  const stamps: string[] = []
  for (let at = 0; at < cards; at += 1) {
    const { ts = '' } = await bot.client.chat.postMessage({
      channel: '#alerts',
      ...redCard(`Load on web-${at}`),
    })
    stamps.push(ts)
  }
  const page = await openPage(workspace.url)
  const messages = page.locator('.front .message')
  await messages.getByText('Load on web-199').waitFor()
  expect(await messages.count()).toBe(cards)
  const elements = await page.evaluate<number>("document.querySelectorAll('.front *').length")
  expect(elements / cards).toBeLessThan(elementsPerCardMax)
  await messages.last().waitFor()
  expect(await isInSight(messages.last())).toBe(true)

  // Every change of the list's children from here on is counted.
  await page.evaluate(`
    window.moved = 0
    new MutationObserver((changes) => { window.moved += changes.length })
      .observe(document.querySelector('.front .messages'), { childList: true })
  `)
  await page.mouse.move(640, 400)
  for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, -2_000)
  await expect.poll(() => isInSight(messages.first())).toBe(true)

  // While somebody reads above, what changes and what comes below moves nothing away from under their eyes.
  const before = await messages.first().boundingBox()
  const update = { channel: workspace.channel('alerts').id, ts: stamps[150] ?? '' }
  await bot.client.chat.update({ ...update, ...redCard('Load on web-150', ':eyes: Acknowledged') })
  await expect.poll(() => messages.nth(150).textContent()).toContain('Acknowledged')
  expect(await page.evaluate('window.moved')).toBe(0)
  await bot.client.chat.postMessage({ channel: '#alerts', ...redCard('Load on web-200') })
  await expect.poll(() => messages.count()).toBe(cards + 1)
  expect(await page.evaluate('window.moved')).toBe(1)
  expect(await messages.first().boundingBox()).toEqual(before)

  await messages.first().focus()
  await page.keyboard.press('End')
  await expect.poll(() => isInSight(messages.last())).toBe(true)
})

test('what is older than a page of history is loaded when it is asked for', async () => {
  const { workspace } = await openStage()
  for (let at = 0; at < 230; at += 1) {
    await workspace.acts.say({ user: 'ben', channel: '#alerts', text: `word ${at}` })
  }
  const page = await openPage(workspace.url)
  const messages = page.locator('.front .message')
  await messages.getByText('word 229').waitFor()
  expect(await messages.count()).toBe(200)
  await page.getByRole('button', { name: 'Show earlier messages' }).click()
  await expect.poll(() => messages.count()).toBe(230)
  expect(await messages.first().textContent()).toContain('word 0')
  expect(await page.getByRole('button', { name: 'Show earlier messages' }).isVisible()).toBe(false)
})

function isInSight(one: Locator): Promise<boolean> {
  return one.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect()
    const frame = node.closest('.scroller')?.getBoundingClientRect()
    return frame !== undefined && bottom > frame.top && top < frame.bottom
  })
}
