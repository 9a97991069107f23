/** A world for actions: the whole bot, an API that answers as told and remembers its calls, and a manual clock. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { ListedSilence } from '../../src/bot/domain/mute/hiding.ts'
import type { Mute } from '../../src/bot/domain/mute/mute.ts'
import type { Shown } from '../../src/bot/domain/mute/shown.ts'
import type { Change } from '../../src/bot/domain/request/actions.ts'
import type { Permissions } from '../../src/bot/domain/request/authorise.ts'
import type { Intent, Request } from '../../src/bot/domain/request/intent.ts'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import type { AlertMute, Directory, Monitor, MutePreview } from '../../src/bot/flow/ports/ports.ts'
import type { OpenStore } from '../../src/bot/store/open/open-store.ts'
import { everyone, openBotInMemory } from './bot-in-memory.ts'
import { opening } from './delivery-world.ts'
import { forgetfulChat } from './forgetful-chat.ts'
import { manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** Answers of the API to a change. */
export const answers = {
  200: null,
  404: new OutsideFailure('missing', 'the monitoring API returned HTTP 404: no such server', { status: 404 }),
  422: new OutsideFailure('rejected', 'the monitoring API returned HTTP 422: wrong', { status: 422 }),
  401: new OutsideFailure('forbidden', 'the API key was refused', { status: 401 }),
  503: new OutsideFailure('unreachable', 'the monitoring API returned HTTP 503: away', { status: 503 }),
  'time-out': new OutsideFailure('unreachable', 'the monitoring API timed out', {
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
    /** The answer to one call; undefined: `next`. */
    answerTo: (_call: string): ApiAnswer | undefined => undefined,
    /** Runs while the API is being asked, before it answers. */
    meanwhile: async (_call: string): Promise<void> => undefined,
    roles: new Map<string, readonly string[]>([['web', ['web-1', 'web-2']]]),
    /** The mutes of alerts that the service was told of, as it was told last. */
    held: new Map<string, AlertMute>(),
    preview: { matchers: ['a="b"'], alerts: [], hides: 0 } as MutePreview | OutsideFailure,
    rolesFail: false,
    silences: [] as readonly ListedSilence[],
    silencesFail: null as Exclude<ApiAnswer, 200> | null,
    /** The API cannot be read; otherwise it lists no alert to a running bot. */
    isAway: false,
    /** Only what is open can be read. */
    isPastAway: false,
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
    silences: async () => {
      if (script.silencesFail !== null) throw answers[script.silencesFail]
      return script.silences
    },
    endMute: (id) => {
      script.held.delete(id)
      return change(`end ${id}`)
    },
    muteAlert: async (mute) => {
      const { alert, matchers } = mute
      script.held.set(mute.muteId, mute)
      return change(`mute ${matchers?.join(' ') ?? `#${alert}`}`)
    },
    previewMute: async () => {
      if (script.preview instanceof OutsideFailure) throw script.preview
      return script.preview
    },
    setNoDataGroup: (hostname, group) => change(`nodata ${hostname} ${group}`),
    addRoles: (hostname, roles) => change(`roles ${hostname} ${roles.join(',')}`),
    addMarker: (notes) => change(`marker ${notes}`),
    deleteServer: (hostname) => change(`delete ${hostname}`),
    deleteCustomMetrics: (names) => change(`metrics ${names.join(',')}`),
  }
  /** The reads that a running bot makes by itself. */
  const running: Monitor = {
    ...monitor,
    alerts: async ({ lifecycle }) => {
      if (script.isAway || (script.isPastAway && lifecycle === 'all')) throw answers[503]
      return { records: [], size: 0, skipped: 0 }
    },
    triggers: async () => ({ triggers: [], skipped: 0 }),
    metrics: async () => ({ timestampsMs: [], series: [], skipped: 0 }),
  }
  return { monitor, running, calls, script }
}

export type ActingOptions = {
  readonly permissions?: Permissions
  readonly isAccountMuteUnset?: boolean
  readonly directory?: Directory
  readonly store?: OpenStore
  /** The channels' zone. */
  readonly zone?: string
  /** Wraps the store, to fail between two steps. */
  readonly wrap?: (store: OpenStore) => OpenStore
  /** Starts the bot, so that its background jobs run too; otherwise it only does what is asked. */
  readonly isRunning?: boolean
}

/**
 * Opens the world. `does` makes a request as ana (`U0ANA`) in the channel `C0OPS`, each time with a new key unless one is given.
 */
export async function actingWorld(options: ActingOptions = {}) {
  const store = options.store ?? (await memoryStore())
  const seen = options.wrap?.(store) ?? store
  const clock = manualClock()
  const { monitor, running, calls, script } = scriptedMonitor()
  const isRunning = options.isRunning === true
  let looks = 0
  const due: OpenStore['due'] = (...ask) => {
    looks += 1
    return store.due(...ask)
  }
  const bot = await openBotInMemory({
    monitor: isRunning ? running : monitor,
    chat: forgetfulChat({ nowMs: clock.nowMs }),
    clock,
    store: isRunning ? { ...seen, due } : seen,
    directory: {
      findByEmail: async () => null,
      ...(options.directory ?? {
        personIs: async () => 'person' as const,
        nameOf: async (userId) => `name of ${userId}`,
        zoneOf: async () => 'Europe/Berlin',
        membersOf: async () => new Set(['U0BEN']),
      }),
    },
    settings: {
      slackChannel: 'C0OPS',
      routes: [{ match: { server: 'nobody-*' }, channel: 'C0DB', mention: null }],
      permissions: options.permissions ?? everyone,
      ...(options.isAccountMuteUnset === undefined ? {} : { isAccountMuteUnset: options.isAccountMuteUnset }),
      timezone: options.zone ?? 'UTC',
    },
  })
  if (isRunning) await bot.start()
  const { handle, logger } = bot
  let count = 0
  const prefix = crypto.randomUUID().slice(0, 8)
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
  /** Confirms the question of a reply. */
  const confirms = (asked: Reply, over: Partial<Request> = {}) =>
    does({ kind: 'confirm', pendingId: pendingOf(asked) }, over)
  const audit = async () => {
    const page = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 100 })
    return page.entries.toReversed()
  }
  const mutes = async () => (await store.mutes()).mutes
  return {
    store,
    clock,
    logger,
    calls,
    script,
    bot,
    handle,
    does,
    confirms,
    audit,
    mutes,
    /** How often a running bot has looked for something to show: at once when it is woken, otherwise only as time passes. */
    looks: () => looks,
  }
}

