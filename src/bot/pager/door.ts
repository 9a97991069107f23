/** Takes `POST /pager`: the pager says who acknowledged a call (docs/pager.md). Size and signature are checked before it is read. */
import { z } from 'zod'
import { readBody } from '../../shared/read-body.ts'
import { type Clock, minute } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'
import { fieldsOf } from './post.ts'
import { checkSigned } from './webhook.ts'

/**
 * `id` is the same for a repeat. `nothing`: nobody waits for it any more; `unknown`: no call has this key; `away`: it could not be
 * written down, and is to be sent again.
 */
export type HeardPage = { readonly id: string; readonly key: string; readonly by: string }
export type PageHearing = 'acknowledged' | 'nothing' | 'repeat' | 'unknown' | 'away'

const bodyBytesMax = 100_000
/** Anybody can send what is refused: each reason is logged so often. */
const refusedEveryMs = minute

const message = z.object({
  type: z.literal('alert.acknowledged'),
  data: z.object({ key: z.string().min(1).max(1_000), by: z.string().trim().min(1).max(1_000) }),
})
const wanted = '{"type": "alert.acknowledged", "data": {"key": "…", "by": "…"}}'

export function openPagerDoor(
  secret: Secret,
  hear: (heard: HeardPage) => Promise<PageHearing>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (request: Request) => Promise<Response> {
  const toldMs = new Map<string, number>()

  function refuse(status: number, error: string): Response {
    if (clock.steadyMs() - (toldMs.get(error) ?? Number.NEGATIVE_INFINITY) >= refusedEveryMs) {
      toldMs.set(error, clock.steadyMs())
      log.warn('page:not_heard', { why: error, status })
    }
    return Response.json({ error }, { status })
  }

  return async (request) => {
    const bytes = await readBody(request, bodyBytesMax)
    if (bytes === 'too_large') return refuse(413, `expected at most ${bodyBytesMax} bytes`)
    if (bytes === 'cut') return refuse(400, 'the body ended too early')
    const body = new TextDecoder().decode(bytes)
    const checked = checkSigned(secret, request.headers, body, clock.nowMs())
    if ('why' in checked) return refuse(401, checked.why)
    const read = message.safeParse(fieldsOf(body))
    if (!read.success) return refuse(400, `expected ${wanted}`)
    const outcome = await hear({ id: checked.id, ...read.data.data })
    if (outcome === 'unknown') return refuse(404, 'no call has this key')
    if (outcome === 'away') return refuse(503, "it can't be written down now: try again")
    return Response.json({ outcome })
  }
}
