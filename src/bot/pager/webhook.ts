/** A pager that takes signed JSON, by Standard Webhooks (https://www.standardwebhooks.com). */
import { OutsideFailure } from '../domain/base/failure.ts'
import type { PageCall } from '../domain/page/call.ts'
import { attempt } from '../flow/attempt.ts'
import type { Pager } from '../flow/ports/pager.ts'
import type { Clock } from '../flow/ports/ports.ts'
import { fieldsOf, post } from './post.ts'
import { headersFor } from './signature.ts'

const nameCharsMax = 200
/** Of the 4xx these say nothing of the event: who may send, how fast, and how many. */
const otherRefusals: ReadonlySet<number> = new Set([401, 403, 408, 429])

export function openWebhook(settings: {
  readonly url: { reveal(): string }
  readonly secret: { reveal(): string }
  readonly clock: Clock
}): Pager {
  const { url, secret, clock } = settings

  async function tell(call: PageCall) {
    const body = JSON.stringify(bodyOf(call))
    const headers = headersFor(secret.reveal(), { id: call.eventId, body, nowMs: clock.nowMs() })
    const { status, text, isCut } = await post('the pager', url.reveal(), { headers, body })
    if (status === 400) throw new OutsideFailure('rejected', 'the pager refused it (HTTP 400)', { status })
    const fields = fieldsOf(text)
    const by = fields?.acknowledged_by
    const isNamed = typeof by === 'string' && by.trim() !== ''
    return {
      acknowledgedBy: isNamed ? by.slice(0, nameCharsMax) : null,
      ...(isCut && fields === null ? { isCut } : {}),
    }
  }

  return {
    async tell(call) {
      const came = await attempt(() => tell(call))
      if (came.ok) return came.value
      const status = came.failure.status ?? 0
      if (call.type === 'triggered' || status < 400 || status >= 500 || otherRefusals.has(status))
        throw came.failure
      throw new OutsideFailure('missing', `the pager takes no end of it (HTTP ${status})`, { status })
    },
  }
}

/** What `docs/pager.md` shows. */
function bodyOf(call: PageCall) {
  const { type, atMs, key, headline, severity, server, labels, alerts, openedMs, link, by } = call
  return {
    type: `alert.${type}`,
    timestamp: new Date(atMs).toISOString(),
    data: {
      key,
      headline,
      severity,
      server,
      labels,
      alerts,
      opened: new Date(openedMs).toISOString(),
      link,
      by,
    },
  }
}
