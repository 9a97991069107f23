/**
 * Updates the values on the cards of open alerts: reads each metric after 1, 5, 15 and 30 minutes and then every hour, and once
 * more after the close for the worst value. News goes first: reading waits while any card waits, and with very many alerts each
 * is read less often.
 */
import { nextReadMs } from '../../domain/alert/read-times.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import { attempt } from '../attempt.ts'
import type { Measure } from '../chart.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

const lookEveryMs = 5_000
/** Ten a minute, with two updates each: the rest of Slack's fifty are for what has changed by itself. */
const readEveryMs = 6_000
/** The picture that a card opens with is no older than its first reading: another one might be a reply for nothing. */
const firstPictureMs = 30_000
/** After a failure; the card says of when its value is. */
const againMs = 60_000

/** Opens the readings; `onChanged` wakes the outbox and the charts. */
export function openReadings(
  ports: {
    readonly store: Pick<Store, 'nextReading' | 'settleReading' | 'due'>
    readonly measure: Measure
    readonly clock: Clock
    readonly logger: Logger
    readonly onChanged: () => void
  },
  { images }: { readonly images: Images },
): Job {
  const { store, measure, clock, logger, onChanged } = ports

  return openWatch('reading', { clock, logger }, async () => {
    const { alert, nextMs } = await store.nextReading(clock.nowMs())
    if (alert === null) return Math.min(lookEveryMs, (nextMs ?? Number.POSITIVE_INFINITY) - clock.nowMs())
    if ((await store.due(clock.nowMs(), ['post', 'update'])).now > 0) return lookEveryMs
    const came = await attempt(() => measure(alert))
    const nowMs = clock.nowMs()
    const { alertId, state } = alert
    if (!came.ok) {
      logger.warn('reading:failed', { alertId, why: came.failure.message })
      await store.settleReading(alert, { reading: null, nextMs: nowMs + againMs, withPicture: false })
      return readEveryMs
    }
    const isChanged = await store.settleReading(alert, {
      reading: came.value,
      nextMs: state === 'open' ? nextReadMs(alert, nowMs) : null,
      withPicture: images === 'auto' && state === 'open' && nowMs - alert.firstSeenMs >= firstPictureMs,
    })
    if (isChanged) onChanged()
    return readEveryMs
  })
}
