/** The bot's Slack adapter with wrong set-ups: what only a person can fix is a sentence, and anything else may pass by itself. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/bot/config/secret.ts'
import { openSlack } from '../../src/bot/slack/connect.ts'
import { realClock } from '../../src/shared/clock.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.ts'
import { keptJournal } from '../support/journal.ts'

async function workspaceOf(options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await openWorkspace({ limits: 'off', ...options })
  onTestFinished(() => workspace.close())
  return workspace
}

async function connect(
  workspace: Workspace,
  over: { botToken?: string; appToken?: string; channels?: string[] } = {},
) {
  const logger = keptJournal()
  const slack = openSlack({
    botToken: new Secret(over.botToken ?? workspace.botToken),
    appToken: new Secret(over.appToken ?? workspace.appToken),
    signingSecret: null,
    apiUrl: workspace.apiUrl,
    channels: over.channels ?? [workspace.channel('alerts').id],
    logger,
    clock: realClock,
  })
  onTestFinished(() => slack.stop())
  const came = await slack.connect()
  if ('why' in came) return { ...came, logger }
  const listening = await slack.listen({
    handle: async () => ({ kind: 'repeat' }),
    cardAt: async () => null,
    roleNames: async () => [],
    onHome: async () => {},
    onReopened: async () => {},
    isStanding: async () => true,
    whenAnswered: async () => null,
    ids: { make: () => 'e1' },
  })
  return { ...came, ...listening, logger }
}

describe('a set-up that cannot work is one sentence', () => {
  test('a wrong bot token', async () => {
    const workspace = await workspaceOf()
    expect(await connect(workspace, { botToken: 'xoxb-this-is-not-the-token' })).toMatchObject({
      isRefused: true,
      why: expect.stringMatching(/^Slack refused SLACK_BOT_TOKEN \(invalid_auth\): [^x]*$/),
    })
  })

  test('a wrong app token', async () => {
    const workspace = await workspaceOf()
    expect(await connect(workspace, { appToken: 'xapp-this-is-not-the-token' })).toMatchObject({
      isRefused: true,
      why: expect.stringMatching(/^Slack refused SLACK_APP_TOKEN \(invalid_auth\): /),
    })
  })

  test.each([
    ['C000NOSUCH', /^Slack knows no channel C000NOSUCH, /],
    ['#random', /^monbot is not in the channel C\w+: say "\/invite @monbot" there\.$/],
    ['#old-alerts', /^The channel C\w+ is archived/],
  ])('the channel %s', async (ref, sentence) => {
    const workspace = await workspaceOf()
    const channel = ref.startsWith('#') ? workspace.channel(ref).id : ref
    expect(await connect(workspace, { channels: [channel] })).toMatchObject({
      none: expect.stringMatching(sentence),
    })
  })

  test('a missing scope', async () => {
    const workspace = await workspaceOf({ scopes: ['chat:write'] })
    const none = expect.stringMatching(
      /missing_scope \(reinstall the app with the scopes of manifest\.yml\)\.$/,
    )
    expect(await connect(workspace)).toMatchObject({ none, closed: new Map() })
  })
})

describe('what passes by itself is no refusal', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a pause that Slack asks for', { kind: 'ratelimited', retryAfterSeconds: 30 }],
    ['a word that Slack lists nowhere', { kind: 'error', error: 'a_word_of_next_year' }],
    ['a page of HTML', { kind: 'html' }],
    ['an error of Slack', { kind: 'status', status: 500 }],
  ])('%s about one channel keeps the bot from none', async (_, effect) => {
    const workspace = await workspaceOf()
    const [odd, archived] = [workspace.channel('db').id, workspace.channel('old-alerts').id]
    await workspace.acts.fault.from({ method: 'conversations.info', channel: odd, times: null, effect })
    const channels = [odd, archived, workspace.channel('alerts').id]
    const { logger, ...came } = await connect(workspace, { channels })
    expect(came).toMatchObject({ none: null, closed: new Map([[archived, 'is_archived']]) })
    expect(logger.events()).toContain('channel:unchecked')
    // Where nothing else is known, it may be open.
    expect(await connect(workspace, { channels: [odd] })).toMatchObject({ none: null, closed: new Map() })
  })

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['429', { kind: 'ratelimited', retryAfterSeconds: 30 }, /ratelimited/],
    ['503', { kind: 'status', status: 503 }, /http_503/],
    ['a dropped connection', { kind: 'reset' }, /./],
    [
      'a word that Slack lists nowhere',
      { kind: 'error', error: 'a_word_of_next_year' },
      /a_word_of_next_year/,
    ],
    ['a migration', { kind: 'error', error: 'org_login_required' }, /org_login_required/],
  ])('%s instead of what the token stands for', async (_, effect, why) => {
    const workspace = await workspaceOf()
    await workspace.acts.fault.from({ method: 'auth.test', effect })
    const came = await connect(workspace)
    expect(came).toMatchObject({ isRefused: false, why: expect.stringMatching(why) })
    expect(await connect(workspace)).toMatchObject({ none: null })
  })

  test('no Slack at all', async () => {
    const workspace = await workspaceOf()
    await workspace.close()
    const why = 'Slack could not check the bot token: ECONNREFUSED.'
    expect(await connect(workspace)).toMatchObject({ isRefused: false, why })
  })
})
