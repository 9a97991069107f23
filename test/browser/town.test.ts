/** The town pane in a real browser, with a real workspace and a real monitoring service; and its place in the page. */

import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, openPage } from './browser.ts'
import { apiKey, appToken, botToken, openTownPane, openTownStage, refreshMs } from './town-stage.ts'

/** axe-core copies what style sheets import into the document, in vain; a fault of the page's own has an address. */
const expected = [/style-src.*\(:\d+\)$/]

const card = (page: Page, id: string): Locator => page.locator(`[data-action="${id}"]`)
const press = (page: Page, id: string): Promise<void> => card(page, id).getByRole('button').click()
const row = (page: Page, server: string): Locator =>
  page.locator('.town-servers tbody tr', { has: page.getByRole('button', { name: server, exact: true }) })
/** Until when, by the clock, and for how long. */
const runs = /Running until \d\d:\d\d:\d\d, \d+\s(s|min)\sleft/
const logRows = (page: Page): Locator => page.locator('.town-row:visible')
const until = (what: string, ask: () => unknown) => expect.poll(ask, { message: what })
const words = (locator: Locator) => () => locator.innerText()

test('a button makes a server go wrong, the pane shows it, and the chart turns red above the limit', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  stage.service.openAlert({ server: 'web-2', plugin: 'CPU', metric: 'cpu_busy', value: 97.2 })
  await press(page, 'cpu-spike')
  await until('the button to run', words(card(page, 'cpu-spike'))).toMatch(runs)
  await page.getByRole('button', { name: 'web-2', exact: true }).click()
  await until('the chart of web-2', words(page.locator('#town-chart-title'))).toBe('CPU busy on web-2')
  await until('the limit to be met', words(page.locator('#town-chart-words'))).toContain('The limit is met')
  expect(await page.locator('.chart-line-above').count()).toBe(1)
  expect(await page.locator('.chart-limit text').textContent()).toBe('limit 90 %')
  await page.locator('.chart').hover()
  await until('the value under the pointer', words(page.locator('.town-readout'))).toMatch(
    /^\d\d:\d\d:\d\d · [\d.]+ %$/,
  )
  await until('the alert', words(page.locator('.town-list').first())).toContain('CPU on web-2')
  expect(await row(page, 'web-2').locator('td').last().innerText()).toBe('1')
  // A second page sees the same.
  const other = await openTownPane(stage)
  await until('the other page', words(card(other, 'cpu-spike'))).toMatch(runs)
})

test('mutes, no-data groups, the account switch and markers show without a reload', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await row(page, 'db-1').waitFor()
  await row(page, 'db-1').getByRole('button').click()
  await stage.api('/servers/db-1?notifications=false&no_data_notification_group=DBA%20night')
  await stage.api('/markers?notes=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E')
  await until('the mute', words(row(page, 'db-1'))).toMatch(/muted[\s\S]*no data: DBA night/)
  await until('the marker as text', words(page.locator('.town-chart-markers'))).toContain('<img src=x')
  expect(await page.locator('.chart-marker').count()).toBe(1)
  await stage.api('/account?notifications=false')
  await until('the account', words(page.locator('.town-account'))).toContain('whole account are off')
  await until('another server', words(row(page, 'web-1'))).toContain('account off')
})

test('what is simulated lasts three to five minutes, as its button says, and tells how long is left', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await page.locator('.town-card').first().waitFor()
  const ids = await page
    .locator('.town-card')
    .evaluateAll((cards: { dataset: { action: string } }[]) => cards.map(({ dataset }) => dataset.action))
  // One is a real load on this machine, the other over at once.
  const lasting = ids.filter((id) => id !== 'busy' && id !== 'plugin-oneoff')
  expect(lasting).toHaveLength(8)
  for (const id of lasting) {
    await press(page, id)
    await until(id, words(card(page, id))).toMatch(/([345]) min[\s\S]*Running until [\d:]{8}, \1\smin\sleft/)
    await page.getByRole('button', { name: 'Stop all faults' }).click()
  }
})

test('a storm is counted, and only a part of it is listed', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await press(page, 'storm')
  await until('the alerts', words(page.locator('.town'))).toContain('Open alerts (200)')
  await until('the rest', words(page.locator('.town'))).toContain('and 188 older ones')
  expect(await page.locator('.town-list').count()).toBe(12)
})

