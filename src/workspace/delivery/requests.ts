/**
 * Delivers payloads to the bot in HTTP mode: each is a signed POST to one URL, and a 2xx answer within three seconds is the
 * acknowledgement, with its body (docs/slack.md#http-mode).
 */

import { openOrders, type RequestFault, type RequestFaultAsk, requestFaultShape } from '../faults/faults.ts'
import { type Fields, isFields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import {
  ackWithinMs,
  type BotLine,
  type Delivery,
  late,
  openRepeats,
  type PayloadKind,
  underWayMax,
} from './bot-line.ts'
import {
  type Content,
  contentOf,
  formContent,
  jsonContent,
  openPoster,
  type PostOutcome,
  type SignedRequest,
  signed,
  unsigned,
} from './signed-request.ts'

export type HttpOptions = {
  /** Where the bot takes everything; it is taken on trust, as the bot may start later than the workspace. */
  readonly requestUrl: string
  readonly signingSecret: string
}

export type Requests = ReturnType<typeof openRequests>

/** Stands for what is not a payload in the log of events. */
type RequestKind = PayloadKind | 'url_verification' | 'ssl_check'

export function openRequests(state: State, { requestUrl, signingSecret }: HttpOptions) {
  const poster = openPoster()
  const repeats = openRepeats(state.timers)
  const faults = openOrders<RequestFault>()
  const underWay = new Set<AbortController>()
  let url = requestUrl
  let closed = false

  function sign(content: Content, attempt?: Parameters<typeof signed>[2]): SignedRequest {
    const fault = faults.take()
    if (fault !== undefined) state.events.emit({ type: 'fault_used', fault: fault.kind })
    return signed(content, { secret: signingSecret, nowMs: state.nowMs(), fault }, attempt)
  }

  async function post(
    kind: RequestKind,
    request: SignedRequest,
    { isRepeat = false, to = url } = {},
  ): Promise<PostOutcome> {
    if (closed || underWay.size >= underWayMax) return { kind: 'unreached', reason: 'unknown_error' }
    const ending = new AbortController()
    underWay.add(ending)
    const cancel = state.timers.after(ackWithinMs, () => ending.abort())
    const outcome = await poster.post(to, request, ending.signal)
    cancel()
    underWay.delete(ending)
    const answer = outcome.kind === 'answered' ? String(outcome.status) : outcome.kind
    state.events.emit({ type: 'request_answered', kind, answer, isRepeat })
    return outcome
  }

  const line: BotLine = {
    async deliver(kind, payload, { attempt }) {
      const request = sign(contentOf(kind, payload), attempt)
      // The repeat is the same to the byte, signature included, as a replay attack would send it.
      repeats.meet(() => void post(kind, request, { isRepeat: true }))
      return deliveryOf(kind, payload, await post(kind, request))
    },
    redeliver: repeats.set,
    close() {
      closed = true
      for (const ending of underWay) ending.abort()
      void poster.close()
    },
  }

  return {
    ...line,
    setFault(ask: RequestFaultAsk): RequestFault {
      const fault = requestFaultShape.parse(ask)
      faults.add(fault)
      return fault
    },
    clearFaults(): void {
      faults.clear()
    },
    /**
     * Asks the bot at this URL to prove itself, as Slack does when the URL is set; once it has, everything goes there.
     * Undefined when it was proved; else one sentence.
     */
    async verify(wanted = url): Promise<string | undefined> {
      const challenge = state.ids.secret(20)
      const content = jsonContent({ type: 'url_verification', challenge })
      const outcome = await post('url_verification', sign(content), { to: wanted })
      if (outcome.kind !== 'answered' || outcome.status !== 200) return refusalOf(outcome)
      const said = parse(outcome.body)
      const given = isFields(said) ? said.challenge : outcome.body.trim()
      if (given !== challenge) return 'the answer does not hold the challenge'
      url = wanted
      return undefined
    },
    /** What Slack asks of a URL from time to time, without a signature: undefined, or one sentence. */
    async checkTls(): Promise<string | undefined> {
      const outcome = await post('ssl_check', unsigned(formContent({ ssl_check: '1' })))
      return outcome.kind === 'answered' && outcome.status === 200 ? undefined : refusalOf(outcome)
    },
  }
}

function deliveryOf(kind: PayloadKind, payload: Fields, outcome: PostOutcome): Delivery {
  const detail = refusalOf(outcome)
  switch (outcome.kind) {
    case 'ended':
      return { kind: 'late', reason: 'http_timeout', detail }
    case 'unreached':
      return { kind: 'failed', reason: outcome.reason, detail, isFinal: false }
    case 'answered': {
      const { status, noRetry, body } = outcome
      if (status < 200 || status > 299)
        return { kind: 'failed', reason: 'http_error', detail, isFinal: noRetry }
      return readAck(kind, payload, body)
    }
  }
}

/** Text alone is an answer to a command; where only a view or options would do, it is none. */
function readAck(kind: PayloadKind, payload: Fields, body: string): Delivery {
  if (body.trim() === '') return { kind: 'acked', payload: undefined }
  const said = parse(body)
  if (isFields(said)) return { kind: 'acked', payload: said }
  if (kind === 'slash_commands') return { kind: 'acked', payload: { text: body } }
  if (payload.type !== 'view_submission' && payload.type !== 'block_suggestion') {
    return { kind: 'acked', payload: undefined }
  }
  const detail = 'expected an empty body or JSON in answer, got something else'
  return { kind: 'failed', reason: 'http_error', detail, isFinal: false }
}

function refusalOf(outcome: PostOutcome): string {
  switch (outcome.kind) {
    case 'answered':
      return `the bot answered ${outcome.status}`
    case 'unreached':
      return `the bot was not reached at its request URL (${outcome.reason})`
    case 'ended':
      return late
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
