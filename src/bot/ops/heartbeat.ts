/** Tells a service outside that the bot is well, at most once a minute; with `/fail` when it is not. Its address is a secret. */
import { type Dispatcher, request } from 'undici'
import { minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { refusedByProxy } from '../config/way-out.ts'
import type { Log } from '../log.ts'

const withinMs = 10 * second
export const heartbeatEveryMs = minute

/** One request. A failure is logged, without the address, and the next one comes in a minute. */
export async function beat(
  address: Secret,
  isWell: boolean,
  dispatcher: Dispatcher,
  log: Log,
): Promise<void> {
  try {
    const { statusCode, body } = await request(isWell ? address.reveal() : failing(address.reveal()), {
      dispatcher,
      signal: AbortSignal.timeout(withinMs),
    })
    await body.dump()
    if (statusCode >= 400) log.warn('heartbeat:refused', { status: statusCode })
  } catch (error) {
    const code = refusedByProxy(error) ?? String(Object(error).code ?? 'no answer')
    log.warn('heartbeat:failed', { why: code })
  }
}

/** Healthchecks take `/fail` at the end of the path, push monitors `status=down`. */
function failing(address: string): string {
  const url = new URL(address)
  if (url.searchParams.has('status')) url.searchParams.set('status', 'down')
  else url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
  return url.href
}