test('the service and Slack go wrong for a while, and all of it ends with one button', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await press(page, 'service-down')
  await press(page, 'rate-limit')
  await until('the service', words(card(page, 'service-down'))).toMatch(runs)
  await until('Slack', words(card(page, 'rate-limit'))).toMatch(runs)
  const channel = stage.workspace.channel('alerts').id
  expect(await stage.api('/alerts.json')).toBe(503)
  expect(await stage.slack('chat.postMessage', { channel, text: 'hello' })).toBe(429)
  await page.getByRole('button', { name: 'Stop all faults' }).click()
  await until('the end', words(page.locator('.town-told'))).toContain('Nothing goes wrong')
  await until('the buttons', () => page.locator('.town-runs').count()).toBe(0)
  expect(await stage.api('/alerts.json')).toBe(200)
  expect(await stage.slack('chat.postMessage', { channel, text: 'hello' })).toMatchObject({ ok: true })
})

test('the log is live, newest first, filtered by kind, and holds no token', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  const channel = stage.workspace.channel('alerts').id
  await stage.slack('chat.postMessage', { channel, text: `a message with ${botToken}` })
  await stage.slack(appToken, { channel: botToken })
  await until('two rows', () => logRows(page).count()).toBe(2)
  const [newest, oldest] = await logRows(page).allInnerTexts()
  expect(newest).toContain('[secret]')
  expect(newest).toContain('unknown_method')
  expect(oldest).toContain('chat.postMessage in #c0alerts01')
  await page.getByRole('button', { name: 'Only failures' }).click()
  expect(await logRows(page).count()).toBe(1)
  await press(page, 'rate-limit')
  await page.getByRole('button', { name: 'Only failures' }).click()
  await until('the fault', () => logRows(page).first().innerText()).toContain('chat.postMessage: ratelimited')
  await page.getByRole('button', { name: 'Web API' }).click()
  expect(await logRows(page).count()).toBe(1)
  await page.getByText('1 of 3 rows').waitFor()
  const all = await page.content()
  for (const secret of [apiKey, botToken, appToken, 'canary']) expect(all).not.toContain(secret)
})

test('a log of thousands stays at 500 rows', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await page.locator('.town-log').waitFor()
  for (let at = 0; at < 700; at += 1) {
    stage.workspace.events.emit({ type: 'api_call', method: `test.call${at}`, outcome: 'ok' })
  }
  await until('the newest', () => logRows(page).first().innerText()).toContain('test.call699')
  expect(await page.locator('.town-row').count()).toBe(500)
})

test('a service that stops is told in words; what was seen stays, and its buttons say why they fail', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage, { expected: [/status of 502/] })
  await row(page, 'web-1').waitFor()
  await stage.service.close()
  await until('the notice', words(page.locator('.town-notice'))).toContain('nothing listens at its address')
  await press(page, 'disk-fills')
  await until('the reason', words(card(page, 'disk-fills').getByRole('alert'))).toContain('It did not start.')
  expect(await row(page, 'web-1').count()).toBe(1)
})

test('without a monitoring service the pane says how to attach one, and still has Slack and the log', async () => {
  const stage = await openTownStage({ isAttached: false })
  const page = await openTownPane(stage)
  await until('the words', words(page.locator('.town-notice'))).toContain('MONITOR_CONTROL_URL')
  expect(await page.locator('.town-card').count()).toBe(1)
  await press(page, 'rate-limit')
  await until('Slack', words(card(page, 'rate-limit'))).toMatch(runs)
  await until('the log', () => logRows(page).count()).toBe(1)
})

test('nothing is asked while the pane is hidden, and at once when it is back', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await row(page, 'web-1').waitFor()
  let asked = 0
  page.on('request', () => {
    asked += 1
  })
  await page.locator('main').evaluate((main) => main.setAttribute('hidden', ''))
  await stage.api('/servers/web-1?notifications=false')
  /** How many were asked by the browser's own clock within three looks at the service and six at the log. */
  async function askedSince(before: number): Promise<number> {
    const clock = () => page.evaluate<number>('performance.now()')
    const startMs = await clock()
    await expect.poll(clock).toBeGreaterThan(startMs + refreshMs * 3)
    return asked - before
  }
  // A look that was on its way when the pane was hidden is still answered, and is the last.
  await until('the looks to end', () => askedSince(asked)).toBe(0)
  await page.locator('main').evaluate((main) => main.removeAttribute('hidden'))
  await until('the mute', words(row(page, 'web-1'))).toContain('muted')
})

