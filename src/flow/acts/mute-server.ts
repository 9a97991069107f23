/** Mutes servers: one at once, more than that or for long after a receipt. */
import type { AuditEntry } from '../../domain/audit.ts'
import type { Change, ServerRef } from '../../domain/intent.ts'
import { muteMarker } from '../../domain/marker-text.ts'
import type { Mute, MuteTerms } from '../../domain/mute.ts'
import { matching } from '../../domain/nearest.ts'
import type { Changed, MuteResult, Receipt } from '../../domain/reply.ts'
import { toldCard } from '../../domain/thread-cards.ts'
import { cardServersMax, isGlob, isWide, mutedServersMax, shortenedBy } from '../../domain/wide-mute.ts'
import { alertsOnCard, allClosed, hostnamesOnCard } from './card-alerts.ts'
import { misplacedIn } from './misplaced.ts'
import { type MutedOne, muteOne } from './mute-one.ts'
import { type Job, muteSeveral } from './mute-several.ts'
import { detailOf, hiddenBy, termsFor } from './mute-terms.ts'
import {
  type Acted,
  type ActLimits,
  type ActPorts,
  entryOf,
  failedReply,
  notTried,
  outdated,
  type Row,
  refused,
  type Scene,
  said,
} from './scene.ts'
import { changedBeforeMute, isOldCard } from './stale.ts'
import { type Found, hostnameOf } from './subject.ts'

type MuteServer = Extract<Change, { kind: 'mute_server' }>

export async function muteServer(
  ports: ActPorts,
  scene: Scene,
  change: MuteServer,
  limits: ActLimits,
): Promise<Acted> {
  const { store, clock, ids } = ports
  const servers = await serversOf(change, ports)
  if ('changed' in servers) return outdated(servers.changed, clock.nowMs())
  if (!servers.ok) return refused(servers.refusal)
  const misplaced = await misplacedIn(change, ports.servers)
  if (misplaced !== null) return refused(misplaced)
  const end = { defaultMs: limits.muteDefaultMs, maxMs: limits.muteMaxMs }
  const asked = await termsFor(ports, scene, change, end)
  if (!asked.ok) return 'refusal' in asked ? refused(asked.refusal) : notTried(scene, asked.failure)
  const { terms } = asked
  const nowMs = clock.nowMs()
  const receipt: Receipt = {
    change,
    servers: servers.found,
    mode: terms.mode,
    untilMs: terms.untilMs,
    ...(await hiddenBy(servers.found, store, nowMs)),
    isDefaultEnd: change.end.kind === 'default',
    shortens: await othersShortened(scene, terms, servers.found, store),
  }
  const { via } = scene.request
  const isNews = receipt.shortens?.length !== 0 && (!change.isConfirmed || via === 'modal')
  const isMany = servers.found.length > 1
  if (isNews || (!change.isConfirmed && (isMany || isWide(change, terms, { via, nowMs })))) {
    const pendingId = ids.make()
    const shown = { ...change, servers: shownIn(change, servers.found) }
    await store.keepPending({ pendingId, userId: scene.request.userId, change: shown, atMs: nowMs })
    return said({ kind: 'confirm', receipt, pendingId })
  }
  const [only, ...others] = servers.found
  if (only !== undefined && others.length === 0) return muteSingle(ports, { scene, terms, receipt }, only)
  return muteSeveral(ports, { scene, terms, receipt })
}

/** What was shown is what is confirmed: a server that turns up later is not muted with the others. */
function shownIn({ servers }: MuteServer, hostnames: readonly string[]): readonly ServerRef[] {
  const [first] = servers
  // The card stands for the thread in which the mute is told, and so does an alert, which stands for one server for ever.
  if (first?.by === 'card') return [{ ...first, hostnames }]
  if (servers.every(({ by }) => by === 'alert')) return servers
  return hostnames.map((name) => ({ by: 'name', name }))
}

/** Whose mute would end sooner, which the form does not show. Who presses an old card of one server is told so anyway, and nothing is done. */
async function othersShortened(
  { request }: Scene,
  terms: MuteTerms,
  hostnames: readonly string[],
  store: ActPorts['store'],
): Promise<readonly Mute[]> {
  if (hostnames.length === 1 && (await isOldCard(request, store))) return []
  const { mutes } = await store.mutes()
  return shortenedBy(terms, hostnames, mutes)
}

/** Names stand for themselves once they are confirmed; a glob stands for the known servers that it matches. */
async function serversOf(
  change: MuteServer,
  { store, servers }: ActPorts,
): Promise<Found<readonly string[]> | { readonly changed: Changed }> {
  const found = new Set<string>()
  for (const ref of change.servers) {
    if (ref.by === 'card') {
      const hostnames = await hostnamesOnCard(ref, store)
      if (hostnames.length === 0) return { changed: allClosed(await alertsOnCard(ref.cardId, store)) }
      for (const hostname of hostnames) found.add(hostname)
      continue
    }
    const server = await hostnameOf(ref, store)
    if (!server.ok) return server
    if (ref.by === 'alert' || change.isConfirmed || !isGlob(server.found)) found.add(server.found)
    else {
      const names = matching(server.found, await servers.names())
      if (names.length === 0)
        return { ok: false, refusal: { why: 'no_match', pattern: server.found, unread: servers.unread() } }
      for (const name of names) found.add(name)
    }
  }
  const count = found.size
  if (count === 0) {
    return { ok: false, refusal: { why: 'invalid', expected: 'the name of a server', came: 'none' } }
  }
  const max = change.servers.some(({ by }) => by === 'card') ? cardServersMax : mutedServersMax
  if (count > max) return { ok: false, refusal: { why: 'too_many_servers', count, max } }
  return { ok: true, found: [...found] }
}

async function muteSingle(ports: ActPorts, job: Job, hostname: string): Promise<Acted> {
  const { scene, receipt } = job
  const result = await muteNamed(ports, job, hostname)
  switch (result.kind) {
    case 'muted': {
      const results: MuteResult[] = [{ hostname, mute: result.mute, failure: null }]
      return said({ kind: 'muted', results, receipt })
    }
    case 'stale':
      return outdated(result.changed, ports.clock.nowMs())
    case 'failed': {
      const { failure, isDoubtful } = result
      if (failure.kind !== 'missing') return said(failedReply(scene, failure, isDoubtful))
      const similar = await ports.servers.similar(hostname)
      return said({ kind: 'refused', refusal: { why: 'unknown_server', server: hostname, similar } })
    }
  }
}

function muteNamed(ports: ActPorts, { scene, terms }: Job, hostname: string): Promise<MutedOne> {
  const { store, ids } = ports
  const { place } = scene
  const auditId = ids.make()
  const { names: _, ...given } = scene.subject.detail
  const subject = { ...scene.subject, hostname, detail: { ...given, ...detailOf(terms) } }
  const entry = (row: Row, atMs: number): AuditEntry => entryOf({ ...scene, subject }, row, { auditId, atMs })
  const cardId = place.cardId ?? toldCard({ auditId }, place).cardId
  return muteOne(ports, {
    hostname,
    terms,
    // Where there is no thread yet, the message that tells of the mute begins one.
    place: { channel: place.channel, cardId },
    changed: (live) =>
      changedBeforeMute({ request: scene.request, alertId: scene.subject.alertId }, live, store),
    entry,
    tell: (mute: Mute, told) => {
      const card = toldCard(told, place)
      const text = muteMarker([hostname], mute)
      return { cards: [card], markers: [{ markerId: ids.make(), text, cardId: card.cardId }] }
    },
  })
}
