/** Checks Slack: the token and its scopes, each channel, the people of the policy, and the way in; each refusal with what to click. */
import type { WebClient } from '@slack/web-api'
import type { Policy } from '../config/policy.ts'
import type { Config } from '../config/settings.ts'
import { channelsOf } from '../decide/standing.ts'
import { codeOf, outcomeOf, whyOf } from '../slack/client.ts'
import { type Finding, failed, ok, skipped, warning } from './found.ts'

/** As in manifest.yml; without one of the first, something important does not work. */
export const scopesNeeded = [
  ...['channels:history', 'channels:read', 'chat:write', 'commands', 'files:write', 'groups:history'],
  ...['groups:read', 'usergroups:read', 'users:read'],
]
export const scopesOptional: Readonly<Record<string, string>> = {
  'app_mentions:read': 'a mention of @monbot is not answered',
  'files:read': 'each picture waits 4 s for Slack, so that most come in the thread',
  'im:history': 'a direct message to monbot is not answered',
  'im:write': 'a direct message whose answer was lost comes twice',
  'pins:write': 'boards are not pinned',
  'users:read.email': 'people on call are found only by the table in the policy',
}

const reinstall =
  'At api.slack.com/apps open the app, paste manifest.yml under App Manifest, save, and click Reinstall to Workspace.'
const copyToken =
  'At api.slack.com/apps open the app: OAuth & Permissions, copy the Bot User OAuth Token (xoxb-…).'
const approve = 'Ask an admin of the workspace to approve the app: Tools & settings, Manage apps.'
const invite = 'Check its id (channel name, at the bottom of About); in a private one type /invite @monbot.'
const again = 'Run the doctor again in a minute.'

/** What to click, by Slack's own code. */
const clicks: Readonly<Record<string, string>> = {
  invalid_auth: copyToken,
  not_authed: copyToken,
  not_allowed_token_type: copyToken,
  account_inactive: `Click Install to Workspace again. ${copyToken}`,
  token_revoked: `Click Reinstall to Workspace. ${copyToken}`,
  token_expired: `Token rotation is on, and can't be turned off: make a new app from manifest.yml. ${copyToken}`,
  missing_scope: reinstall,
  app_access_restricted: approve,
  enterprise_is_restricted: approve,
  team_access_not_granted: approve,
  access_denied: approve,
  channel_not_found: invite,
  not_in_channel: 'Type /invite @monbot there.',
  is_archived: 'Unarchive it in its settings, or name another channel.',
  no_such_subteam: 'The policy file names it: check the id (S…), or take it out.',
  user_not_found: 'The policy file names it: check the id (profile, ⋮, Copy member ID), or take it out.',
  user_not_visible: 'The policy file names it: monbot must be able to see them, or take it out.',
}

function clickFor(code: string | null): string {
  if (code === null) return 'Check SLACK_API_URL and the way out to it (HTTPS_PROXY, CA_FILE, a firewall).'
  return clicks[code] ?? `${again} If Slack still says ${code}: ${reinstall}`
}

/** A refusal as a finding; `isWarning`: monbot works without it. */
function refusal(check: string, error: unknown, isWarning = false): Finding {
  const code = codeOf(error)
  const outcome = outcomeOf(error)
  if (outcome.kind === 'limited') return warning(check, 'Slack asks to wait', again)
  const why = code ?? whyOf(outcome)
  const [said, todo] = [`Slack says ${why}`, clickFor(code)]
  return isWarning ? warning(check, said, todo) : failed(check, said, todo)
}

