/** Runs decisions that are made in steps without pausing, because a test has no other work. */

import type { Change } from '../../src/bot/domain/alert/change.ts'
import type { SeverityRule } from '../../src/bot/domain/alert/match.ts'
import { reconciling } from '../../src/bot/domain/alert/reconcile.ts'
import type { Memory } from '../../src/bot/domain/alert/snapshot.ts'
import type { Steps } from '../../src/bot/domain/base/steps.ts'
import * as announcing from '../../src/bot/domain/card/announce.ts'
import { type Identified, identifying } from '../../src/bot/monitor/listing/identify.ts'
import type { Lists } from '../../src/bot/monitor/listing/lists.ts'

function whole<Of extends readonly unknown[], Result>(steps: (...of: Of) => Steps<Result>) {
  return (...of: Of): Result => {
    const running = steps(...of)
    for (;;) {
      const step = running.next()
      if (step.done) return step.value
    }
  }
}

export type Compared = Pick<Identified, 'keptEnds' | 'droppedEndIds' | 'form'> & {
  readonly changes: readonly Change[]
}

/** Compares two lists with what is stored: as the source returns them, and then as a poll does. */
export function* comparing(
  memory: Memory,
  lists: Lists,
  rules: readonly SeverityRule[] = [],
): Steps<Compared> {
  const { keptEnds, droppedEndIds, form, ...found } = yield* identifying(memory, lists)
  const { nowMs, polledMs } = lists
  const changes = yield* reconciling({ ...found, nowMs, polledMs }, { severity: rules, ignore: [] })
  return { changes, keptEnds, droppedEndIds, form }
}

export const reconcile = whole(comparing)
export const announce = whole(announcing.announce)
export const routeNews = whole(announcing.routeNews)
