/**
 * The bot as a process, with Slack and a pager over real HTTP: somebody is called though Slack is away, whoever acknowledges on either
 * side stands on both, and whenever the bot is killed, there is one incident, and each event once.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { type TestContext, test, vi } from 'vitest'
import type { Page } from '../../src/bot/domain/page/page.ts'
import { openPagerDutyLike, openWebhookLike } from '../support/pagers.ts'
import { patienceMs } from '../support/patience.ts'
import { soon } from '../support/shared-town.ts'
import { openTown, type Town } from '../support/town.ts'

const closely = { timeout: patienceMs, interval: 1 }

function policyFile({ folder }: Town, steps: string): string {
  const path = join(folder, 'policy.yml')
  writeFileSync(path, `images: off\nboard: off\nreminders: ${steps}\n`)
  return path
}

/** The pages on disk. */
function pagesOf({ folder }: Town): readonly Page[] {
  const db = new SQLite(join(folder, 'monbot.db'), { readonly: true })
  const rows = db.prepare<[], { page: string }>('select page from pages').all()
  db.close()
  return rows.map(({ page }) => JSON.parse(page))
}

function openAlert({ service }: Town, server: string): void {
  service.openAlert({
    server,
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
    title: 'It is slow',
  })
}

async function openPagerTown({ onTestFinished }: TestContext, steps = '[{ after: 0, page: true }]') {
  const town = await openTown({ service: { fleet: 6 }, closeLater: onTestFinished })
  const [duty, hook] = [await openPagerDutyLike(onTestFinished), await openWebhookLike(onTestFinished)]
  return { town, duty, hook, settings: { MONBOT_CONFIG: policyFile(town, steps) } }
}

test.concurrent('Slack is away: the pager calls, and the card says so once Slack is back', async (context) => {
  const { expect } = context
  const { town, duty, settings } = await openPagerTown(context)
  const away = { ...settings, ...duty.settings, SLACK_API_URL: 'http://127.0.0.1:9/api/' }
  const bot = await town.bot(away)
  openAlert(town, 'web-1')
  await expect.poll(duty.incidents, soon).toMatchObject([{ status: 'triggered', triggers: 1 }])
  expect(duty.events()[0]).not.toHaveProperty('client_url')
  expect(town.cards()).toEqual([])
  expect(bot.output()).not.toContain(duty.settings.PAGERDUTY_ROUTING_KEY)
  await bot.kill('SIGTERM')
  await town.bot({ ...settings, ...duty.settings })
  await expect.poll(() => town.cards()[0]?.text, soon).toMatch(/📟 paged/)
  await town.person('ana').types('/mon ack web-1')
  await expect.poll(duty.incidents, soon).toMatchObject([{ status: 'resolved', triggers: 1 }])
  expect(duty.actions()).toEqual(['trigger', 'acknowledge', 'resolve'])
})

test.concurrent('who acknowledges in the pager stands on the card: by its answer, and by a message', async (context) => {
  const { expect } = context
  const { town, hook, settings } = await openPagerTown(context)
  const bot = await town.bot({ ...settings, ...hook.settings })
  hook.answersBy('Ana <!here>')
  openAlert(town, 'web-1')
  await expect.poll(() => town.cards()[0]?.text, soon).toMatch(/👀 Ana &lt;!here&gt; \(in the pager\)/)
  // What tells the pager that the first is over may come after what calls for a second.
  await expect.poll(hook.types, soon).toEqual(['alert.triggered', 'alert.resolved'])
  hook.answersBy(null)
  openAlert(town, 'web-2')
  await expect.poll(() => hook.messages().length, soon).toBe(3)
  const { key } = hook.messages()[2]?.data ?? {}
  const body = JSON.stringify({ type: 'alert.acknowledged', data: { key, by: 'U0BEN00001' } })
  const to = `http://127.0.0.1:${bot.port}`
  const answers = []
  for (const id of ['msg_1', 'msg_1', 'msg_2']) answers.push(await (await hook.send(to, { id, body })).json())
  expect(answers.map((answer) => Object(answer).outcome)).toEqual(['acknowledged', 'repeat', 'nothing'])
  const wrong = await hook.send(to, { id: 'msg_3', body, secret: `whsec_${'A'.repeat(32)}` })
  expect(wrong.status).toBe(401)
  expect((await fetch(`${to}/pager`)).status).toBe(404)
  await expect
    .poll(() => town.cards().map(({ text }) => text), soon)
    .toContainEqual(expect.stringMatching(/web-2.*👀 <@U0BEN00001>/s))
  await expect
    .poll(hook.types, soon)
    .toEqual(['alert.triggered', 'alert.resolved', 'alert.triggered', 'alert.resolved'])
  expect(bot.output()).not.toMatch(/hunter2|whsec_/)
  town.expectQuiet({ except: [/page:not_heard/] })
})

