/** A moment, records of it, and an asker: what the tests of queries ask about. */
import { type Action, type Context, type Reads, Refusal, type Reply } from '../../../src/bot/acts/action.ts'
import { hour, minute } from '../../../src/bot/clock.ts'
import type { Scene } from '../../../src/bot/view/view.ts'
import type { Person } from '../../../src/bot/world/facts.ts'
import type { Act, Alert, Details, Mute } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { actOf, alertOf, muteOf, policyOf } from '../worlds/builders.ts'

export const nowMs = Date.UTC(2026, 10, 21, 12)
export const details: Details = alertOf().details

/** Open for ten minutes on web-2. */
export function alert(number: string, over: Partial<Alert> = {}): Alert {
  const startedMs = nowMs - 10 * minute
  const usual = { host: 'web-2', server: 'web-2', plugin: 'CPU', title: 'CPU busy is 97%', url: null }
  return alertOf({ number, startedMs, ...usual, ...over })
}

/** It began two hours ago. */
export function closed(number: string, afterMs: number, over: Partial<Alert> = {}): Alert {
  const startedMs = over.startedMs ?? nowMs - 2 * hour
  const end = { closedMs: startedMs + afterMs, closedAfterMs: afterMs, closedBy: 'end' }
  return alert(number, { ...end, ...over, startedMs })
}

/** In force for another hour. */
export function mute(id: string, subject: string, over: Partial<Mute> = {}): Mute {
  const times = { fromMs: nowMs - minute, untilMs: nowMs + hour, maxUntilMs: nowMs + 24 * hour }
  return muteOf({ id, subject, by: 'U1', reason: '', act: `act-${id}`, isConfirmed: true, ...times, ...over })
}

/** A minute ago. */
export function act(id: string, over: Partial<Act> = {}): Act {
  const usual = { kind: 'acknowledge', subject: 'CPU busy on web-2', outcome: 'done' } as const
  return actOf({ id, atMs: nowMs - minute, by: 'U1', ...usual, ...over })
}

type Filled = { readonly alerts?: Alert[]; readonly mutes?: Mute[]; readonly acts?: Act[] }

/** A world in which the last poll was good. */
export function worldOf({ alerts = [], mutes = [], acts = [] }: Filled = {}): World {
  const world = new World()
  world.setFact('polled', { atMs: nowMs, unreadable: 0 })
  for (const one of alerts) world.put('alerts', one)
  for (const one of mutes) world.put('mutes', one)
  for (const one of acts) world.put('acts', one)
  return world
}

export function sceneOf(world: World, over: Partial<Scene> = {}): Scene {
  const about = { defaultChannel: 'C1', replicaName: 'bot-a', pager: null, canMuteAlerts: false }
  return { world, policy: policyOf(), nowMs, ...about, ...over }
}

const ana: Person = {
  id: 'U1',
  name: 'ana',
  realName: 'Ana',
  email: null,
  zone: 'Europe/Berlin',
  isBot: false,
  isDeleted: false,
  readMs: nowMs,
}

const none = async () => []
/** There is nothing to be read. */
export const noReads: Reads = {
  monitor: {
    triggers: none,
    roles: async () => ({}),
    metrics: none,
    mutes: async () => ({ silences: [], held: null }),
  },
  pastAlerts: none,
  pastActs: none,
  findPeople: none,
  isInGroup: async () => null,
}

export function contextOf(scene: Scene, over: Partial<Reads> = {}): Context {
  const reads: Reads = { ...noReads, ...over }
  const where = { channel: 'C1', threadTs: null, threadPost: null, triggerId: null, via: 'command' } as const
  return { ask: { key: 'k1', person: ana, ...where }, scene: () => scene, reads }
}

/** The answer to what is typed, or the refusal. */
export async function answerTo(
  { command }: Action,
  words: string,
  context: Context,
): Promise<Reply | Refusal> {
  try {
    return (await command?.(words, context)) ?? { kind: 'done' }
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** What an answer says. */
export function told(reply: Reply | Refusal, scene: Scene): string {
  if (reply instanceof Refusal) return reply.message
  return reply.kind === 'say' ? (reply.render(scene)?.text ?? 'nothing') : reply.kind
}

/** The commands that a refusal offers. */
export function offered(reply: Reply | Refusal): string[] {
  return reply instanceof Refusal ? reply.offers.map(({ command }) => command) : []
}

/** What a command answers, as it is read. */
export async function ask(
  command: Action,
  words: string,
  scene: Scene,
  reads: Partial<Reads> = {},
): Promise<string> {
  return told(await answerTo(command, words, contextOf(scene, reads)), scene)
}
