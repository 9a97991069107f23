/** The page in a real browser: what somebody does with it from the first look to the last, at both widths. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { expectAccessible, openPage } from './browser.ts'
import { greetAtHome, openStage } from './small-bot.ts'

const phone = { width: 390, height: 844 }
const composerOf = (page: Page) => page.locator('.front').getByRole('textbox', { name: /^Message/ })
const isFocused = (locator: Locator) => locator.evaluate((node) => node === node.ownerDocument.activeElement)

async function say(page: Page, text: string): Promise<void> {
  await composerOf(page).fill(text)
  await page.keyboard.press('Enter')
}

/** Waits until a message begins in sight. */
async function expectInSight(page: Page, words: string): Promise<void> {
  const pane = page.locator('.front .scroller')
  const headline = pane.getByText(words).last()
  await expect
    .poll(async () => {
      const [around, box] = [await pane.boundingBox(), await headline.boundingBox()]
      return around && box && box.y >= around.y && box.y < around.y + around.height - 20
    })
    .toBe(true)
}

test('a card is acknowledged in place, with the focus kept, and ends as a green line', async () => {
  const { workspace, card, close } = await openStage()
  const page = await openPage(workspace.url)
  await page.getByText('Nothing has been said here yet.').waitFor()
  const ts = await card('Load Average on web-1')
  const acknowledge = page.getByRole('button', { name: 'Acknowledge' })
  await acknowledge.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Acknowledged by @ana').waitFor()
  expect(await isFocused(acknowledge)).toBe(true)
  await close(ts, 'Load Average on web-1')
  await page.getByText('🟢 Load Average on web-1 ended after 4 min').waitFor()
  expect(await page.locator('.front .message').count()).toBe(1)
  // The button is gone; whoever was on it is on its message.
  expect(await isFocused(page.locator('.message-body'))).toBe(true)
})

test('a menu is answered to its person alone, who puts the answer away', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const ana = await openPage(workspace.url)
  await ana.getByRole('combobox', { name: 'Mute' }).selectOption('1 hour')
  const answer = ana.locator('.message', { hasText: 'Muted for 1 hour.' })
  await answer.getByText('Only visible to you').waitFor()
  await ana.getByLabel('Act as').selectOption('Ben Okafor')
  await expect.poll(() => answer.count()).toBe(0)
  await ana.getByText('Disk on db-1').waitFor()
  await ana.getByLabel('Act as').selectOption('Ana Costa')
  await answer.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => answer.count()).toBe(0)
  expect(workspace.ephemerals('ana')).toEqual([])
})

test('a form says what is missing and what the bot refuses, keeps what was typed, and is sent', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url)
  await page.getByRole('combobox', { name: 'More…' }).selectOption('Note…')
  const dialog = page.getByRole('dialog', { name: 'Add a note' })
  const note = dialog.getByRole('textbox', { name: 'Note' })
  await expect.poll(() => isFocused(note)).toBe(true)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  expect(await dialog.getByText('Please fill this in.').count()).toBe(2)
  await note.fill('short')
  await dialog.getByRole('combobox', { name: 'For whom' }).selectOption('Ben Okafor')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Say it in more than one word.').waitFor()
  await expectAccessible(page)
  await note.fill('the log rotation')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('to @ben: the log rotation').waitFor()
  expect(await dialog.count()).toBe(0)
})

