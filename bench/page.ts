/**
 * `npm run bench:page`: how fast the workspace's page is on loopback, with 50 cards in the channel. First paint and first card
 * from the start of the navigation, and the time from a click to the bot's answer on the page; medians. `-- --short` sees that it still measures.
 */
import { App, LogLevel, SocketModeReceiver } from '@slack/bolt'
import { openWorkspace } from '../src/workspace/workspace.ts'
import { launchBrowser } from '../test/browser/chromium.ts'
import { median } from './figure.ts'
import { isShort, measured, sized } from './measured.ts'

const runs = sized(9, 1)
const cards = sized(50, 5)
const paintMsMax = 1_000
const answerMsMax = 300

const workspace = await openWorkspace({ limits: 'off' })
const { apiUrl: slackApiUrl, appToken, botToken } = workspace
const receiver = new SocketModeReceiver({
  appToken,
  logLevel: LogLevel.ERROR,
  installerOptions: { clientOptions: { slackApiUrl } },
})
const bot = new App({
  token: botToken,
  receiver,
  deferInitialization: true,
  convoStore: false,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl },
})
await bot.init()
bot.action('acknowledge', async ({ ack, respond }) => {
  await ack()
  await respond({ text: 'Acknowledged.', replace_original: false })
})
await receiver.client.start()
for (let at = 0; at < cards; at += 1) {
  const text = `Load Average on web-${at}`
  await bot.client.chat.postMessage({
    channel: '#alerts',
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `:red_circle: *${text}*` } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'acknowledge', text: { type: 'plain_text', text: 'Acknowledge' } },
        ],
      },
    ],
  })
}

const browser = await launchBrowser()
const paints: number[] = []
const firstCards: number[] = []
const answers: number[] = []
try {
  for (let run = 0; run < runs; run += 1) {
    // A fresh profile: nothing of the page is known to the browser.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(workspace.url, { waitUntil: 'commit' })
    await page
      .locator('.front .message')
      .nth(cards - 1)
      .waitFor({ state: 'attached' })
    firstCards.push(await page.evaluate<number>('performance.now()'))
    paints.push(
      await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
      ),
    )
    answers.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        const list = document.querySelector('.front .messages')
        const from = performance.now()
        new MutationObserver((_, observer) => {
          if (!list.lastElementChild.textContent.includes('Acknowledged.')) return
          observer.disconnect()
          requestAnimationFrame(() => resolve(performance.now() - from))
        }).observe(list, { childList: true, subtree: true })
        list.lastElementChild.previousElementSibling?.scrollIntoView()
        ;[...list.querySelectorAll('button')].filter((one) => one.textContent === 'Acknowledge').at(-1).click()
      })`),
    )
    await context.close()
    for (const message of workspace.ephemerals('ana')) {
      await workspace.acts.dismiss({ user: 'ana', channel: '#alerts', ts: String(message.ts) })
    }
  }
} finally {
  await browser.close()
  await receiver.client.disconnect()
  await workspace.close()
}

const lines = [
  { what: 'first contentful paint', ms: Math.round(median(paints)), max: paintMsMax },
  { what: `${cards} cards on the page`, ms: Math.round(median(firstCards)), max: paintMsMax },
  { what: "from a click to the bot's answer", ms: Math.round(median(answers)), max: answerMsMax },
]
for (const { what, ms, max } of lines) {
  measured(what, ms)
  console.log(
    `${what.padEnd(34)} ${String(ms).padStart(5)} ms   (at most ${max})${ms > max ? '   TOO SLOW' : ''}`,
  )
}
console.log(`medians of ${runs} runs, a fresh browser profile each, on loopback`)
if (!isShort && lines.some(({ ms, max }) => ms > max)) process.exitCode = 1
