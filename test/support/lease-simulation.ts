/**
 * Processes that share a lease, in a world without real time: their clocks, their networks and their Postgres fail as a script says,
 * and hours pass in a second. The row and its statements are as on a real Postgres, which the tests with one prove.
 */
import { setImmediate as soon } from 'node:timers/promises'
import { MemoryAway } from '../../src/bot/domain/base/failure.ts'
import type { SteadyClock } from '../../src/bot/flow/ports/ports.ts'
import { type Lease, openLease } from '../../src/bot/store/postgres/lease.ts'
import type { LeaderRow, LeaseRows, PresenceRow } from '../../src/bot/store/postgres/lease-rows.ts'
import { answerMsMax } from '../../src/bot/store/postgres/lease-rows.ts'

/** What goes wrong, when, with which machine, and for how long or by how much. */
export type Fault = { readonly atMs: number; readonly machine: number; readonly ms: number } & {
  readonly kind:
    | 'stop'
    | 'sleep'
    | 'clock'
    | 'swallow'
    | 'cut'
    | 'slow'
    | 'lose_answer'
    | 'postgres_away'
    | 'postgres_restart'
    | 'failover'
    | 'lock'
    | 'kill'
    | 'release'
    | 'give_up'
    | 'no_slack'
}

export type Outcome = {
  /** What must never be, with the moment. */
  readonly broken: string[]
  /** Milliseconds of true time in which somebody was trusted. */
  readonly ledMs: number
  readonly takes: number
  readonly failovers: number
  /** The last seconds have no faults: how many processes are trusted at their end. */
  readonly trustedAtEnd: number
  /** What happened, for whoever reads a run that failed. */
  readonly story: string[]
}

const callMs = 10_000
const tickMs = 250
const restartMs = 1_500

type Event = { readonly atMs: number; readonly order: number; readonly life: Life | null; run(): void }

/** What is for a process that is no more comes to nothing. */
type Life = { readonly machine: Machine; isAlive: boolean }

type Machine = {
  readonly index: number
  /** It does nothing until then; what comes for it waits. */
  heldUntilMs: number
  sleptMs: number
  setMs: number
  /** Asleep with a clock that was set back, no machine can tell how long it was. */
  isClockSetBack: boolean
  way: 'open' | 'swallow' | 'cut'
  wayUntilMs: number
  slowMs: number
  losesAnswer: boolean
  reachesSlack: boolean
  /** The process on it; a new one has a number of its own. */
  process: Process | null
}

type Process = {
  readonly holder: string
  readonly lease: Lease
  readonly leaving: AbortController
  readonly life: Life
  lastTrustedMs: number | null
  /** It ended by itself: no call of it is under way. */
  isReleased: boolean
  hasTaken: boolean
}

type Database = {
  leader: LeaderRow
  presence: PresenceRow[]
  /** What it was, to be forgotten. */
  history: { readonly atMs: number; readonly leader: LeaderRow }[]
  incarnation: number
  timeline: number
  awayUntilMs: number
  lockedUntilMs: number
}