/** A silence that hides one alert, as the service lists it. */
export function aSilence(over: Partial<ListedSilence> = {}): ListedSilence {
  const said = { by: 'ben', untilMs: Date.UTC(2026, 10, 21, 15), why: 'new disks', isOurs: false }
  return { ...said, id: 's1', matchers: ['alertname="Disk"'], hides: 1, ...over }
}

/** Opens the world with these alerts open, on cards of their own in `C0OPS`. */
export async function actingOn(...alerts: readonly Alert[]) {
  const world = await actingWorld()
  await world.store.commit(opening(alerts, 'C0OPS', world.clock.nowMs()))
  return world
}

/** What a form or a receipt showed: these servers, and nothing that has changed since. */
export function showing(...servers: readonly string[]): Shown {
  return { servers, open: 0, mutes: [] }
}

/** The change that undoes the present terms of a mute. */
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

/** The change that mutes the account, as its form sends it. */
export const mutingAccount = {
  kind: 'mute_account',
  end: { kind: 'for', ms: hourMs },
  reason: 'moving',
  shown: showing(),
} as const

/** `mutingAccount`, if its form showed so many open alerts. */
export function mutingAccountOver(open: number) {
  return { ...mutingAccount, shown: { ...showing(), open } }
}

/** The change that unmutes one server, or several or a glob together. */
export function unmuting(...names: readonly string[]): Extract<Change, { kind: 'unmute_server' }> {
  const servers = names.map((name) => ({ by: 'name', name }) as const)
  const [server, ...others] = servers
  if (server === undefined) throw new Error('No server is named')
  const isOne = others.length === 0 && !server.name.includes('*')
  return { kind: 'unmute_server', server, ...(isOne ? {} : { servers }) }
}

/** The question that a receipt asks. */
export function pendingOf(reply: Reply): string {
  if (
    reply.kind !== 'confirm' &&
    reply.kind !== 'confirm_planned' &&
    reply.kind !== 'confirm_silence' &&
    reply.kind !== 'failed'
  )
    throw new Error(`A receipt was expected; came ${JSON.stringify(reply)}`)
  return reply.pendingId ?? ''
}
