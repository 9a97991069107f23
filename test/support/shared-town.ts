/** One service, workspace and bot for all use cases of a file; each has servers of its own, and causes no warnings. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, vi } from 'vitest'
import type { Service } from '../../src/service/service.ts'
import { patienceMs } from './patience.ts'
import { type Card, called, openTown, type Town, type TownSetting } from './town.ts'

/** Long enough for a busy machine; nobody waits so long if it works. */
export const soon = { timeout: patienceMs, interval: 40 }

/** Where the bot speaks: four channels take four posts a second. */
const channels = ['alerts', 'db', 'general', 'private-ops'] as const

/** A policy that leaves Slack's limits to what the tests are about: no charts, no board, four channels. */
const calm = (town: Town) => [
  'images: off',
  'board: off',
  'reminders: never',
  'routes:',
  ...['db-*', 'cache-*', 'worker-*'].map((server, at) => {
    const { id } = town.workspace.channel(channels[at + 1] ?? '')
    return `  - { match: { server: "${server}" }, channel: ${id} }`
  }),
]

export type SharedSetting = TownSetting & {
  /** Lines of the policy file, beside those that keep it calm. */
  readonly policy?: readonly string[]
  /** What the bots may warn of. */
  readonly except?: readonly RegExp[]
}

/** Whose each server is, by town and name: of the use case that used it first. */
const owners = new WeakMap<Service, Map<string, string>>()

/** What another use case left on a server would decide how this one ends, and in which order they pass. */
function claim(service: Service, server: string): void {
  const owned = owners.get(service)
  const { currentTestName } = expect.getState()
  if (owned === undefined || !currentTestName) return
  const owner = owned.get(server) ?? currentTestName
  if (owner !== currentTestName) throw new Error(`${server} belongs to the use case "${owner}"`)
  owned.set(server, owner)
}

/** Opens the programs; call it at the top of a file. They are there once the first test runs. */
export function sharedTown({ policy = [], except = [], ...setting }: SharedSetting = {}): () => Town {
  let town: Town | undefined
  beforeAll(async () => {
    // Until the first of them begins, the name is that of the last one in the file before.
    expect.setState({ currentTestName: '' })
    const closers: (() => Promise<void>)[] = []
    town = await openTown({ ...setting, closeLater: (close) => closers.push(close) })
    owners.set(town.service, new Map())
    await town.bot({ MONBOT_CONFIG: policyFile(town, policy) })
    return async () => {
      for (const close of closers) await close()
    }
  })
  const opened = () => {
    if (town === undefined) throw new Error('The town is opened before the first story, and not earlier')
    return town
  }
  afterEach(() => opened().expectQuiet({ except }))
  return opened
}

/** Writes a policy file, and returns its path. */
export function policyFile(town: Town, lines: readonly string[]): string {
  const path = join(town.folder, 'policy.yml')
  writeFileSync(path, [...calm(town), ...lines].join('\n'))
  return path
}

type Held = {
  readonly account: { readonly notifications: boolean }
  readonly servers: readonly {
    readonly hostname: string
    readonly roles: readonly string[]
    readonly notifications: boolean
    readonly no_data_notification_group: string | null
  }[]
  readonly markers: readonly { readonly notes: string }[]
}

/** What the monitoring service itself says, whatever the bot believes. */
export function truthOf(service: Service) {
  const held = () => service.state() as Held
  return {
    server: (hostname: string) => {
      claim(service, hostname)
      return held().servers.find((server) => server.hostname === hostname)
    },
    isAccountOn: () => held().account.notifications,
    /** Hostnames, sorted. */
    muted: () => held().servers.flatMap((one) => (one.notifications ? [] : [one.hostname])),
    markers: () => held().markers.map(({ notes }) => notes),
    /** How many requests have come that change a server, those among them that are not answered yet. */
    serverChanges: () =>
      Object.entries(service.requests())
        .filter(([template]) => template.startsWith('POST /servers'))
        .reduce((sum, [, count]) => sum + count, 0),
  }
}

export type OpenAlert = { readonly alertId: number; readonly card: () => Card }

/** An alert that stands on its card. */
export async function openAlert(town: Town, server: string, title = 'It is slow'): Promise<OpenAlert> {
  claim(town.service, server)
  const alertId = town.service.openAlert({
    server,
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
    title,
  })
  const isItsCard = ({ text }: Card) => new RegExp(`${called(alertId)}\\b`).test(text)
  const find = () => everywhere(town).filter(isRoot).find(isItsCard)
  await vi.waitUntil(() => find() !== undefined, soon)
  const card = () => {
    const found = find()
    if (found === undefined) throw new Error(`the card of ${server} has gone`)
    return found
  }
  return { alertId, card }
}

/** What everyone reads, in threads as well; each channel oldest first. */
export function told(town: Town): string[] {
  return everywhere(town).map(({ text }) => text)
}

function everywhere(town: Town): Card[] {
  return channels.flatMap((channel) => town.cards(channel))
}

/** In no thread; what has one has its own time as the thread's. */
function isRoot({ ts, thread_ts }: Card): boolean {
  return thread_ts === undefined || thread_ts === ts
}

/** The texts in the thread of a card. */
export function threadOf(town: Town, card: Card): string[] {
  return town.thread(card.ts, card.channel).map(({ text }) => text)
}
