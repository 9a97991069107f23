/** Sends a heartbeat: one GET, by the conventions of healthchecks (`/fail`) and of push monitors (`?status=up`). */
import { request } from 'undici'
import { refusedByProxy } from '../../shared/outward.ts'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { Beat, Heartbeat } from '../flow/ports/ports.ts'

const withinMs = 10_000

/** Makes the heartbeat's call. It throws only `OutsideFailure`, without the address, which is a secret. */
export function openHeartbeatCall(url: { reveal(): string }): Heartbeat {
  return {
    async send(beat) {
      const status = await statusOf(addressFor(url.reveal(), beat))
      if (status >= 200 && status < 300) return
      throw new OutsideFailure('unreachable', `the heartbeat's address answered HTTP ${status}`, { status })
    },
  }
}

async function statusOf(address: string): Promise<number> {
  try {
    // No connection is kept for a minute: the other end may close it meanwhile.
    const { statusCode, body } = await request(address, {
      reset: true,
      signal: AbortSignal.timeout(withinMs),
    })
    await body.dump()
    return statusCode
  } catch (error) {
    const code = refusedByProxy(error) ?? String(Object(error).code ?? 'no answer')
    const why = error instanceof Error && error.name === 'TimeoutError' ? `${withinMs / 1000} s passed` : code
    throw new OutsideFailure('unreachable', `the heartbeat's address could not be reached (${why})`)
  }
}

function addressFor(address: string, beat: Beat): string {
  const url = new URL(address)
  if (beat === 'alive') return url.href
  if (url.searchParams.has('status')) {
    url.searchParams.set('status', 'down')
    if (url.searchParams.has('msg')) url.searchParams.set('msg', 'no alerts can be read, or no cards posted')
  } else url.pathname = `${url.pathname.replace(/\/+$/, '')}/fail`
  return url.href
}
