/**
 * `npm run screenshot`: writes docs/page.png, the workspace's page as the README shows it. What it shows is real: the bot as
 * a process of its own, between the monitoring service and the workspace, while two things go wrong and one is acted on.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { openService } from '../src/service/service.ts'
import { parseManifest } from '../src/workspace/manifest.ts'
import { openWorkspace } from '../src/workspace/workspace.ts'
import { launchBrowser } from '../test/browser/chromium.ts'
import { startBot } from '../test/support/bot-process.ts'
import { settingsFor } from '../test/support/settings.ts'

const file = fileURLToPath(new URL('../docs/page.png', import.meta.url))
const viewport = { width: 1440, height: 980 }
const cardWithinMs = 60_000

const folder = mkdtempSync(join(tmpdir(), 'monbot-screenshot-'))
const service = await openService({ key: 'only-for-the-picture', fleet: true, hostname: 'laptop-1', seed: 3 })
const manifest = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8')
const workspace = await openWorkspace({ townUrl: service.url, ...parseManifest(manifest) })
const bot = startBot({ ...settingsFor({ service, workspace, folder }), LOG_LEVEL: 'warn' })
const browser = await launchBrowser()

/** Waits for a card with these words, and for its picture where it has one. */
async function card(page: Page, words: string, picture: boolean): Promise<Locator> {
  const message = page.locator('.front .message', { hasText: words }).last()
  await message.waitFor({ timeout: cardWithinMs })
  if (picture) await message.locator('img').last().waitFor({ timeout: cardWithinMs })
  return message
}

try {
  const page = await browser.newPage({
    viewport,
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  await page.goto(workspace.url)
  service.startScenario('cpu-spike', { server: 'worker-1', seconds: 20 })
  await card(page, 'worker-1 CPU busy', false)
  await card(page, 'closed after', false)
  service.startScenario('cpu-spike', { server: 'web-2', seconds: 120 })
  const spike = await card(page, 'web-2 CPU busy', true)
  const ts = (await spike.getAttribute('data-ts')) ?? ''
  await workspace.acts.click({ user: 'ben', channel: 'alerts', ts, actionId: 'acknowledge' })
  await spike.getByText('👀').waitFor({ timeout: cardWithinMs })
  await spike.getByRole('combobox').click()
  await spike.getByRole('option', { name: '1 h', exact: true }).click()
  await page
    .getByRole('button', { name: 'Undo (within 1 min): the mute of web-2' })
    .waitFor({ timeout: cardWithinMs })
  await workspace.acts.say({ user: 'cleo', channel: 'alerts', text: 'That is the new build warming up.' })
  service.startScenario('disk-fills', { server: 'db-1', seconds: 20 })
  await card(page, 'db-1', true)
  await page.locator('.town svg').first().waitFor()
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))')
  await page.evaluate('document.fonts.ready')
  // Off the card, which would show its tools.
  await page.mouse.move(0, 0)
  mkdirSync(dirname(file), { recursive: true })
  await page.screenshot({ path: file })
  console.log(`wrote docs/page.png (${viewport.width} × ${viewport.height})`)
} finally {
  await browser.close()
  await bot.kill('SIGTERM')
  await workspace.close()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
