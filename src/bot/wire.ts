/**
 * Constructs all parts of the bot, which are then started in order. The process passes the real API, Slack and database; a test
 * passes its own. Nothing outside is called while parts are constructed.
 */
import { type Config, channelsOf, channelsPostedTo } from './config/config.ts'
import type { Kept } from './domain/base/retention.ts'
import type { UnexpectedError } from './domain/base/unexpected-error.ts'
import type { LiveRouting } from './domain/card/reach.ts'
import { goneChannels, type Stopped, troublesIn } from './domain/delivery/channel-trouble.ts'
import type { Health, Lead } from './domain/request/answer.ts'
import { openCharts } from './flow/chart.ts'
import { unlessAway } from './flow/concurrency/contain.ts'
import { openLock } from './flow/concurrency/lock.ts'
import { fileAccess, type StoreAccess } from './flow/concurrency/store-access.ts'
import { type ChangeBus, type Job, openChangeBus } from './flow/concurrency/watch.ts'
import { fencedChat, fencedHeartbeat, fencedMonitor, fencedPager } from './flow/fence.ts'
import { openFiles } from './flow/files.ts'
import { type Handle, openHandle } from './flow/handle.ts'
import { openMutes } from './flow/mute/open-mutes.ts'
import type { Hidden } from './flow/mute/reveal.ts'
import type { Switches } from './flow/mute/switches.ts'
import { openOnCall } from './flow/oncall/on-call.ts'
import { openBoards } from './flow/outbox/board.ts'
import { openHomes } from './flow/outbox/home.ts'
import { openLateWatch, openRevive } from './flow/outbox/late-cards.ts'
import { openMarkers } from './flow/outbox/markers.ts'
import { openPictures } from './flow/outbox/pictures.ts'
import { openPins } from './flow/outbox/pins.ts'
import { openProbe } from './flow/outbox/probe.ts'
import { openReadings } from './flow/outbox/readings.ts'
import { openTakenOver } from './flow/outbox/taken-over.ts'
import { openDeliver } from './flow/outbox/worker.ts'
import { type Heard, openHeard } from './flow/pager/acknowledged.ts'
import { openPages } from './flow/pager/pages.ts'
import { openTeller } from './flow/pager/tell.ts'
import { longestGapMs } from './flow/poll/cron.ts'
import { openHeartbeat } from './flow/poll/heartbeat.ts'
import { openLastReading } from './flow/poll/last-reading.ts'
import { type OutageWatch, openOutageWatch } from './flow/poll/outage.ts'
import { notedEveryMs, openPoll } from './flow/poll/poll.ts'
import { openRoleBook } from './flow/poll/roles.ts'
import { openSchedule, type Schedule } from './flow/poll/schedule.ts'
import { alone, type Leadership } from './flow/ports/leadership.ts'
import type { Pager } from './flow/ports/pager.ts'
import type {
  Chat,
  Draw,
  Heartbeat,
  Ids,
  Logger,
  Monitor,
  OnCallSource,
  SteadyClock,
} from './flow/ports/ports.ts'
import type { Store } from './flow/ports/store.ts'
import { openAnswers } from './flow/queries/answers.ts'
import { openReport } from './flow/report.ts'
import { openRetain } from './flow/retain.ts'
import { openServers } from './flow/servers.ts'
import { type Life, openLife, type Steps } from './life-cycle.ts'
import { openAlertSource } from './monitor/listing/source.ts'
import { pollState } from './ops/health.ts'
import { observeChat, observeHandle } from './ops/observe.ts'
import type { Slack } from './slack/connect.ts'

/** An absence of half an hour is long. */
const absenceMs = 30 * 60_000

export type Neighbours = {
  readonly monitor: Monitor & { close(): Promise<void> }
  readonly slack: Pick<Slack, 'connect' | 'chat' | 'directory' | 'listen' | 'connection' | 'stop'>
  readonly store: Store
  /** How the parts reach a store that may be away for a while; absent for one that is a file. */
  readonly access?: StoreAccess
  /** Absent where no other process can be on the store. */
  readonly leadership?: Leadership
  /** Who leads and who stands by, if there may be several. */
  readonly lead?: () => Lead | null
  readonly clock: SteadyClock
  readonly logger: Logger
  readonly ids: Ids
  readonly draw: Draw
  /** Null if no heartbeat is set. */
  readonly heartbeat: Heartbeat | null
  /** Absent or null: nobody can be called. */
  readonly pager?: Pager | null
  /** Absent or null if there is no on-call calendar. */
  readonly onCallSource?: OnCallSource | null
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number
  /** Recent errors of monbot's own. */
  readonly unexpectedErrors: () => readonly UnexpectedError[]
  /** When the open alerts were last read under the settings before, in this process. Absent or null: never. */
  readonly earlierPollMs?: number | null
}

