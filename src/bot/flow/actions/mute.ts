/** Mutes servers: one at once; several, or one for a long time, after a receipt. The account: only as confirmed in its form. */
import { setImmediate as breath } from 'node:timers/promises'
import { isGlob } from '../../../shared/glob.ts'
import { byName } from '../../domain/base/by-name.ts'
import { endText } from '../../domain/command/mute-text.ts'
import type { Shown } from '../../domain/mute/shown.ts'
import type { Limits } from '../../domain/mute/until.ts'
import { isShortened, isWide, serversAtOnceMax } from '../../domain/mute/wide.ts'
import type { Change } from '../../domain/request/actions.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { StaleReason } from '../../domain/request/reply.ts'
import type { Servers } from '../servers.ts'
import { alertsOnCard, allClosed, openOf, unknownCard } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  type Found,
  outdated,
  refused,
  replyOnly,
} from './context.ts'
import { openForm } from './form.ts'
import { misplacedIn } from './misplaced.ts'
import { muteAll } from './mute-all.ts'
import { askToMute, differenceFrom, proposalFor } from './mute-terms.ts'
import { isOldCard } from './stale.ts'
import { hostnameOf, unknownServers } from './target.ts'

type MuteServer = Extract<Change, { kind: 'mute_server' }>

export async function muteServer(
  ports: ActPorts,
  context: ActionContext,
  change: MuteServer,
  limits: Limits,
): Promise<Acted> {
  const { shown } = change
  const meant = await serversOf(change, ports)
  if ('changed' in meant) return outdated(meant.changed, ports.clock.nowMs())
  if (!meant.ok) return refused(meant.refusal)
  const misplaced = await misplacedIn(change, ports.servers)
  if (misplaced !== null) return refused(misplaced)
  const end = { defaultMs: limits.muteDefaultMs, maxMs: limits.muteMaxMs, zone: limits.zone }
  const proposal = await proposalFor(ports, context, change, end)
  if ('reply' in proposal) return proposal
  const { terms, receiptOf } = proposal
  const isOld = await isOldCard(context.request, ports.store)
  if (shown === null) {
    const receipt = await receiptOf(meant.found)
    const nowMs = ports.clock.nowMs()
    const isMany = meant.found.length > 1 || (isOld && isOfCard(change))
    // A press on an old card of one server gets that answer anyway, and nothing is done.
    const isShortening = !isOld && receipt.others.some((mute) => isShortened(mute, receipt))
    const isToBeAsked = isMany || isShortening || isWide(change, terms, { via: context.request.via, nowMs })
    return isToBeAsked ? askToMute(ports, context, receipt) : muteAll(ports, { context, terms, receipt })
  }
  const receipt = await receiptOf(stillMeant(change, shown, meant.found))
  const difference = differenceFrom(shown, receipt)
  if (difference === null) return muteAll(ports, { context, terms, receipt })
  const whole = receipt.servers.length === meant.found.length ? receipt : await receiptOf(meant.found)
  return askToMute(ports, context, whole, difference)
}

/** Servers that join a storm after its receipt was shown are not muted with it, nor a reason to ask again, as more may keep coming. */
function stillMeant(change: MuteServer, shown: Shown, now: readonly string[]): readonly string[] {
  const before = new Set(shown.servers)
  return isOfCard(change) && before.size > 0 ? now.filter((server) => before.has(server)) : now
}

function isOfCard({ servers }: MuteServer): boolean {
  return servers.some(({ by }) => by === 'card')
}

