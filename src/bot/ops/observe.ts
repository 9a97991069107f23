/** Wraps ports to log the duration and result of each call, or to remember what failed; they behave the same. */
import { type FailureKind, OutsideFailure } from '../domain/base/failure.ts'
import {
  afterUnexpectedError,
  freshUnexpectedErrors,
  jobKinds,
  type UnexpectedError,
} from '../domain/base/unexpected-error.ts'
import {
  afterCall,
  afterFound,
  afterReopened,
  type ChannelTrouble,
  type ChannelTroubles,
  type ChatCall,
  channelTroublesOf,
  type Stopped,
  stoppedIn,
  stoppedSince,
  type TroubleKind,
} from '../domain/delivery/channel-trouble.ts'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Mute } from '../domain/mute/mute.ts'
import type { Reply } from '../domain/request/reply.ts'
import type { Handle } from '../flow/handle.ts'
import type { Chat, Clock, Logger, Monitor, SteadyClock } from '../flow/ports/ports.ts'

type Ports = { readonly clock: Clock; readonly logger: Logger }

/** Wraps the log and remembers recent failures for the status query; changes no log line. */
export function observeJobs(
  logger: Logger,
  clock: Clock,
): { readonly logger: Logger; unexpectedErrors(): readonly UnexpectedError[] } {
  let known: readonly UnexpectedError[] = []
  return {
    logger: {
      ...logger,
      error: (event, facts = {}) => {
        const job = event === 'job:broken' ? jobKinds.find((kind) => kind === facts.job) : undefined
        if (job !== undefined)
          known = afterUnexpectedError(known, { job, errorId: String(facts.errorId), atMs: clock.nowMs() })
        logger.error(event, facts)
      },
    },
    unexpectedErrors: () => freshUnexpectedErrors(known, clock.nowMs()),
  }
}

/** `api:answered` for every operation, without its arguments. */
export function observeMonitor(monitor: Monitor, ports: Ports): Monitor {
  function told<Args extends unknown[], Result>(
    operation: keyof Monitor,
    call: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => {
      const startedMs = ports.clock.nowMs()
      const say = (outcome: string) =>
        ports.logger.debug('api:answered', {
          operation,
          outcome,
          tookMs: ports.clock.nowMs() - startedMs,
        })
      try {
        const result = await call(...args)
        say('ok')
        return result
      } catch (error) {
        say(error instanceof OutsideFailure ? error.kind : 'broken')
        throw error
      }
    }
  }
  return {
    alerts: told('alerts', monitor.alerts),
    triggers: told('triggers', monitor.triggers),
    roles: told('roles', monitor.roles),
    metrics: told('metrics', monitor.metrics),
    setServerNotifications: told('setServerNotifications', monitor.setServerNotifications),
    setAccountNotifications: told('setAccountNotifications', monitor.setAccountNotifications),
    silences: told('silences', monitor.silences),
    endMute: told('endMute', monitor.endMute),
    muteAlert: told('muteAlert', monitor.muteAlert),
    previewMute: told('previewMute', monitor.previewMute),
    setNoDataGroup: told('setNoDataGroup', monitor.setNoDataGroup),
    addRoles: told('addRoles', monitor.addRoles),
    addMarker: told('addMarker', monitor.addMarker),
    deleteServer: told('deleteServer', monitor.deleteServer),
    deleteCustomMetrics: told('deleteCustomMetrics', monitor.deleteCustomMetrics),
  }
}

/** `request:answered` for every request of a person: the action, and the kind of the answer. */
export function observeHandle(handle: Handle, { clock, logger }: Ports): Handle {
  return async (request) => {
    const startedMs = clock.nowMs()
    const reply = await handle(request)
    const facts = { act: request.intent.kind, outcome: outcomeOf(reply), tookMs: clock.nowMs() - startedMs }
    logger.debug('request:answered', facts)
    return reply
  }
}

/** Of those that were decided; `unknown` while the API has confirmed none. */
function outcomeOfMutes(mutes: readonly Mute[]): string {
  if (mutes.length === 0) return 'failed'
  return mutes.every(({ confirmation }) => confirmation === 'waiting') ? 'unknown' : 'done'
}

