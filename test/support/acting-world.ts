/** A world for acting: real SQLite, an API that answers as it is told to and remembers its calls, and a clock by hand. */

import { OutsideFailure } from '../../src/domain/base/failure.ts'
import type { Mute } from '../../src/domain/mute/mute.ts'
import type { Shown } from '../../src/domain/mute/shown.ts'
import type { Change } from '../../src/domain/request/actions.ts'
import type { Permissions } from '../../src/domain/request/authorise.ts'
import type { Intent, Request } from '../../src/domain/request/intent.ts'
import { openLock } from '../../src/flow/concurrency/lock.ts'
import { openHandle } from '../../src/flow/handle.ts'
import { type EndMute, openEndMute } from '../../src/flow/mute/end.ts'
import { openHidden } from '../../src/flow/mute/reveal.ts'
import type { Directory, Monitor } from '../../src/flow/ports/ports.ts'
import { openServers } from '../../src/flow/servers.ts'
import type { OpenStore } from '../../src/store/open/open-store.ts'
import { keptJournal } from './journal.ts'
import { manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** What the API answers to a change. */
export const answers = {
  200: null,
  404: new OutsideFailure('missing', 'the monitoring API returned HTTP 404: no such server', { status: 404 }),
  422: new OutsideFailure('rejected', 'the monitoring API returned HTTP 422: wrong', { status: 422 }),
  401: new OutsideFailure('forbidden', 'the API key was refused', { status: 401 }),
  503: new OutsideFailure('unreachable', 'the monitoring API returned HTTP 503: away', { status: 503 }),
  'time-out': new OutsideFailure('unreachable', 'the monitoring API did not answer within 10 s', {
    code: 'ETIMEDOUT',
  }),
  refused: new OutsideFailure('unreachable', 'the monitoring API could not be reached (ECONNREFUSED)', {
    code: 'ECONNREFUSED',
  }),
} as const
export type ApiAnswer = keyof typeof answers

/** Changes in the order in which they came, such as `server web-1 off`. */
export function scriptedMonitor() {
  const calls: string[] = []
  const script = {
    next: 200 as ApiAnswer,
    /** What is answered to one call; absent: `next`. */
    answerTo: (_call: string): ApiAnswer | undefined => undefined,
    /** Runs while the API is being asked, before it answers. */
    meanwhile: async (_call: string): Promise<void> => undefined,
    roles: new Map<string, readonly string[]>([['web', ['web-1', 'web-2']]]),
    rolesFail: false,
  }
  const change = async (call: string): Promise<string> => {
    calls.push(call)
    await script.meanwhile(call)
    const failure = answers[script.answerTo(call) ?? script.next]
    if (failure !== null) throw failure
    return 'done'
  }
  const unused = () => Promise.reject(new Error('No act asks the API this'))
  const monitor: Monitor = {
    alerts: unused,
    triggers: unused,
    metrics: unused,
    roles: async () => {
      if (script.rolesFail) throw answers[503]
      return { roles: script.roles, skipped: 0 }
    },
    setServerNotifications: (hostname, on) => change(`server ${hostname} ${on ? 'on' : 'off'}`),
    setAccountNotifications: (on) => change(`account ${on ? 'on' : 'off'}`),
    setNoDataGroup: (hostname, group) => change(`nodata ${hostname} ${group}`),
    addRoles: (hostname, roles) => change(`roles ${hostname} ${roles.join(',')}`),
    addMarker: (notes) => change(`marker ${notes}`),
    deleteServer: (hostname) => change(`delete ${hostname}`),
    deleteCustomMetrics: (names) => change(`metrics ${names.join(',')}`),
  }
  return { monitor, calls, script }
}

export const everyone: Permissions = {
  acknowledge: 'everyone',
  add_note: 'everyone',
  mute_server: 'everyone',
  mute_account: 'everyone',
  add_roles: 'everyone',
  add_marker: 'everyone',
  set_no_data: 'everyone',
  delete_server: 'everyone',
  delete_metric: 'everyone',
}

export type ActingOptions = {
  readonly permissions?: Permissions
  readonly directory?: Directory
  readonly store?: OpenStore
  /** The channels' zone. */
  readonly zone?: string
  /** Stands before the store, to fail between two steps. */
  readonly wrap?: (store: OpenStore) => OpenStore
}

/** `does` asks as ana (`U0ANA`) in the channel `C0OPS`, each time with a new key unless one is given. */
export async function actingWorld(options: ActingOptions = {}) {
  const store = options.store ?? (await memoryStore())
  const seen = options.wrap?.(store) ?? store
  const clock = manualClock()
  const logger = keptJournal()
  const { monitor, calls, script } = scriptedMonitor()
  let count = 0
  const prefix = crypto.randomUUID().slice(0, 8)
  const ids = { make: () => `${prefix}-${String(++count).padStart(3, '0')}` }
  const directory: Directory = options.directory ?? {
    zoneOf: async () => 'Europe/Berlin',
    membersOf: async () => new Set(['U0BEN']),
  }
  const lock = openLock()
  const base = { monitor, store: seen, clock, logger, ids }
  const hidden = openHidden(
    { store: seen, clock, logger, lastPollMs: clock.nowMs },
    { routes: [], defaultChannel: 'C0OPS', images: 'off' },
  )
  const endMute: EndMute = openEndMute({ ...base, hidden, lastPollMs: clock.nowMs })
  let wakes = 0
  const handle = openHandle(
    {
      ...base,
      directory,
      lock,
      servers: openServers(base),
      endMute,
      answer: async () => ({ kind: 'answer', answer: { kind: 'help', topic: null } }),
      onChanged: () => {
        wakes += 1
      },
    },
    {
      permissions: options.permissions ?? everyone,
      limits: {
        muteDefaultMs: hourMs,
        muteMaxMs: 30 * 24 * hourMs,
        accountMuteMaxMs: 4 * hourMs,
        zone: options.zone ?? 'UTC',
      },
      channels: { all: ['C0OPS', 'C0DB'], default: 'C0OPS' },
    },
  )
  const does = (intent: Intent, over: Partial<Request> = {}) =>
    handle({
      intent,
      userId: 'U0ANA',
      via: 'command',
      keys: [`key-${prefix}-${++count}`],
      channel: 'C0OPS',
      card: null,
      ...over,
    })
  const audit = async () => {
    const page = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 100 })
    return page.entries.toReversed()
  }
  const mutes = async () => (await store.mutes()).mutes
  const ports = { ...base, lock, endMute, hidden }
  return { store, clock, logger, calls, script, ports, handle, does, audit, mutes, wakes: () => wakes }
}

/** Of a form or a receipt that showed these servers, and nothing that has changed since. */
export function showing(...servers: readonly string[]): Shown {
  return { servers, open: 0, mutes: [] }
}

/** Takes back the present terms of a mute. */
export function undoing(mute: Mute | null | undefined): Extract<Change, { kind: 'undo_mute' }> {
  return { kind: 'undo_mute', muteId: mute?.muteId ?? '', termsMs: mute?.termsMs ?? 0 }
}

export function muting(servers: string | readonly string[], over: Partial<MuteServer> = {}): MuteServer {
  const names = typeof servers === 'string' ? [servers] : servers
  return {
    kind: 'mute_server',
    servers: names.map((name) => ({ by: 'name', name })),
    end: { kind: 'for', ms: hourMs },
    reason: 'deploying',
    shown: null,
    ...over,
  }
}
type MuteServer = Extract<Change, { kind: 'mute_server' }>
