/** Records with ordinary contents, of which a test names what it is about. */
import type { Policy } from '../../../src/bot/config/policy.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Act, Alert, Details, Effect, Mute, Post, Switch } from '../../../src/bot/world/types.ts'
import type { World } from '../../../src/bot/world/world.ts'
import type { ApiRecord } from './fake-api.ts'

const details: Details = {
  labels: {},
  description: null,
  links: [],
  severity: null,
  trouble: null,
  triggerId: null,
  units: '%',
  limit: 90,
  side: 'high',
  canMute: false,
}

const described = {
  number: '8398',
  host: 'web-1',
  server: 'web-1',
  isOneoff: false,
  title: 'CPU busy 97%',
  plugin: 'cpu',
  metric: 'cpu_busy',
  value: 97,
  url: 'https://mon.example/a/8398',
  sparklineUrl: null,
  details,
  mutedBy: [],
  startedMs: 0,
}

export function alertOf(over: Partial<Alert> = {}): Alert {
  const number = over.number ?? described.number
  const startedMs = over.startedMs ?? described.startedMs
  const key = over.key ?? `${number}@${startedMs}`
  return {
    ...described,
    id: key,
    key,
    severity: 'warning',
    firstSeenMs: startedMs,
    isFirstPoll: false,
    missing: 0,
    unlistedMs: null,
    closedMs: null,
    closedAfterMs: null,
    closedBy: null,
    holder: null,
    heldMs: null,
    round: null,
    rounds: 0,
    reopened: 0,
    reopenedFromMs: null,
    ...over,
  }
}

/** As the monitoring lists it. */
export function recordOf(over: Partial<ApiRecord> = {}): ApiRecord {
  return { ...described, hasTime: true, endedMs: null, ...over }
}

export function postOf(over: Partial<Post> = {}): Post {
  const channel = over.channel ?? 'C0'
  return {
    id: `alert:8398@0:${channel}`,
    kind: 'alert',
    channel,
    forChannel: channel,
    thread: null,
    isBroadcast: false,
    mention: null,
    isLoud: false,
    data: {},
    shows: [],
    state: 'new',
    ts: null,
    channelId: null,
    shownHash: null,
    isShownClosed: false,
    tries: 0,
    dueMs: 0,
    createdMs: 0,
    sentMs: null,
    firstSentMs: null,
    threadTs: null,
    recheckMs: null,
    repeatMs: null,
    urgency: 1,
    isPlain: false,
    noPicture: false,
    picture: null,
    ...over,
  }
}

export function muteOf(over: Partial<Mute> = {}): Mute {
  const subject = over.subject ?? 'server:web-1'
  return {
    id: 'mute-1',
    subject,
    name: subject.replace(/^server:/, ''),
    by: 'UANA',
    reason: 'deploying',
    fromMs: 0,
    untilMs: null,
    maxUntilMs: Number.MAX_SAFE_INTEGER,
    untilFine: false,
    fineMs: null,
    ended: null,
    act: 'act-1',
    isConfirmed: false,
    ...over,
  }
}

export function actOf(over: Partial<Act> = {}): Act {
  return {
    id: 'act-1',
    atMs: 0,
    by: 'UANA',
    kind: 'mute',
    subject: 'web-1',
    outcome: 'asked',
    data: {},
    ...over,
  }
}

export function switchOf(over: Partial<Switch> = {}): Switch {
  const rest = { tries: 0, dueMs: 0, repeatsMs: [], missingMs: null }
  return { id: 'server:web-1', told: 'on', telling: null, ...rest, ...over }
}

export function effectOf(over: Partial<Effect> = {}): Effect {
  return {
    id: 'effect-1',
    does: 'marker',
    data: {},
    state: 'new',
    tries: 0,
    dueMs: 0,
    atMs: 0,
    why: null,
    ...over,
  }
}

const hour = 60 * 60_000

/** What holds where nobody wrote a policy. */
export function policyOf(over: Partial<Policy> = {}): Policy {
  const everyone = 'everyone'
  return {
    routes: [],
    severity: [],
    ignore: [],
    links: [],
    showLabels: [],
    permissions: {
      acknowledge: everyone,
      add_note: everyone,
      mute_server: everyone,
      mute_account: everyone,
      add_roles: everyone,
      add_marker: everyone,
      set_no_data: everyone,
      delete_server: everyone,
      delete_metric: everyone,
    },
    isAccountMuteUnset: true,
    limits: { muteDefaultMs: hour, muteMaxMs: 28 * 24 * hour, accountMuteMaxMs: 4 * hour },
    reminders: [],
    flapSettleMs: 120_000,
    forgottenAfterMs: null,
    onCall: null,
    investigate: null,
    board: false,
    report: null,
    lifecycle: 'flip',
    images: false,
    timezone: 'UTC',
    maintenance: [],
    ...over,
  }
}

export function sceneOf(world: World, over: Partial<Scene>): Scene {
  const rest = { defaultChannel: 'C0', replicaName: 'a', pager: null, canMuteAlerts: false }
  return { world, policy: policyOf(), nowMs: 0, ...rest, ...over }
}
