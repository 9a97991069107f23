/**
 * `npm run screenshot`: writes the pictures of the documents: docs/page.png, the workspace's page as the README shows it, and
 * those of docs/first-card.md. What they show is real: the bot as a process of its own, between the monitoring service and the
 * workspace, while two things go wrong and one is acted on.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { openService } from '../src/service/service.ts'
import { startBot } from '../test/bot/worlds/town.ts'
import { launchBrowser } from '../test/browser/chromium.ts'
import { settingsFor } from '../test/support/settings.ts'
import { openWorkspace } from '../test/support/slack.ts'

const docs = fileURLToPath(new URL('../docs', import.meta.url))
const viewport = { width: 1280, height: 800 }
const cardWithinMs = 60_000

const folder = mkdtempSync(join(tmpdir(), 'monbot-screenshot-'))
const service = await openService({
  key: 'only-for-the-picture',
  fleet: true,
  // A busy machine would be in the picture.
  sample: false,
  seed: 3,
  controlPort: 0,
})
const workspace = await openWorkspace({ townUrl: service.controlUrl ?? '' })
const bot = startBot({ ...settingsFor({ service, workspace, folder }), LOG_LEVEL: 'warn' })
const browser = await launchBrowser()

/** Waits for a card with these words, and for its picture where it has one. */
async function card(page: Page, words: string | RegExp, picture: boolean): Promise<Locator> {
  const message = page.locator('.front .message', { hasText: words }).last()
  await message.waitFor({ timeout: cardWithinMs })
  if (picture) await message.locator('img').last().waitFor({ timeout: cardWithinMs })
  return message
}

async function take(of: Page | Locator, name: string): Promise<void> {
  await of.screenshot({ path: join(docs, name) })
  console.log(`wrote docs/${name}`)
}

/** The list of an open menu reaches below its card. */
async function takeWithMenu(page: Page, message: Locator, name: string): Promise<void> {
  const around = await message.boundingBox()
  const list = await message.locator('select').first().getByRole('option').last().boundingBox()
  if (around === null || list === null)
    throw new Error(`expected a card with an open menu for ${name}; came none`)
  const end = Math.max(around.y + around.height, list.y + list.height + 8)
  await page.screenshot({ path: join(docs, name), clip: { ...around, height: end - around.y } })
  console.log(`wrote docs/${name}`)
}

try {
  const page = await browser.newPage({
    viewport,
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  await page.goto(workspace.url)
  await service.control.start('cpu-spike', { server: 'worker-1', seconds: 20 })
  await card(page, 'worker-1 CPU busy', false)
  await card(page, /closed .* after/, false)
  await service.control.start('cpu-spike', { server: 'web-2', seconds: 120 })
  const spike = await card(page, 'web-2 CPU busy', true)
  const ts = (await spike.getAttribute('data-ts')) ?? ''
  await page.mouse.move(0, 0)
  await take(spike, 'first-card.png')
  await workspace.acts.click({ user: 'ben', channel: 'alerts', ts, actionId: 'acknowledge' })
  await spike.getByText('👀').waitFor({ timeout: cardWithinMs })
  await take(spike, 'first-card-acknowledged.png')
  await spike.getByRole('combobox', { name: 'Mute' }).click()
  await takeWithMenu(page, spike, 'first-card-mute.png')
  await spike.getByRole('option', { name: '1 h', exact: true }).first().click()
  await spike.getByRole('button', { name: 'Unmute' }).waitFor({ timeout: cardWithinMs })
  await workspace.acts.say({ user: 'cleo', channel: 'alerts', text: 'That is the new build warming up.' })
  await service.control.start('disk-fills', { server: 'db-1', seconds: 20 })
  await card(page, 'db-1', true)
  // The first view: the newest card that nobody is on.
  await page.reload()
  await page.getByText('alerts are open').waitFor()
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))')
  await page.evaluate('document.fonts.ready')
  // Off the card, which would show its tools.
  await page.mouse.move(0, 0)
  await take(page, 'page.png')
  await page.goto(`${workspace.url}#/home`)
  const home = page.locator('.front', { hasText: 'Open alerts' })
  await home.getByText('web-2').first().waitFor({ timeout: cardWithinMs })
  await page.setViewportSize({ width: viewport.width, height: 620 })
  await take(home, 'first-card-home.png')
} finally {
  await browser.close()
  await bot.kill('SIGTERM')
  await workspace.close()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
