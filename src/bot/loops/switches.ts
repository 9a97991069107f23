/**
 * Tells the monitoring what the mutes say: a switch is off while a mute in force wants it so. What was told last stands on disk; an
 * unclear answer is asked for again until there is one, and repeated later, since a call that came late may have won.
 */
import { isGlob } from '../../shared/glob.ts'
import { ApiFailure, type ApiMuteWish, type Monitor, muteName } from '../api/port.ts'
import { type Clock, minute, second } from '../clock.ts'
import { isInForce, switchOf } from '../decide/hidden.ts'
import { noteOutcome } from '../decide/want.ts'
import type { Log } from '../log.ts'
import type { Scene } from '../view/view.ts'
import type { Outside, Pass } from '../world/journal.ts'
import { LostLead } from '../world/store.ts'
import type { Mute, Switch } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { backoffMs, type Calls, type Loop, startCalls } from './loop.ts'

export type SwitchParts = {
  readonly monitor: Monitor
  readonly outside: Outside
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
}

const everyMs = 5 * second
/** After an unclear answer it is told again, though the monitoring agreed meanwhile. */
const repeatsAfterMs = [minute, 5 * minute, 30 * minute]
/** A subject that the monitoring does not know, twice with so much between, is gone. */
const goneAfterMs = 3 * minute
const callsMax = 8
const alertmanager = 'alertmanager:'

/** Mutes in force by the switch that they want to be off. */
export function wantedOff(scene: Scene): Map<string, Mute[]> {
  const { world, nowMs } = scene
  const wanted = new Map<string, Mute[]>()
  for (const mute of world.activeMutes.values()) {
    const id = isInForce(mute, nowMs) ? switchOf(mute, scene) : null
    if (id !== null) wanted.set(id, [...(wanted.get(id) ?? []), mute])
  }
  return wanted
}

/** Until when a mute of Alertmanager was told to last; other switches know no end. */
function endOf(id: string, mutes: readonly Mute[]): number | null {
  return id.startsWith(alertmanager) ? (mutes[0]?.untilMs ?? mutes[0]?.maxUntilMs ?? null) : null
}

export function startSwitches(parts: SwitchParts): Loop {
  const { scene, clock, log } = parts
  return startCalls({ name: 'switches', everyMs, clock, log, round: (calls) => round(parts, scene(), calls) })
}

function round(parts: SwitchParts, scene: Scene, calls: Calls): number {
  const { world, nowMs } = scene
  const off = wantedOff(scene)
  let nextMs = nowMs + everyMs
  for (const id of new Set([...world.switches.keys(), ...off.keys()])) {
    const mutes = off.get(id) ?? []
    const there = world.switches.get(id)
    // A mute of what is muted already needs no call.
    const isUnsure = mutes.some(({ isConfirmed }) => !isConfirmed)
    if (isUnsure && there !== undefined && isAgreed(there, mutes)) world.decide(() => confirm(scene, mutes))
    const dueMs = tellAtMs(there, mutes, nowMs)
    if (dueMs === null || calls.has(id) || calls.size >= callsMax) continue
    if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
    else calls.start(id, () => tell(parts, id, mutes))
  }
  return nextMs - nowMs
}

/** When it is to be told; null while the monitoring agrees and no repeat is planned. */
function tellAtMs(there: Switch | undefined, mutes: readonly Mute[], nowMs: number): number | null {
  if (there === undefined) return mutes.length > 0 ? nowMs : null
  // A change of mind is told at once, whatever the last call waits for.
  if (there.telling !== null && there.telling !== wantedBy(mutes)) return nowMs
  if (!isAgreed(there, mutes)) return there.dueMs
  return there.repeatsMs.length > 0 ? Math.max(Math.min(...there.repeatsMs), there.dueMs) : null
}

function wantedBy(mutes: readonly Mute[]): 'on' | 'off' {
  return mutes.length > 0 ? 'off' : 'on'
}

function isAgreed({ id, told, untilMs = null }: Switch, mutes: readonly Mute[]): boolean {
  return told === wantedBy(mutes) && (mutes.length === 0 || untilMs === endOf(id, mutes))
}

async function tell(parts: SwitchParts, id: string, mutes: readonly Mute[]): Promise<void> {
  const { world } = parts.scene()
  const telling = wantedBy(mutes)
  const before = world.switches.get(id) ?? fresh(id)
  // What is only repeated is as sure as it was: an unclear answer to the same changes nothing.
  const told = isAgreed(before, mutes) ? before.told : 'unknown'
  world.put('switches', { ...before, told, telling })
  try {
    await parts.outside((pass) => call(parts, pass, id, mutes))
    world.decide(() => settle(parts.scene(), before, telling, mutes))
  } catch (error) {
    if (error instanceof LostLead) throw error
    const failure = error instanceof ApiFailure ? error : new ApiFailure('unclear', String(error))
    parts.log.warn('switch:unconfirmed', { switch: id, telling, kind: failure.kind, why: failure.message })
    world.decide(() => settleFailure(parts.scene(), before, telling, failure))
  }
}

function settle(scene: Scene, { id, repeatsMs }: Switch, told: 'on' | 'off', mutes: readonly Mute[]): void {
  const { world, nowMs } = scene
  const left = repeatsMs.filter((atMs) => atMs > nowMs)
  world.put('switches', { ...fresh(id), told, dueMs: nowMs, repeatsMs: left, untilMs: endOf(id, mutes) })
  confirm(scene, mutes)
}

