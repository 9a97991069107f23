/**
 * The whole bot in one process: its real world, journal and loops over a fake Slack, a fake monitoring, a store in memory and a clock by
 * hand. It can be killed at any moment: what was not on disk is lost, and calls that were made stay made.
 */
import { second } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { type Log, silentLog } from '../../../src/bot/log.ts'
import { announce } from '../../../src/bot/loops/announce.ts'
import { startEffects } from '../../../src/bot/loops/effects.ts'
import { type Loop, startLoop } from '../../../src/bot/loops/loop.ts'
import { poll, readMarkers } from '../../../src/bot/loops/poll.ts'
import { type Sender, startSender } from '../../../src/bot/loops/send.ts'
import { messageGone, recover } from '../../../src/bot/loops/settle.ts'
import { startSwitches } from '../../../src/bot/loops/switches.ts'
import { tidy } from '../../../src/bot/loops/tidy.ts'
import { afterRestore } from '../../../src/bot/ops/backup.ts'
import { keyHash } from '../../../src/bot/slack/look.ts'
import { pictureOf } from '../../../src/bot/view/alert.ts'
import { type Scene, viewHash, viewOf } from '../../../src/bot/view/view.ts'
import {
  fill,
  type Journal,
  journalOf,
  type Outside,
  outsideOf,
  type Pass,
} from '../../../src/bot/world/journal.ts'
import type { Lease } from '../../../src/bot/world/store.ts'
import type { Effect, Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { fakeApi } from './fake-api.ts'
import { type FakeMessage, fakeSlack } from './fake-slack.ts'
import { fakeStore } from './fake-store.ts'
import { handClock } from './hand-clock.ts'

/** A rule of the bot that a test breaks, to see that the laws notice it. */
export type Break =
  | 'goes out before the disk'
  | 'acts after losing the lead'
  | 'splits a decision'
  | 'takes an unclear write for done'
  | 'sends again what was under way'
  | 'edits without forgetting what is shown'
  | 'forgets to repeat an edit'
  | 'forgets to repeat a switch'
  | 'never looks for copies'
  | 'lets go of a switch with its mute'

export type BotOptions = {
  readonly policy: Policy
  readonly defaultChannel?: string
  readonly breaks?: Break
  readonly canMuteAlerts?: boolean
  readonly pollEveryMs?: number
  /** After each round of the announcer. */
  readonly looked?: (scene: Scene) => void
}

type Life = { isAlive: boolean }
type Running = {
  readonly world: World
  readonly life: Life
  readonly lease: ReturnType<typeof asLease>
  readonly sender: Sender
  readonly journal: Pick<Journal, 'awaySinceMs'>
}
const asLease = (lease: Lease & { lose(): void }) => lease

export type Bot = ReturnType<typeof openBot>

export function openBot(options: BotOptions) {
  const clock = handClock()
  const slack = fakeSlack(clock)
  const api = fakeApi(clock)
  const disk = fakeStore(clock)
  const { breaks, defaultChannel = 'C0' } = options
  const logged: string[] = []
  const hear = (event: string, fields?: object) => void logged.push(`${event} ${JSON.stringify(fields)}`)
  const log: Log = { ...silentLog, warn: hear, error: hear }
  let policy = options.policy
  let running: Running | null = null
  /** It died while its disk was away: what was decided meanwhile is decided again. */
  let hasForgotten = false

  const sceneOf = (world: World): Scene => ({
    world,
    policy,
    nowMs: clock.nowMs(),
    defaultChannel,
    replicaName: 'test',
    pager: 'webhook',
    canMuteAlerts: options.canMuteAlerts === true,
  })

  function start(): void {
    const life = { isAlive: true }
    const lease = disk.lead()
    const own = gated(clock, life)
    const world = new World()
    fill(world, disk.live())
    if (breaks !== undefined) breakWorld(world, breaks)
    const journal = journalOf({ world, lease: gated(leaseOf(lease, breaks, own), life), clock: own, log })
    const loops: Loop[] = []
    world.listen((changes) => {
      journal.add(changes)
      for (const loop of loops) loop.wake()
    })
    const outside = gated({ go: breakable(outsideOf(journal, lease), breaks) }, life).go
    const scene = () => sceneOf(world)
    afterRestore(world, clock.nowMs(), defaultChannel)
    recover(scene())
    const parts = {
      slack: gated(slack.port, life),
      monitor: gated(api.monitor, life),
      outside,
      scene,
      log,
      keyHash,
    }
    const pictures = { pictureOf, makePicture: (wish: { key: string }) => slack.draw(wish.key) }
    const sender = startSender({ ...parts, clock: own, viewOf, viewHash, ...pictures })
    loops.push(
      sender,
      startSwitches({ ...parts, clock: own }),
      startEffects({
        ...parts,
        clock: own,
        pager: gated(api.pager, life),
        pageEvent,
        fileOf,
        investigate: gated(api, life).investigate,
        acknowledged: (_, by) => void api.answered.push(by),
      }),
      startLoop({
        name: 'announce',
        everyMs: 10 * second,
        run: () => {
          const now = scene()
          announce(now, log)
          // One that was deposed lives on in a world of its own.
          if (running?.world === world && !hasForgotten) options.looked?.(now)
        },
        clock: own,
        log,
      }),
    )
    const pollEveryMs = options.pollEveryMs ?? 60 * second
    const polled = async () => {
      await poll(parts)
      await readMarkers(parts)
    }
    startLoop({ name: 'poll', everyMs: pollEveryMs, run: polled, clock: own, log })
    const tidied = () => tidy(scene())
    startLoop({ name: 'tidy', everyMs: 600 * second, run: tidied, clock: own, log })
    running = { world, life, lease, sender, journal }
  }

  /** The disk may be back, and what was decided without it not written yet. */
  const isUnwritten = () => disk.state.isAway || (running?.journal.awaySinceMs() ?? null) !== null

  function world(): World {
    if (running === null) throw new Error('expected a bot that runs; it was killed')
    return running.world
  }

  return {
    clock,
    slack,
    api,
    disk,
    /** Warnings and errors: the event and its fields. */
    logged,
    start,
    world,
    scene: () => sceneOf(world()),
    isRunning: () => running !== null,
    lateEdits: () => running?.sender.lateEdits(),
    usePolicy(next: Policy): void {
      policy = next
      if (running !== null) for (const id of running.world.posts.keys()) running.world.dirty.add(id)
    },
    kill(): void {
      if (running !== null) running.life.isAlive = false
      hasForgotten ||= isUnwritten()
      running = null
    },
    /** Another bot leads from now on; this one lives on and has yet to notice. */
    depose(): void {
      running?.lease.lose()
      hasForgotten ||= isUnwritten()
      running = null
    },
    /** What a person does, on the world as it is. */
    press(work: (scene: Scene) => void): void {
      if (running === null) return
      const scene = sceneOf(running.world)
      running.world.decide(() => work(scene))
    },
    /** A person deletes a message, and Slack tells the bot. */
    deleteByPerson(message: FakeMessage): void {
      message.isDeleted = true
      if (running === null) return
      const scene = sceneOf(running.world)
      for (const post of running.world.posts.values()) {
        if (post.ts === message.ts && post.channelId === message.channel) messageGone(scene, post.id)
      }
    },
  }
}

/** What a dead process calls never happens, and what it waits for never comes. */
function gated<T extends object>(port: T, life: Life): T {
  const never = new Promise<never>(() => {})
  const isPlain = (name: string | symbol) => /^(nowMs|steadyMs|isFresh|hasForgotten)$/.test(String(name))
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || isPlain(name)) return member
      return (...args: unknown[]) => {
        if (!life.isAlive) return never
        const result: unknown = member.apply(target, args)
        if (!(result instanceof Promise)) return result
        return result.then(
          (value) => (life.isAlive ? value : never),
          (error) => (life.isAlive ? Promise.reject(error) : never),
        )
      }
    },
  })
}