test.concurrent('somebody has it before Slack takes the notice that paging fails: the channel reads it all the same', async (context) => {
  const { expect } = context
  const { town, hook, settings } = await openPagerTown(context)
  const bot = await town.bot({ ...settings, ...hook.settings })
  const refusal = { status: 400 } as const
  // The call, that somebody has it, and that it is over.
  hook.orders(refusal, refusal, refusal)
  // The card is tried again and again, and nothing behind it.
  const busy = { kind: 'ratelimited', retryAfterSeconds: 1 } as const
  await town.workspace.acts.fault({ method: 'chat.postMessage', effect: busy, times: null })
  openAlert(town, 'web-1')
  await expect.poll(() => bot.logged('pager:failing'), soon).toHaveLength(1)
  await town.person('ana').types('/mon ack web-1')
  await expect.poll(hook.types, soon).toEqual(['alert.acknowledged', 'alert.resolved'])
  await town.workspace.acts.clearFaults({})
  await expect
    .poll(() => town.cards().map(({ text }) => text), soon)
    .toContainEqual(expect.stringMatching(/^📟 Paging fails since .*: the pager refused it \(HTTP 400\)$/))
})

type PagerTown = Awaited<ReturnType<typeof openPagerTown>>

type Moment = {
  /** What goes wrong or slow at the pager. */
  readonly orders?: (pager: PagerTown['hook' | 'duty']) => void
  /** Has the moment come, while it calls? */
  readonly when?: (town: PagerTown, pager: PagerTown['hook' | 'duty']) => boolean
  /** The same, once it is acknowledged. */
  readonly later?: (town: PagerTown, pager: PagerTown['hook' | 'duty']) => boolean
}

const slow = (pager: { delays(ms: number): void }) => pager.delays(1_000)

const moments: Readonly<Record<string, Moment>> = {
  'when it is on disk that somebody is to be called': {
    orders: slow,
    when: ({ town }) => pagesOf(town).length > 0,
  },
  'while the pager is asked': { orders: slow, when: (_, pager) => pager.asked() > 0 },
  'when the pager has it and its answer is lost': {
    orders: (pager) => pager.orders('lost'),
    when: (_, pager) => pager.asked() > 0,
  },
  'when the pager was away': {
    orders: (pager) => pager.orders('reset', 'reset'),
    when: ({ town }) => pagesOf(town).some(({ failure }) => failure !== null),
  },
  'when it is written that the pager has it': {
    when: ({ town }) => pagesOf(town).some(({ toldMs }) => toldMs !== null),
  },
  'when it was acknowledged': { later: () => true },
  'when it is on disk that it is over': {
    orders: slow,
    later: ({ town }) => pagesOf(town).some(({ isRinging }) => !isRinging),
  },
  'while the pager is told that it is over': { later: (_, pager) => pager.asked() > 2, orders: slow },
}

const kinds = ['duty', 'hook'] as const
const cases = Object.keys(moments).flatMap((name) => kinds.map((kind) => [name, kind] as const))

test.concurrent.for(cases)(
  'killed %s (%s): one incident, and each event once',
  async ([name, kind], context) => {
    const { expect } = context
    const world = await openPagerTown(context)
    const { town, duty, hook } = world
    const pager = world[kind]
    const { orders, when, later } = moments[name] ?? {}
    const settings = { ...world.settings, ...pager.settings }
    let bot = await town.bot(settings)
    const again = async () => {
      await bot.kill('SIGKILL')
      pager.works()
      pager.delays(0)
      bot = await town.bot(settings)
    }
    orders?.(pager)
    openAlert(town, 'web-1')
    if (when !== undefined) {
      await vi.waitUntil(() => when(world, pager), closely)
      await again()
    }
    const isCalled = () => (kind === 'duty' ? duty.incidents() : hook.messages()).length > 0
    await vi.waitUntil(isCalled, soon)
    const ana = town.person('ana')
    await vi.waitFor(() => ana.types('/mon ack web-1'), soon)
    if (later !== undefined) {
      await vi.waitUntil(() => later(world, pager), closely)
      await again()
      // A command that the dead process never answered was not done: whoever gave it sees that, and repeats it.
      await vi.waitFor(() => ana.types('/mon ack web-1'), soon)
    }
    if (kind === 'duty') {
      await expect.poll(duty.incidents, soon).toMatchObject([{ status: 'resolved' }])
      // An event whose answer was lost may come twice there, and changes nothing.
      expect([...new Set(duty.actions())]).toEqual(['trigger', 'acknowledge', 'resolve'])
    } else {
      const wanted = ['alert.triggered', 'alert.acknowledged', 'alert.resolved']
      await expect.poll(hook.types, soon).toEqual(wanted)
      expect(new Set(hook.messages().map(({ data }) => data.key)).size).toBe(1)
    }
    await expect.poll(() => pagesOf(town).map(({ events }) => events.length), soon).toEqual([0])
    expect(pagesOf(town)).toMatchObject([{ isRinging: false, mayKnow: false }])
  },
)
