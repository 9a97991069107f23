/**
 * The Web API methods of this workspace, one row each: how far each is supported and where it falls short. What is not
 * here and not in `methods-absent.ts` is no method that the SDK knows. A test holds the table against the routes.
 * Scopes and tiers: slack-facts 3.1.
 */
import type { Tier } from '../state/limits.ts'

export type MethodRow = {
  readonly method: string
  readonly support: 'full' | 'partly'
  /** What is left out or decided here; empty where nothing is. */
  readonly note: string
  /** Any one of them admits; empty: none is needed. The kind of channel may ask for one in particular. */
  readonly scopes: readonly string[]
  readonly tier: Tier
  readonly token: 'bot' | 'app' | 'either' | 'none'
  /** Writes take a JSON body too; reads take forms only. */
  readonly writes: boolean
}

type Row = {
  /** Set where something is left out or decided here: what. */
  readonly partly?: string
  readonly scopes?: readonly string[]
  readonly tier: Tier
  readonly token?: MethodRow['token']
  readonly writes?: true
}

const post = ['chat:write']
const history = ['channels:history', 'groups:history', 'im:history']
const read = ['channels:read', 'groups:read', 'im:read']
const noThread = 'a thread_ts without its message is cannot_reply_to_message'

const table = {
  'apps.connections.open': { tier: 3, token: 'app', writes: true },
  'auth.test': { tier: 'special', token: 'either', writes: true },
  'bots.info': { partly: 'knows the one bot', scopes: ['users:read'], tier: 3 },
  'chat.delete': { scopes: post, tier: 3, writes: true },
  'chat.getPermalink': { tier: 'special' },
  'chat.postEphemeral': { scopes: post, tier: 4, writes: true },
  'chat.postMessage': {
    partly: `no other name or icon, nothing is unfurled; ${noThread}`,
    scopes: post,
    tier: 'posts',
    writes: true,
  },
  'chat.update': { partly: 'no file_ids, no reply_broadcast', scopes: post, tier: 3, writes: true },
  'conversations.history': { scopes: history, tier: 3 },
  'conversations.info': { scopes: read, tier: 3 },
  'conversations.join': { scopes: ['channels:join'], tier: 3, writes: true },
  'conversations.list': { scopes: read, tier: 2 },
  'conversations.members': { scopes: read, tier: 4 },
  'conversations.open': { partly: 'with one person', scopes: ['im:write'], tier: 3, writes: true },
  'conversations.replies': { scopes: history, tier: 3 },
  'files.completeUploadExternal': {
    partly: 'shares in one channel at most',
    scopes: ['files:write'],
    tier: 4,
    writes: true,
  },
  'files.delete': { scopes: ['files:write'], tier: 3, writes: true },
  'files.getUploadURLExternal': { partly: 'no snippets, at most 10 MB', scopes: ['files:write'], tier: 4 },
  'files.info': { scopes: ['files:read'], tier: 4 },
  'usergroups.list': { scopes: ['usergroups:read'], tier: 2 },
  'usergroups.users.list': { scopes: ['usergroups:read'], tier: 2 },
  'users.info': { scopes: ['users:read'], tier: 4 },
  'users.list': { scopes: ['users:read'], tier: 2 },
  'views.open': { partly: 'no interactivity_pointer', tier: 4, writes: true },
  'views.publish': { tier: 4, writes: true },
  'views.push': { partly: 'no interactivity_pointer', tier: 4, writes: true },
  'views.update': { tier: 4, writes: true },
} satisfies Record<string, Row>

export type MethodName = keyof typeof table

export const methodRows: readonly MethodRow[] = Object.entries<Row>(table).map(([method, row]) => ({
  method,
  support: row.partly === undefined ? 'full' : 'partly',
  note: row.partly ?? '',
  scopes: row.scopes ?? [],
  tier: row.tier,
  token: row.token ?? 'bot',
  writes: row.writes ?? false,
}))

/** What the bot's manifest asks for; a workspace can be opened with others. */
export const usualScopes = [
  'chat:write',
  'channels:history',
  'groups:history',
  'channels:read',
  'groups:read',
  'files:write',
  'files:read',
  'commands',
  'users:read',
  'usergroups:read',
] as const