describe.each([
  ['wide', {}],
  ['on a phone', phone],
])('%s', (_, size) => {
  test('the newest unacknowledged card is seen first, with its headline, and is one press away later', async () => {
    const { workspace, bot, card } = await openStage()
    const talk = async (count: number) => {
      for (let n = 0; n < count; n += 1)
        await bot.client.chat.postMessage({ channel: '#alerts', text: `talk ${n}` })
    }
    await talk(30)
    await card('Disk on db-1')
    await talk(30)
    const page = await openPage(workspace.url, size)
    await expectInSight(page, 'Disk on db-1')
    await page.evaluate("document.querySelector('.front .scroller').scrollTo(0, 0)")
    await page.getByRole('button', { name: 'Newest unacknowledged' }).click()
    await expectInSight(page, 'Disk on db-1')
  })

  test('a long answer opens at its top, and what comes at the end is followed', async () => {
    const { workspace, bot } = await openStage()
    const page = await openPage(workspace.url, size)
    const lines = Array.from({ length: 60 }, (_line, n) => `line ${n}`).join('\n')
    await bot.client.chat.postMessage({ channel: '#alerts', text: `the first\n${lines}` })
    await expectInSight(page, 'the first')
    await bot.client.chat.postMessage({ channel: '#alerts', text: 'the last' })
    await expectInSight(page, 'the last')
    // As a picture that comes late.
    await page.evaluate("[...document.querySelectorAll('.front .message')].at(-1).style.paddingTop = '300px'")
    await expectInSight(page, 'the last')
  })

  test('what there is can be reached, and axe finds nothing', async () => {
    const { workspace, bot, card } = await openStage()
    greetAtHome(bot)
    const ts = await card('Disk on db-1')
    await bot.client.pins.add({ channel: 'C0ALERTS01', timestamp: ts })
    const row = Array.from({ length: 12 }, (_cell, n) => ({ type: 'raw_text' as const, text: `column-${n}` }))
    await bot.client.chat.postMessage({ channel: '#alerts', blocks: [{ type: 'table', rows: [row, row] }] })
    const page = await openPage(workspace.url, size)
    await page.getByRole('link', { name: 'Board' }).click()
    const thread = page.getByRole('complementary', { name: 'Thread' })
    await thread.getByText('Disk on db-1').waitFor()
    await thread.getByRole('textbox', { name: 'Reply…' }).fill('@ben, look')
    await page.keyboard.press('Enter')
    await thread.locator('.mention').getByText('@ben').waitFor()
    await expectAccessible(page)
    await page.goto(`${workspace.url}#/list`)
    await page.getByRole('link', { name: 'monbot · Home' }).click()
    await page.getByText('Hello @ana, all is well.').waitFor()
    await expectAccessible(page)
    await page.goto(`${workspace.url}#/C0ALERTS01`)
    await page.locator('.front .thread-link').getByText('1 reply').waitFor()
    await page.getByRole('cell', { name: 'column-11' }).waitFor()
    // The table scrolls, and nothing around it.
    const isWide = (selector: string) =>
      page.locator(selector).evaluate((node) => node.scrollWidth > node.clientWidth)
    expect([await isWide('.table'), await isWide('.front .scroller'), await isWide('html')]).toEqual([
      true,
      false,
      false,
    ])
    await expectAccessible(page)
  })
})

test('in the dark axe finds nothing either', async () => {
  const { workspace, card } = await openStage()
  await card('Disk on db-1')
  const page = await openPage(workspace.url, { colorScheme: 'dark' })
  await page.getByText('Disk on db-1').waitFor()
  await expectAccessible(page)
})

test('commands, and who does not answer them', async () => {
  const { workspace, leave } = await openStage()
  const page = await openPage(workspace.url, { expected: [/409 \(Conflict\)/] })
  await composerOf(page).fill('/m')
  await page.getByText('/mon [help | status | alerts | mute]').waitFor()
  await say(page, '/mon alerts')
  await page.locator('.message').getByText('No open alerts.').waitFor()
  await leave()
  await say(page, '/mon alerts')
  await page.getByText('/mon failed. The app is not connected (dispatch_failed).').waitFor()
  expect(await composerOf(page).inputValue()).toBe('/mon alerts')
})

test('a lost connection is said, and what came meanwhile is there once it is back', async () => {
  const { workspace, card } = await openStage()
  const page = await openPage(workspace.url, { expected: [/ERR_INTERNET_DISCONNECTED|Failed to load/] })
  await page.getByText('Nothing has been said here yet.').waitFor()
  await page.context().setOffline(true)
  await page.evaluate("window.dispatchEvent(new Event('pagehide'))")
  await page.getByText('Connection lost.').waitFor()
  await card('Disk on db-1')
  await page.context().setOffline(false)
  await page.getByText('Disk on db-1').waitFor()
  await expect.poll(() => page.getByText('Connection lost.').count()).toBe(0)
})

test('what is written elsewhere is counted until it is looked at', async () => {
  const { workspace, bot } = await openStage()
  const page = await openPage(workspace.url)
  await page.getByText('Nothing has been said here yet.').waitFor()
  for (const text of ['one', 'two']) await bot.client.chat.postMessage({ channel: '#db', text })
  const db = page.getByRole('link', { name: /^db/ })
  await db.getByText('2').waitFor()
  await db.click()
  await page.locator('.front').getByText('two').waitFor()
  expect(await db.textContent()).toContain('db')
  expect(await db.getByText('unread').count()).toBe(0)
})

test('what a bot sends disguises nothing', async () => {
  const { workspace, bot } = await openStage()
  const page = await openPage(workspace.url)
  const text =
    'ab <javascript:alert(1)|link> <https://a.example|named> `<b>` *<!date^1700000000^{date_short_pretty} {time}|then>*'
  await bot.client.chat.postMessage({ channel: '#alerts', text })
  const first = page.locator('.front .message').first()
  await first.getByRole('link', { name: 'named' }).waitFor()
  expect(await first.getByRole('link').count()).toBe(2)
  expect(await first.textContent()).toContain('ab <javascript:alert(1)|link> named <b> Nov')
  expect(await first.locator('strong time').textContent()).toMatch(/^Nov 14, 2023 \d\d:\d\d$/)
})
