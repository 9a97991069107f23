/** Checks the bot token, and every channel that cards go to, before the first message. */
import type { WebClient } from '@slack/web-api'
import type { OutsideFailure } from '../domain/base/failure.ts'
import { type Attempt, attempt } from '../flow/attempt.ts'
import type { Logger, SlackTrouble } from '../flow/ports/ports.ts'
import { failureOf } from './errors.ts'

export type Self = {
  readonly botId: string
  readonly botUserId: string
  readonly teamId: string
  /** Of the Grid that the workspace belongs to; null for one of its own. */
  readonly enterpriseId: string | null
  /** Of the workspace, `https://team.slack.com/`; null if Slack did not say. */
  readonly address: string | null
}

/** Finds out whose bot token it is; or says why that is not possible. */
export async function checkToken(client: WebClient): Promise<Self | SlackTrouble> {
  const found = await asked(() => client.auth.test(), 'check the bot token')
  if (!found.ok) return troubleOf(found.failure, refusedBotToken)
  const { bot_id: botId, user_id: botUserId, team_id: teamId, enterprise_id: enterpriseId, url } = found.value
  if (botId === undefined || botUserId === undefined)
    return refused('SLACK_BOT_TOKEN is not the token of a bot.')
  if (teamId === undefined) return refused('Slack does not say which workspace the token is of.')
  return { botId, botUserId, teamId, enterpriseId: enterpriseId || null, address: url || null }
}

export function refusedBotToken(code: string): string {
  return `Slack refused SLACK_BOT_TOKEN (${code}): copy the bot token from "OAuth & Permissions" of the app.`
}

/**
 * Turns a failure into a sentence for the operator: with `refusedAs` if the token was refused; any other trouble may pass by
 * itself.
 */
export function troubleOf(failure: OutsideFailure, refusedAs: (code: string) => string): SlackTrouble {
  const { kind, code, retryAfterMs, message } = failure
  // No channel was named, so a code that sounds like one is about the token.
  if (kind === 'forbidden' || kind === 'missing') return refused(refusedAs(code ?? kind))
  return { isRefused: false, why: `${message}.`, retryAfterMs }
}

function refused(why: string): SlackTrouble {
  return { isRefused: true, why, retryAfterMs: null }
}

/** `closed`: channels that take no cards, with Slack's code for the reason. `none`: why no channel is of use; null if one may be. */
export type CheckedChannels = { readonly closed: ReadonlyMap<string, string>; readonly none: string | null }

/** Why a channel does not work until somebody acts. `code` is null if it could not be looked up. */
type Closed = { readonly code: string | null; readonly message: string }

/**
 * Checks every channel. One that is closed, or has an odd answer, must not block the alerts of the others; if one could not be
 * looked up, the first post shows more.
 */
export async function checkChannels(
  client: WebClient,
  channels: readonly string[],
  logger: Logger,
): Promise<CheckedChannels> {
  const all = [...new Set(channels)]
  // All at once: each may take as long as a call to Slack may.
  const found = await Promise.all(
    all.map(async (channel) => ({ channel, is: await lookUp(client, channel) })),
  )
  const closed = found.flatMap(({ channel, is }) => (is === null ? [] : [{ channel, ...is }]))
  for (const { channel, code, message } of closed)
    logger.warn(code === null ? 'channel:unchecked' : 'channel:closed', { channel, why: message })
  const useless = closed.filter(({ isUnknown }) => !isUnknown)
  return {
    closed: new Map(closed.flatMap(({ channel, code }) => (code === null ? [] : [[channel, code] as const]))),
    none: useless.length === all.length ? (useless[0]?.message ?? null) : null,
  }
}

async function lookUp(
  client: WebClient,
  channel: string,
): Promise<(Closed & { readonly isUnknown: boolean }) | null> {
  const closed = (code: string, message: string) => ({ code, message, isUnknown: false })
  const found = await asked(() => client.conversations.info({ channel }), 'look up a channel')
  if (!found.ok) {
    const { code, kind } = found.failure
    if (code === 'channel_not_found') {
      const hint = 'or it is private and monbot is not in it: check the id, or invite @monbot.'
      return closed(code, `Slack knows no channel ${channel}, ${hint}`)
    }
    const hint = code === 'missing_scope' ? ' (reinstall the app with the scopes of manifest.yml)' : ''
    const message = `Slack could not look up the channel ${channel}: ${code}${hint}.`
    if (kind === 'missing' && code !== null) return closed(code, message)
    // Without the scope for looking it up, posting may still work.
    return { code: null, message, isUnknown: kind !== 'forbidden' }
  }
  const { is_archived: isArchived, is_member: isMember } = found.value.channel ?? {}
  if (isArchived) return closed('is_archived', `The channel ${channel} is archived: choose another one.`)
  if (isMember !== false) return null
  return closed('not_in_channel', `monbot is not in the channel ${channel}: say "/invite @monbot" there.`)
}

function asked<T>(call: () => Promise<T>, doing: string): Promise<Attempt<T>> {
  return attempt(() =>
    call().catch((error: unknown) => {
      throw failureOf(error, doing)
    }),
  )
}
