/**
 * Calls to the outside that are made once: `asked` on disk before each. Only a page repeats after an unclear answer, under the same id.
 * Pages have a lane of their own and go in order for each deduplication key; they wait for nothing that Slack does. Nothing waits for an
 * investigator, who may take minutes.
 */
import { ApiFailure, type Monitor } from '../api/port.ts'
import { NoAnswer } from '../call.ts'
import { type Clock, minute, second } from '../clock.ts'
import { noteOf, noteOutcome, wantLine } from '../decide/want.ts'
import type { Log } from '../log.ts'
import type { PageEvent, Pager } from '../pager/pager.ts'
import type { SlackPort } from '../slack/port.ts'
import type { Scene } from '../view/view.ts'
import type { Outside, Pass } from '../world/journal.ts'
import { LostLead } from '../world/store.ts'
import type { Effect, EffectData } from '../world/types.ts'
import { backoffMs, type Calls, type Loop, startCalls } from './loop.ts'

export type ShareFile = { readonly bytes: Uint8Array; readonly name: string; readonly title: string }

export type EffectParts = {
  readonly monitor: Monitor
  readonly slack: SlackPort
  readonly pager: Pager | null
  readonly outside: Outside
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
  /** What a page says. */
  readonly pageEvent: (effect: Effect, scene: Scene) => PageEvent
  /** What a file holds; null where there is nothing to be put into it. */
  readonly fileOf: (effect: Effect, scene: Scene) => Promise<ShareFile | null>
  /** What is behind an alert, as Markdown. Throws `NoAnswer`. */
  readonly investigate: (effect: Effect) => Promise<string>
  /** The pager's answer already says that somebody has it. */
  readonly acknowledged: (effect: Effect, by: string) => void
}

/** How a call ended. `later`: certainly not done. */
type End =
  | { readonly kind: 'done'; readonly why?: string; readonly text?: string }
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: number | null }
  | { readonly kind: 'unclear'; readonly why: string; readonly afterMs?: number | null }
  | { readonly kind: 'failed'; readonly why: string }

const everyMs = 5 * second
/** What is certainly not done is tried for so long. */
const triesForMs = 30 * minute
/** However long a pager asks for, nobody sleeps through more than this. */
const pagerPauseMaxMs = 5 * minute

export function startEffects(parts: EffectParts): Loop {
  const { scene, clock, log } = parts
  return startCalls({ name: 'effects', everyMs, clock, log, round: (calls) => round(parts, scene(), calls) })
}

function round(parts: EffectParts, { world, nowMs }: Scene, calls: Calls): number {
  const keysBefore = new Set<string>()
  let nextMs = nowMs + everyMs
  for (const effect of world.effects.values()) {
    if (!isToBeDone(effect)) continue
    if (effect.does === 'page') {
      // Of one round what was said first must arrive first.
      const { dedupKey = effect.id } = effect.data
      if (keysBefore.has(dedupKey) || parts.pager === null) continue
      keysBefore.add(dedupKey)
    }
    if (calls.has(effect.id)) continue
    if (effect.dueMs > nowMs) nextMs = Math.min(nextMs, effect.dueMs)
    else calls.start(effect.id, () => carryOut(parts, effect))
  }
  return nextMs - nowMs
}

function isApart({ does }: Effect): boolean {
  return does === 'page' || does === 'investigate'
}

function isToBeDone(effect: Effect): boolean {
  const { state } = effect
  return state === 'new' || (isApart(effect) && (state === 'asked' || state === 'unknown'))
}

async function carryOut(parts: EffectParts, { id, state }: Effect): Promise<void> {
  const { world } = parts.scene()
  const wasAsked = state !== 'new'
  const effect = world.patch('effects', id, { state: 'asked' })
  let end: End
  try {
    end = await endOf(parts, effect, wasAsked)
  } catch (error) {
    if (error instanceof LostLead) throw error
    end = endOfFailure(error)
  }
  const scene = parts.scene()
  scene.world.decide(() => settle(scene, effect, end, wasAsked))
  if (end.kind !== 'done') parts.log.warn('effect:unconfirmed', { effect: id, kind: end.kind, why: end.why })
}

function endOfFailure(error: unknown): End {
  if (error instanceof NoAnswer) return { kind: 'failed', why: error.message }
  if (!(error instanceof ApiFailure)) return { kind: 'unclear', why: String(error) }
  const { kind, message, retryAfterMs } = error
  if (kind === 'unclear') return { kind, why: message }
  if (kind === 'later' || kind === 'key') return { kind: 'later', why: message, afterMs: retryAfterMs }
  return { kind: 'failed', why: message }
}

async function endOf(parts: EffectParts, effect: Effect, wasAsked: boolean): Promise<End> {
  if (effect.does === 'page') return page(parts, effect)
  if (effect.does === 'file') return share(parts, effect)
  if (effect.does === 'investigate' && wasAsked) return { kind: 'failed', why: 'no answer came' }
  if (effect.does === 'investigate') return { kind: 'done', text: await parts.investigate(effect) }
  const ask = asks[effect.does]
  await parts.outside((pass) => ask(parts.monitor, pass, effect.data))
  return { kind: 'done' }
}

