/** Takes `POST /pager`: the pager says who acknowledged a page. Nothing is read before its size and signature are checked. */
import { z } from 'zod'
import { readBody } from '../../shared/read-body.ts'
import type { Heard, HeardOutcome } from '../flow/pager/acknowledged.ts'
import type { Clock, Logger } from '../flow/ports/ports.ts'
import { fieldsOf } from './post.ts'
import { checked } from './signature.ts'

const bodyBytesMax = 100_000
/** Anybody can send what is refused: each reason is logged once a minute. */
const refusedEveryMs = 60_000

const message = z.object({
  type: z.literal('alert.acknowledged'),
  data: z.object({
    key: z.string().min(1).max(1_000),
    by: z
      .string()
      .max(1_000)
      .refine((by) => by.trim() !== ''),
  }),
})

const wanted = '{"type": "alert.acknowledged", "data": {"key": "…", "by": "…"}}'

export function openPagerDoor({
  secret,
  clock,
  logger,
  heard,
}: {
  readonly secret: { reveal(): string }
  readonly clock: Clock
  readonly logger: Logger
  readonly heard: Heard
}): (request: Request) => Promise<Response> {
  const loggedMs = new Map<string, number>()

  function refuse(status: number, error: string): Response {
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - (loggedMs.get(error) ?? Number.NEGATIVE_INFINITY)) >= refusedEveryMs) {
      loggedMs.set(error, nowMs)
      logger.warn('page:not_heard', { why: error, status })
    }
    return Response.json({ error }, { status })
  }

  return async (request) => {
    const bytes = await readBody(request, bodyBytesMax)
    if (bytes === 'too_large') return refuse(413, `expected at most ${bodyBytesMax} bytes`)
    if (bytes === 'cut') return refuse(400, 'the body ended too early')
    const body = new TextDecoder().decode(bytes)
    const found = checked(secret.reveal(), request.headers, { body, nowMs: clock.nowMs() })
    if ('why' in found) {
      const isTime = found.why === 'wrong_time'
      return refuse(
        401,
        isTime ? 'webhook-timestamp is more than 5 minutes off' : 'no valid webhook-signature',
      )
    }
    const read = message.safeParse(fieldsOf(body))
    if (!read.success) return refuse(400, `expected ${wanted}`)
    const { key, by } = read.data.data
    return answerTo(await heard({ id: found.id, key, by }))
  }

  function answerTo(outcome: HeardOutcome): Response {
    switch (outcome) {
      case 'acknowledged':
      case 'nothing':
      case 'repeat':
        return Response.json({ outcome })
      case 'unknown':
        return refuse(404, 'no page has this key')
      case 'stale':
        // The sender tries again.
        return refuse(503, 'the alert kept changing meanwhile')
    }
  }
}
