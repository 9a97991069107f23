/** Every way in which Slack misbehaves in one channel or in all, and how that is visible while it lasts. */
import type { FaultAsk } from '../../src/workspace/faults/faults.ts'
import type { Workspace } from '../../src/workspace/workspace.ts'

export type Trouble = {
  /** What goes wrong before the alerts open. */
  begins(workspace: Workspace): Promise<unknown>
  /** What `/mon status` says while it lasts; null where a card waits for a moment only. */
  readonly says: RegExp | null
  /** A series of `/metrics` that is above 0 by then. */
  readonly counts: string
  /** How it is fixed; otherwise all faults are cleared. */
  mends?(workspace: Workspace): Promise<unknown>
  /** Nothing can be said in the other channel either. */
  readonly everywhere?: true
  /** Posts work, only the closing waits. */
  readonly postsWork?: true
}

/** The channel that it is about. */
export const sick = '#alerts'
const always = { channel: sick, times: null } as const

function posts(effect: FaultAsk['effect'], over: Partial<FaultAsk> = {}) {
  return (workspace: Workspace) =>
    workspace.acts.fault({ method: 'chat.postMessage', ...always, effect, ...over })
}

function both(...all: readonly ((workspace: Workspace) => Promise<unknown>)[]) {
  return async (workspace: Workspace) => {
    for (const begin of all) await begin(workspace)
  }
}

const retried = (reason: string) => `monbot_retries_total{what="card",reason="${reason}"}`
export const troubled = (why: string) => `monbot_troubled_channels{why="${why}"}`
const doubted = 'monbot_unknown_outcomes_total{what="card"}'
const unclear = /Slack gives no clear answer in <#C0ALERTS01> since .* \(\w+\)/

export const slackTroubles: Readonly<Record<string, Trouble>> = {
  'takes posts and drops the connection': {
    begins: posts({ kind: 'commit_then_reset' }, { times: 4 }),
    says: null,
    counts: doubted,
  },
  'takes posts and answers 503': {
    begins: posts({ kind: 'commit_then_status', status: 503 }, { times: 4 }),
    says: null,
    counts: doubted,
  },
  'takes posts and cuts the answer': {
    begins: posts({ kind: 'truncate' }, { times: 4 }),
    says: null,
    counts: doubted,
  },
  'takes posts a minute and a half late': {
    begins: posts({ kind: 'commit_late', afterMs: 90_000 }),
    says: unclear,
    counts: doubted,
  },
  'takes posts, says nothing, and shows its history fifty seconds late': {
    begins: both(posts({ kind: 'commit_then_reset' }), ({ acts }) =>
      acts.historyLag({ lagMs: 50_000, channel: sick }),
    ),
    says: unclear,
    counts: doubted,
  },
  'takes posts, says nothing, and shows no history': {
    begins: both(posts({ kind: 'commit_then_reset' }), ({ acts }) =>
      acts.fault({ method: 'conversations.history', ...always, effect: { kind: 'status', status: 500 } }),
    ),
    says: unclear,
    counts: retried('unread'),
  },
  'answers with a page of HTML and 200': {
    begins: posts({ kind: 'html' }),
    says: /Slack gives no clear answer in <#C0ALERTS01> since .* \(not_json\)/,
    counts: troubled('unknown'),
  },
  'answers 500': {
    begins: posts({ kind: 'status', status: 500 }),
    says: /no clear answer in <#C0ALERTS01> since .* \(http_500\)/,
    counts: troubled('unknown'),
  },
  'resets the connection': {
    begins: posts({ kind: 'reset' }),
    says: unclear,
    counts: troubled('unknown'),
  },
  hangs: {
    begins: posts({ kind: 'hang' }),
    says: null,
    counts: 'monbot_cards{state="sending"}',
  },
  'answers 429 to posts in one channel': {
    begins: posts({ kind: 'ratelimited', retryAfterSeconds: 30 }),
    says: /Slack rate limit in <#C0ALERTS01> since .*; retrying/,
    counts: retried('rate_limited'),
  },
  'answers 429 to updates': {
    begins: ({ acts }) =>
      acts.fault({
        method: 'chat.update',
        ...always,
        effect: { kind: 'ratelimited', retryAfterSeconds: 30 },
      }),
    says: /Slack rate limit in <#C0ALERTS01> since .*; retrying/,
    counts: retried('rate_limited'),
    postsWork: true,
  },
  'has archived the channel': {
    begins: ({ acts }) => acts.archive({ channel: sick }),
    says: /<#C0ALERTS01> takes no cards since .*: it is archived\. Unarchive it, .*; \d cards wait and will follow then/,
    counts: troubled('channel_unavailable'),
    mends: ({ acts }) => acts.archive({ channel: sick, archived: false }),
  },
  'has put the bot out of the channel': {
    begins: ({ acts }) => acts.kick({ channel: sick, who: 'bot' }),
    says: /<#C0ALERTS01> takes no cards since .*: monbot is not in it\. Say `\/invite @monbot` there; \d cards wait/,
    counts: troubled('channel_unavailable'),
    mends: ({ acts }) => acts.invite({ channel: sick, who: 'bot' }),
  },
  'lets nobody but admins post in the channel': {
    begins: posts({ kind: 'error', error: 'restricted_action_read_only_channel' }),
    says: /<#C0ALERTS01> takes no cards since .*: Slack says restricted_action_read_only_channel\. Ask an admin/,
    counts: troubled('channel_unavailable'),
  },
  'gives the bot no permission for the channel': {
    begins: posts({ kind: 'error', error: 'no_permission' }),
    says: /<#C0ALERTS01> takes no cards since .*: monbot may not post there\. Say `\/invite @monbot` there; \d cards wait/,
    counts: troubled('channel_unavailable'),
  },
  'has revoked the token': {
    begins: ({ acts }) => acts.revoke({ token: 'bot' }),
    says: /Slack refuses the bot token since .* \(token_revoked\): reinstall the app, .*; \d cards wait/,
    counts: troubled('no_token'),
    mends: ({ acts }) => acts.revoke({ token: 'bot', revoked: false }),
    everywhere: true,
  },
  'refuses half of the images': {
    begins: ({ acts }) => acts.refuseImages({ times: null, chance: 0.5 }),
    says: null,
    counts: retried('image_refused'),
    postsWork: true,
  },
  'takes no uploads': {
    begins: ({ acts }) =>
      acts.fault({ method: 'upload', times: null, effect: { kind: 'status', status: 500 } }),
    says: null,
    counts: 'monbot_retries_total{what="picture",reason="failed"}',
    postsWork: true,
  },
}
