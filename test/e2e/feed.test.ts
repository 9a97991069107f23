/** The main job on the real process: alerts of the real service become living cards in the real workspace. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'vitest'
import type { TriggerRule } from '../../src/service/alerts/triggers.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { apiKey, type Card, openTown, type Town, type TownSetting, texts } from '../support/town.ts'

/** Each test has a town of its own, because they run concurrently. */
const townOf = ({ onTestFinished }: TestContext, setting: TownSetting = {}) =>
  openTown({ ...setting, closeLater: onTestFinished })

const load = {
  server: 'web-1',
  plugin: 'Load Average',
  metric: 'last_minute',
  value: 3.5,
  title: 'Last minute met or exceeded 3.00',
}

/** For tests in which Slack's very next answer counts: without a board, the first post is the alert's. */
function withoutBoard(town: Town): Record<string, string> {
  const file = join(town.folder, 'without-board.yml')
  writeFileSync(file, 'board: off')
  return { MONBOT_CONFIG: file }
}

function blockTypes(card: Card | undefined): string[] {
  return (card?.blocks ?? []).map((block) => block.type)
}

describe.each(['flip', 'pair'] as const)('with a service in %s form', (form) => {
  test.concurrent('an alert opens as one card with its picture, and the same card closes; a one-off is a card that has nothing to close', async (context) => {
    const { expect } = context
    const town = await townOf(context, { service: { form } })
    const bot = await town.bot()
    const id = town.service.openAlert({ ...load, role: 'web' })
    await expect.poll(() => texts(town.cards()), soon).toHaveLength(1)
    const [card] = town.cards()
    expect(card?.text).toMatch(
      /^🔴 web-1 Load Average: last minute 3\.5 \(limit 3\) · since .* UTC · unacknowledged · role web · #…\d{4}$/,
    )
    // In its first message, or on a busy machine later.
    await expect
      .poll(() => blockTypes(town.cards()[0]), soon)
      .toEqual(['section', 'context', 'image', 'actions'])
    await expect.poll(() => bot.logged('picture:ready').length, soon).toBeGreaterThan(0)
    town.service.closeAlert(id)
    await expect
      .poll(() => texts(town.cards())[0], soon)
      .toMatch(/^🟢 web-1 Load Average: last minute closed after /)
    // What was drawn last stays until the whole episode can be drawn.
    expect(blockTypes(town.cards()[0])).toEqual(['section', 'image', 'actions'])
    expect(town.cards().map((one) => one.ts)).toEqual([card?.ts])
    town.service.oneoff({ server: 'db-1', plugin: 'Backup', title: 'Backup finished with warnings' })
    await expect.poll(() => texts(town.cards()), soon).toHaveLength(2)
    expect(town.cards()[1]?.text).toMatch(/^🔵 db-1 Backup — Backup finished with warnings · at .* UTC · /)
    expect(await bot.kill('SIGTERM')).toBe(0)
    expect(bot.output()).not.toContain(apiKey)
  })
})

test.concurrent('a limit that the title does not say is on the card seconds later, with the time at which the value was read', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  await town.bot()
  town.service.openAlert({ ...load, title: 'It is slow', value: 4 })
  const posted = () =>
    town.workspace.events
      .since(0)
      .flatMap(({ event }) => (event.type === 'message_posted' ? [JSON.stringify(event.message)] : []))
  await expect
    .poll(posted, soon)
    .toContainEqual(
      expect.stringContaining('"text":":red_circle: web-1 Load Average: last minute 4 — It is slow'),
    )
  await expect
    .poll(() => texts(town.cards())[0], soon)
    .toMatch(/^🔴 web-1 Load Average: last minute 4 \(.* UTC\), limit 3 — It is slow/)
})

test.concurrent('killed and started again, it posts no second card, and goes on with the first', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const first = await town.bot()
  const id = town.service.openAlert(load)
  await expect.poll(() => texts(town.cards()), soon).toHaveLength(1)
  await first.kill('SIGKILL')
  const second = town.service.openAlert({ ...load, server: 'web-2' })
  await town.bot()
  await expect.poll(() => texts(town.cards()), soon).toHaveLength(2)
  town.service.closeAlert(id)
  town.service.closeAlert(second)
  await expect.poll(() => texts(town.cards()).every((text) => text.startsWith('🟢')), soon).toBe(true)
  expect(town.cards()).toHaveLength(2)
})

