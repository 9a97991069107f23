/** The checks before the first message: the bot token, and every channel that cards go to. */
import type { WebClient } from '@slack/web-api'
import type { OutsideFailure } from '../domain/base/failure.ts'
import type { Clock, Logger } from '../flow/ports/ports.ts'
import { failureOf } from './errors.ts'

/** Slack cannot be used as configured; the message is one sentence for the operator, without a secret. */
export class SlackSetupError extends Error {
  override readonly name: string = 'SlackSetupError'
}

const checksMax = 3
const checkPauseMs = 60_000

export type Self = {
  readonly botId: string
  readonly botUserId: string
  readonly teamId: string
  /** Of the Grid that the workspace belongs to; null for one of its own. */
  readonly enterpriseId: string | null
  /** Of the workspace, `https://team.slack.com/`; null if Slack did not say. */
  readonly address: string | null
}

export async function checkToken(client: WebClient): Promise<Self> {
  try {
    const {
      bot_id: botId,
      user_id: botUserId,
      team_id: teamId,
      enterprise_id: enterpriseId,
      url,
    } = await client.auth.test()
    if (botId === undefined || botUserId === undefined)
      throw new SlackSetupError('SLACK_BOT_TOKEN is not the token of a bot.')
    if (teamId === undefined) throw new SlackSetupError('Slack does not say which workspace the token is of.')
    return { botId, botUserId, teamId, enterpriseId: enterpriseId || null, address: url || null }
  } catch (error) {
    if (error instanceof SlackSetupError) throw error
    const failure = failureOf(error, 'check the bot token')
    if (failure.kind !== 'forbidden')
      throw new SlackSetupError(`Slack cannot be reached at SLACK_API_URL: ${failure.code}.`)
    throw new SlackSetupError(
      `Slack refused SLACK_BOT_TOKEN (${failure.code}): copy the bot token from "OAuth & Permissions" of the app.`,
    )
  }
}

/** Why a channel does not work until somebody acts: Slack's word for it, and a sentence for the operator. */
type Closed = { readonly code: string; readonly message: string }

/**
 * Checks every channel; returns the closed ones with Slack's code for the reason. One closed channel must not block the
 * alerts of the others, so a `SlackSetupError` is thrown only if all of them are closed, or if Slack could not be reached.
 */
export async function checkChannels(
  client: WebClient,
  channels: readonly string[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<ReadonlyMap<string, string>> {
  const all = new Set(channels)
  const closed = new Map<string, Closed>()
  for (const channel of all) {
    const trouble = await checkChannel(client, channel, clock)
    if (trouble !== null) closed.set(channel, trouble)
  }
  const [first] = closed.values()
  if (first !== undefined && closed.size === all.size) throw new SlackSetupError(first.message)
  for (const [channel, { message }] of closed) logger.warn('channel:closed', { channel, why: message })
  return new Map([...closed].map(([channel, { code }]) => [channel, code]))
}

async function checkChannel(client: WebClient, channel: string, clock: Clock): Promise<Closed | null> {
  for (let tries = 1; ; tries += 1) {
    const found = await client.conversations
      .info({ channel })
      .catch((error: unknown) => failureOf(error, 'look up a channel'))
    if (found instanceof Error) {
      // Many channels are looked up one by one, and Slack may ask for a pause in between.
      if (found.code === 'channel_not_found') {
        const message = `Slack knows no channel ${channel}, or it is private and monbot is not in it: check the id, or invite @monbot.`
        return { code: found.code, message }
      }
      if (found.kind !== 'rate_limited' || tries >= checksMax) throw channelError(channel, found)
      await clock.wait(Math.min(found.retryAfterMs ?? checkPauseMs, checkPauseMs))
      continue
    }
    if (found.channel?.is_archived) {
      return { code: 'is_archived', message: `The channel ${channel} is archived: choose another one.` }
    }
    if (found.channel?.is_member === false) {
      const message = `monbot is not in the channel ${channel}: say "/invite @monbot" there.`
      return { code: 'not_in_channel', message }
    }
    return null
  }
}

function channelError(channel: string, failure: OutsideFailure): SlackSetupError {
  const hint = failure.code === 'missing_scope' ? ' (reinstall the app with the scopes of manifest.yml)' : ''
  return new SlackSetupError(`Slack could not look up the channel ${channel}: ${failure.code}${hint}.`)
}