function outcomeOf(reply: Reply): string {
  switch (reply.kind) {
    case 'answer':
      return 'answered'
    case 'confirm':
    case 'confirm_planned':
    case 'confirm_roles':
    case 'confirm_silence':
    case 'form':
      return 'asked'
    case 'failed':
      return reply.isUnknown ? 'unknown' : 'failed'
    case 'refused':
    case 'stale':
    case 'broken':
    case 'away':
    case 'repeat':
    case 'cancelled':
      return reply.kind
    case 'muted':
      return outcomeOfMutes(reply.results.flatMap(({ mute }) => mute ?? []))
    case 'account_muted':
      return outcomeOfMutes([reply.mute])
    case 'unmuted':
      if (reply.wasMuted === false) return 'nothing'
      return reply.isSure ? 'done' : 'unknown'
    case 'undone':
      return reply.isSure ? 'done' : 'unknown'
    case 'extended':
    case 'done':
      return 'done'
  }
}

/** A channel that took a card so recently need not be looked up. */
const provenMs = 60_000

type ObservedChat = {
  readonly chat: Chat
  /** One for each channel that takes no cards now; empty if all is well. */
  troubles(): readonly ChannelTrouble[]
  /** Notes the channels that were found closed when Slack was connected, with Slack's error code. */
  foundClosed(channels: ReadonlyMap<string, string>): void
  /** Since when, and why, none of these channels takes a card, once that has lasted two minutes; else null. */
  stopped(channels: readonly string[]): Stopped | null
  /** Looks up whether the channel would take a post. Only a clear refusal is noted: an odd answer, or none, says nothing. */
  probe(channel: string): Promise<{ readonly isRefused: boolean }>
  /** How long not to look up channels: a card was taken a moment ago, or Slack said when to try again. */
  restMs(): number
  /** Forgets what is known about a channel, because it was unarchived or the bot was invited. */
  reopened(channel: string): void
}

/** Wraps the chat and remembers which channels take no cards. */
export function observeChat(chat: Chat, clock: SteadyClock): ObservedChat {
  let known: ChannelTroubles = new Map()
  let isConnected = false
  const openedMs = clock.nowMs()
  let restUntilMs = 0
  const restFor = (ms: number | null) => {
    restUntilMs = Math.max(restUntilMs, clock.steadyMs() + (ms ?? 0))
  }
  const rest = (outcome: Outcome | null) => {
    if (outcome?.kind === 'shown') restFor(provenMs)
    if (outcome?.kind === 'later') restFor(outcome.retryAfterMs)
  }
  const note = (channel: string, call: ChatCall, trouble: Trouble | null) => {
    known = afterCall(known, { channel, call }, trouble, clock.nowMs())
  }

  return {
    chat: {
      ...chat,
      post: async (to, view) => {
        const outcome = await chat.post(to, view)
        rest(outcome)
        note(to.channel, 'post', troubleIn(outcome))
        return outcome
      },
      update: async (at, view) => {
        const outcome = await chat.update(at, view)
        rest(outcome)
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
          if (error instanceof OutsideFailure) {
            restFor(error.retryAfterMs)
            // The scope for direct messages is optional, and says nothing of the token.
            if (error.code !== 'missing_scope' || !where.channel.startsWith('D'))
              note(where.channel, 'find', troubleOf(error))
          }
          throw error
        }
      },
    },
    troubles: () => channelTroublesOf(known),
    stopped: (channels) =>
      isConnected
        ? stoppedIn(known, channels, clock.nowMs())
        : stoppedSince(openedMs, 'Slack is not connected', clock.nowMs()),
    foundClosed: (channels) => {
      isConnected = true
      restFor(provenMs)
      for (const [channel, why] of channels) note(channel, 'post', { kind: 'channel_unavailable', why })
    },
    probe: async (channel) => {
      const outcome = await chat.probe(channel)
      rest(outcome)
      const isRefused = outcome?.kind === 'channel_unavailable' || outcome?.kind === 'no_token'
      if (outcome === null || isRefused) note(channel, 'probe', outcome === null ? null : troubleIn(outcome))
      return { isRefused }
    },
    restMs: () => Math.max(0, restUntilMs - clock.steadyMs()),
    reopened: (channel) => {
      known = afterReopened(known, channel)
    },
  }
}

type Trouble = { readonly kind: TroubleKind; readonly why: string }

function troubleIn(outcome: Outcome): Trouble | null {
  switch (outcome.kind) {
    case 'channel_unavailable':
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
    case 'no_thread':
    case 'no_person':
      return null
  }
}

const ofFailure = {
  unreachable: 'unknown',
  rate_limited: 'later',
  // A missing thread does not mean trouble with its channel.
  rejected: null,
  forbidden: 'no_token',
  missing: 'channel_unavailable',
  broken: null,
} as const satisfies Record<FailureKind, TroubleKind | null>

function troubleOf({ kind, code }: OutsideFailure): Trouble | null {
  const trouble = ofFailure[kind]
  return trouble === null ? null : { kind: trouble, why: code ?? kind }
}
