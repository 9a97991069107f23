/** Two bots as real processes on one real Postgres: one leads, and whatever happens to it, people see one card for each alert. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test, vi } from 'vitest'
import { type BotProcess, startBot } from '../support/bot-process.ts'
import { freePort } from '../support/free-port.ts'
import { openWebhookLike } from '../support/pagers.ts'
import { patienceMs } from '../support/patience.ts'
import { openPostgres, sharedPostgres } from '../support/postgres.ts'
import { settingsFor } from '../support/settings.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { openTcpGate } from '../support/tcp-gate.ts'
import { openTown, signingSecret, type TownSetting, texts } from '../support/town.ts'

const load = { plugin: 'Load Average', metric: 'last_minute', value: 3.5, title: 'It is slow' }
/** Of a machine that does other things besides: 3 s are promised, and the kill runs measure them. */
const handedOverMs = 15_000
/** As above, of 34 s. */
const takenOverMs = 50_000

type Replica = BotProcess & { readonly name: string; readonly port: () => number }

/** What happens between programs that are closed with the test. */
async function openReplicas({ onTestFinished, expect }: TestContext, setting: TownSetting = {}) {
  const town = await openTown({ ...setting, closeLater: onTestFinished })
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const http = setting.http ? { signingSecret, port: 0 } : undefined

  function start(name: string, over: Record<string, string> = {}): Replica {
    const address = { DATABASE_URL: postgres.url(database), REPLICA_NAME: name }
    const bot = startBot({ ...settingsFor({ ...town, http }), ...address, ...over })
    onTestFinished(() => void bot.kill('SIGKILL'))
    const told = () => [...bot.logged('app:started'), ...bot.logged('app:stands_by')]
    return { ...bot, name, port: () => Number(told()[0]?.port) }
  }

  const cards = (server: string) => texts(town.cards()).filter((text) => text.includes(server))
  return {
    town,
    postgres,
    database,
    start,
    cards,
    leader: async () =>
      (await postgres.query<{ name: string; term: string }>('select * from leader', database))[0],
    /** An alert, and its one card. */
    alert: async (server: string) => {
      town.service.openAlert({ ...load, server })
      await expect.poll(() => cards(server), soon).toHaveLength(1)
    },
    /** One that leads, and one that stands by and could lead. */
    pair: async (over: Record<string, string> = {}, standbys: Record<string, string> = {}) => {
      const leader = start('bot-a', over)
      await said(leader, 'app:started')
      const standby = start('bot-b', standbys)
      await said(standby, 'app:could_lead')
      expect(standby.logged('app:stands_by')).toMatchObject([{ leader: 'bot-a' }])
      return { leader, standby }
    },
  }
}

async function said(bot: Replica, event: string, times = 1): Promise<void> {
  await vi
    .waitUntil(() => bot.logged(event).length >= times, { timeout: patienceMs, interval: 20 })
    .catch(() => {
      throw new Error(`${bot.name} never said ${event}:\n${bot.output()}`)
    })
}

async function asked(bot: Replica, path: string) {
  const answer = await fetch(`http://127.0.0.1:${bot.port()}${path}`)
  return { status: answer.status, body: await answer.text() }
}

const standsBy = { status: 200, body: '{"status":"stands by","leader":"bot-a"}' }
const ready = { status: 200, body: '{"status":"ready"}' }

test.concurrent('asked to end, the one that leads hands over within seconds, and nothing is said twice', async (context) => {
  const { expect } = context
  const { town, cards, alert, pair, start } = await openReplicas(context)
  const { leader, standby } = await pair()
  await alert('db-1')
  expect(await asked(leader, '/readyz')).toEqual(ready)
  expect(await asked(standby, '/readyz')).toEqual(standsBy)
  expect((await asked(standby, '/healthz')).status).toBe(200)

  await expect.poll(async () => (await asked(leader, '/metrics')).body, soon).toMatch(/^monbot_standbys 1$/m)
  expect((await asked(leader, '/metrics')).body).toMatch(/^monbot_leads 1$/m)
  const page = (await asked(standby, '/metrics')).body
  expect(page).toMatch(/^monbot_leads 0$/m)
  expect(page).not.toMatch(/^monbot_open_alerts/m)
  const ana = town.person('ana')
  await ana.types('/mon status')
  await expect.poll(() => ana.sees().at(-1), soon).toMatch(/bot-a leads since .*bot-b stands by/s)

  const askedMs = Date.now()
  expect(await leader.kill('SIGTERM')).toBe(0)
  await said(standby, 'lease:taken')
  expect(Date.now() - askedMs).toBeLessThan(handedOverMs)
  await said(standby, 'app:started')
  await alert('db-2')
  expect(await asked(standby, '/readyz')).toEqual(ready)
  for (const card of town.cards().filter(({ text }) => text.includes('db-1')))
    await ana.presses('Acknowledge', card)
  await expect.poll(() => cards('db-1'), soon).toEqual([expect.stringContaining('👀 <@U0ANA00001>')])

  // The next one stands by for it, and whoever stands by ends as well as whoever leads.
  const third = start('bot-c')
  await said(third, 'app:could_lead')
  expect(third.logged('app:stands_by')).toMatchObject([{ leader: 'bot-b' }])
  expect(await third.kill('SIGTERM')).toBe(0)
  expect(await standby.kill('SIGTERM')).toBe(0)
})

