/** What the doctor says of a set-up, and that each refusal of Slack comes with what to click. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebClient } from '@slack/web-api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ApiAlert } from '../../../src/bot/api/port.ts'
import { type Config, Secret } from '../../../src/bot/config/settings.ts'
import { databaseFinding, type Finding, lifecycleFinding } from '../../../src/bot/doctor/found.ts'
import { samplesOf } from '../../../src/bot/doctor/samples.ts'
import { examineSlack, scopesNeeded, scopesOptional } from '../../../src/bot/doctor/slack.ts'
import { viewOf } from '../../../src/bot/view/view.ts'
import { checkBlocks } from '../../../src/workspace/blocks/check.ts'
import { policyOf } from '../worlds/builders.ts'

let answers: Record<string, object>
let scopes: string
const server = createServer((request, response) => {
  const method = request.url?.replace(/^\//, '').split('?')[0] ?? ''
  response.writeHead(200, { 'content-type': 'application/json', 'x-oauth-scopes': scopes })
  response.end(JSON.stringify({ ok: true, ...answers[method] }))
})
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

beforeEach(async () => {
  scopes = [...scopesNeeded, ...Object.keys(scopesOptional)].join(',')
  answers = {
    'auth.test': { user: 'monbot', team: 'Team', bot_id: 'B1' },
    'conversations.info': { channel: { name: 'alerts', is_member: true, is_archived: false } },
    'apps.connections.open': { url: 'wss://x' },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const all = async (findings: AsyncIterable<Finding>) => {
  const found: Finding[] = []
  for await (const finding of findings) found.push(finding)
  return found
}
const slack = (policy = policyOf(), slackSettings: object = {}) => {
  const config = { slack: { channel: 'C0', appToken: new Secret('xapp-1'), ...slackSettings } } as Config
  const client = new WebClient('xoxb-1', { slackApiUrl: address(), retryConfig: { retries: 0 } })
  return all(examineSlack(client, config, policy))
}
const line = ({ state, check, said }: Finding) => `${state} ${check}: ${said}`

describe('Slack', () => {
  test('is well', async () => {
    expect((await slack()).map(line)).toEqual([
      'ok Slack token: is @monbot in Team',
      'ok Slack scopes: all of manifest.yml',
      'ok Slack channel C0: #alerts: joined, its history can be read',
      'ok Slack requests: Socket Mode: a socket may be opened',
    ])
  })

  test.each([
    [
      'auth.test',
      { ok: false, error: 'invalid_auth' },
      'failed Slack token: Slack says invalid_auth',
      'OAuth & Permissions',
    ],
    [
      'auth.test',
      { ok: false, error: 'account_inactive' },
      'failed Slack token: Slack says account_inactive',
      'Install to Workspace',
    ],
    ['auth.test', { bot_id: undefined }, 'failed Slack token: is no bot token', 'xoxb-'],
    [
      'conversations.info',
      { ok: false, error: 'channel_not_found' },
      'failed Slack channel C0: Slack says channel_not_found',
      '/invite @monbot',
    ],
    [
      'conversations.info',
      { channel: { name: 'alerts', is_member: false } },
      'failed Slack channel C0: monbot is not in #alerts',
      '/invite @monbot',
    ],
    [
      'conversations.info',
      { channel: { name: 'alerts', is_archived: true } },
      'failed Slack channel C0: #alerts is archived',
      'Unarchive',
    ],
    [
      'conversations.history',
      { ok: false, error: 'missing_scope', needed: 'channels:history' },
      'failed Slack channel C0: Slack says missing_scope',
      'Reinstall to Workspace',
    ],
    [
      'conversations.history',
      { ok: false, error: 'ratelimited' },
      'warning Slack channel C0: Slack asks to wait',
      'in a minute',
    ],
    [
      'apps.connections.open',
      { ok: false, error: 'invalid_auth' },
      'failed Slack requests: Slack says invalid_auth',
      'App-Level Tokens',
    ],
    [
      'usergroups.users.list',
      { ok: false, error: 'no_such_subteam' },
      'failed Slack group S1: Slack says no_such_subteam',
      'check the id',
    ],
    [
      'users.info',
      { ok: false, error: 'internal_error' },
      'warning Slack person U1: Slack says internal_error',
      'in a minute',
    ],
  ])('%s answers %j: %s', async (method, answer, said, todo) => {
    answers[method] = answer
    const route = { match: {}, channel: 'C0', mention: '<!subteam^S1> <@U1>' }
    const findings = await slack(policyOf({ routes: [route] }))
    expect(findings.find((finding) => line(finding) === said)?.todo, findings.map(line).join('\n')).toContain(
      todo,
    )
  })

  test.each([
    ['chat:write', 'failed Slack scopes: missing: chat:write'],
    ['pins:write', 'warning Slack scopes: without pins:write boards are not pinned'],
  ])('without %s', async (scope, said) => {
    scopes = scopes.replace(scope, 'other')
    expect((await slack()).map(line)).toContain(said)
  })
})

test.each([
  ['flip', 'b', 'warning Monitoring API: 1 end came as a record of its own'],
  ['pair', 'b', undefined],
  ['flip', 'a', undefined],
] as const)('ends as records of their own are noticed: %s, end %s', (lifecycle, number, said) => {
  const record = (more: object) =>
    ({
      key: 'a@1',
      number: 'a',
      lifecycle: 'start',
      host: 'web',
      plugin: 'cpu',
      metric: null,
      startedMs: 1,
      ...more,
    }) as ApiAlert
  const all = [record({}), record({ key: `${number}@2`, number, lifecycle: 'end', startedMs: 2 })]
  expect([...lifecycleFinding([], all, lifecycle)].map(line)[0]).toBe(said)
})

describe('the database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  const other = join(folder, 'other.db')
  writeFileSync(other, 'this is no database, but long enough to be taken for one')

  test.each([
    [join(folder, 'a', 'new.db'), 'ok', 'will be made'],
    [other, 'failed', 'file is not a database'],
  ])('a database at %s is %s', async (path, state, said) => {
    const finding = await databaseFinding({ kind: 'sqlite', path })
    expect([finding.state, finding.said]).toEqual([state, expect.stringContaining(said)])
  })

  test('a Postgres that is away is said without its password', async () => {
    const url = new Secret('postgres://monbot:pa55word@127.0.0.1:1/monbot')
    const finding = await databaseFinding({ kind: 'postgres', url, connections: 1 })
    expect(line(finding)).toBe(
      "failed Database: The Postgres at 127.0.0.1:1/monbot can't be used: connect ECONNREFUSED 127.0.0.1:1",
    )
  })
})

const { scene, samples } = samplesOf(policyOf(), 'C0SAMPLE', 1_795_230_720_000)
test.each(samples)('the sample of $what is one that Slack would take', ({ post }) => {
  const { blocks } = viewOf(post, scene)
  expect(blocks.length).toBeGreaterThan(0)
  expect(checkBlocks(blocks)).toEqual([])
})
