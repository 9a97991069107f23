/** Records for the tests of queries: an alert, a mute, an act, and a scene over them. */
import type { Context, Reads, Reply } from '../../../src/next/acts/act.ts'
import { hour, minute } from '../../../src/next/clock.ts'
import type { Policy } from '../../../src/next/config/policy-types.ts'
import type { Scene } from '../../../src/next/view/scene.ts'
import type { Act, Alert, Details, Mute, Person } from '../../../src/next/world/types.ts'
import { World } from '../../../src/next/world/world.ts'

export const nowMs = Date.UTC(2026, 10, 21, 12)

export const details: Details = {
  labels: {},
  description: null,
  links: [],
  severity: null,
  trouble: null,
  triggerId: null,
  units: null,
  limit: null,
  side: null,
  canMute: false,
}

export function alert(number: string, fields: Partial<Alert> = {}): Alert {
  const startedMs = fields.startedMs ?? nowMs - 10 * minute
  return {
    id: `${number}@${startedMs}`,
    key: `${number}@${startedMs}`,
    number,
    host: 'web-2',
    server: 'web-2',
    isOneoff: false,
    title: 'CPU busy is 97%',
    plugin: 'CPU',
    metric: 'cpu_busy',
    value: 97,
    url: null,
    sparklineUrl: null,
    severity: 'warning',
    details,
    mutedBy: [],
    startedMs,
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
    ...fields,
  }
}

export function closed(number: string, afterMs: number, fields: Partial<Alert> = {}): Alert {
  const startedMs = fields.startedMs ?? nowMs - 2 * hour
  return alert(number, {
    ...fields,
    startedMs,
    closedMs: startedMs + afterMs,
    closedAfterMs: afterMs,
    closedBy: 'end',
  })
}

export function mute(id: string, subject: string, fields: Partial<Mute> = {}): Mute {
  return {
    id,
    subject,
    name: subject.replace(/^server:/, ''),
    by: 'U1',
    reason: '',
    fromMs: nowMs - minute,
    untilMs: nowMs + hour,
    maxUntilMs: nowMs + 24 * hour,
    untilFine: false,
    fineMs: null,
    ended: null,
    act: `act-${id}`,
    isConfirmed: true,
    ...fields,
  }
}

export function act(id: string, fields: Partial<Act>): Act {
  return { id, atMs: nowMs - minute, by: 'U1', kind: 'acknowledge', subject: 'CPU busy on web-2', outcome: 'done', data: {}, ...fields }
}

const everyone = 'everyone'
export const policy: Policy = {
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
    delete_server: 'nobody',
    delete_metric: 'nobody',
  },
  isAccountMuteUnset: false,
  limits: { muteDefaultMs: hour, muteMaxMs: 24 * hour, accountMuteMaxMs: 4 * hour },
  reminders: [],
  flapSettleMs: null,
  forgottenAfterMs: null,
  onCall: null,
  board: true,
  report: null,
  lifecycle: 'flip',
  images: true,
  timezone: 'UTC',
  maintenance: [],
}

/** A world in which the last poll was good. */
export function worldOf(...records: { alerts?: Alert[]; mutes?: Mute[]; acts?: Act[] }[]): World {
  const world = new World()
  world.setFact('polled', { atMs: nowMs, unreadable: 0, ignored: 0 })
  for (const { alerts = [], mutes = [], acts = [] } of records) {
    for (const one of alerts) world.put('alerts', one)
    for (const one of mutes) world.put('mutes', one)
    for (const one of acts) world.put('acts', one)
  }
  return world
}

export function sceneOf(world: World, fields: Partial<Scene> = {}): Scene {
  return {
    world,
    policy,
    nowMs,
    defaultChannel: 'C1',
    replicaName: 'bot-a',
    pager: null,
    canMuteAlerts: false,
    ...fields,
  }
}

export const ana: Person = {
  id: 'U1',
  name: 'ana',
  realName: 'Ana',
  email: null,
  zone: 'Europe/Berlin',
  isBot: false,
  isDeleted: false,
  readMs: nowMs,
}

export function contextOf(scene: Scene, reads: Partial<Reads> = {}): Context {
  const nothing: Reads = {
    monitor: {
      triggers: async () => [],
      roles: async () => ({}),
      metrics: async () => [],
      mutes: async () => [],
    },
    pastAlerts: async () => [],
    pastActs: async () => [],
    findPeople: async () => [],
    isInGroup: async () => null,
  }
  return {
    ask: {
      key: 'k1',
      person: ana,
      channel: 'C1',
      threadTs: null,
      threadPost: null,
      triggerId: null,
      via: 'command',
    },
    scene: () => scene,
    reads: { ...nothing, ...reads },
  }
}

/** What an answer says, and the commands that its buttons run. */
export function told(reply: Reply, scene: Scene): string {
  if (reply.kind === 'say') return reply.render(scene).text
  return reply.kind === 'refuse' ? reply.text : reply.kind
}

export function offered(reply: Reply): string[] {
  return reply.kind === 'refuse' ? (reply.offers ?? []).map(({ command }) => command) : []
}
