/** Slack: the token and its scopes, every channel, pictures, and the way in which people's requests come. */
import { WebClient } from '@slack/web-api'
import { openDraw } from '../charts/draw.ts'
import { type Config, channelsPostedTo } from '../config/config.ts'
import { attempt } from '../flow/attempt.ts'
import type { Clock } from '../flow/ports/ports.ts'
import { openChat } from '../slack/chat.ts'
import { failureOf } from '../slack/errors.ts'
import { clientOptions } from '../slack/fetch.ts'
import { scopesNeeded, scopesOptional } from '../slack/vocabulary.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'

type Settings = Pick<
  Config,
  'slackBotToken' | 'slackAppToken' | 'slackApiUrl' | 'slackChannel' | 'routes' | 'reminders' | 'images'
>

const reinstall = 'Take manifest.yml for the app, and install it in the workspace again.'

export async function* examineSlack(config: Settings, clock: Clock): AsyncGenerator<Finding> {
  const client = new WebClient(config.slackBotToken.reveal(), {
    ...clientOptions(config.slackApiUrl),
    logger: silent,
  })
  const self = await ask('check the bot token', () => client.auth.test())
  if (!self.ok) {
    const { kind, code } = self.failure
    yield kind === 'forbidden'
      ? failed(
          'Slack token',
          `refused (${code})`,
          'Copy the bot token from "OAuth & Permissions" of the app.',
        )
      : failed(
          'Slack token',
          `Slack cannot be reached (${code})`,
          'Check SLACK_API_URL and the way out to it.',
        )
    yield skipped('Slack', 'scopes, channels, pictures and sockets need the token')
    return
  }
  yield ok('Slack token', `is @${self.value.user} in ${self.value.team}`)
  const scopes = self.value.response_metadata?.scopes
  yield scopesFinding(scopes)
  for (const channel of channelsPostedTo(config)) yield await channelFinding(client, channel)
  yield config.images === 'off'
    ? skipped('Slack pictures', 'images: off')
    : await pictureFinding(client, String(self.value.bot_id), clock)
  yield await requestsFinding(client, config)
}

function scopesFinding(scopes: readonly string[] | undefined): Finding {
  if (scopes === undefined) return skipped('Slack scopes', 'Slack does not say which the token has')
  const missing = scopesNeeded.filter((scope) => !scopes.includes(scope))
  if (missing.length > 0) return failed('Slack scopes', `missing: ${missing.join(', ')}`, reinstall)
  const optional = Object.entries(scopesOptional)
  const without = optional.filter(([scope]) => !scopes.includes(scope))
  return without.length === 0
    ? ok('Slack scopes', `all ${scopesNeeded.length + optional.length}`)
    : warning(
        'Slack scopes',
        without.map(([scope, effect]) => `without ${scope} ${effect}`).join('; '),
        `Nothing else depends on it. ${reinstall}`,
      )
}

async function channelFinding(client: WebClient, channel: string): Promise<Finding> {
  const check = `Slack channel ${channel}`
  const found = await ask('look up a channel', () => client.conversations.info({ channel }))
  if (!found.ok) {
    const { code } = found.failure
    if (code === 'missing_scope') return failed(check, 'cannot be looked up (missing_scope)', reinstall)
    return failed(check, `not found (${code})`, 'Check its id; if it is private, say /invite @monbot there.')
  }
  const { name = channel, is_archived: isArchived, is_member: isMember } = found.value.channel ?? {}
  if (isArchived) return failed(check, `#${name} is archived`, 'Unarchive it, or choose another one.')
  if (isMember === false) return failed(check, `monbot is not in #${name}`, 'Say /invite @monbot there.')
  const read = await ask('show its history', () => client.conversations.history({ channel, limit: 1 }))
  if (!read.ok) {
    const why = `joined #${name}, but its history cannot be read (${read.failure.code})`
    return failed(check, why, `After a lost answer monbot could not tell what it posted. ${reinstall}`)
  }
  return ok(check, `#${name}: joined, history readable`)
}

/** Uploaded as a card's picture is, shared nowhere, and deleted. */
async function pictureFinding(client: WebClient, botId: string, clock: Clock): Promise<Finding> {
  const check = 'Slack pictures'
  const { upload } = openChat(client, () => ({ botId, address: null }), clock)
  const png = await openDraw().bars({
    title: 'monbot',
    bars: [{ label: 'doctor', value: 1 }],
  })
  const uploaded = await attempt(() => upload(png, 'monbot-doctor.png'))
  if (!uploaded.ok) return failed(check, uploaded.failure.message, `${reinstall} Or set images: off.`)
  const deleted = await ask('delete a file', () => client.files.delete({ file: uploaded.value }))
  return deleted.ok
    ? ok(check, 'a test picture was uploaded, shared nowhere, and deleted')
    : warning(
        check,
        `a test picture was uploaded, but not deleted (${deleted.failure.code})`,
        'Delete monbot-doctor.png among the files of the workspace; it was shared nowhere.',
      )
}

async function requestsFinding(client: WebClient, { slackAppToken: token }: Settings): Promise<Finding> {
  const check = 'Slack requests'
  if (token === null) {
    return skipped(check, 'HTTP mode: whether Slack reaches /slack/events shows only when somebody presses')
  }
  // The address is asked for and not used: a socket of ours would take requests from the bot that is running.
  const opened = await ask('open a socket', () => client.apps.connections.open({ token: token.reveal() }))
  return opened.ok
    ? ok(check, 'Socket Mode: a socket may be opened')
    : failed(
        check,
        `no socket may be opened (${opened.failure.code})`,
        'SLACK_APP_TOKEN must be an app-level token with connections:write, and Socket Mode must be on.',
      )
}

function ask<T>(doing: string, call: () => Promise<T>) {
  return attempt(() =>
    call().catch((error: unknown) => {
      throw failureOf(error, doing)
    }),
  )
}

const nothing = () => undefined
const silent = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => 'error' as never,
}