test.concurrent('killed, it is followed in half a minute, and what happened meanwhile is told', async (context) => {
  const { expect } = context
  const { town, cards, alert, pair } = await openReplicas(context)
  const { leader, standby } = await pair()
  await alert('db-1')
  const killedMs = Date.now()
  await leader.kill('SIGKILL')
  town.service.openAlert({ ...load, server: 'db-2' })
  await said(standby, 'lease:taken')
  expect(Date.now() - killedMs).toBeLessThan(takenOverMs)
  await expect.poll(() => cards('db-2'), soon).toHaveLength(1)
  expect(cards('db-1')).toHaveLength(1)
})

test.concurrent('stopped, and thawed when another one leads, it does nothing more and exits with 75', async (context) => {
  const { expect } = context
  const { cards, alert, pair, start } = await openReplicas(context)
  const { leader, standby } = await pair()
  await alert('db-1')
  leader.child.kill('SIGSTOP')
  await said(standby, 'app:started')
  await alert('db-2')
  leader.child.kill('SIGCONT')
  expect(await leader.ended).toBe(75)
  expect(leader.logged('app:deposed')).toHaveLength(1)
  expect(leader.logged('app:crashed')).toEqual([])
  expect([...cards('db-1'), ...cards('db-2')]).toHaveLength(2)
  // Its supervisor starts it again.
  const again = start('bot-a')
  await said(again, 'app:could_lead')
  expect(again.logged('app:stands_by')).toMatchObject([{ leader: 'bot-b' }])
})

test.concurrent('in HTTP mode whoever stands by passes on what Slack asks, and answers itself once it leads', async (context) => {
  const { expect } = context
  const { town, cards, alert, pair } = await openReplicas(context, { http: true })
  const { leader, standby } = await pair()
  const url = `http://127.0.0.1:${standby.port()}/slack/events`
  expect(await town.workspace.acts.requestUrl({ url })).toEqual({ ok: true })
  await alert('db-1')
  const ana = town.person('ana')
  for (const card of town.cards().filter(({ text }) => text.includes('db-1')))
    await ana.presses('Acknowledge', card)
  await expect.poll(() => cards('db-1'), soon).toEqual([expect.stringContaining('👀 <@U0ANA00001>')])
  // Unread, and so unchecked: whoever leads refuses what Slack did not sign.
  const forged = await fetch(url, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  expect(forged.status).toBe(401)
  await expect.poll(() => leader.logged('request:refused')).toMatchObject([{ why: 'not_signed' }])

  expect(await leader.kill('SIGTERM')).toBe(0)
  await said(standby, 'app:started')
  await alert('db-2')
  const before = ana.answers().length
  await ana.types('/mon status')
  await expect.poll(() => ana.answers().length, soon).toBe(before + 1)
})

test.concurrent('whoever stands by passes on what the pager says, unread, and the leader is who believes it', async (context) => {
  const { expect } = context
  const { town, cards, alert, pair } = await openReplicas(context)
  const hook = await openWebhookLike(context.onTestFinished)
  const policy = join(town.folder, 'pages.yml')
  writeFileSync(policy, 'images: off\nboard: off\nreminders: [{ after: 0, page: true }]\n')
  const settings = { ...hook.settings, MONBOT_CONFIG: policy }
  const { leader, standby } = await pair(settings, settings)
  await alert('db-1')
  await expect.poll(hook.types, soon).toEqual(['alert.triggered'])
  const { key } = hook.messages()[0]?.data ?? {}
  const body = JSON.stringify({ type: 'alert.acknowledged', data: { key, by: 'U0BEN00001' } })
  const to = `http://127.0.0.1:${standby.port()}`
  const forged = await hook.send(to, { id: 'msg_0', body, secret: `whsec_${'A'.repeat(32)}` })
  expect(forged.status).toBe(401)
  expect(await (await hook.send(to, { id: 'msg_1', body })).json()).toEqual({ outcome: 'acknowledged' })
  await expect.poll(() => cards('db-1'), soon).toEqual([expect.stringContaining('👀 <@U0BEN00001>')])

  // Whoever leads next knows what was heard before.
  expect(await leader.kill('SIGTERM')).toBe(0)
  await said(standby, 'app:started')
  expect(await (await hook.send(to, { id: 'msg_1', body })).json()).toEqual({ outcome: 'repeat' })
  await alert('db-2')
  await expect.poll(hook.types, soon).toEqual(['alert.triggered', 'alert.resolved', 'alert.triggered'])
  expect(hook.messages()[2]?.data.key).not.toBe(key)
})

test.concurrent('a start waits for a Postgres that is away, alive and not ready', async (context) => {
  const { expect, onTestFinished } = context
  const { start, alert } = await openReplicas(context)
  const own = await openPostgres()
  onTestFinished(own.close)
  const name = await own.create()
  await own.stop()
  const port = String(await freePort())
  const bot = start('bot-a', { DATABASE_URL: own.url(name), PORT: port })
  await said(bot, 'memory:away')
  const page = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: answer.status, body: await answer.json() }
  }
  expect(await page('/healthz')).toMatchObject({ status: 200 })
  expect(await page('/readyz')).toMatchObject({ status: 503, body: { waiting: [{ part: 'memory' }] } })
  expect(bot.output()).not.toContain('monbot-test')
  await own.start()
  await said(bot, 'app:started')
  await alert('db-1')
  expect(await bot.kill('SIGTERM')).toBe(0)
})

