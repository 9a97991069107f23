/** `conversations.*`: channels and their history, as far as the bot may see them (docs/slack.md#messages). */
import { wireChannel } from '../state/channels.ts'
import { isInChannel, isTimestamp, type Message } from '../state/messages.ts'
import type { State } from '../state/state.ts'
import { wireMessage } from '../state/wire.ts'
import { type Args, type Method, needScope, reachById, reachToRead } from './call.ts'
import { refuse, refuseArguments, type Yes, yes } from './reply.ts'

const pageUsual = 100
const pageMax = 999

export const info: Method = ({ state, args }) => {
  const channel = reachById(state, args)
  // The scope im:read stands for direct messages only; every bot may look at its own.
  if (channel.kind !== 'im') needScope(state, 'read', channel.kind)
  return yes({ channel: wireChannel(channel, state.bot.userId) })
}

export const open: Method = ({ state, args }) => {
  const person = state.people.get(args.need('users')) ?? refuse('user_not_found')
  if (person.isDeactivated === true) refuse('user_disabled')
  if (person.isBot) refuse('cannot_dm_bot')
  return yes({ channel: { id: state.channels.direct(person.id).id } })
}

export const history: Method = ({ state, args }) => {
  const channel = reachToRead(state, args)
  const isWithin = readSpan(args)
  const own = state.messages.all(channel.id).filter((message) => isInChannel(message) && isWithin(message))
  return page(state, args, own.toReversed(), (message, after) => message.ts < after)
}

export const replies: Method = ({ state, args }) => {
  const channel = reachToRead(state, args)
  const ts = args.need('ts')
  const isWithin = readSpan(args)
  const visible = state.messages.all(channel.id)
  const named = visible.find((message) => message.ts === ts)
  const parentTs = named?.threadTs ?? named?.ts
  const parent = visible.find((message) => message.ts === parentTs) ?? refuse('thread_not_found')
  const answers = visible.filter((message) => message.threadTs === parent.ts && isWithin(message))
  return page(state, args, answers, (message, after) => message.ts > after, [parent])
}

function readSpan(args: Args): (message: Message) => boolean {
  if (args.text('latest') || args.text('inclusive')) refuseArguments('latest and inclusive: not known here')
  const oldest = args.text('oldest') ?? ''
  if (oldest !== '' && !isTimestamp(oldest.padStart(17, '0'))) refuse('invalid_ts_oldest')
  return ({ ts }) => ts > oldest.padStart(17, '0')
}

/** One page. Pages go by timestamp, so that a message deleted meanwhile moves nothing. `always` stands before each. */
function page(
  state: State,
  args: Args,
  messages: readonly Message[],
  comesAfter: (message: Message, after: string) => boolean,
  always: readonly Message[] = [],
): Yes {
  // Zero is what clients send for "no limit of mine".
  const limit = args.whole('limit') || pageUsual
  if (Number.isNaN(args.whole('limit')) || limit < 1 || limit > pageMax) refuse('invalid_limit')
  const cursor = args.text('cursor') ?? ''
  const after = /^next:(.+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1]
  if (cursor !== '' && after === undefined) refuse('invalid_cursor')
  const rest = after === undefined ? messages : messages.filter((message) => comesAfter(message, after))
  const shown = rest.slice(0, limit)
  const last = rest.length > shown.length ? shown.at(-1) : undefined
  const withMetadata = args.flag('include_all_metadata') === true
  return yes({
    messages: [...always, ...shown].map((message) => wireMessage(state, message, { withMetadata })),
    has_more: last !== undefined,
    ...(last && { response_metadata: { next_cursor: Buffer.from(`next:${last.ts}`).toString('base64') } }),
  })
}
