/** Opens a real browser for tests: one Chromium per worker, a fresh profile per page, and no error on a page goes unnoticed. */
import axe from 'axe-core'
import type { Browser, ConsoleMessage, Page } from 'playwright-core'
import { expect } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { launchBrowser } from './chromium.ts'

export type PageOptions = {
  /** 1280 × 800 by default. */
  readonly width?: number
  readonly height?: number
  /** `light` by default. */
  readonly colorScheme?: 'light' | 'dark'
  /** IANA; the page shows local times in it. `Europe/Lisbon` by default. */
  readonly timeZone?: string
  /** Errors that the test expects; any other one fails it. */
  readonly expected?: readonly RegExp[]
}

let launched: Promise<Browser> | undefined
const open: { page: Page; faults: readonly string[] }[] = []
const closing: (() => Promise<unknown>)[] = []

/** The worker's browser, launched at the first call; it ends with the worker. */
function openBrowser(): Promise<Browser> {
  launched ??= launchBrowser()
  return launched
}

/**
 * A page of a fresh profile. At the end of the test it is closed, and the test fails if the page wrote an error to the
 * console, threw, violated its content security policy, or asked another host for anything.
 */
export async function openPage(url: string, options: PageOptions = {}): Promise<Page> {
  const {
    width = 1280,
    height = 800,
    colorScheme = 'light',
    timeZone = 'Europe/Lisbon',
    expected = [],
  } = options
  const browser = await openBrowser()
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    timezoneId: timeZone,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const { host } = new URL(url)
  const faults: string[] = []
  const note = (fault: string): void => {
    if (!expected.some((pattern) => pattern.test(fault))) faults.push(fault)
  }
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfDebugger(message))
      note(`console: ${message.text()} (${placeOf(message)})`)
  })
  page.on('pageerror', (error) => note(`error: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.protocol.startsWith('http') && asked.host !== host) note(`another host: ${request.url()}`)
  })
  open.push({ page, faults })
  await page.goto(url)
  return page
}

/** For servers that pages hold connections to: closed after the pages of the test, the last one first. */
export function afterPages(close: () => Promise<unknown>): void {
  closing.push(close)
}

/** At the end of each test; see close-pages.ts. */
export async function closePages(): Promise<void> {
  const pages = open.splice(0)
  await Promise.all(pages.map(({ page }) => page.context().close()))
  for (const close of closing.splice(0).reverse()) await close()
  expect(
    pages.flatMap(({ faults }) => faults),
    'what went wrong in the page',
  ).toEqual([])
}

/** axe-core, which is evaluated from outside and has no address, writes styles into the page that its policy refuses. */
function isOfDebugger(message: ConsoleMessage): boolean {
  return message.location().url === '' && message.text().startsWith('Applying inline style')
}

function placeOf(message: ConsoleMessage): string {
  const { url, lineNumber } = message.location()
  return `${url}:${lineNumber}`
}

const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Fails with one line per element that has a problem. `selector` narrows it to a part of the page. */
export async function expectAccessible(page: Page, selector = 'html'): Promise<void> {
  // Evaluated by the debugger, which no content security policy holds up.
  await page.evaluate(axe.source)
  const run = `axe.run(${JSON.stringify(selector)}, ${JSON.stringify({ runOnly })})`
  const { violations } = await page.evaluate<axe.AxeResults>(run)
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${help}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
  )
  expect(found, 'what axe-core finds').toEqual([])
}