test.concurrent('killed after Slack took the post and before it heard so, it finds its card in the history', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  await town.workspace.acts.fault({
    method: 'chat.postMessage',
    effect: { kind: 'commit_then_delay', delayMs: 9_000 },
  })
  const first = await town.bot(withoutBoard(town))
  town.service.openAlert(load)
  await expect.poll(() => texts(town.cards()), soon).toHaveLength(1)
  await first.kill('SIGKILL')
  const second = await town.bot()
  await expect.poll(() => second.logged('card:checked'), soon).toMatchObject([{ found: town.cards()[0]?.ts }])
  await expect.poll(() => second.logged('card:shown').length, soon).toBeGreaterThan(0)
  expect(town.cards()).toHaveLength(1)
})

test.concurrent('a first start with many alerts open posts one summary and its thread; what is over is not told', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  for (let n = 0; n < 60; n += 1)
    town.service.closeAlert(town.service.openAlert({ ...load, server: `old-${n}` }))
  const ids = Array.from({ length: 90 }, (_, n) => town.service.openAlert({ ...load, server: `web-${n}` }))
  await town.bot()
  await expect.poll(() => town.cards(), soon).toHaveLength(3)
  const [summary, ...pages] = town.cards()
  expect(summary?.text).toMatch(/^🔴 90 × .* on web-∗ \(90 servers\) · found open\n/)
  expect(pages.map((page) => page.thread_ts)).toEqual([summary?.ts, summary?.ts])
  const listed = pages.map((page) => JSON.stringify(page.blocks)).join('')
  for (const n of ids.keys()) expect(listed).toContain(`web-${n}`)
  town.service.closeAlert(ids[0] ?? 0)
  await expect.poll(() => texts(town.cards())[0], soon).toMatch(/^🔴 89 × .* \(89 servers\) · 90 found open/)
  expect(town.cards()).toHaveLength(3)
})

test.concurrent('a critical alert looks like one, calls somebody, and links to its runbook; a warning does neither', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const file = join(town.folder, 'policy.yml')
  const { id: channel } = town.workspace.channel('alerts')
  writeFileSync(
    file,
    [
      'board: off',
      'severity: [{ match: { server: "db-*" }, is: critical }]',
      `routes: [{ match: { severity: critical }, channel: ${channel}, mention: "<!here>" }]`,
      'links:',
      '  - { match: { severity: critical }, text: Runbook, url: "https://wiki.example/{plugin}?host={server}" }',
    ].join('\n'),
  )
  await town.bot({ MONBOT_CONFIG: file })
  town.service.openAlert({ ...load, server: 'db-1' })
  town.service.openAlert(load)
  const textOf = (server: string) => town.cards().find(({ text }) => text.includes(` ${server} `))?.text ?? ''
  await expect.poll(() => textOf('db-1'), soon).toMatch(/^🚨 CRITICAL db-1 .*<!here>/)
  await expect.poll(() => textOf('web-1'), soon).toMatch(/^🔴 web-1 /)
  expect(textOf('web-1')).not.toContain('<!here>')
  const linksOf = (card: Card) => JSON.stringify(card.blocks).match(/https:\/\/wiki\.example\/[^"]*/g) ?? []
  expect(town.cards().flatMap(linksOf)).toEqual(['https://wiki.example/Load%20Average?host=db-1'])
  const card = town.cards().find(({ text }) => text.includes(' db-1 '))
  if (card === undefined) throw new Error('there is no card')
  // Slack tells of the press on a link, too; nothing is answered, and nothing breaks.
  await town.person('ana').presses('Runbook', card)
  await town.person('ana').presses('Acknowledge', card)
  await expect.poll(() => textOf('db-1'), soon).toContain('<@U0ANA00001>')
})

test.concurrent('routes choose channels, by role, server, plugin and title', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const file = join(town.folder, 'policy.yml')
  const channel = (name: string) => town.workspace.channel(name).id
  writeFileSync(
    file,
    [
      'routes:',
      `  - { match: { role: db }, channel: ${channel('db')}, mention: "<!here>" }`,
      `  - { match: { server: "ops-*" }, channel: ${channel('private-ops')} }`,
      `  - { match: { title: "*certificate*" }, channel: ${channel('general')} }`,
    ].join('\n'),
  )
  await town.bot({ MONBOT_CONFIG: file })
  town.service.openAlert({ ...load, server: 'pg-1', role: 'db' })
  town.service.openAlert({ ...load, server: 'ops-7' })
  town.service.openAlert({ ...load, title: 'The certificate ends in 3 days' })
  town.service.openAlert(load)
  const where = () =>
    Object.fromEntries(
      ['db', 'private-ops', 'general', 'alerts'].map((name) => [name, town.cards(name).length]),
    )
  await expect.poll(where, soon).toEqual({ db: 1, 'private-ops': 1, general: 1, alerts: 1 })
  expect(town.cards('db')[0]?.text).toContain(' · <!here> · ')
})