/** Plays `forMs` of true time; `random` gives 0 to 1 and decides how long messages travel. */
export async function playLease(
  faults: readonly Fault[],
  forMs: number,
  random: () => number,
  machineCount = 3,
): Promise<Outcome> {
  let nowMs = 0
  let order = 0
  let events: Event[] = []
  const story: string[] = []
  const broken: string[] = []
  let ledMs = 0
  let takes = 0
  let processes = 0
  const all: Process[] = []
  const database: Database = {
    leader: {
      holder: '',
      name: '',
      url: '',
      term: 0,
      beat: 0,
      free: true,
      gaveUp: false,
      timeline: '1',
      timelineNow: '1',
    },
    presence: [],
    history: [],
    incarnation: 0,
    timeline: 1,
    awayUntilMs: 0,
    lockedUntilMs: 0,
  }

  const tell = (what: string) => void story.push(`${(nowMs / 1_000).toFixed(2)} ${what}`)
  function at(atMs: number, life: Life | null, run: () => void): void {
    order += 1
    events.push({ atMs, order, life, run })
  }

  function clockOf(life: Life): SteadyClock {
    const { machine } = life
    const steadyMs = () => nowMs - machine.sleptMs
    return {
      steadyMs,
      nowMs: () => nowMs + machine.setMs,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve()
          signal?.addEventListener('abort', () => resolve(), { once: true })
          const dueMs = steadyMs() + Math.max(1, ms)
          const wake = () => {
            // It slept meanwhile, and its steady clock stood still.
            if (steadyMs() < dueMs) at(nowMs + dueMs - steadyMs(), life, wake)
            else resolve()
          }
          at(nowMs + Math.max(1, ms), life, wake)
        }),
    }
  }

  function write(change: Partial<LeaderRow>): void {
    database.history.push({ atMs: nowMs, leader: database.leader })
    database.leader = { ...database.leader, ...change }
  }

  /** A statement: it travels, is carried out, and the answer travels back. What is late is carried out all the same. */
  function statement<Given extends unknown[], Answer>(
    life: Life,
    clock: SteadyClock,
    run: (...given: Given) => Answer,
    isBlocked: () => boolean = () => false,
  ) {
    const { machine } = life
    return (...given: Given): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const incarnation = database.incarnation
        const travels = () => 1 + random() * (machine.slowMs > 0 && random() < 0.5 ? machine.slowMs : 20)
        const fail = (why: string) => () => reject(new MemoryAway(why))
        void clock.wait(answerMsMax).then(fail('no answer in time'))
        if (machine.way === 'cut') return at(nowMs + 1, life, fail('refused'))
        const passesMs = () => (machine.way === 'swallow' ? machine.wayUntilMs : nowMs) + travels()
        const arrive = () => {
          if (database.incarnation !== incarnation || nowMs < database.awayUntilMs) {
            at(nowMs + travels(), life, fail('connection lost'))
          } else if (isBlocked()) {
            at(nowMs + 100, null, arrive)
          } else {
            const answer = run(...given)
            const isLost = machine.losesAnswer
            machine.losesAnswer = false
            at(passesMs(), life, isLost ? fail('connection lost') : () => resolve(answer))
          }
        }
        at(passesMs(), null, arrive)
      })
  }

  function rowsOf(life: Life, clock: SteadyClock): LeaseRows {
    const others = (holder: string) => database.presence.filter((one) => one.holder !== holder)
    const isSame = (a: LeaderRow, b: LeaderRow) =>
      a.holder === b.holder && a.term === b.term && a.beat === b.beat && a.timelineNow === b.timelineNow
    const isLocked = () => nowMs < database.lockedUntilMs
    return {
      look: statement(life, clock, () => database.leader),
      take: statement(
        life,
        clock,
        ({ holder, name, url }, seen) => {
          const { leader } = database
          if (!isSame(leader, seen)) return null
          takes += 1
          tell(`${holder} takes it from ${leader.holder}${leader.free ? ', which set it free' : ''}`)
          write({
            holder,
            name,
            url,
            term: leader.term + 1,
            beat: leader.beat + 1,
            free: false,
            gaveUp: false,
          })
          return database.leader.term
        },
        isLocked,
      ),
      renew: statement(life, clock, (holder, term) => {
        const { leader } = database
        if (leader.holder !== holder || leader.term !== term) return null
        write({ beat: leader.beat + 1 })
        return { timelineNow: leader.timelineNow }
      }),
      free: statement(life, clock, (holder, gaveUp) => {
        if (database.leader.holder === holder) write({ free: true, gaveUp })
      }),
      noteTimeline: statement(life, clock, (holder, timeline) => {
        if (database.leader.holder === holder) write({ timeline })
      }),
      appear: statement(life, clock, ({ holder, name, url }, reachesSlack) => {
        const beat = (database.presence.find((one) => one.holder === holder)?.beat ?? -1) + 1
        const before = others(holder)
        database.presence = [...before, { holder, name, url, beat, reachesSlack }]
        return before
      }),
      standbys: statement(life, clock, () => database.presence),
      disappear: statement(life, clock, (holder, beat) => {
        database.presence = database.presence.filter(
          (one) => one.holder !== holder || (beat !== undefined && one.beat !== beat),
        )
      }),
      close: async () => undefined,
    }
  }

  function start(machine: Machine): void {
    processes += 1
    const life: Life = { machine, isAlive: true }
    const clock = clockOf(life)
    const leaving = new AbortController()
    const holder = `p${processes}`
    const say = (event: string) => tell(`${holder} ${event}`)
    const own: { process: Process | null } = { process: null }
    const lease = openLease({
      rows: rowsOf(life, clock),
      holder,
      name: `machine-${machine.index}`,
      url: '',
      clock,
      logger: { debug: say, info: say, warn: say, error: say },
      reachesSlack: () => machine.reachesSlack,
      onDeposed: () => end(machine, own.process),
      onForgotten: () => putRight(own.process),
    })
    const process: Process = {
      holder,
      lease,
      leaving,
      life,
      lastTrustedMs: null,
      isReleased: false,
      hasTaken: false,
    }
    own.process = process
    machine.process = process
    all.push(process)
    tell(`${holder} starts on machine ${machine.index}`)
    void lease.lead(leaving.signal).then((led) => {
      if (led?.forgot) putRight(process)
    })
    function putRight(it: Process | null): void {
      if (it === null) return
      at(nowMs + 1_000 * random(), life, () => void it.lease.noteTimeline().catch(() => undefined))
    }
  }

  /** Its supervisor starts another. */
  function end(machine: Machine, process: Process | null): void {
    if (process === null || !process.life.isAlive) return
    process.life.isAlive = false
    tell(`${process.holder} ends`)
    const next: Life = { machine, isAlive: true }
    at(nowMs + restartMs, next, () => start(machine))
  }

  async function stop(machine: Machine, how: 'release' | 'giveUp'): Promise<void> {
    const { process } = machine
    if (process === null || !process.life.isAlive) return
    tell(`${process.holder} ${how}`)
    process.isReleased = true
    process.leaving.abort()
    await process.lease[how]()
    end(machine, process)
  }

  const machines = Array.from(
    { length: machineCount },
    (_, index): Machine => ({
      index,
      heldUntilMs: 0,
      sleptMs: 0,
      setMs: (index - 1) * 24 * 60 * 60 * 1_000,
      isClockSetBack: false,
      way: 'open',
      wayUntilMs: 0,
      slowMs: 0,
      losesAnswer: false,
      reachesSlack: true,
      process: null,
    }),
  )

  function befall({ kind, machine: index, ms }: Fault): void {
    const machine = machines[index % machineCount] as Machine
    tell(`fault: ${kind} on ${machine.index} for ${ms}`)
    const until = (isOver: () => void) => at(nowMs + ms, null, isOver)
    const way = (how: Machine['way']) => {
      machine.way = how
      machine.wayUntilMs = nowMs + ms
      until(() => {
        if (machine.wayUntilMs <= nowMs) machine.way = 'open'
      })
    }
    const acts: Readonly<Record<Fault['kind'], () => void>> = {
      stop: () => {
        machine.heldUntilMs = Math.max(machine.heldUntilMs, nowMs + ms)
      },
      sleep: () => {
        if (machine.isClockSetBack) return
        const fromMs = Math.max(machine.heldUntilMs, nowMs)
        machine.heldUntilMs = fromMs + ms
        // Its steady clock has stood still once it is awake; until then it does nothing that would show it.
        at(fromMs, null, () => {
          machine.sleptMs += ms
        })
      },
      clock: () => {
        const isBack = ms % 2 === 1 && machine.sleptMs === 0 && nowMs >= machine.heldUntilMs
        machine.isClockSetBack ||= isBack
        machine.setMs += isBack ? -60 * ms : ms
      },
      swallow: () => way('swallow'),
      cut: () => way('cut'),
      slow: () => {
        machine.slowMs = 3_000
        until(() => {
          machine.slowMs = 0
        })
      },
      lose_answer: () => {
        machine.losesAnswer = true
      },
      postgres_away: () => {
        database.awayUntilMs = nowMs + ms
        database.incarnation += 1
      },
      postgres_restart: () => {
        database.incarnation += 1
        database.lockedUntilMs = 0
      },
      failover: () => {
        const forgetsMs = random() * Math.min(ms, 20_000)
        const kept = database.history.find((one) => one.atMs > nowMs - forgetsMs)?.leader ?? database.leader
        database.incarnation += 1
        database.timeline += 1
        database.awayUntilMs = nowMs + random() * ms
        database.lockedUntilMs = 0
        database.leader = { ...kept, timelineNow: String(database.timeline) }
        database.history = []
        tell(`the database is as it was ${Math.round(forgetsMs)} ms ago: ${kept.holder} in term ${kept.term}`)
      },
      lock: () => {
        database.lockedUntilMs = nowMs + Math.min(ms, 25_000)
      },
      kill: () => end(machine, machine.process),
      release: () => void stop(machine, 'release'),
      give_up: () => {
        if (machine.process?.lease.hasHeir()) void stop(machine, 'giveUp')
      },
      no_slack: () => {
        machine.reachesSlack = false
        until(() => {
          machine.reachesSlack = true
        })
      },
    }
    acts[kind]()
  }

  /** All that act at this moment: two that are trusted are what must never be. */
  function judge(): Process[] {
    const trusted = machines.flatMap((machine) => {
      const { process } = machine
      const isActing = process?.life.isAlive === true && nowMs >= machine.heldUntilMs
      return isActing && process.lease.isTrusted() ? [process] : []
    })
    if (trusted.length > 1)
      broken.push(`${nowMs} ms: ${trusted.map(({ holder }) => holder).join(' and ')} are trusted`)
    const [one] = trusted
    for (const other of all) {
      if (one === undefined || other === one || other.lastTrustedMs === null || other.isReleased) continue
      if (one.lastTrustedMs === null && nowMs - other.lastTrustedMs < callMs && other.life.isAlive)
        broken.push(`${nowMs} ms: ${one.holder} is trusted while a call of ${other.holder} may be under way`)
    }
    if (one !== undefined) one.lastTrustedMs = nowMs
    return trusted
  }

  for (const machine of machines) at(random() * 3_000, null, () => start(machine))
  for (const fault of faults) at(fault.atMs, null, () => befall(fault))
  const tick = () => {
    if (judge().length > 0) ledMs += tickMs
    at(nowMs + tickMs, null, tick)
  }
  tick()
  while (events.length > 0 && broken.length === 0) {
    const next = events.reduce((a, b) =>
      b.atMs < a.atMs || (b.atMs === a.atMs && b.order < a.order) ? b : a,
    )
    if (next.atMs > forMs) break
    nowMs = Math.max(nowMs, next.atMs)
    const { life } = next
    events = events.filter((one) => one !== next)
    if (life?.isAlive === false) continue
    if (life !== null && nowMs < life.machine.heldUntilMs) {
      at(life.machine.heldUntilMs, life, next.run)
      continue
    }
    next.run()
    if (next.run !== tick) await soon()
    judge()
  }
  const trustedAtEnd = judge().length
  for (const { process } of machines) {
    process?.leaving.abort()
    void process?.lease.release()
  }
  return { broken, ledMs, takes, failovers: database.timeline - 1, trustedAtEnd, story }
}
