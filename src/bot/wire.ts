/** One term of leading: everything is made of its parts here, recovered, started, and stopped in reverse. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { contentOf } from './acts/files.ts'
import { heardPage } from './acts/hold.ts'
import { openRouter } from './acts/router.ts'
import { acts } from './acts/table.ts'
import { openMonitor } from './api/client.ts'
import type { WayOut } from './call.ts'
import { drawChart, picturesOf } from './charts/pictures.ts'
import { type Clock, day, minute, second } from './clock.ts'
import type { Policy } from './config/policy.ts'
import type { Config } from './config/settings.ts'
import { want } from './decide/want.ts'
import { openDoors } from './doors.ts'
import type { Log } from './log.ts'
import { startAnnouncer } from './loops/announce.ts'
import { startEffects } from './loops/effects.ts'
import { type Loop, type LoopOptions, startLoop } from './loops/loop.ts'
import { startPoller } from './loops/poll.ts'
import { askChannel, reopenChannel } from './loops/refusals.ts'
import { startSender } from './loops/send.ts'
import { compareAll, messageGone, recover } from './loops/settle.ts'
import { startSwitches } from './loops/switches.ts'
import { startTidy } from './loops/tidy.ts'
import { onCallSourceOf, readOnCall } from './oncall/read.ts'
import { afterRestore } from './ops/backup.ts'
import { beat, healthOf, heartbeatEveryMs, type Known } from './ops/health.ts'
import { metricsText } from './ops/metrics.ts'
import { openInvestigator } from './pager/investigator.ts'
import { openPager, pageEvent } from './pager/pager.ts'
import { openApp, openHomes } from './slack/app.ts'
import { openSlack } from './slack/calls.ts'
import { type Directory, openDirectory } from './slack/directory.ts'
import { openHttp, openSockets } from './slack/lines.ts'
import { keyHash } from './slack/look.ts'
import type { Outcome, SlackPort } from './slack/port.ts'
import { postAt } from './slack/take.ts'
import { pictureOf } from './view/alert.ts'
import { type Scene, viewHash, viewOf } from './view/view.ts'
import { date } from './view/words.ts'
import { fill, type Journal, journalOf, type Outside, outsideOf, type Pass } from './world/journal.ts'
import type { Lease, Store } from './world/store.ts'
import type { Kind } from './world/types.ts'
import { World } from './world/world.ts'

export type LifeParts = {
  readonly config: Config
  readonly policy: Policy
  readonly store: Store
  readonly lease: Lease
  readonly way: WayOut
  readonly clock: Clock
  readonly log: Log
  readonly version: string
}

export type Life = Awaited<ReturnType<typeof openLife>>

const slackWithinMs = 4 * second
const loopsWithinMs = 2 * second
const journalWithinMs = 1.5 * second
const onCallEveryMs = 5 * minute
/** So many records are read before others have a turn. */
const rowsAtOnce = 2_000
/** The database may be away for so long before the default channel is told: the one message that does not wait for it. */
const awayToldMs = minute

/** The world as it is on disk, recovered, and the parts that work on it; nothing is started yet. */
async function connect(parts: LifeParts) {
  const { config, store, lease, way, clock, log } = parts
  const policy = { now: parts.policy }
  const startedMs = clock.nowMs()
  const world = await worldOf(store, log)
  const journal = journalOf({ world, lease, clock, log })
  // Whoever decides wakes those who do: nothing waits for the next look.
  const followers: Loop[] = []
  world.listen((changes) => {
    journal.add(changes)
    for (const loop of followers) loop.wake()
  })
  const outside = outsideOf(journal, lease)
  const reach = { apiUrl: config.slack.apiUrl, fetch: way.fetch, log }
  const { signingSecret, appToken } = config.slack
  const http = signingSecret === null ? null : openHttp(signingSecret, config.basePath, clock, log)
  const line =
    http ??
    openSockets({
      appToken: appToken ?? config.slack.botToken,
      reach,
      clock,
      dispatcher: way.socketDispatcher,
    })
  const scene = (): Scene => ({
    world,
    policy: policy.now,
    nowMs: clock.nowMs(),
    defaultChannel: config.slack.channel ?? policy.now.routes.at(-1)?.channel ?? '',
    replicaName: config.database.kind === 'postgres' ? config.replicaName : '',
    pager: config.pager?.kind ?? null,
    canMuteAlerts: world.fact('canMuteAlerts') ?? false,
    strangers: line.connection().strangers,
  })
  const known = (): Known => ({
    scene: scene(),
    connection: line.connection(),
    awaySinceMs: journal.awaySinceMs(),
    startedMs,
  })
  const slack = openSlack(config.slack.botToken, reach, clock)
  const monitor = openMonitor({ ...config.monitor, dispatcher: way.dispatcher, clock })
  const directory = openDirectory(slack, () => world, clock)
  const pictures = picturesOf({ monitor, slack, draw: drawChart, clock, scene, log })
  const reads = { monitor, ...readsOf(store, directory) }
  const router = openRouter({ acts, scene, reads, outside, journal, clock, log })
  const homes = openHomes({ slack, scene, outside, clock, log })
  afterRestore(world, startedMs, scene().defaultChannel || null)
  recover(scene())
  return {
    ...parts,
    policy,
    world,
    journal,
    followers,
    outside,
    scene,
    known,
    http,
    line,
    reach,
    slack,
    directory,
    homes,
    monitor,
    pictures,
    reads,
    router,
  }
}

