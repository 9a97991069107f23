/** Wraps the chat and remembers which channels take no cards; changes no call and no result. */

import { type FailureKind, OutsideFailure } from '../domain/base/failure.ts'
import {
  afterCall,
  afterFound,
  afterReopened,
  type ChannelTrouble,
  type ChannelTroubles,
  type ChatCall,
  channelTroublesOf,
  type TroubleKind,
} from '../domain/delivery/channel-trouble.ts'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Chat, Clock } from '../flow/ports/ports.ts'

type ObservedChat = {
  readonly chat: Chat
  /** One for each channel that takes no cards now; empty if all is well. */
  troubles(): readonly ChannelTrouble[]
  /** Channels that were found closed at startup, with Slack's error code. */
  foundClosed(channels: ReadonlyMap<string, string>): void
  /** Somebody acted on a channel that took no cards. */
  reopened(channel: string): void
}

export function observeChat(chat: Chat, clock: Clock): ObservedChat {
  let known: ChannelTroubles = new Map()
  const note = (channel: string, call: ChatCall, trouble: Trouble | null) => {
    known = afterCall(known, { channel, call }, trouble, clock.nowMs())
  }

  return {
    chat: {
      ...chat,
      post: async (to, view) => {
        const outcome = await chat.post(to, view)
        note(to.channel, 'post', troubleIn(outcome))
        return outcome
      },
      update: async (at, view) => {
        const outcome = await chat.update(at, view)
        note(at.channel, 'update', troubleIn(outcome))
        return outcome
      },
      find: async (where, mayGoOn) => {
        try {
          const found = await chat.find(where, mayGoOn)
          note(where.channel, 'find', null)
          if (found.length > 0) known = afterFound(known, where.channel)
          return found
        } catch (error) {
          if (error instanceof OutsideFailure) note(where.channel, 'find', troubleOf(error))
          throw error
        }
      },
    },
    troubles: () => channelTroublesOf(known),
    foundClosed: (channels) => {
      for (const [channel, why] of channels) note(channel, 'post', { kind: 'closed_door', why })
    },
    reopened: (channel) => {
      known = afterReopened(known, channel)
    },
  }
}

type Trouble = { readonly kind: TroubleKind; readonly why: string }

function troubleIn(outcome: Outcome): Trouble | null {
  switch (outcome.kind) {
    case 'closed_door':
    case 'no_token':
    case 'later':
    case 'unknown':
    case 'unlisted':
      return { kind: outcome.kind, why: outcome.why }
    case 'shown':
    case 'image_refused':
    case 'bad_payload':
    case 'gone':
    case 'frozen':
      return null
  }
}

const ofFailure = {
  unreachable: 'unknown',
  rate_limited: 'later',
  // A missing thread does not mean trouble with its channel.
  rejected: null,
  forbidden: 'no_token',
  missing: 'closed_door',
  broken: null,
} as const satisfies Record<FailureKind, TroubleKind | null>

function troubleOf({ kind, code }: OutsideFailure): Trouble | null {
  const trouble = ofFailure[kind]
  return trouble === null ? null : { kind: trouble, why: code ?? kind }
}