/** The settings that parts need, without addresses and secrets. */
export type WireSettings = Pick<
  Config,
  | 'slackChannel'
  | 'pollCron'
  | 'images'
  | 'routes'
  | 'severity'
  | 'ignore'
  | 'links'
  | 'showLabels'
  | 'lifecycle'
  | 'permissions'
  | 'isAccountMuteUnset'
  | 'limits'
  | 'board'
  | 'reminders'
  | 'timezone'
  | 'report'
> & {
  readonly onCall?: Partial<Pick<NonNullable<Config['onCall']>, 'people' | 'handoff'>> | null
  /** What the policy plans; absent: nothing. */
  readonly maintenance?: Config['maintenance']
  /** How long what is over is kept; usually as in `domain/base/retention.ts`. */
  readonly kept?: Kept
}

export type Bot = Life & {
  readonly health: () => Health
  /** When the open alerts were last read, under these settings or under those before; null: never. */
  readonly everPolledMs: () => number | null
  readonly stopped: () => Stopped | null
  readonly handle: Handle
  readonly schedule: Schedule
  readonly outage: OutageWatch
  /** Takes that somebody acknowledged a page in the pager. */
  readonly heard: Heard
}

type World = Omit<Known, 'slack' | 'unexpectedErrors' | 'random'> & {
  readonly directory: Neighbours['slack']['directory']
  readonly charts: ReturnType<typeof openCharts>
  /** Raised by every write that other parts show or continue. */
  readonly changed: ChangeBus
  readonly onChanged: () => void
  readonly health: () => Health
  /** When open alerts were last read; null while nobody knows what is open. */
  readonly lastPollMs: () => number | null
  readonly routing: LiveRouting
}

/** What all parts share; `store` is that of background work. */
type Known = Neighbours & Required<Pick<Neighbours, 'access' | 'leadership'>>

export function wire(settings: WireSettings, given: Neighbours): Bot {
  const { access = fileAccess(given.store), leadership = alone } = given
  const neighbours: Known = { ...fenced(given, leadership), store: access.patient, access, leadership }
  const { slack } = neighbours
  const [channels, named] = [channelsOf(settings), channelsPostedTo(settings)]
  const changed = openChangeBus()
  const [observed, late] = [observeChat(slack.chat, neighbours.clock), openLateWatch(neighbours)]
  const onCall = wireOnCall(settings, neighbours, { changed, channels })
  const routing: LiveRouting = {
    routes: settings.routes,
    defaultChannel: settings.slackChannel,
    gone: () => goneChannels(observed.troubles(), named),
    ...onCall.routing,
  }
  const reading = wireReading(settings, neighbours, { changed, routing })
  const stopped = () => observed.stopped(channels)
  const health = (): Health => ({
    ...reading.health(),
    slack: slack.connection(),
    troubles: troublesIn(named, observed.troubles()),
    late: troublesIn(named, late.now()),
    unpinned: showing.pins.unpinned(),
    pager: paging.trouble(),
    unexpectedErrors: neighbours.unexpectedErrors(),
    lead: neighbours.lead?.() ?? null,
    onCall: onCall.now(),
  })
  const world: World = {
    ...neighbours,
    directory: slack.directory,
    charts: openCharts(neighbours),
    changed,
    onChanged: changed.raise,
    health,
    lastPollMs: reading.lastPollMs,
    routing,
  }
  const mutes = wireMutes(world, settings, { reading, named, planned: channels[0] ?? '' })
  for (const part of [mutes.expiry, mutes.switches, mutes.planned, mutes.moved]) changed.join(part)
  const paging = wirePaging(world, slack.chat, settings)
  const showing = wireShowing(world, observed.chat, { channels, settings, onClosed: mutes.moved.wake })
  const { handle, roleNames } = wireRequests(world, slack, { mutes, channels, settings })
  const steps: Steps = {
    takeOver: () => showing.takenOver.takeOver().then(onCall.load),
    atOnce: [mutes.expiry, mutes.switches, mutes.planned, mutes.held, ...onCall.jobs],
    afterFirstPoll: [
      mutes.reminders,
      reading.outage,
      showing.readings,
      openRetain(world, settings.kept),
      late,
      ...paging.jobs,
      ...wireHeartbeat(neighbours, reading, stopped),
    ],
    connect: () => connecting(slack, observed),
    afterConnecting: [...showing.afterConnecting, openProbe({ ...neighbours, observed }, channels)],
    afterBoth: [mutes.moved, ...showing.afterBoth],
    listen: () =>
      slack.listen({
        handle,
        cardAt: access.impatient.cardAt,
        roleNames,
        onHome: showing.homes.opened,
        onReopened: async (channel) => {
          observed.reopened(channel)
          await world.store.reopen(channel)
          showing.deliver.reopen(channel)
        },
        isStanding: mutes.isStanding,
        whenAnswered: mutes.whenAnswered,
        ids: world.ids,
      }),
    stopListening: slack.stop,
    cancelCalls: neighbours.monitor.close,
  }
  const life = openLife(steps, { ...neighbours, schedule: reading.schedule })
  return {
    ...life,
    // What the memory does not take now was begun on disk: whoever leads next looks what came of it.
    stop: async () => void (await unlessAway(() => access.forRequest().orAway(life.stop()))),
    health,
    everPolledMs: reading.everPolledMs,
    stopped,
    handle,
    schedule: reading.schedule,
    outage: reading.outage,
    heard: paging.heard,
  }
}

