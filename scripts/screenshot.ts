/** `npm run screenshot`: writes docs/page.png, the page of the workspace as the README shows it. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openService } from '../src/service/service.ts'
import { openWorkspace } from '../src/workspace/workspace.ts'
import { launchBrowser } from '../test/browser/chromium.ts'
import { tellStory } from './believable.ts'

const file = fileURLToPath(new URL('../docs/page.png', import.meta.url))
const viewport = { width: 1440, height: 860 }
const minuteMs = 60_000

let minutesAgo = 0
const service = await openService({
  key: 'only-for-the-picture',
  fleet: 5,
  sample: true,
  hostname: 'laptop-1',
  seed: 3,
})
const workspace = await openWorkspace({
  nowMs: () => Date.now() - minutesAgo * minuteMs,
  fileReadyMs: 0,
  limits: 'off',
  townUrl: service.url,
  commands: [{ command: '/mon', description: 'Ask monbot', usageHint: '[help | status | mute …]' }],
})
const browser = await launchBrowser()
try {
  await tellStory(workspace, (minutes) => {
    minutesAgo = minutes
  })
  const page = await browser.newPage({
    viewport,
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Lisbon',
  })
  await page.goto(workspace.url)
  await page.getByText('Only visible to you').waitFor()
  await page.locator('.town svg').first().waitFor()
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))')
  await page.evaluate('document.fonts.ready')
  mkdirSync(dirname(file), { recursive: true })
  await page.screenshot({ path: file })
  console.log(`wrote docs/page.png (${viewport.width} × ${viewport.height})`)
} finally {
  await browser.close()
  await workspace.close()
  await service.close()
}