/** Each in the channel where the alerts of this server go, so that one bot has them all at once. */
const effects = {
  'takes it and drops the connection': {
    channel: 'alerts',
    server: 'web-1',
    effect: { kind: 'commit_then_reset' },
  },
  'takes it and answers 500': {
    channel: 'db',
    server: 'db-1',
    effect: { kind: 'commit_then_status', status: 500 },
  },
  'answers that it is too much': {
    channel: 'general',
    server: 'cache-1',
    effect: { kind: 'ratelimited', retryAfterSeconds: 1 },
  },
  'takes it and cuts the answer': {
    channel: 'private-ops',
    server: 'worker-1',
    effect: { kind: 'truncate' },
  },
} as const

test.concurrent(`whatever Slack does to a post (${Object.keys(effects).join(', ')}): one card`, async (context) => {
  const { expect } = context
  const town = await townOf(context)
  const bot = await town.bot({ MONBOT_CONFIG: policyFile(town, []) })
  for (const { channel, server, effect } of Object.values(effects)) {
    await town.workspace.acts.fault({ method: 'chat.postMessage', channel: `#${channel}`, effect })
    town.service.openAlert({ ...load, server })
  }
  for (const [what, { channel }] of Object.entries(effects)) {
    const { id } = town.workspace.channel(channel)
    const shown = () => bot.logged('card:shown').filter((line) => line.channel === id)
    await expect.poll(() => shown().length, { ...soon, message: what }).toBeGreaterThan(0)
    expect(town.cards(channel), what).toHaveLength(1)
  }
  expect(await town.workspace.acts.clearFaults({}), 'faults that met no post').toEqual({
    ok: true,
    cleared: 0,
  })
})

test.concurrent('an alert waits for no picture and loses nothing by it', async (context) => {
  const { expect } = context
  const town = await townOf(context)
  await town.workspace.acts.fault({ method: 'upload', times: 2, effect: { kind: 'status', status: 500 } })
  await town.bot()
  town.service.openAlert(load)
  await expect.poll(() => blockTypes(town.cards()[0]), soon).toEqual(['section', 'context', 'actions'])
  await expect
    .poll(() => blockTypes(town.cards()[0]), soon)
    .toEqual(['section', 'context', 'image', 'actions'])
  expect(town.cards()).toHaveLength(1)
})

test.concurrent('a real alert of this machine: its own trigger opens it, and closes it', async (context) => {
  const { expect } = context
  const megabyte = 1024 * 1024
  // Of all that is measured the one number that nobody else on the machine moves: a CPU may be busy with other tests.
  const own: TriggerRule = {
    type: 'process',
    metric: 'process_memory',
    servers: 'machine',
    maxValue: process.memoryUsage.rss() / megabyte + 300,
    lowValue: null,
    durationMs: 400,
  }
  const service = { sample: true, sampleMs: 300, hostname: 'this-machine', triggers: [own] }
  const town = await townOf(context, { service })
  await town.bot()
  const held = new ArrayBuffer(500 * megabyte)
  new Uint8Array(held).fill(1)
  const card = () => town.cards().find(({ text }) => text.includes(' this-machine '))
  await expect.poll(() => card()?.text, soon).toMatch(/^🔴 this-machine Process monitor: memory \d/)
  // Given back at once, and not whenever it is collected.
  held.transfer(0)
  await expect
    .poll(() => card()?.text, soon)
    .toMatch(/^🟢 this-machine Process monitor: memory closed after /)
})
