/**
 * The events of the workspace, in order, for listeners (the page, the terminal, a test). They never contain a token, a trigger, a
 * ticket or a response URL.
 */
export type Happening =
  | {
      readonly type: 'message_posted' | 'message_updated'
      readonly channel: string
      readonly ts: string
      readonly message: object
    }
  | { readonly type: 'message_deleted'; readonly channel: string; readonly ts: string }
  /** A reply came or went: `ts` names the message that it belongs to, whose count of replies changed. */
  | {
      readonly type: 'thread_changed'
      readonly channel: string
      readonly ts: string
      readonly message: object
    }
  | {
      readonly type: 'ephemeral_posted' | 'ephemeral_updated'
      readonly channel: string
      readonly user: string
      readonly ts: string
      readonly message: object
    }
  | {
      readonly type: 'ephemeral_deleted'
      readonly channel: string
      readonly user: string
      readonly ts: string
    }
  | {
      readonly type: 'view_opened' | 'view_updated' | 'view_closed'
      readonly user: string
      readonly viewId: string
    }
  | { readonly type: 'home_published'; readonly user: string; readonly viewId: string }
  /** `outcome` is `ok`, Slack's error code, or what the fault did to the request (`reset`, `http_503`, …). */
  | {
      readonly type: 'api_call'
      readonly method: string
      readonly channel?: string
      readonly outcome: string
    }
  /** What the person saw: `ok`, `operation_timeout`, `dispatch_failed`, … */
  | { readonly type: 'interaction'; readonly kind: string; readonly user: string; readonly outcome: string }
  | {
      readonly type: 'event_sent' | 'event_acked' | 'event_missed' | 'event_lost'
      readonly event: string
      readonly attempt: number
    }
  /** HTTP mode: what the bot answered, a status or `unreached` or `ended`; `isRepeat`: to the same request once more. */
  | {
      readonly type: 'request_answered'
      readonly kind: string
      readonly answer: string
      readonly isRepeat: boolean
    }
  | { readonly type: 'socket_opened' | 'socket_closed' | 'socket_refused'; readonly open: number }
  | { readonly type: 'socket_told'; readonly reason: string; readonly open: number }
  | { readonly type: 'file_completed'; readonly file: string; readonly name: string }
  | {
      readonly type: 'channel_changed'
      readonly channel: string
      readonly what: string
      readonly user?: string
    }
  | { readonly type: 'fault_set' | 'fault_used' | 'fault_cleared'; readonly fault: string }
  | { readonly type: 'token_revoked'; readonly which: 'bot' | 'app' }

export type Emitted = { readonly seq: number; readonly atMs: number; readonly event: Happening }

export type Events = ReturnType<typeof openEvents>

/** How many happenings are remembered. */
const rememberedMax = 2_000

export function openEvents(nowMs: () => number) {
  const listeners = new Set<(emitted: Emitted) => void>()
  let remembered: Emitted[] = []
  let seq = 0

  return {
    emit(event: Happening): void {
      seq += 1
      const emitted = { seq, atMs: nowMs(), event }
      remembered.push(emitted)
      // Cut in halves, so that the cost of cutting is spread.
      if (remembered.length > rememberedMax * 2) remembered = remembered.slice(-rememberedMax)
      for (const listener of [...listeners]) listener(emitted)
    },
    /** Calls the listener for all that happens from now on; the answer ends it. */
    listen(listener: (emitted: Emitted) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** What is remembered after `seq` (0: all), oldest first. */
    since: (after: number): readonly Emitted[] =>
      remembered.slice(-rememberedMax).filter((emitted) => emitted.seq > after),
    /** The numbers of the oldest that is remembered and of the newest; 0 where there is none. */
    range: () => ({ oldestSeq: remembered.slice(-rememberedMax)[0]?.seq ?? 0, newestSeq: seq }),
  }
}
