/** Tells a service outside that the bot is well, at most once a minute; with `/fail` when it is not. Its address is a secret. */
import type { Dispatcher } from 'undici'
import { call } from '../call.ts'
import { minute } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Log } from '../log.ts'

export const heartbeatEveryMs = minute

/** One request. A failure is logged, without the address, and the next one comes in a minute. */
export async function beat(
  address: Secret,
  isWell: boolean,
  dispatcher: Dispatcher,
  log: Log,
): Promise<void> {
  try {
    const { status } = await call(dispatcher, isWell ? address.reveal() : failing(address.reveal()))
    if (status >= 400) log.warn('heartbeat:refused', { status })
  } catch (error) {
    log.warn('heartbeat:failed', { why: String(error) })
  }
}

/** Healthchecks take `/fail` at the end of the path, push monitors `status=down`. */
function failing(address: string): string {
  const url = new URL(address)
  if (url.searchParams.has('status')) url.searchParams.set('status', 'down')
  else url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
  return url.href
}
