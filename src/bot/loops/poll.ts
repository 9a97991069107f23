/**
 * Reads the monitoring at the times of its schedule: two requests where nothing is missing. Three failures in a row, or a key that is
 * refused, are an outage; nothing closes because of one. Every few minutes it reads roles, of which the last good ones stay.
 */
import { plain } from '../api/parse.ts'
import { ApiFailure, type Monitor } from '../api/port.ts'
import { type Clock, hour, minute } from '../clock.ts'
import { nextPollMs } from '../config/shapes.ts'
import { endOutage, outageAfter } from '../decide/notices.ts'
import { isImplausible, listedForMs, reconcile } from '../decide/reconcile.ts'
import { isMember } from '../decide/standing.ts'
import { note } from '../decide/want.ts'
import type { Log } from '../log.ts'
import type { Scene } from '../view/view.ts'
import { type Loop, startLoop } from './loop.ts'
import { agreedOff, endElsewhere } from './switches.ts'

export type PollParts = {
  readonly monitor: Pick<Monitor, 'sweep' | 'head' | 'markers' | 'roles' | 'mutes'>
  readonly scene: () => Scene
  readonly log: Log
}
export type PollerParts = PollParts & { readonly cron: string; readonly clock: Clock }

const rolesEveryMs = 5 * minute
/** Whoever asks for a longer pause is asked again all the same: alerts wait. */
const restMaxMs = minute

export function startPoller(parts: PollerParts): Loop {
  const { cron, clock, log } = parts
  const dueAfter = nextPollMs(cron)
  let rolesMs = 0
  let mutesMs = 0
  let markersMs = 0
  const run = async () => {
    const restMs = await poll(parts)
    const { world, nowMs } = parts.scene()
    const hasOpened = [...world.open.values()].some(({ firstSeenMs }) => firstSeenMs > markersMs)
    if (restMs === null && (hasOpened || nowMs - markersMs >= rolesEveryMs)) {
      // Whoever lists none is not asked at each opening.
      markersMs = (await readMarkers(parts)) ? nowMs : nowMs + hour
    }
    if (restMs === null && nowMs - rolesMs >= rolesEveryMs) {
      rolesMs = nowMs
      await readRoles(parts)
    }
    // Somebody may end a mute at the Alertmanager, and its alerts must not stay hidden here.
    const now = parts.scene()
    const isEndable = now.canMuteAlerts && agreedOff(now).size > 0
    const mutesEveryMs = isEndable ? minute : rolesEveryMs
    if (restMs === null && nowMs - mutesMs >= mutesEveryMs) {
      mutesMs = nowMs
      await readMutes(parts)
    }
    const afterMs = clock.nowMs()
    return Math.max(dueAfter(afterMs) - afterMs, restMs ?? 0)
  }
  return startLoop({ name: 'poll', everyMs: hour, clock, log, run })
}

/** Null: all is well; else how long to leave the monitoring alone. */
export async function poll({ monitor, scene, log }: PollParts): Promise<number | null> {
  const begun = scene()
  // What the API lists no more is not looked for in each poll.
  const sought = [...begun.world.open.values()].filter(
    ({ unlistedMs, startedMs }) => unlistedMs === null || startedMs > begun.nowMs - listedForMs,
  )
  try {
    const known = sought.map(({ key }) => key)
    const start = await monitor.sweep(known)
    const listed = new Set(start.alerts.map(({ key }) => key))
    const head = await monitor.head(known.filter((key) => !listed.has(key)))
    // The world may have changed meanwhile.
    const now = scene()
    if (isImplausible(now, { start, head }))
      throw new ApiFailure('unclear', 'it lists no alerts at all, though there were some lately')
    now.world.decide(() => {
      reconcile(now, { start, head })
      endOutage(now)
    })
    begun.world.tellSetAside((record, why) => log.error('record:set_aside', { record, why }))
    return null
  } catch (error) {
    if (!(error instanceof ApiFailure)) log.error('poll:failed', { error: String(error) })
    const failure = error instanceof ApiFailure ? error : new ApiFailure('unclear', 'reading it failed')
    return noteFailure(scene(), failure, log)
  }
}

function noteFailure({ world, nowMs }: Scene, failure: ApiFailure, log: Log): number {
  const { kind, message, retryAfterMs } = failure
  log.warn('poll:unanswered', { kind, why: message })
  const before = world.fact('failing') ?? null
  const count = Math.max((before?.count ?? 0) + 1, kind === 'key' ? outageAfter : 0)
  const { sinceMs = nowMs, toldMs = null } = before ?? {}
  world.setFact('failing', { sinceMs, count, why: message, toldMs, lastMs: nowMs })
  return Math.min(retryAfterMs ?? 0, restMaxMs)
}

/** What cannot be read stays as it was. */
async function readRoles({ monitor, scene, log }: PollParts): Promise<void> {
  try {
    const servers = await monitor.roles()
    const { world, nowMs } = scene()
    const isSame = JSON.stringify(servers) === JSON.stringify(world.fact('roles')?.servers)
    if (!isSame) world.setFact('roles', { atMs: nowMs, servers })
  } catch (error) {
    log.warn('roles:unread', { error: String(error) })
  }
}

/** Whether the service can mute one alert, as in front of an Alertmanager, and which mutes were ended there. */
async function readMutes({ monitor, scene }: PollParts): Promise<void> {
  const before = agreedOff(scene())
  try {
    const { held } = await monitor.mutes()
    const now = scene()
    now.world.setFact('canMuteAlerts', true)
    if (held !== null) now.world.decide(() => endElsewhere(now, before, held))
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') scene().world.setFact('canMuteAlerts', false)
  }
}

/** What others marked lately becomes an act, as what people here mark is one. False where the service lists no markers. */
export async function readMarkers({ monitor, scene }: PollParts): Promise<boolean> {
  const markers = await monitor.markers().catch(() => null)
  const now = scene()
  const { world, nowMs } = now
  const isRecent = ({ atMs }: { readonly atMs: number }) => atMs > nowMs - hour
  const recent = markers?.filter(isRecent) ?? []
  const own = [...world.acts.values()]
    .filter((act) => act.kind === 'marker' && isMember(act.by))
    .filter(isRecent)
  world.decide(() => {
    for (const { atMs, text, by } of recent) {
      const id = `marker:${atMs}:${text}`
      // Ours came back, with a name behind it.
      const isOwn = own.some(({ subject }) => text.startsWith(plain(`${subject} (`, text.length)))
      if (isOwn || world.acts.has(id)) continue
      const who = by === null ? 'somebody' : `name:${by}`
      note(now, { id, kind: 'marker', subject: text, by: who, atMs, data: { text } })
      const later = [...world.open.values()].filter(({ startedMs }) => startedMs >= atMs)
      world.touch(later.map((alert) => alert.id))
    }
  })
  return markers !== null
}
