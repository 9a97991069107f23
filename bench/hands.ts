/**
 * `npm run bench:hands`: what a person has to do for each thing that is done most at night, in clicks and keys, and how long it
 * takes from the first of them until it can be seen: the page in a real browser, the bot as a process, Slack's limits on. The
 * hand itself takes no time here; the effect is what everybody sees on the card, or the picture that was asked for.
 */
import type { Locator } from 'playwright-core'
import { launchBrowser } from '../test/browser/chromium.ts'
import { patienceMs } from '../test/support/patience.ts'
import { median } from './figure.ts'
import { measured, sized } from './measured.ts'
import { openTown } from './town.ts'

const runs = sized(5, 1)
const reason = 'deploying'

/** Counts what it does. */
type Hand = {
  press(what: Locator): Promise<void>
  type(text: string): Promise<void>
  key(name: 'Enter' | 'Tab'): Promise<void>
}

type Task = {
  readonly what: string
  /** It is measured on servers of their own, one a run. */
  readonly role: string
  /** What others did before. */
  readonly before?: (card: Locator) => Promise<void>
  readonly act: (hand: Hand, card: Locator, server: string) => Promise<void>
  /** Waits for what is to be seen, once it is done. */
  readonly effect: (card: Locator, server: string) => Promise<unknown>
}

const town = await openTown('slack', 60)
const { workspace, service } = town
await town.start()
const browser = await launchBrowser()
const page = await browser.newPage({
  viewport: { width: 1280, height: 900 },
  locale: 'en-GB',
  timezoneId: 'UTC',
})
page.setDefaultTimeout(patienceMs)
const composer = page.getByRole('textbox', { name: 'Message #alerts' })

/** Two hours from now, as the person reads it from the clock. */
const until = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  timeZone: workspace.person('ana').tz,
}).format(Date.now() + 2 * 3_600_000)

const tasks: readonly Task[] = [
  {
    what: 'acknowledge',
    role: 'lb',
    act: (hand, card) => hand.press(card.getByRole('button', { name: 'Acknowledge' })),
    effect: (card) => card.getByRole('button', { name: 'Take over' }).waitFor(),
  },
  {
    what: 'take over what somebody else has',
    role: 'db',
    async before(card) {
      const ts = await card.getAttribute('data-ts')
      await workspace.acts.click({ user: 'ben', channel: 'alerts', ts: String(ts), actionId: 'acknowledge' })
      await card.getByRole('button', { name: 'Take over' }).waitFor()
    },
    act: (hand, card) => hand.press(card.getByRole('button', { name: 'Take over' })),
    effect: (card) => card.getByText('@ana').first().waitFor(),
  },
  {
    what: 'mute 1 h',
    role: 'cache',
    async act(hand, card) {
      await hand.press(card.getByRole('combobox'))
      await hand.press(card.getByRole('option', { name: /^(?!This alert).*: 1 h$/ }))
    },
    effect: (card) =>
      card
        .getByText(/Muted by/)
        .first()
        .waitFor(),
  },
  {
    what: `mute with a reason until a time: *Custom…* in the menu, \`until ${until}\`, \`${reason}\``,
    role: 'ci',
    async act(hand, card) {
      const form = page.getByRole('dialog')
      await hand.press(card.getByRole('combobox'))
      await hand.press(card.getByRole('option', { name: /^(?!This alert).*: Custom…$/ }))
      await hand.press(form.getByRole('textbox', { name: 'Custom end' }))
      await hand.type(`until ${until}`)
      await hand.key('Tab')
      await hand.type(reason)
      await hand.press(form.getByRole('button', { name: 'Mute', exact: true }))
    },
    effect: (card) => card.getByText(reason).first().waitFor(),
  },
  {
    what: `the same, typed: \`/mon mute web-2 until ${until} ${reason}\``,
    role: 'web',
    async act(hand, _card, server) {
      await hand.press(composer)
      await hand.type(`/mon mute ${server} until ${until} ${reason}`)
      await hand.key('Enter')
    },
    effect: (card) => card.getByText(reason).first().waitFor(),
  },
  {
    what: 'chart',
    role: 'worker',
    act: (hand, card) => hand.press(card.getByRole('button', { name: 'Chart' })),
    effect: (_card, server) =>
      page
        .locator('.front .message', { hasText: 'Only visible to you' })
        .getByRole('img', { name: server })
        .evaluate((image: { decode(): Promise<void> }) => image.decode()),
  },
]

/** A new alert's card, once it has its picture. */
async function freshCard(server: string): Promise<Locator> {
  service.openAlert({
    server,
    plugin: 'CPU',
    metric: 'cpu_busy',
    value: 97.2,
    title: 'CPU busy met or exceeded 90.00%, increasing to 97.20%',
  })
  const card = page.locator('.front .message:has(.bk-picture)', { hasText: new RegExp(`\\b${server}\\b`) })
  const ts = await card.getAttribute('data-ts')
  return page.locator(`.front .message[data-ts="${ts}"]`)
}

async function measure(task: Task, server: string): Promise<{ clicks: number; keys: number; ms: number }> {
  const card = await freshCard(server)
  const done = { clicks: 0, keys: 0 }
  const hand: Hand = {
    async press(what) {
      done.clicks += 1
      await what.click()
    },
    async type(text) {
      done.keys += text.length
      await page.keyboard.type(text)
    },
    async key(name) {
      done.keys += 1
      await page.keyboard.press(name)
    },
  }
  await task.before?.(card)
  const fromMs = performance.now()
  await task.act(hand, card, server)
  await task.effect(card, server)
  return { ...done, ms: performance.now() - fromMs }
}

try {
  await page.goto(workspace.url)
  await composer.waitFor()
  console.log('| by hand | clicks | keys | until it is seen |\n|---|---:|---:|---:|')
  for (const task of tasks) {
    const took: Awaited<ReturnType<typeof measure>>[] = []
    for (let run = 1; run <= runs; run += 1) took.push(await measure(task, `${task.role}-${run}`))
    const { clicks, keys } = took[0] ?? {}
    const seconds = (measured(task.what, median(took.map(({ ms }) => ms))) / 1_000).toFixed(1)
    measured(`clicks: ${task.what}`, clicks)
    console.log(`| ${task.what} | ${clicks} | ${keys} | ${seconds} s |`)
  }
} finally {
  await browser.close()
  await town.close()
}