type Connected = Awaited<ReturnType<typeof connect>>

export async function openLife(parts: LifeParts) {
  const connected = await connect(parts)
  const { config, policy, clock, log, world, journal, followers, outside, scene, known } = connected
  const { http, router } = connected
  const sender = startSender({
    ...connected,
    keyHash,
    viewOf,
    viewHash,
    pictureOf,
    makePicture: connected.pictures.make,
  })
  followers.push(sender, ...startFollowers(connected))
  const poller = startPoller({ ...connected, cron: config.pollCron })
  const loops = [...followers, poller, ...startTimed(connected)]
  const onChannel = (channel: string, isInvited: boolean) => {
    reopenChannel(world, channel)
    if (isInvited) want(world, clock.nowMs(), { id: `hello:${channel}`, kind: 'hello', channel, urgency: 0 })
  }
  const app = openApp({
    ...connected,
    config: config.slack,
    onHome: connected.homes.opened,
    onChannel,
    onDeleted(channel, ts) {
      const post = postAt(scene(), channel, ts)
      if (post !== null) messageGone(scene(), post.id)
    },
  })
  // The monitoring is read, and mutes end, whether or not Slack can be reached.
  const started = app
    .start()
    .catch((error: unknown) => log.error('slack:not_started', { error: String(error) }))
  const doors = openDoors({ ...connected, hear, dispatcher: connected.way.dispatcher })

  async function hear({ id, key, by }: { id: string; key: string; by: string }) {
    if (journal.awaySinceMs() !== null) return 'away'
    if (world.requests.has(`pager:${id}`)) return 'repeat'
    const outcome = heardPage(scene(), key, by)
    world.put('requests', { id: `pager:${id}`, atMs: clock.nowMs(), answer: null })
    return outside(async () => outcome).catch(() => 'away' as const)
  }

  return {
    health: () => healthOf(known()),
    metrics: () => {
      const failedRounds = loops.reduce((sum, loop) => sum + loop.failed(), 0)
      return metricsText(parts.version, known(), {
        requests: router.count(),
        failedRounds,
        refusedRows: journal.refused(),
        lateEdits: sender.lateEdits(),
      })
    },
    events: (request: IncomingMessage, response: ServerResponse) =>
      http === null ? response.writeHead(404).end() : http.handle(request, response),
    doors,
    usePolicy(next: Policy) {
      policy.now = next
      compareAll(scene())
      for (const loop of loops) loop.wake()
    },
    /** The next poll comes at once. */
    wake: poller.wake,
    /** Ends sockets, loops and calls under way, and writes what was decided, each within seconds. */
    async close() {
      await Promise.race([started.then(() => app.stop()), clock.wait(slackWithinMs)])
      await Promise.race([Promise.all(loops.map((loop) => loop.stop())), clock.wait(loopsWithinMs)])
      await Promise.race([journal.cleared().catch(() => {}), clock.wait(journalWithinMs)])
      await journal.close()
    },
  }
}

/** Those that bring a decision about as soon as it is made. */
function startFollowers({ config, way, pictures, reads, ...made }: Connected): Loop[] {
  const { scene, clock } = made
  return [
    startAnnouncer(made),
    startSwitches(made),
    startEffects({
      ...made,
      pager: config.pager === null ? null : openPager(config.pager, way.dispatcher, clock),
      pageEvent,
      fileOf: ({ data }) => contentOf(data, scene, { ...reads, draw: pictures.draw }),
      investigate: openInvestigator({ ...made, config, way, pictures }),
      acknowledged: ({ data }, by) => void heardPage(scene(), data.dedupKey ?? '', by),
    }),
  ]
}