async function connecting(slack: Neighbours['slack'], observed: ReturnType<typeof observeChat>) {
  const came = await slack.connect()
  if ('closed' in came) observed.foundClosed(came.closed)
  return came
}

/** All that changes something outside asks first whether this process may. */
function fenced(
  { slack, monitor, heartbeat, pager, ...given }: Neighbours,
  leadership: Leadership,
): Neighbours {
  return {
    ...given,
    slack: { ...slack, chat: fencedChat(slack.chat, leadership) },
    monitor: fencedMonitor(monitor, leadership),
    heartbeat: heartbeat === null ? null : fencedHeartbeat(heartbeat, leadership),
    pager: pager == null ? null : fencedPager(pager, leadership),
  }
}

function wireReading(
  settings: WireSettings,
  neighbours: Known,
  { changed, routing }: { readonly changed: ChangeBus; readonly routing: LiveRouting },
) {
  const { clock } = neighbours
  const gapMs = longestGapMs(settings.pollCron)
  const roleBook = openRoleBook(neighbours)
  const isRoutedByRole = [...settings.routes, ...settings.severity, ...settings.ignore].some(
    ({ match }) => match.role !== undefined,
  )
  const source = openAlertSource(neighbours, {
    lifecycle: settings.lifecycle,
    // If polls are an hour apart, an hour without one is not an absence. The note's age may add to it.
    absenceMs: Math.max(absenceMs, 2 * gapMs) + notedEveryMs,
    ...(settings.kept === undefined ? {} : { kept: settings.kept }),
  })
  const { images, severity, ignore } = settings
  const poll = openPoll(
    { ...neighbours, store: neighbours.access.direct, source, roleBook },
    { ...routing, images, severity, ignore, gapMs },
  )
  const schedule = openSchedule({ ...neighbours, poll, onPolled: changed.raise }, { cron: settings.pollCron })
  const outage = openOutageWatch(
    { ...neighbours, reading: schedule.status, onChanged: changed.raise },
    { channels: channelsOf(settings), gapMs },
  )
  changed.join(outage)
  const rolesAsked = isRoutedByRole ? roleBook : null
  const { earlierPollMs = null } = neighbours
  const last = openLastReading({ clock, schedule, outage, roleBook: rolesAsked, earlierPollMs }, gapMs)
  return { schedule, outage, ...last }
}

/** Who is on call; nothing where no calendar says so. */
function wireOnCall(
  settings: WireSettings,
  known: Known,
  { changed, channels }: { readonly changed: ChangeBus; readonly channels: readonly string[] },
) {
  const { onCallSource: source, slack } = known
  if (source == null) return { now: () => null, routing: {}, jobs: [], load: async () => undefined }
  const ports = { ...known, source, directory: slack.directory, onChanged: changed.raise }
  const { people = new Map<string, string>(), handoff = false } = settings.onCall ?? {}
  const watch = openOnCall(ports, { people, channels, handoff })
  return { now: watch.now, routing: { onCallNow: watch.mention }, jobs: [watch], load: watch.load }
}