/** The outcome of the act that made a mute follows what the monitoring said of it. */
function confirm(scene: Scene, mutes: readonly Mute[]): void {
  const { world } = scene
  for (const { id, act } of mutes) {
    if (world.mutes.get(id)?.isConfirmed !== false) continue
    world.patch('mutes', id, { isConfirmed: true })
    const all = world.acts.get(act)?.data.mutes ?? []
    if (all.every((other) => world.mutes.get(other)?.isConfirmed !== false))
      noteOutcome(scene, act, 'done', null)
  }
}

function call(parts: SwitchParts, pass: Pass, id: string, mutes: readonly Mute[]): Promise<void> {
  const { monitor, scene } = parts
  const isOn = mutes.length === 0
  if (id === 'account') return monitor.setAccount(pass, isOn)
  if (id.startsWith('server:')) return monitor.setServer(pass, id.slice('server:'.length), isOn)
  const mute = id.slice(alertmanager.length)
  const first = mutes[0]
  if (first === undefined) return monitor.endMute(pass, mute)
  return monitor.putMute(pass, mute, wishOf(scene().world, first))
}

function wishOf(world: World, mute: Mute): ApiMuteWish {
  const by = world.fact('people')?.[mute.by]?.realName ?? mute.by
  const untilMs = mute.untilMs ?? mute.maxUntilMs
  const alert = mute.alert === undefined ? null : (world.alerts.get(mute.alert)?.number ?? null)
  const matchers = mute.matchers?.map(({ label, glob }) => matcherOf(label, glob)) ?? null
  return { alert, matchers, untilMs, by, why: mute.reason }
}

/** As the Alertmanager writes them: `namespace=~"pay-.*"`. */
function matcherOf(label: string, glob: string): string {
  if (!isGlob(glob)) return `${label}=${JSON.stringify(glob)}`
  const pattern = glob
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return `${label}=~${JSON.stringify(pattern)}`
}

function settleFailure(scene: Scene, before: Switch, telling: 'on' | 'off', failure: ApiFailure): void {
  const { world, nowMs } = scene
  const { kind, message: why, retryAfterMs } = failure
  const tries = before.tries + 1
  const mutes = wantedOff(scene).get(before.id) ?? []
  const again = { ...before, telling: null, tries, dueMs: nowMs + (retryAfterMs ?? backoffMs(tries)) }
  if (kind === 'unclear') {
    const told = world.switches.get(before.id)?.told ?? 'unknown'
    world.put('switches', { ...again, told, telling, repeatsMs: repeatsFrom(nowMs) })
    for (const mute of mutes) noteOutcome(scene, mute.act, 'unknown', why)
  } else if (kind === 'later' || kind === 'key' || (kind === 'refused' && telling === 'on')) {
    world.put('switches', again)
  } else if (telling === 'off') {
    // What it cannot mute it must not hide either; told "on" once more where an earlier call may have come through.
    world.put('switches', { ...again, dueMs: nowMs })
    for (const mute of mutes) {
      world.patch('mutes', mute.id, { ended: { atMs: nowMs, by: 'refused', why } })
      noteOutcome(scene, mute.act, 'failed', why)
    }
  } else {
    const missingMs = before.missingMs ?? nowMs
    if (nowMs - missingMs >= goneAfterMs) world.remove('switches', before.id, 'gone')
    else world.put('switches', { ...again, missingMs, dueMs: nowMs + minute })
  }
}

/** When to tell anew what nobody answered: the call may still come, after a later one. */
export function repeatsFrom(nowMs: number): number[] {
  return repeatsAfterMs.map((afterMs) => nowMs + afterMs)
}

type Agreed = ReadonlyMap<string, readonly Mute[]>

/** The mutes that the monitoring has taken, as it said itself, by switch. */
export function agreedOff(scene: Scene): Agreed {
  const { switches } = scene.world
  const agreed = [...wantedOff(scene)].filter(([id, mutes]) => {
    const there = switches.get(id)
    return there !== undefined && isAgreed(there, mutes)
  })
  return new Map(agreed)
}

/** What it had taken before it was asked and does not keep any more, somebody has ended at the Alertmanager. */
export function endElsewhere(scene: Scene, before: Agreed, held: readonly string[]): void {
  const { world, nowMs } = scene
  for (const [id, mutes] of agreedOff(scene)) {
    // The service calls a server and the account as we do, and another mute by the id that it was sent with.
    const name = id.startsWith(alertmanager) ? muteName(id.slice(alertmanager.length)) : id
    if (!before.has(id) || held.includes(name)) continue
    for (const mute of mutes) world.patch('mutes', mute.id, { ended: { atMs: nowMs, by: 'elsewhere' } })
  }
}

/** Has the monitoring told again what is wanted, though nothing here changed: somebody else may have told it otherwise. */
export function tellAnew({ world, nowMs }: Pick<Scene, 'world' | 'nowMs'>, id: string): void {
  world.put('switches', { ...fresh(id), told: 'unknown', dueMs: nowMs })
}

function fresh(id: string): Switch {
  return { id, told: 'on', telling: null, tries: 0, dueMs: 0, repeatsMs: [], missingMs: null }
}