/** Those that look now and then. */
function startTimed(made: Connected): Loop[] {
  const { config, slack, scene, homes, known, clock, log } = made
  const every = (name: string, everyMs: number, run: LoopOptions['run']) =>
    startLoop({ name, everyMs, clock, log, run })
  const { heartbeatUrl: url } = config
  return [
    startTidy(made),
    every('slack', 5 * minute, () => readSlack(slack, scene, log)),
    every('oncall', onCallEveryMs, () => readShifts(made)),
    every('homes', 5 * second, homes.refresh),
    every('away', 5 * second, tellAway(made)),
    every('heartbeat', heartbeatEveryMs, () => {
      if (url === null) return
      const now = known()
      const { isReady } = healthOf(now)
      // A start is no failure before it had its minute.
      if (!isReady && now.scene.nowMs - now.startedMs < heartbeatEveryMs) return
      return beat(url, isReady, made.way.dispatcher, log)
    }),
  ]
}

async function worldOf(store: Store, log: Log): Promise<World> {
  const world = new World()
  const rows = await store.load()
  let unreadable = 0
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    unreadable += fill(world, rows.slice(at, at + rowsAtOnce))
    await setImmediate()
  }
  if (unreadable > 0) log.error('memory:unreadable', { rows: unreadable })
  return world
}

/** The past that left the world is on disk alone. */
function readsOf(store: Store, { findPeople, isInGroup }: Directory) {
  const past = async <T>(kind: Kind, fromMs: number, limit: number): Promise<T[]> => {
    const rows = await store.past(kind, fromMs, Number.MAX_SAFE_INTEGER, limit)
    return rows.flatMap(({ doc }) => (doc === null ? [] : [JSON.parse(doc) as T]))
  }
  return {
    findPeople,
    isInGroup,
    pastAlerts: (fromMs: number, limit: number) => past<never>('alerts', fromMs, limit),
    pastActs: (fromMs: number, limit: number) => past<never>('acts', fromMs, limit),
  }
}

/** Who we are in Slack, and whether the default channel takes anything, before the first alert does; soon again while Slack does not say. */
async function readSlack(slack: SlackPort, scene: () => Scene, log: Log): Promise<number> {
  const { world, defaultChannel } = scene()
  const identity = await slack.identity()
  if ('why' in identity) {
    log.error('slack:unidentified', { why: identity.why })
    if (identity.isToken) world.setFact('tokenRefused', identity.why)
    return 5 * second
  }
  if (JSON.stringify(identity) !== JSON.stringify(world.fact('slack'))) world.setFact('slack', identity)
  if (defaultChannel !== '') await askChannel({ slack, scene, log }, defaultChannel)
  return day
}

async function readShifts({ config, way, policy, directory, scene }: Connected): Promise<void> {
  const { world, nowMs } = scene()
  const source = onCallSourceOf(config, policy.now, way.dispatcher)
  if (source === null) {
    // Of a calendar that the policy no longer names nobody is on call.
    if (world.facts.has('oncall')) world.setFact('oncall', null)
    return
  }
  const people = policy.now.onCall?.people ?? {}
  const before = world.fact('oncall') ?? null
  const { personByEmail } = directory
  world.setFact('oncall', await readOnCall({ source, people, personByEmail, before, nowMs }))
}

type AwayParts = {
  readonly slack: Pick<SlackPort, 'post' | 'update'>
  readonly journal: Pick<Journal, 'awaySinceMs'>
  scene(): Pick<Scene, 'nowMs' | 'defaultChannel'>
  readonly outside: Outside
}

/** A line in the default channel once the database has been away for a minute, edited when it is back. It waits for nothing, as nothing can. */
export function tellAway({ slack, journal, scene, outside }: AwayParts) {
  let told: { readonly sinceMs: number; readonly posted: Outcome } | null = null
  return async () => {
    const { nowMs, defaultChannel: channel } = scene()
    const sinceMs = journal.awaySinceMs()
    if (sinceMs !== null && told === null && nowMs - sinceMs > awayToldMs) {
      const text = `⚠️ *I can't reach my database since ${date(sinceMs)}*: new alerts wait, and I can't act for you.`
      const place = { channel, threadTs: null, isBroadcast: false, key: `away:${sinceMs}` }
      told = { sinceMs, posted: await slack.post({} as Pass, { ...place, text, blocks: [] }) }
    }
    if (sinceMs !== null || told === null) return
    const { posted } = told
    const text = `✅ I couldn't reach my database from ${date(told.sinceMs)} to ${date(nowMs)}`
    told = null
    if (posted.kind !== 'ok') return
    const { channelId, ts } = posted
    await outside((pass) => slack.update(pass, { text, blocks: [], channelId, ts }))
  }
}