function breakable(outside: Outside, breaks: Break | undefined): Outside {
  if (breaks !== 'goes out before the disk' && breaks !== 'acts after losing the lead') return outside
  if (breaks === 'goes out before the disk') return (work) => work({} as Pass)
  return (work) => outside(work).catch(() => work({} as Pass))
}

function leaseOf(lease: Lease, breaks: Break | undefined, clock: { wait(ms: number): Promise<void> }): Lease {
  if (breaks === 'splits a decision') {
    const write: Lease['write'] = async (rows) => {
      for (const row of rows) {
        await lease.write([row])
        await clock.wait(100)
      }
    }
    return { ...lease, write }
  }
  if (breaks !== 'takes an unclear write for done') return lease
  return { ...lease, write: (rows) => lease.write(rows).catch(() => {}) }
}

/** Changes what the loops write into the world. */
function breakWorld(world: World, breaks: Break): void {
  const put = world.put.bind(world)
  world.put = (kind, record) => {
    const before = kind === 'posts' ? world.posts.get(record.id) : undefined
    const post = record as unknown as Post
    let changed: object = record
    if (kind === 'posts' && breaks === 'edits without forgetting what is shown' && before?.state === 'live')
      changed = { ...post, shownHash: post.shownHash ?? before.shownHash, repeatMs: null }
    if (kind === 'posts' && breaks === 'sends again what was under way' && post.state === 'unsure')
      changed = { ...post, state: 'new', dueMs: 0 }
    if (kind === 'posts' && breaks === 'forgets to repeat an edit') changed = { ...post, repeatMs: null }
    if (kind === 'posts' && breaks === 'never looks for copies') changed = { ...post, recheckMs: null }
    if (kind === 'switches' && breaks === 'forgets to repeat a switch') changed = { ...record, repeatsMs: [] }
    put(kind, changed as typeof record)
    if (
      breaks === 'lets go of a switch with its mute' &&
      kind === 'mutes' &&
      'ended' in record &&
      record.ended !== null
    )
      world.remove('switches', record.subject, 'gone')
  }
}

function pageEvent({ id, data, atMs }: { id: string; data: object; atMs: number }) {
  const { type = 'triggered', dedupKey = id } = data as { type?: 'triggered' | 'resolved'; dedupKey?: string }
  return {
    ...{ id, type, dedupKey, atMs, headline: id, severity: 'critical' as const, server: null, labels: {} },
    ...{ alerts: 1, openedMs: atMs, link: null, by: null, to: null },
  }
}

const timeline = { bytes: new Uint8Array(), name: 'timeline.md', title: 'Timeline' }
const fileOf = async ({ data }: Effect) => (data.file === 'timeline' ? timeline : null)
