/** Checks Slack: the token and its scopes, every channel, pictures, and the transport for requests. */
import { WebClient } from '@slack/web-api'
import { openDraw } from '../charts/draw.ts'
import { type Config, channelsPostedTo } from '../config/config.ts'
import type { OutsideFailure } from '../domain/base/failure.ts'
import { isPerson } from '../domain/card/card.ts'
import { attempt } from '../flow/attempt.ts'
import type { Clock, SteadyClock } from '../flow/ports/ports.ts'
import { openChat } from '../slack/chat.ts'
import { failureOf } from '../slack/errors.ts'
import { clientOptions } from '../slack/fetch.ts'
import { scopesNeeded, scopesOptional } from '../slack/vocabulary.ts'
import { blocksFindings } from './blocks.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'
import { reachFinding } from './reach.ts'
import { showCard } from './show.ts'
import { silent } from './silent.ts'

type Settings = Pick<
  Config,
  | 'slackBotToken'
  | 'slackAppToken'
  | 'slackApiUrl'
  | 'slackChannel'
  | 'routes'
  | 'reminders'
  | 'report'
  | 'permissions'
  | 'images'
>

const reinstall = 'Take manifest.yml for the app, and install it in the workspace again.'

/** Whom to show a card to (a person's id; null: nobody), and what is aborted when the doctor is interrupted. */
export type Showing = { readonly showTo: string | null; readonly leaving: AbortSignal }

export async function* examineSlack(
  config: Settings,
  clock: SteadyClock,
  { showTo, leaving }: Showing,
): AsyncGenerator<Finding> {
  const client = new WebClient(config.slackBotToken.reveal(), {
    ...clientOptions(config.slackApiUrl),
    logger: silent,
  })
  const self = await ask('check the bot token', () => client.auth.test())
  const rest = 'scopes, channels, pictures and sockets need the token'
  if (!self.ok) {
    const { kind, code } = self.failure
    const refused = 'Copy the bot token from "OAuth & Permissions" of the app.'
    yield failed(
      'Slack token',
      kind === 'forbidden'
        ? `refused (${code})`
        : `${isSlacks(code) ? 'could not be checked' : 'Slack cannot be reached'} (${code})`,
      kind === 'forbidden' ? refused : wayTo(self.failure, 'Check SLACK_API_URL and the way out to it.'),
    )
    yield skipped('Slack', rest)
    return
  }
  const { user, team, bot_id: botId } = self.value
  if (!user || !team || !botId) {
    const lacks = [!user && 'its user', !team && 'its workspace', !botId && 'that it is a bot'].filter(
      Boolean,
    )
    yield failed(
      'Slack token',
      `accepted, without saying ${lacks.join(', ')}`,
      'Check SLACK_API_URL, and that SLACK_BOT_TOKEN is the bot token of the app.',
    )
    yield skipped('Slack', rest)
    return
  }
  yield ok('Slack token', `is @${user} in ${team}`)
  yield scopesFinding(self.value.response_metadata?.scopes)
  const channels = channelsPostedTo(config)
  for (const channel of channels) yield await channelFinding(client, channel)
  yield* historyFindings(client, channels)
  yield* membersFindings(client, config)
  yield config.images === 'off'
    ? skipped('Slack pictures', 'images: off')
    : await pictureFinding(client, botId, clock)
  yield* await blocksFindings(config.slackApiUrl, clock)
  if (showTo !== null) yield* showCard({ client, botId, person: showTo, clock, leaving })
  yield await requestsFinding(client, config)
}

/** Slack's own codes are words; those of a connection are not. */
const isSlacks = (code: string | null) => /^[a-z_]+$/.test(code ?? '')

/** What to do about a failure that may have another cause than the setting. */
function wayTo({ kind, code }: OutsideFailure, otherwise: string): string {
  if (kind === 'rate_limited' || code === 'ratelimited')
    return 'Slack asks to wait: run the doctor again in a minute.'
  if (code === 'fatal_error' || code === 'internal_error' || code === 'service_unavailable')
    return 'Slack itself failed: run the doctor again, and look at its status page.'
  return kind === 'unreachable' && otherwise === reinstall
    ? 'Slack did not answer as it does: run the doctor again.'
    : otherwise
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
    return failed(
      check,
      `not found (${code})`,
      wayTo(found.failure, 'Check its id; if it is private, say /invite @monbot there.'),
    )
  }
  const { name, is_archived: isArchived, is_member: isMember, is_im: isDirect } = found.value.channel ?? {}
  if (isDirect || name === undefined)
    return failed(check, 'is no channel', 'Take the id (C…) of a channel: cards are for several people.')
  if (isArchived) return failed(check, `#${name} is archived`, 'Unarchive it, or choose another one.')
  if (isMember !== true) return failed(check, `monbot is not in #${name}`, 'Say /invite @monbot there.')
  const read = await ask('show its history', () => client.conversations.history({ channel, limit: 1 }))
  if (!read.ok && isLimited(read.failure))
    return warning(check, `joined #${name}; ${unreadNow}`, 'Run the doctor again in a minute.')
  if (!read.ok) {
    const why = `joined #${name}, but its history cannot be read (${read.failure.code})`
    return failed(
      check,
      why,
      `After a lost answer monbot could not tell what it posted. ${wayTo(read.failure, reinstall)}`,
    )
  }
  const { is_read_only: isReadOnly, is_thread_only: isThreadOnly } = (found.value.channel ?? {}) as Limits
  if (isReadOnly || isThreadOnly)
    return warning(
      check,
      `#${name}: joined, history readable; posting is restricted there`,
      "Allow monbot to post in the channel's settings: whether it may shows only with the first card.",
    )
  return ok(check, `#${name}: joined, history readable`)
}