test.concurrent('a policy that is read again costs nobody the lead', async (context) => {
  const { expect } = context
  const { town, start, leader: row, alert } = await openReplicas(context)
  const over = { MONBOT_CONFIG: policyFile(town, []) }
  const leader = start('bot-a', over)
  await said(leader, 'app:started')
  const standby = start('bot-b', over)
  await said(standby, 'app:could_lead')
  const before = await row()
  policyFile(town, ['timezone: Europe/Berlin'])
  leader.child.kill('SIGHUP')
  standby.child.kill('SIGHUP')
  await said(leader, 'app:started', 2)
  await said(standby, 'policy:reread')
  await alert('web-1')
  expect(await row()).toMatchObject({ name: 'bot-a', term: before?.term })
  expect(standby.logged('lease:taken')).toEqual([])
  expect(await asked(standby, '/readyz')).toEqual(standsBy)
})

test.concurrent('a key that is refused is no end for whoever takes over, and people are told', async (context) => {
  const { expect } = context
  const { town, start } = await openReplicas(context)
  const leader = start('bot-a')
  await said(leader, 'app:started')
  const standby = start('bot-b', { MONITOR_API_KEY: 'a-key-that-is-refused' })
  await said(standby, 'app:could_not_lead')
  expect(await asked(standby, '/readyz')).toMatchObject({
    status: 503,
    body: expect.stringContaining('"part":"poll"'),
  })
  expect(await leader.kill('SIGTERM')).toBe(0)
  await said(standby, 'app:started')
  await expect.poll(() => texts(town.cards()), soon).toContainEqual(expect.stringMatching(/key was refused/))
  expect(standby.child.exitCode).toBeNull()
})

test.concurrent('who reaches no Slack hands over to one that does', async (context) => {
  const { expect, onTestFinished } = context
  const { town, pair, alert } = await openReplicas(context)
  const gate = await openTcpGate(Number(new URL(town.workspace.apiUrl).port))
  onTestFinished(gate.close)
  const { leader, standby } = await pair({ SLACK_API_URL: `http://127.0.0.1:${gate.port}/api/` })
  await alert('db-1')
  gate.cut()
  expect(await leader.ended).toBe(75)
  expect(leader.logged('app:gives_up')).toHaveLength(1)
  await said(standby, 'app:started')
  await alert('db-2')
})

test.concurrent('a first start whose key is refused ends in a sentence, and keeps nobody waiting', async (context) => {
  const { expect } = context
  const { start, leader, postgres, database } = await openReplicas(context)
  // From taking the lead on, for longer than it takes to look who leads: it must not stand by for itself.
  const gate = await openTcpGate(postgres.port, {
    onPiece: (_, piece) => {
      if (piece.includes('update leader set holder')) gate.slow(500)
      return piece
    },
  })
  context.onTestFinished(gate.close)
  const over = { DATABASE_URL: postgres.url(database, gate.port), MONITOR_API_KEY: 'a-key-that-is-refused' }
  const bot = start('bot-a', over)
  expect(await bot.ended).toBe(78)
  expect(bot.logged('app:stands_by')).toEqual([])
  expect(bot.output()).toMatch(/^The monitoring API refused MONITOR_API_KEY: .*\.$/m)
  expect(await leader()).toMatchObject({ name: 'bot-a', free: true })
})