type Ask = (monitor: Monitor, pass: Pass, data: EffectData) => Promise<void>
const asks: Record<Exclude<Effect['does'], 'page' | 'file' | 'investigate'>, Ask> = {
  marker: (monitor, pass, { notes = '' }) => monitor.addMarker(pass, notes),
  add_roles: (monitor, pass, { host = '', names = [] }) => monitor.addRoles(pass, host, names),
  no_data: (monitor, pass, { host = '', group = '' }) => monitor.setNoDataGroup(pass, host, group),
  delete_server: (monitor, pass, { host = '' }) => monitor.deleteServer(pass, host),
  delete_metric: (monitor, pass, { names = [] }) => monitor.deleteMetrics(pass, names),
  end_silence: (monitor, pass, { silence = '' }) => monitor.endMute(pass, silence),
}

async function page(parts: EffectParts, effect: Effect): Promise<End> {
  const { pager } = parts
  if (pager === null) return { kind: 'failed', why: 'no pager is set up' }
  const event = parts.pageEvent(effect, parts.scene())
  const outcome = await parts.outside((pass) => pager.send(pass, event))
  if (outcome.kind === 'refused') return { kind: 'failed', why: outcome.why }
  if (outcome.kind !== 'ok') return outcome
  if (outcome.acknowledgedBy !== null) parts.acknowledged(effect, outcome.acknowledgedBy)
  return { kind: 'done' }
}

async function share(parts: EffectParts, effect: Effect): Promise<End> {
  const file = await parts.fileOf(effect, parts.scene())
  if (file === null) return { kind: 'failed', why: 'there is nothing to put into it' }
  const post = parts.scene().world.posts.get(effect.data.post ?? '')
  if (post !== undefined && post.state !== 'live')
    return { kind: 'later', why: 'its card is not there yet', afterMs: second }
  const to = post?.channelId ?? post?.channel ?? effect.data.to
  if (to === undefined) return { kind: 'failed', why: 'its card is gone' }
  const outcome = await parts.outside((pass) => parts.slack.share(pass, file, to, post?.ts ?? null))
  if (outcome.kind === 'ok') return { kind: 'done' }
  const why = 'why' in outcome ? outcome.why : `Slack says: ${outcome.kind}`
  const afterMs = outcome.kind === 'limited' ? outcome.afterMs : null
  if (/^(?:limited|later|token)$/.test(outcome.kind)) return { kind: 'later', why, afterMs }
  return { kind: outcome.kind === 'unclear' ? 'unclear' : 'failed', why }
}

function settle(scene: Scene, effect: Effect, end: End, wasAsked: boolean): void {
  const { world, nowMs } = scene
  const { id } = effect
  const tries = effect.tries + 1
  const why = end.why ?? null
  if (effect.does === 'page') notePager(scene, effect, end)
  if (effect.does === 'investigate') tellFinding(scene, effect, end)
  if (end.kind === 'done') {
    world.patch('effects', id, { state: 'done', tries, why: null })
    noteOutcome(scene, effect.act ?? '', 'done', null)
    if (effect.does === 'delete_server') forget(scene, effect.data.host ?? '')
  } else if (end.kind === 'later' && (effect.does === 'page' || nowMs - effect.atMs < triesForMs)) {
    // It may have been heard before.
    const again = wasAsked ? 'unknown' : 'new'
    world.patch('effects', id, { state: again, tries, why, dueMs: nowMs + (end.afterMs ?? backoffMs(tries)) })
  } else {
    const state = end.kind === 'unclear' ? 'unknown' : 'failed'
    const afterMs = 'afterMs' in end ? end.afterMs : null
    const waitMs = Math.min(afterMs ?? backoffMs(tries), pagerPauseMaxMs)
    world.patch('effects', id, { state, tries, why, dueMs: nowMs + waitMs })
    noteOutcome(scene, effect.act ?? '', state, why)
  }
}

/** Since when pages have not arrived; whoever tells it reads the fact. */
function notePager({ world }: Scene, effect: Effect, end: End): void {
  if (end.kind === 'done') world.setFact('pagerFailing', null)
  else if ((world.fact('pagerFailing') ?? null) === null)
    world.setFact('pagerFailing', { sinceMs: effect.atMs, why: end.why })
}

/** What was found stands in the thread of the card; that nothing was, only where somebody pressed. */
function tellFinding(scene: Scene, { data }: Effect, end: End): void {
  const { world, policy } = scene
  const alert = world.alerts.get(data.alert ?? '')
  const card = world.posts.get(data.post ?? '')
  const isTold = end.kind === 'done' || (end.kind === 'failed' && data.by !== undefined)
  if (alert === undefined || card === undefined || !isTold) return
  const act = noteOf(scene, alert, {
    kind: 'investigated',
    by: `name:${URL.parse(policy.investigate?.url ?? '')?.hostname ?? 'the investigator'}`,
    outcome: end.kind,
    data: end.kind === 'done' ? { text: end.text ?? '' } : { why: end.why },
  })
  wantLine(scene, act.id, card, 1)
}

/** A server that the monitoring deleted has nothing left to be muted. */
function forget({ world, nowMs }: Scene, host: string): void {
  const subject = `server:${host}`
  for (const mute of world.activeMutes.values()) {
    if (mute.subject === subject) world.patch('mutes', mute.id, { ended: { atMs: nowMs, by: 'gone' } })
  }
  world.remove('switches', subject, 'gone')
}
