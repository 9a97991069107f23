/** What the demo controls and the hint offer: only what can be done, and what is to be done next. */
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { noAccess } from '../service/worlds/engines.ts'
import { openPage } from './browser.ts'
import { openTownStage } from './town-stage.ts'

/** Nothing listens there. */
const address = new URL('http://127.0.0.1:1')
const prometheus = {
  url: address,
  rulers: [],
  alertmanagers: [address],
  access: noAccess,
  managerAccess: noAccess,
  reporters: [],
}
const until = (what: string, ask: () => unknown) => expect.poll(ask, { message: what })
const words = (locator: Locator) => () => locator.innerText()

test('the hint said what to press first for ever: it says what is to be done next, until it is put away', async () => {
  const { workspace, slack } = await openTownStage()
  const page = await openPage(workspace.url)
  const line = page.locator('.intro p')
  const first = page
    .getByRole('complementary', { name: 'Demo controls' })
    .locator('[data-action] button')
    .first()
  await first.waitFor()
  await until('the first step', words(line)).toContain('Press a button of the demo controls')
  const withButtons = (...ids: string[]) =>
    JSON.stringify([
      {
        type: 'actions',
        elements: ids.map((id) => ({
          type: 'button',
          action_id: id,
          text: { type: 'plain_text', text: id },
        })),
      },
    ])
  const card = {
    channel: workspace.channel('db').id,
    text: 'a card',
    blocks: withButtons('acknowledge', 'mute_server'),
  }
  const { ts } = (await slack('chat.postMessage', card)) as { ts: string }
  await until('the second step', words(line)).toMatch(/Press Acknowledge on a card in #db\.$/)
  await slack('chat.update', { ...card, ts, blocks: withButtons('mute_server') })
  await until('the third step', words(line)).toMatch(
    /Now choose a time with Mute… on the card, or send \/mon help\.$/,
  )
  await page.getByRole('button', { name: 'Dismiss the hint' }).click()
  await until('the end of it', () => line.count()).toBe(0)
  await page.reload()
  await first.waitFor()
  expect(await line.count()).toBe(0)
})

test('in front of a Prometheus the controls were dead: those that act are there, and no other', async () => {
  const stage = await openTownStage({ service: { prometheus } })
  const page = await openPage(stage.workspace.url)
  const town = page.getByRole('complementary', { name: 'Demo controls' })
  const ids = () =>
    town.locator('[data-action]').evaluateAll((all) => all.map((one) => one.getAttribute('data-action')))
  await until('the controls', ids).toEqual(['busy', 'service-down', 'service-hangs', 'rate-limit'])
  expect(await town.locator('#town-chart-title').count()).toBe(0)
  expect(await town.locator('.town-notice').innerText()).toBe('')
  await town.locator('[data-action="service-down"] button').click()
  await until('that it runs', words(town.locator('[data-action="service-down"]'))).toContain('Running until')
  expect(await stage.api('/roles.json')).toBe(503)
})