/** `planned`: the channel in which what the policy plans is told. */
function wireMutes(
  world: World,
  settings: WireSettings,
  of: {
    readonly reading: ReturnType<typeof wireReading>
    readonly named: readonly string[]
    readonly planned: string
  },
) {
  const { schedule } = of.reading
  const { maintenance = [], limits } = settings
  return openMutes(
    {
      ...world,
      servers: openServers(world),
      lastOpenCompleteMs: () => schedule.status().lastOpenCompleteMs,
    },
    {
      ...settings,
      ...world.routing,
      channels: of.named,
      planned: { maintenance, limits, channel: of.planned },
    },
  )
}

function wireHeartbeat(
  { heartbeat, clock, logger, slack }: Neighbours,
  { schedule, outage, health }: ReturnType<typeof wireReading>,
  stopped: Bot['stopped'],
): Job[] {
  if (heartbeat === null) return []
  const works = () => slack.connection().ready && stopped() === null && pollState(health(), 0).ready
  const goodMs = () => (works() ? (schedule.status().lastGoodMs ?? schedule.status().lastOpenMs) : null)
  const failedSinceMs = () => outage.sinceMs() ?? stopped()?.sinceMs ?? null
  return [openHeartbeat({ heartbeat, clock, logger, goodMs, failedSinceMs })]
}

/** Without a pager nobody is called, and what was to be told waits on disk. */
function wirePaging(world: World, chat: Chat, { reminders, ignore }: WireSettings) {
  const heard = openHeard(world)
  const { pager, changed, routing } = world
  if (pager == null) return { jobs: [], heard, trouble: () => null }
  const pages = openPages(world, { ...reminders, routing, ignore })
  const teller = openTeller({ ...world, pager, chat, heard })
  for (const part of [pages, teller]) changed.join(part)
  return { jobs: [pages, teller], heard, trouble: teller.trouble }
}

function wireShowing(
  world: World,
  chat: Chat,
  of: {
    readonly channels: readonly string[]
    readonly settings: WireSettings
    readonly onClosed: () => void
  },
) {
  const { channels, settings, onClosed } = of
  const pictures = openPictures({ ...world, chat, zone: settings.timezone, onReady: () => deliver.wake() })
  const markers = openMarkers({ ...world, chat })
  const boardsIn = { channels: settings.board ? channels : [] }
  const pins = openPins({ ...world, chat }, boardsIn)
  const onShown = () => {
    pictures.wake()
    pins.wake()
    markers.wake()
  }
  const deliver = openDeliver({
    ...world,
    chat,
    onShown,
    onClosed,
    links: settings.links,
    showLabels: settings.showLabels,
  })
  const homes = openHomes({ ...world, chat })
  const boards = openBoards({ ...world, chat, onChanged: deliver.wake }, boardsIn)
  const onRead = () => {
    deliver.wake()
    pictures.wake()
  }
  const readings = openReadings(
    { ...world, measure: world.charts.measure, onChanged: onRead },
    { images: settings.images },
  )
  const files = openFiles({ ...world, chat, directory: world.directory, zone: settings.timezone })
  const revive = openRevive({ ...world, onChanged: deliver.wake })
  const takenOver = openTakenOver({ ...world, chat, onChanged: deliver.wake })
  for (const part of [deliver, pictures, markers, homes, files]) world.changed.join(part)
  const afterConnecting = [pictures, deliver, homes, markers, takenOver, files]
  const afterBoth = [boards, pins, revive, ...wireReport(world, chat, settings)]
  return { afterConnecting, afterBoth, takenOver, deliver, homes, pins, readings }
}

/** Once alerts are read: a report of what nobody has read would say that nothing was. */
function wireReport(world: World, chat: Chat, { report, timezone: zone }: WireSettings): Job[] {
  if (report === null) return []
  return [openReport({ ...world, chat }, { times: report.at, channel: report.channel, zone })]
}

function wireRequests(
  world: World,
  { directory }: Neighbours['slack'],
  of: {
    readonly mutes: { readonly hidden: Hidden; readonly switches: Switches }
    readonly channels: readonly string[]
    readonly settings: WireSettings
  },
) {
  const asking = { ...world, store: world.access.impatient }
  const servers = openServers(asking)
  const handle = openHandle(
    {
      ...world,
      directory,
      servers,
      hidden: of.mutes.hidden,
      switches: of.mutes.switches,
      oneEnd: openLock(),
      answer: openAnswers({ ...asking, directory, servers }),
    },
    {
      permissions: of.settings.permissions,
      isAccountMuteUnset: of.settings.isAccountMuteUnset,
      limits: { ...of.settings.limits, zone: of.settings.timezone },
      channels: { all: of.channels, default: of.channels[0] ?? '' },
    },
  )
  return { handle: observeHandle(handle, world), roleNames: servers.roleNames }
}
