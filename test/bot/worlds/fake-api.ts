/**
 * The monitoring in memory: alerts that open, end and vanish, and switches that hear calls, also late ones and ones whose answer is
 * lost. `faults` decides how a call ends; without it all goes well.
 */
import type { Marker } from '../../../src/bot/api/parse.ts'
import {
  type ApiAlert,
  ApiFailure,
  type ApiMuteWish,
  type FailureKind,
  type Monitor,
} from '../../../src/bot/api/port.ts'
import type { Clock } from '../../../src/bot/clock.ts'
import type { PageEvent, PageOutcome, Pager } from '../../../src/bot/pager/pager.ts'
import type { Effect } from '../../../src/bot/world/types.ts'

export type ApiRecord = Omit<ApiAlert, 'lifecycle' | 'content' | 'key'> & { readonly isOneoff: boolean }

export type ApiFault = {
  readonly kind: 'done' | 'lost' | 'dropped' | 'late' | 'later' | 'refused'
  readonly takesMs: number
  readonly lateMs?: number
}

const listedForMs = 30 * 24 * 60 * 60_000

export function fakeApi(clock: Clock) {
  const records = new Map<string, ApiRecord>()
  /** What each switch was told last, as the monitoring took it. */
  const switches = new Map<string, boolean>()
  /** Mutes of the Alertmanager. */
  const silences = new Map<string, ApiMuteWish>()
  const deleted = new Set<string>()
  const markers: string[] = []
  /** Other changes that it took. */
  const changes: string[] = []
  /** Who the pager said are on it. */
  const answered: string[] = []
  const investigated: Effect[] = []
  const pages: (PageEvent & { readonly heardMs: number })[] = []
  const state = {
    /** How the investigator ends, after so long. */
    finding: 'the disk is full' as string | Error,
    findsAfterMs: 100,
    pagerAfterMs: null as number | null,
    pagerAnswers: null as string | null,
    faults: (): ApiFault => ({ kind: 'done', takesMs: 50 }),
    isDown: false,
    /** What it lists of markers; null: it lists none. */
    marked: null as readonly Marker[] | null,
    /** Changes that were asked for. */
    asked: 0,
  }

  /** Of a change: its effect and its answer are two moments. */
  async function change(work: () => void): Promise<void> {
    state.asked += 1
    const fault = state.faults()
    await clock.wait(fault.takesMs / 2)
    if (fault.kind === 'later' || state.isDown) throw failure('later', 'connection refused')
    if (fault.kind === 'refused') throw failure('refused', 'no such server')
    if (fault.kind === 'late')
      void clock
        .wait(fault.lateMs ?? 0)
        .then(work)
        .catch(() => {})
    if (fault.kind === 'done' || fault.kind === 'lost') work()
    await clock.wait(fault.takesMs / 2)
    if (fault.kind !== 'done') throw failure('unclear', 'timed out')
  }

  async function list(isIn: (record: ApiRecord) => boolean): Promise<ApiAlert[]> {
    const fault = state.faults()
    await clock.wait(fault.takesMs)
    if (fault.kind !== 'done' || state.isDown) throw failure('unclear', 'timed out')
    const sinceMs = clock.nowMs() - listedForMs
    return [...records.values()]
      .filter((record) => record.startedMs >= sinceMs && isIn(record))
      .map(listed)
      .reverse()
  }

  function turn(id: string, isOn: boolean): Promise<void> {
    return change(() => {
      if (deleted.has(id)) throw failure('missing', 'no such server')
      switches.set(id, isOn)
    })
  }

  const monitor: Partial<Monitor> = {
    sweep: async () => whole(await list((one) => one.endedMs === null && !one.isOneoff)),
    head: async () => ({ ...whole(await list(() => true)), isWhole: true }),
    triggers: async () => [],
    roles: async () => ({ web: ['web-1', 'web-2'], db: ['db-1'] }),
    metrics: async () => [],
    markers: async () => state.marked ?? Promise.reject(failure('missing', 'not found')),
    mutes: async () => {
      throw failure('missing', 'not found')
    },
    setServer: (_pass, host, isOn) => turn(`server:${host}`, isOn),
    setAccount: (_pass, isOn) => turn('account', isOn),
    addMarker: (_pass, notes) => change(() => void markers.push(notes)),
    addRoles: (_pass, ...words) => change(() => void changes.push(`roles ${words.join(' ')}`)),
    setNoDataGroup: (_pass, ...words) => change(() => void changes.push(`no data ${words.join(' ')}`)),
    deleteMetrics: (_pass, names) => change(() => void changes.push(`no metrics ${names.join(' ')}`)),
    endMute: (_pass, id) => change(() => void (silences.delete(id) || changes.push(`end ${id}`))),
    putMute: (_pass, id, wish) => change(() => void silences.set(id, wish)),
    deleteServer: (_pass, host) => change(() => void deleted.add(`server:${host}`)),
    picture: async () => null,
  }

  const pager: Pager = {
    async send(_pass, event): Promise<PageOutcome> {
      try {
        await change(() => void pages.push({ ...event, heardMs: clock.nowMs() }))
        return { kind: 'ok', acknowledgedBy: state.pagerAnswers }
      } catch (error) {
        const isHeard =
          !(error instanceof ApiFailure) || error.kind !== 'later' || state.pagerAfterMs !== null
        if (isHeard) return { kind: 'unclear', why: String(error), afterMs: state.pagerAfterMs }
        return { kind: 'later', why: String(error), afterMs: null }
      }
    },
  }

  async function investigate(effect: Effect): Promise<string> {
    investigated.push(effect)
    await clock.wait(state.findsAfterMs)
    if (typeof state.finding !== 'string') throw state.finding
    return state.finding
  }

  return {
    monitor: monitor as Monitor,
    investigate,
    investigated,
    pager,
    records,
    switches,
    silences,
    deleted,
    markers,
    changes,
    answered,
    pages,
    state,
  }
}

function failure(kind: FailureKind, why: string): ApiFailure {
  return new ApiFailure(kind, why)
}

function whole(alerts: readonly ApiAlert[]) {
  return { alerts, unreadable: 0, doubt: null }
}

function listed(record: ApiRecord): ApiAlert {
  const { isOneoff, ...said } = record
  const ended = said.endedMs === null ? 'start' : 'end'
  const lifecycle = isOneoff ? 'oneoff' : ended
  const key = `${said.number}@${said.startedMs}`
  return { ...said, key, lifecycle, content: JSON.stringify([lifecycle, said]) }
}
