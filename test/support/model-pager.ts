/** A pager as a port: it keeps incidents by key as PagerDuty does, knows repeats by their id, and fails as a test orders. */
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { PageCall } from '../../src/bot/domain/page/call.ts'
import type { Pager } from '../../src/bot/flow/ports/pager.ts'

/**
 * `lost`: it takes the event, and its answer is lost; `cut`: that breaks off in its body; `closed`: each incident was closed there, and it takes no end; `misled`: what
 * stands before it answers so, and it hears nothing.
 */
export type PagerFate =
  | 'ok'
  | 'away'
  | 'lost'
  | 'cut'
  | 'refuses'
  | 'refusesEnds'
  | 'limited'
  | 'closed'
  | 'misled'

export function modelPager() {
  const told: PageCall[] = []
  const tries: PageCall[] = []
  const seen = new Set<string>()
  const open = new Set<string>()
  let incidents = 0
  let fate: PagerFate = 'ok'
  let by: string | null = null
  let hold: Promise<void> | null = null

  function take(call: PageCall): void {
    if (seen.has(call.eventId)) return
    seen.add(call.eventId)
    told.push(call)
    if (call.type === 'triggered' && !open.has(call.key)) {
      open.add(call.key)
      incidents += 1
    }
    if (call.type === 'resolved') open.delete(call.key)
  }

  const pager: Pager = {
    tell: async (call) => {
      tries.push(call)
      await hold
      if (fate === 'away')
        throw new OutsideFailure('unreachable', 'the pager cannot be reached (ECONNREFUSED)')
      if (fate === 'refuses' || (fate === 'refusesEnds' && call.type !== 'triggered'))
        throw new OutsideFailure('rejected', 'the pager refused it (HTTP 400)', { status: 400 })
      if (fate === 'limited')
        throw new OutsideFailure('rate_limited', 'the pager takes no more for now', { retryAfterMs: 30_000 })
      if ((fate === 'closed' || fate === 'misled') && call.type !== 'triggered') {
        if (fate === 'closed') open.delete(call.key)
        throw new OutsideFailure('missing', 'the pager takes no end of it (HTTP 404)', { status: 404 })
      }
      take(call)
      if (fate === 'cut') return { acknowledgedBy: null, isCut: true }
      if (fate === 'lost') throw new OutsideFailure('unreachable', 'no answer within 10 s')
      return { acknowledgedBy: call.type === 'triggered' ? by : null }
    },
  }
  return {
    ...pager,
    /** What it took, each event once: `triggered 1`, by the key's end. */
    heard: () => told.splice(0).map(({ type, key }) => `${type} ${key.replace(/^monbot:/, '')}`),
    last: () => tries.at(-1),
    tries: () => tries.map(({ eventId }) => eventId),
    /** How many incidents it ever opened, and the keys of those that are open. */
    incidents: () => incidents,
    open: () => [...open],
    will: (next: PagerFate) => {
      fate = next
    },
    /** Somebody acknowledges there at once, so named. */
    answersBy: (name: string | null) => {
      by = name
    },
    /** From now on it does not answer, until the function that this answers is called. */
    hangs: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      hold = promise
      return () => {
        hold = null
        resolve()
      }
    },
  }
}