export async function* examineSlack(
  client: WebClient,
  config: Config,
  policy: Policy,
): AsyncGenerator<Finding> {
  let scopes: readonly string[] | undefined
  try {
    const self = await client.auth.test()
    if (!self.bot_id) {
      yield failed('Slack token', 'is no bot token', copyToken)
      return
    }
    scopes = self.response_metadata?.scopes
    yield ok('Slack token', `is @${self.user ?? '?'} in ${self.team ?? '?'}`)
  } catch (error) {
    yield refusal('Slack token', error)
    yield skipped('Slack', 'channels, people and sockets need the token')
    return
  }
  yield scopesFinding(scopes)
  const channels = channelsOf(policy, config.slack.channel ?? '').filter((channel) => channel !== '')
  const others = [policy.report?.channel, ...policy.reminders.map((step) => step.channel)]
  const asked = new Set([...channels, ...others.flatMap((one) => (one && /^[CG]/.test(one) ? [one] : []))])
  for (const channel of asked) yield await channelFinding(client, channel)
  yield* membersFindings(client, policy)
  yield await wayInFinding(client, config)
}

function scopesFinding(scopes: readonly string[] | undefined): Finding {
  if (scopes === undefined) return skipped('Slack scopes', 'Slack does not say which the token has')
  const missing = scopesNeeded.filter((scope) => !scopes.includes(scope))
  if (missing.length > 0) return failed('Slack scopes', `missing: ${missing.join(', ')}`, reinstall)
  const without = Object.entries(scopesOptional).filter(([scope]) => !scopes.includes(scope))
  if (without.length === 0) return ok('Slack scopes', 'all of manifest.yml')
  const effects = without.map(([scope, effect]) => `without ${scope} ${effect}`)
  return warning('Slack scopes', effects.join('; '), `If you want that: ${reinstall}`)
}

async function channelFinding(client: WebClient, channel: string): Promise<Finding> {
  const check = `Slack channel ${channel}`
  try {
    const { name, is_archived, is_member } = (await client.conversations.info({ channel })).channel ?? {}
    if (name === undefined) return failed(check, 'is no channel', 'Take the id (C…) of a channel.')
    if (is_archived) return failed(check, `#${name} is archived`, clickFor('is_archived'))
    if (!is_member) return failed(check, `monbot is not in #${name}`, clickFor('not_in_channel'))
    await client.conversations.history({ channel, limit: 1 })
    return ok(check, `#${name}: joined, its history can be read`)
  } catch (error) {
    return refusal(check, error)
  }
}

/** An unknown group or person would be mentioned in vain, or refused everything. */
async function* membersFindings(client: WebClient, policy: Policy): AsyncGenerator<Finding> {
  const { routes, reminders, permissions, onCall } = policy
  const named = [
    ...[...routes, ...reminders].flatMap(
      ({ mention }) => mention?.match(/[SUW][A-Z0-9]{1,20}(?=[|>])/g) ?? [],
    ),
    ...Object.values(permissions).flatMap((one) => (typeof one === 'string' ? [] : one)),
    ...reminders.flatMap(({ channel }) => (channel && /^[UW]/.test(channel) ? [channel] : [])),
    ...Object.values(onCall?.people ?? {}),
  ]
  for (const member of new Set(named)) {
    const isGroup = member.startsWith('S')
    try {
      if (isGroup) await client.usergroups.users.list({ usergroup: member })
      else await client.users.info({ user: member })
    } catch (error) {
      const isGone = ['no_such_subteam', 'user_not_found', 'user_not_visible'].includes(codeOf(error) ?? '')
      yield refusal(`Slack ${isGroup ? 'group' : 'person'} ${member}`, error, !isGone)
    }
  }
}

/** A socket is only asked for: an open one would take requests from a bot that runs. */
async function wayInFinding(client: WebClient, { slack: { appToken } }: Config): Promise<Finding> {
  if (appToken === null)
    return skipped(
      'Slack requests',
      'HTTP mode: whether Slack reaches /slack/events shows when somebody presses',
    )
  try {
    await client.apps.connections.open({ token: appToken.reveal() })
    return ok('Slack requests', 'Socket Mode: a socket may be opened')
  } catch (error) {
    const todo =
      'At api.slack.com/apps open the app: switch Socket Mode on, and make a token with connections:write under Basic Information, App-Level Tokens (xapp-…).'
    return codeOf(error) === null
      ? refusal('Slack requests', error)
      : { ...refusal('Slack requests', error), todo }
  }
}