test('the keyboard reaches everything, in the order of the page, and keeps its place', async () => {
  const stage = await openTownStage()
  const page = await openTownPane(stage)
  await row(page, 'web-1').waitFor()
  await page.keyboard.press('Tab')
  const named = () => page.locator(':focus').textContent()
  expect(await named()).toBe('Stop all faults')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await named()).toBe('CPU spike on web-2')
  await page.keyboard.press('Enter')
  await until('it to run', words(card(page, 'cpu-spike'))).toMatch(/Running/)
  expect(await named()).toBe('CPU spike on web-2')
  await row(page, 'db-1').getByRole('button').focus()
  await stage.api('/servers/db-1?notifications=false')
  await until('the row to change', words(row(page, 'db-1'))).toContain('muted')
  expect(await named()).toBe('db-1')
  await page.keyboard.press('Enter')
  await until('the chart', () => page.locator(':focus').textContent()).toBe('CPU busy on db-1')
})

test('light and dark, wide and narrow, it is accessible and nothing sticks out', async () => {
  const stage = await openTownStage()
  await stage.api('/servers/web-2?notifications=false')
  await stage.api(`/markers?notes=${'Deploy'.repeat(40)}`)
  await stage.service.startScenario('storm', { count: 30 })
  const page = await openTownPane(stage, { expected })
  await press(page, 'rate-limit')
  await until('the button', words(card(page, 'rate-limit'))).toMatch(/Running/)
  await stage.slack('chat.postMessage', { channel: 'x'.repeat(300), text: 'hello' })
  await page.getByText('The numbers as a table').click()
  await until('the rows', () => logRows(page).count()).toBe(3)
  await row(page, 'web-2').waitFor()
  await page.locator('.chart').waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(width)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
    }
  }
})

test.each([
  [1280, ''],
  [390, '#/demo'],
])(
  'in the whole page at %i pixels the town is there, and its log knows the channels by name',
  async (width, hash) => {
    const stage = await openTownStage()
    const page = await openPage(`${stage.workspace.url}${hash}`, { width })
    await row(page, 'web-2').waitFor()
    await stage.slack('chat.postMessage', { channel: stage.workspace.channel('alerts').id, text: 'hello' })
    await until('the log', words(logRows(page).first())).toContain('chat.postMessage in #alerts')
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(width)
  },
)

test('the town stands beside the messages, gives way to a thread, and stays folded', async () => {
  const { workspace } = await openTownStage()
  const { ts } = await workspace.acts.say({ user: 'ben', channel: '#alerts', text: 'a word' })
  const page = await openPage(workspace.url)
  const town = page.getByRole('complementary', { name: 'Demo controls' })
  await town.getByRole('button', { name: /CPU/ }).first().waitFor()
  await expectAccessible(page)
  await page.goto(`${workspace.url}#/${workspace.channel('alerts').id}/${ts}`)
  await page.getByRole('complementary', { name: 'Thread' }).getByText('a word').waitFor()
  expect(await town.isVisible()).toBe(false)
  await page.keyboard.press('Escape')
  await town.getByRole('button', { name: 'Fold the demo controls away' }).click()
  await page.reload()
  await town.getByRole('button', { name: 'Show the demo controls' }).waitFor()
  expect(await town.locator('.town').isVisible()).toBe(false)
})

test('on a phone the town is a column of its own', async () => {
  const { workspace } = await openTownStage()
  const page = await openPage(workspace.url, { width: 390, colorScheme: 'dark' })
  await page.getByRole('link', { name: 'Demo controls' }).click()
  const town = page.getByRole('complementary', { name: 'Demo controls' })
  await town.getByRole('button', { name: /CPU/ }).first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await expectAccessible(page)
  await page.goBack()
  await page.getByRole('textbox', { name: 'Message #alerts' }).waitFor()
})
