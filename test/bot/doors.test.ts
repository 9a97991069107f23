/** Whom a pager names: of PagerDuty by e-mail, by a name that one person has, else by that name; of another by an id that Slack knows. */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../src/bot/clock.ts'
import { readConfig } from '../../src/bot/config/load.ts'
import { Secret } from '../../src/bot/config/settings.ts'
import { openDoors } from '../../src/bot/doors.ts'
import { silentLog } from '../../src/bot/log.ts'
import { signed } from '../../src/bot/pager/webhook.ts'
import type { Person } from '../../src/bot/world/facts.ts'

const server = createServer((request, response) => {
  const isAna = request.url === '/users/PANA' && request.headers.authorization === 'Token token=api-hush-1234'
  response.writeHead(isAna ? 200 : 404).end(JSON.stringify({ user: { email: 'Ana@example.com' } }))
})
beforeEach(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterEach(() => new Promise((resolve) => server.close(resolve)))

const secret = `whsec_${'A'.repeat(32)}`

async function heardAt(
  door: 'pager' | 'pagerduty',
  body: string,
  headers: Record<string, string>,
): Promise<string[]> {
  const read = readConfig(
    {
      ...{ MONITOR_URL: 'http://m', MONITOR_API_KEY: 'key-hush-1234', SLACK_BOT_TOKEN: 'xoxb-hush-1234' },
      ...{ SLACK_APP_TOKEN: 'xapp-hush-1234', PAGERDUTY_WEBHOOK_SECRET: 'hook-hush-1234' },
      ...{ PAGERDUTY_API_TOKEN: 'api-hush-1234', PAGER_URL: 'http://p', PAGER_SECRET: secret },
      PAGERDUTY_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    () => '',
  )
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const heard: string[] = []
  const namesakes: Record<string, string[]> = { Ben: ['UBEN1', 'UBEN2'], 'Cleo Okafor': ['UCLEO'] }
  const doors = openDoors({
    config: read.config,
    hear: async ({ by }) => {
      heard.push(by)
      return 'acknowledged'
    },
    directory: {
      person: async (id) => ({ id, readMs: id === 'U0ANA' ? 1 : 0 }) as Person,
      personByEmail: async (email) => (email === 'ana@example.com' ? 'UANA' : null),
      findPeople: async (name) => (namesakes[name] ?? []).map((person) => ({ id: person }) as Person),
    },
    dispatcher: new Agent(),
    clock: realClock,
    log: silentLog,
  })
  await doors[door](new Request('http://monbot', { method: 'POST', body, headers }))
  return heard
}

test.each([
  ['PANA', 'Somebody Else', 'UANA'],
  ['PCLEO', 'Cleo Okafor', 'UCLEO'],
  ['PBEN', 'Ben', 'Ben'],
  ['PDORA', 'Dora', 'Dora'],
])('%s, %s, is %s', async (id, summary, who) => {
  const agent = { id, type: 'user_reference', summary }
  const event = { id: 'e1', event_type: 'incident.acknowledged', agent, data: { incident_key: 'monbot:1' } }
  const body = JSON.stringify({ event })
  const signature = createHmac('sha256', 'hook-hush-1234').update(body).digest('hex')
  expect(await heardAt('pagerduty', body, { 'x-pagerduty-signature': `v1=${signature}` })).toEqual([who])
})

test.each([
  ['U0ANA', 'U0ANA'],
  ['U0NOBODY', 'unknown U0NOBODY'],
  ['Ana', 'Ana'],
])('another pager says %s: that is %s', async (by, who) => {
  const body = JSON.stringify({ type: 'alert.acknowledged', data: { key: 'k', by } })
  expect(await heardAt('pager', body, signed(new Secret(secret), '1', body, Date.now()))).toEqual([who])
})
