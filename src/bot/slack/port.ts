/**
 * Slack as the rest of the program sees it. `calls.ts` does it with Bolt's client; tests with a fake in the same process. Every call
 * ends within its own time limit, and answers with one of a few outcomes: no caller reads Slack's error names.
 */
import type { KnownBlock, View as SlackView } from '@slack/types'
import type { Person, SlackIdentity } from '../world/facts.ts'
import type { Pass } from '../world/journal.ts'

export type Message = {
  /** What the blocks say, without buttons: at most 4,000 characters (`chat.update` refuses more). */
  readonly text: string
  /** Empty: the text alone, as the fallback for refused content. */
  readonly blocks: readonly KnownBlock[]
}

export type PostCall = Message & {
  /** A channel's or a person's id. */
  readonly channel: string
  readonly threadTs: string | null
  readonly isBroadcast: boolean
  /** Put into the metadata, hashed, to find the message again: the post's id. */
  readonly key: string
}

/** How a call ended, as `client.ts` reads it off Slack's answers (docs/slack.md#errors). `why` is fit for people and logs. */
export type Outcome =
  | { readonly kind: 'ok'; readonly ts: string; readonly channelId: string; readonly threadTs: string | null }
  /** 429: certainly not done; nothing of this method for so long. */
  | { readonly kind: 'limited'; readonly afterMs: number }
  /** Certainly not done, try later: refused connections, migrations. */
  | { readonly kind: 'later'; readonly why: string }
  /** May have been done: 5xx, resets, hangs, `internal_error`. */
  | { readonly kind: 'unclear'; readonly why: string }
  /** The token or the app is refused: nothing works until a person acts. */
  | { readonly kind: 'token'; readonly why: string }
  /** This channel takes nothing until a person acts; `isArchived` is no lasting trouble. */
  | { readonly kind: 'channel'; readonly why: string; readonly isArchived: boolean }
  /** A picture in it is refused; without it the message may go. */
  | { readonly kind: 'picture'; readonly why: string }
  /** These blocks can never go. */
  | { readonly kind: 'content'; readonly why: string }
  /** The message to change, to delete or to reply to is gone. */
  | { readonly kind: 'gone' }

/** A message of a channel's history that our own app posted. `key` is the hash that `keyHash` makes of a post's id. */
export type Seen = { readonly ts: string; readonly key: string | null; readonly threadTs: string | null }
/** `channelId`: as edits name it; of a person the direct messages with them. */
export type Look =
  | { readonly kind: 'read'; readonly channelId: string; readonly messages: readonly Seen[] }
  | { readonly kind: 'unreadable'; readonly why: string; readonly isShut: boolean }

export type UploadOutcome =
  | { readonly kind: 'ok'; readonly file: string }
  | { readonly kind: 'refused' | 'later'; readonly why: string }

/** A channel as Slack tells it, or why it does not. */
export type ChannelState =
  | { readonly isMember: boolean; readonly isArchived: boolean; readonly name: string }
  | { readonly why: string }

export type SlackPort = {
  post(pass: Pass, call: PostCall): Promise<Outcome>
  update(pass: Pass, call: Message & { readonly channelId: string; readonly ts: string }): Promise<Outcome>
  delete(pass: Pass, channelId: string, ts: string): Promise<Outcome>
  /** Everything of our own app in a channel, and in a thread of it, from `fromMs` on: all pages or `unreadable`. */
  look(channelId: string, threadTs: string | null, fromMs: number): Promise<Look>
  /** Uploads a PNG that nobody sees until a message shows it. Ready to be shown when it resolves. */
  upload(png: Uint8Array, name: string, alt: string): Promise<UploadOutcome>
  /** Shares a file into a thread or a person's direct messages, once; unclear outcomes are not repeated. */
  share(
    pass: Pass,
    file: { bytes: Uint8Array; name: string; title: string },
    channel: string,
    threadTs: string | null,
  ): Promise<Outcome>
  ephemeral(
    pass: Pass,
    channelId: string,
    userId: string,
    threadTs: string | null,
    message: Message,
  ): Promise<Outcome>
  openView(
    triggerId: string,
    view: SlackView,
  ): Promise<{ readonly viewId: string } | { readonly why: string }>
  updateView(pass: Pass, viewId: string, view: SlackView): Promise<Outcome>
  publishHome(pass: Pass, userId: string, view: SlackView): Promise<Outcome>
  pin(pass: Pass, channelId: string, ts: string): Promise<Outcome>
  identity(): Promise<SlackIdentity | { readonly why: string; readonly isToken: boolean }>
  channel(id: string): Promise<ChannelState>
  person(id: string): Promise<Person | null>
  people(): Promise<readonly Person[] | null>
  personByEmail(email: string): Promise<string | null>
  groupMembers(groupId: string): Promise<readonly string[] | null>
}
