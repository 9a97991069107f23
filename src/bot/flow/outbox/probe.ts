/**
 * Checks whether cards could be posted while none are, so that a token revoked on a quiet night is noticed before the next alert.
 */
import { type Job, openWatch } from '../concurrency/watch.ts'
import type { Clock, Logger } from '../ports/ports.ts'

const everyMs = 60_000
/** After a refusal: whether it is of one channel or of all is soon known. */
const nextMs = 5_000

/** `restMs`: for how long Slack need not, or may not, be asked. */
export type Probed = { probe(channel: string): Promise<{ readonly isRefused: boolean }>; restMs(): number }

/** Makes one cheap call a minute, for each channel in turn, and none while Slack takes cards or asked for a pause. */
export function openProbe(
  ports: { readonly observed: Probed; readonly clock: Clock; readonly logger: Logger },
  channels: readonly string[],
): Job {
  let turn = 0
  /** How many have refused in a row. */
  let refusals = 0

  async function round(): Promise<number> {
    const restMs = ports.observed.restMs()
    const channel = channels[turn % channels.length]
    if (channel === undefined || restMs > 0) return Math.min(restMs || everyMs, everyMs)
    turn += 1
    const { isRefused } = await ports.observed.probe(channel)
    refusals = isRefused ? refusals + 1 : 0
    return isRefused && refusals % channels.length > 0 ? nextMs : everyMs
  }

  return openWatch('delivery', ports, round)
}