/** A name means itself; a glob the known servers that it matches; a card the servers of its open alerts. */
export async function serversOf(
  change: Pick<MuteServer, 'servers' | 'shown'>,
  { store, servers }: ActPorts,
): Promise<Found<readonly string[]> | { readonly changed: StaleReason }> {
  const found = new Set<string>()
  const named: string[] = []
  for (const ref of change.servers) {
    if (ref.by === 'card') {
      const alerts = await alertsOnCard(ref.cardId, store)
      if (alerts === null) return { ok: false, refusal: unknownCard }
      const hostnames = openOf(alerts).map(({ hostname }) => hostname)
      if (hostnames.length === 0) return { changed: allClosed(alerts) }
      for (const hostname of hostnames) found.add(hostname)
      continue
    }
    const server = await hostnameOf(ref, store)
    if (!server.ok) return server
    if (ref.by === 'name') named.push(server.found)
    else found.add(server.found)
  }
  const meant = await namesMeant(named, change.shown?.servers ?? [], servers)
  if (!meant.ok) return meant
  for (const hostname of meant.found) found.add(hostname)
  const count = found.size
  if (count === 0) {
    return { ok: false, refusal: { why: 'invalid', expected: 'the name of a server', came: '' } }
  }
  if (count > serversAtOnceMax)
    return { ok: false, refusal: { why: 'too_many_servers', to: 'mute', count, max: serversAtOnceMax } }
  return { ok: true, found: [...found].sort(byName) }
}

/**
 * What typed names and globs mean: all of them are looked up before anything is done to one. A single name may be of a server
 * that only the API knows, and the API then says so. `shown`: those known when the question was shown.
 */
async function namesMeant(
  typed: readonly string[],
  shown: readonly string[],
  servers: Pick<Servers, 'book' | 'similar' | 'unread'>,
): Promise<Found<readonly string[]>> {
  const [only, ...others] = typed
  if (only === undefined || (others.length === 0 && !isGlob(only))) return { ok: true, found: typed }
  const book = await servers.book()
  const unread = servers.unread()
  const confirmed = new Set(shown)
  // A list that cannot be read does not prove that a server is gone.
  const known = unread === null ? book.names : [...new Set([...book.names, ...shown])]
  const found = new Set<string>()
  const unknown: string[] = []
  for (const name of typed) {
    const names = isGlob(name) ? matching(name, known) : book.has(name) || confirmed.has(name) ? [name] : []
    if (names.length === 0) unknown.push(name)
    for (const one of names) found.add(one)
    // Many globs among thousands of names take time, and somebody else may be waiting for an answer.
    if (isGlob(name)) await breath()
  }
  if (unknown.length === 0) return { ok: true, found: [...found] }
  if (others.length === 0) return { ok: false, refusal: { why: 'no_match', pattern: only, unread } }
  return { ok: false, refusal: await unknownServers({ act: 'mute_server', unread }, unknown, servers) }
}

type MuteAccount = Extract<Change, { kind: 'mute_account' }>

/** With a reason, and not for long. Mutes of single servers are kept as they are. */
export async function muteAccount(
  ports: ActPorts,
  context: ActionContext,
  change: MuteAccount,
  limits: Limits,
): Promise<Acted> {
  const { shown } = change
  if (shown === null) {
    const { userId } = context.request
    const form = { form: 'mute_account', alertId: null, given: givenBy(change), userId } as const
    return replyOnly(await openForm(ports, form, limits))
  }
  const reason = change.reason.trim()
  const maxMs = limits.accountMuteMaxMs
  if (reason === '') return refused({ why: 'reason_missing' })
  if (change.end.kind === 'default') {
    return refused({ why: 'invalid', expected: 'a duration, such as 30m', came: '' })
  }
  if (change.end.kind === 'healthy') {
    const expected = 'a time, such as 30m or until 15:00: the account has no health of its own to wait for'
    return refused({ why: 'invalid', expected, came: 'until healthy' })
  }
  if (change.end.kind === 'unmuted') return refused({ why: 'too_long', maxMs })
  const end = { defaultMs: maxMs, maxMs, zone: limits.zone }
  const proposal = await proposalFor(ports, context, change, end)
  if ('reply' in proposal) return proposal
  const { terms, receiptOf } = proposal
  const receipt = await receiptOf(null)
  const difference = differenceFrom(shown, receipt)
  return difference === null
    ? muteAll(ports, { context, terms, receipt })
    : askToMute(ports, context, receipt, difference)
}

/** What the command already gave, as typed text for the form. */
function givenBy({ end, reason }: MuteAccount): string | null {
  const text = `${endText(end)} ${reason}`.trim()
  return text === '' ? null : text
}