const unreadNow = 'whether its history can be read is not known, because Slack limits that (ratelimited)'

function isLimited({ kind, code }: OutsideFailure): boolean {
  return kind === 'rate_limited' || code === 'ratelimited'
}

/** What Slack shows at once, and once a minute, to an app that counts as distributed commercially (docs/slack.md#rate-limits). */
const limitedRecords = 15

/**
 * Warns where history comes by 15 messages. That shows in an answer that has no more although there are more, in a limit that is refused,
 * and in a second call that is. Nothing is said where nothing shows it: a short history proves nothing.
 */
async function* historyFindings(client: WebClient, channels: readonly string[]): AsyncGenerator<Finding> {
  const check = 'Slack history'
  const [channel] = channels
  if (channel === undefined) return
  const read = await ask('show its history', () =>
    client.conversations.history({ channel, limit: limitedRecords + 1 }),
  )
  const isFew =
    read.ok && read.value.has_more === true && (read.value.messages ?? []).length <= limitedRecords
  const slowly = `so after a lost answer a card in a busy channel may come twice, and the copy goes later`
  const todo =
    'Make the app in your own workspace, from manifest.yml: Slack limits those that are distributed.'
  if (isFew || (!read.ok && read.failure.code === 'invalid_limit'))
    yield warning(check, `Slack shows it ${limitedRecords} messages at a time, ${slowly}`, todo)
  else if (!read.ok && isLimited(read.failure))
    yield warning(
      check,
      `Slack does not show it twice a minute, ${slowly}`,
      `${todo} Or a running bot is just reading it with this token.`,
    )
}

/** Fields of a channel that the SDK's types lack. */
type Limits = { readonly is_read_only?: boolean; readonly is_thread_only?: boolean }

/** Checks every group and person in the policy: an unknown one would be mentioned in vain, or refused everything. */
async function* membersFindings(client: WebClient, config: Settings): AsyncGenerator<Finding> {
  const mentions = [...config.routes, ...config.reminders.steps].flatMap(({ mention }) => mention ?? [])
  const called = mentions.flatMap((mention) => mention.match(/[SUW][A-Z0-9]{1,20}(?=>)/g) ?? [])
  const allowed = Object.values(config.permissions).filter((audience) => typeof audience !== 'string')
  const reminded = config.reminders.steps.flatMap(({ channel }) =>
    channel !== null && isPerson(channel) ? [channel] : [],
  )
  for (const member of new Set([...called, ...reminded, ...allowed.flat()])) {
    const found = member.startsWith('S')
      ? await ask('look up a group', () => client.usergroups.users.list({ usergroup: member }))
      : await ask('look up a person', () => client.users.info({ user: member }))
    if (found.ok) continue
    const { code } = found.failure
    const isGone = ['no_such_subteam', 'user_not_found', 'user_not_visible'].includes(String(code))
    const todo = 'The policy names it: check the id, or take it out.'
    yield isGone
      ? failed(`Slack member ${member}`, `not found (${code})`, todo)
      : warning(`Slack member ${member}`, `could not be looked up (${code})`, wayTo(found.failure, reinstall))
  }
}

/** Uploads a picture as for a card, shares it nowhere, and deletes it. */
async function pictureFinding(client: WebClient, botId: string, clock: Clock): Promise<Finding> {
  const check = 'Slack pictures'
  const { upload } = openChat(client, () => ({ botId, botUserId: '', address: null }), clock)
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
  const opened = await ask('open a socket', () => client.apps.connections.open({ token: token.reveal() }))
  if (!opened.ok)
    return failed(
      check,
      `no socket may be opened (${opened.failure.code})`,
      wayTo(
        opened.failure,
        'SLACK_APP_TOKEN must be an app-level token with connections:write, and Socket Mode must be on.',
      ),
    )
  const { url = '' } = opened.value
  if (!URL.canParse(url)) return failed(check, 'Slack named no address for a socket', 'Check SLACK_API_URL.')
  // Only connects to the host: an open socket would take requests from the running bot.
  return reachFinding(check, url, {
    name: `${new URL(url).host}, to which a socket may be opened,`,
    reached: 'Socket Mode: a socket may be opened, and its host is reached',
    todo: 'Let this machine out to that host: Socket Mode is how requests of people come.',
  })
}

function ask<T>(doing: string, call: () => Promise<T>) {
  return attempt(() =>
    call().catch((error: unknown) => {
      throw failureOf(error, doing)
    }),
  )
}
