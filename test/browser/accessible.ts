/** What axe-core finds wrong with a page: WCAG 2.2 A and AA, and its best practices. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

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
