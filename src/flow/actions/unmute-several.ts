/** Ends the mutes of several servers that one person named or meant by a glob; everyone is told of all of them at once. */

import { toldCard } from '../../domain/card/thread-cards.ts'
import { unmutesMarker } from '../../domain/mute/marker-text.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { OneServer } from '../../domain/request/named.ts'
import { matching } from '../../domain/request/nearest.ts'
import { lockName } from '../mute/batch.ts'
import { type Acted, type ActionContext, type ActPorts, entryOf, refused, said, save } from './context.ts'
import { hostnameOf } from './target.ts'
import { endOne } from './unmute.ts'

/** Only what monbot muted itself: a name that is not muted is said to be so, and the API is not asked about it. */
export async function unmuteSeveral(
  ports: ActPorts,
  context: ActionContext,
  refs: readonly OneServer[],
): Promise<Acted> {
  const { store, lock } = ports
  const wanted = new Set<string>()
  const left = new Set<string>()
  const muted = (await store.mutes()).mutes.flatMap(({ hostname }) => (hostname === null ? [] : [hostname]))
  for (const ref of refs) {
    const server = await hostnameOf(ref, store)
    if (!server.ok) return refused(server.refusal)
    const found = muted.includes(server.found) ? [server.found] : matching(server.found, muted)
    if (found.length === 0) left.add(server.found)
    for (const hostname of found) wanted.add(hostname)
  }
  const ended: string[] = []
  const ending: string[] = []
  let isAway = false
  const tell = ({ hostname }: Mute) =>
    togetherOf(ports, context, [...ended, ...(hostname === null ? [] : [hostname])])
  for (const hostname of wanted) {
    const came = await lock.hold(lockName(hostname), async () => {
      const { mutes } = await store.mutes(hostname)
      const live = mutes.find((mute) => mute.hostname === hostname)
      return live === undefined ? null : endOne(ports, context, live, 'person', { isAway, tell })
    })
    if (came === null) left.add(hostname)
    else (came === 'ended' ? ended : ending).push(hostname)
    isAway ||= came === 'away'
  }
  const servers = [...ended, ...ending]
  if (servers.length === 0) return refused({ why: 'not_muted', server: [...left].join(', ') })
  if (ended.length > 0) await settle(ports, context, ended)
  const isSure = ending.length === 0
  return said({ kind: 'unmuted', server: null, isSure, several: { servers, left: [...left] } })
}

/** One message, which grows with each of them. */
function togetherOf({ clock }: ActPorts, context: ActionContext, names: readonly string[]) {
  const subject = { hostname: null, alertId: null, detail: { names } }
  const row = { outcome: 'done', why: null } as const
  const made = { auditId: context.auditId, atMs: clock.nowMs() }
  const entry = entryOf({ ...context, subject }, row, made)
  const card = toldCard(entry, context.place)
  return { audit: [entry], cards: [card], dirtyCards: [card.cardId] }
}

async function settle(ports: ActPorts, context: ActionContext, names: readonly string[]): Promise<void> {
  const { store, clock, ids } = ports
  const cardId = toldCard(context, context.place).cardId
  const markers = [{ markerId: ids.make(), text: unmutesMarker(names, context.request.userId), cardId }]
  await save(store, { ...emptyPlan(clock.nowMs()), markers })
}
