/** Decisions that are made in steps, made at once: a story waits for nobody else. */

import * as reconciling from '../../src/bot/domain/alert/reconcile.ts'
import type { Steps } from '../../src/bot/domain/base/steps.ts'
import { atOnce } from '../../src/bot/domain/base/steps.ts'
import * as announcing from '../../src/bot/domain/card/announce.ts'
import * as folding from '../../src/bot/domain/card/fold.ts'
import * as storming from '../../src/bot/domain/card/storm-cards.ts'

function whole<Of extends readonly unknown[], Result>(steps: (...of: Of) => Steps<Result>) {
  return (...of: Of): Result => atOnce(steps(...of))
}

export const reconcile = whole(reconciling.reconciling)
export const announce = whole(announcing.announce)
export const routeNews = whole(announcing.routeNews)
export const openFolds = whole(folding.openFolds)
export const summaryCards = whole(storming.summaryCards)
export const stormCards = whole(storming.stormCards)
export const joinStorm = whole(storming.joinStorm)
