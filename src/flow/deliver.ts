/**
 * Makes Slack follow the cards: takes the most urgent card that is behind, has it shown, and goes on at the pace that Slack
 * allows. There is one sender in a process, and nothing else says anything to a channel.
 *
 * Each channel has two roads, one for posts and one for all the rest, so that neither trouble in another channel nor a slow
 * update in the same one holds up a new alert; on a road one thing is done at a time.
 */
import { boardOverdueMs, patienceMs, patientSpare } from '../domain/pace.ts'
import { type Bell, openBell } from './bell.ts'
import { openShowCard, type ShowOptions, type ShowPorts } from './show-card.ts'
import { openSlackPace } from './slack-pace.ts'
import type { CardJob, CardTask, Road } from './store-port.ts'

const tasksOf: Readonly<Record<Road, readonly CardTask[]>> = {
  post: ['post'],
  upkeep: ['update', 'check', 'tidy'],
}
/** Looks for work at least so often, should the clock have been set back meanwhile. */
const lookEveryMs = 60_000

type Lane = { readonly channel: string; readonly road: Road; readonly bell: Bell }

export type Deliver = {
  /** There may be something new to show. */
  wake(): void
  /** Someone acted on a channel that did not work: it is tried at once. */
  reopen(channel: string): void
  /** Takes nothing new, and resolves when what was begun is written down. */
  stop(): Promise<void>
}

export type DeliverPorts = Omit<ShowPorts, 'mayRead'> & {
  /** Called after a card was shown: its picture may follow now. */
  onShown: () => void
}

export function startDeliver(ports: DeliverPorts, options: ShowOptions): Deliver {
  const { store, clock, onShown } = ports
  const bell = openBell()
  const lanes = new Map<string, { readonly bell: Bell; readonly ended: Promise<void> }>()
  const pace = openSlackPace(clock.steadyMs)
  const show = openShowCard({ ...ports, mayRead }, options)
  let stopping = false

  async function watch(): Promise<void> {
    while (!stopping) {
      const rung = bell.signal()
      const nowMs = clock.nowMs()
      const { lanes: due, nextMs } = await store.due(nowMs)
      for (const { channel, road } of due.filter((lane) => !lanes.has(nameOf(lane)))) {
        const lane = { channel, road, bell: openBell() }
        lanes.set(nameOf(lane), { bell: lane.bell, ended: runLane(lane) })
      }
      const nextLookMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, nowMs + lookEveryMs)
      await clock.wait(Math.max(0, nextLookMs - nowMs), rung)
    }
  }

  async function runLane(lane: Lane): Promise<void> {
    const other = nameOf({ ...lane, road: lane.road === 'post' ? 'upkeep' : 'post' })
    for (;;) {
      const rung = lane.bell.signal()
      const job = stopping ? null : await nextJob(lane)
      if (job === null) {
        lanes.delete(nameOf(lane))
        // Whoever looked meanwhile left this lane out. Without a ring nothing has changed, and it would find nothing again.
        if (rung.aborted) bell.ring()
        return
      }
      await work(job)
      // What follows may be due on the other road, or later on this one.
      lanes.get(other)?.bell.ring()
      bell.ring()
    }
  }

  async function work(job: CardJob): Promise<void> {
    const { task, channel } = job
    const outcome = await show(job)
    if (outcome !== null) pace.heard(task, channel, outcome)
    else if (task === 'post') pace.spared(task, channel)
    if (outcome?.kind === 'shown') onShown()
  }

  /** The next thing to do on a road, once the pace allows it; null when nothing is due. */
  async function nextJob({ channel, road, bell: own }: Lane): Promise<CardJob | null> {
    const patientFromMs = clock.steadyMs()
    while (!stopping) {
      const rung = own.signal()
      const nowMs = clock.nowMs()
      const waits = new Map(tasksOf[road].map((task) => [task, pace.untilMs(task, channel)]))
      const allowed = tasksOf[road].filter((task) => waits.get(task) === 0)
      const job = await store.nextJob(channel, nowMs, allowed)
      if (job !== null) {
        const isPatient = mayWait(job, nowMs) && clock.steadyMs() - patientFromMs < patienceMs
        const spareMs = pace.untilMs(job.task, channel, isPatient ? patientSpare : 0)
        if (spareMs === 0) {
          // At once, for the other lanes take from the same.
          pace.took(job.task, channel)
          return job
        }
        await clock.wait(spareMs, rung)
        continue
      }
      const held = [...waits.values()].filter((ms) => ms > 0)
      if (held.length === 0 || (await store.nextJob(channel, nowMs, tasksOf[road])) === null) return null
      // However long that is: a ring ends the wait, for it may tell of something that need not wait.
      await clock.wait(Math.min(...held), rung)
    }
    return null
  }

  /** A long history takes several calls, each at its pace. */
  async function mayRead(channel: string): Promise<void> {
    while (pace.untilMs('check', channel) > 0 && !stopping) {
      await clock.wait(pace.untilMs('check', channel), bell.signal())
    }
    pace.took('check', channel)
  }

  function wake(): void {
    for (const lane of lanes.values()) lane.bell.ring()
    bell.ring()
  }

  const watching = watch()
  return {
    wake,
    reopen: (channel) => {
      pace.reopen(channel)
      wake()
    },
    stop: async () => {
      stopping = true
      wake()
      await watching
      await Promise.all([...lanes.values()].map(({ ended }) => ended))
    },
  }
}

function nameOf({ channel, road }: Omit<Lane, 'bell'>): string {
  return `${road} ${channel}`
}

/** A board and a page leave the other channels' alerts their calls; a board not when it is late. */
function mayWait({ task, view, notBeforeMs }: CardJob, nowMs: number): boolean {
  if (task !== 'update') return false
  return view.kind === 'page' || (view.kind === 'board' && notBeforeMs > nowMs - boardOverdueMs)
}
