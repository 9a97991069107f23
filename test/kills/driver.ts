/** What happens to the bot between two kills: alerts come and go, people act, Slack and the API fail; and what of it is true. */

import { keyOf, numberOf, placeOf } from '../../src/bot/domain/alert/episode.ts'
import type { FaultAsk } from '../../src/workspace/faults/faults.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import { homes, servers, type World } from './world.ts'

export type TrueAlert = {
  /** As the bot knows it: with its place, where the API gave its number to several. */
  readonly id: string
  readonly server: string
  readonly plugin: string
  isOpen: boolean
  /** The number of the record that closes it is another one in pair form; both are the same alert. */
  readonly number: number
  /** What its record says of it. */
  readonly record: { readonly time: string; readonly title: string; readonly metric_value: number }
  /** Its server was muted at some time while it was open: it may have been hidden for as long as it was open. */
  mayBeHidden: boolean
  /** Open while a channel took no message: told where people read, it is not told again once the channel is back. */
  mayBeElsewhere: boolean
}

export type Driver = {
  readonly alerts: Map<string, TrueAlert>
  /** Resolves once what Slack accepts late has been accepted. */
  settled(): Promise<void>
  /** What may be muted: servers, and the account. */
  muted(): readonly string[]
  /** The plugins of alerts that may be muted by themselves: no two troubles have one. */
  mutedAlerts(): readonly string[]
  /** Called where nothing of the kind is live any more. */
  isUnmuted(subject: string): void
  /** On a server that has no mute of its own, unless one is named. */
  opens(server?: string): TrueAlert
  /** The trouble of one that opened before, and has closed meanwhile. */
  opensAgain(plugin: string): void
  /** More at once than get a card each, on servers whose alerts go to one channel. Answers what those are called. */
  bursts(kind?: string): string
  /** Any, or the one of this plugin. */
  closes(plugin?: string): TrueAlert | null
  /** The same subject opens once more, which may put it on the card that it had. */
  flaps(): void
  acknowledges(): void
  presses(): void
  notes(): void
  mutes(server: string, until: string): void
  unmutes(server: string): void
  mutesAccount(until: string): void
  unmutesAccount(): void
  /** One alert, open where there is one; answers its plugin. */
  mutesAlert(until: string): string
  unmutesAlert(): void
  /** One or the other, of a server that there is. */
  mutesOrUnmutes(): void
  /** A closed record that the bot knows opens again under its number, as itself or as another alert. */
  reuses(): Promise<void>
  /** After a long absence, of which the bot knows these: what came and went meanwhile is told nowhere. */
  comesBack(known: readonly string[]): void
  slackFails(fault: FaultAsk): void
  /** Slack gives an error that nobody has heard of, once or twice. */
  slackErrs(): void
  /** One channel takes no message, a few times. */
  channelRefuses(): void
  /** Whoever starts next finds no Slack, a few times. */
  slackIsAway(): void
  apiFails(fault: Parameters<World['service']['orderFault']>[0]): void
  clearFaults(): Promise<void>
  /** Something of all this. */
  anything(): void
}

const openMax = 6
/** A storm begins with four. */
const burstMin = 4
const burstMore = 3
/** With more than these open, a change of them all takes a minute at Slack's pace. */
const burstOnMax = 10
const lateMs = 250
/** Beyond what was ordered: a request that is on its way when the process is killed. */
const marginMs = 60
const people = ['ana', 'ben', 'cleo'] as const
/** All of them about the channel, none about the token (docs.slack.dev/reference/methods/chat.postMessage). */
const refusals = [
  'no_permission',
  'restricted_action',
  'is_archived',
  'not_in_channel',
  'access_denied',
] as const
const awayEffects: readonly FaultAsk['effect'][] = [
  { kind: 'reset' },
  { kind: 'status', status: 503 },
  { kind: 'html' },
  { kind: 'ratelimited', retryAfterSeconds: 1 },
  { kind: 'error', error: 'internal_error' },
]
const nextKey = (id: string) => keyOf(numberOf(id), placeOf(id) + 1)

/** The subject of the account's mute, as the memory has it. */
export const account = ''

export function openDriver(world: World, chance: Chance, faults: Pick<Faults, 'alias'>): Driver {
  const { service, workspace } = world
  const alerts = new Map<string, TrueAlert>()
  const muted = new Set<string>()
  const mutedAlerts = new Set<string>()
  let made = 0
  let lateUntilMs = 0
  let isChannelRefusing = false

  const open = () => [...alerts.values()].filter(({ isOpen }) => isOpen)
  const isMuted = (server: string) => muted.has(server) || muted.has(account)
  // Nobody waits for it: the bot may be killed before it says that it heard.
  const act = (work: Promise<unknown>): void => void work.catch(() => undefined)
  const types = (text: string) =>
    act(workspace.acts.command({ user: chance.of(people), channel: 'alerts', command: '/mon', text }))

  function opens(server = chance.any(servers) ?? 'web-1', plugin?: string): TrueAlert {
    made += 1
    const named = plugin ?? `Plugin ${made}`
    const record = {
      time: new Date(world.nowMs()).toISOString(),
      title: `Reached ${made}`,
      metric_value: made,
    }
    const number = service.openAlert({
      server,
      plugin: named,
      metric: 'value',
      value: made,
      title: record.title,
    })
    const mayBeHidden = isMuted(server) || mutedAlerts.has(named)
    const alert = {
      id: String(number),
      number,
      record,
      server,
      plugin: named,
      isOpen: true,
      mayBeHidden,
      mayBeElsewhere: isChannelRefusing,
    }
    alerts.set(alert.id, alert)
    return alert
  }

  function closes(plugin?: string): TrueAlert | null {
    const alert = chance.any(open().filter((one) => plugin === undefined || one.plugin === plugin))
    if (alert === undefined) return null
    service.closeAlert(alert.number)
    alert.isOpen = false
    return alert
  }

  function mutes(subject: string): void {
    muted.add(subject)
    for (const alert of open()) if (isMuted(alert.server)) alert.mayBeHidden = true
  }

  const driver: Driver = {
    alerts,
    settled: async () => {
      const restMs = lateUntilMs - Date.now()
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    },
    muted: () => [...muted],
    mutedAlerts: () => [...mutedAlerts],
    isUnmuted: (subject) => void (muted.delete(subject) || mutedAlerts.delete(subject)),
    opens: (server) => opens(server ?? chance.any(servers.filter((one) => !muted.has(one)))),
    opensAgain: (plugin) => {
      const last = [...alerts.values()].filter((alert) => alert.plugin === plugin).at(-1)
      if (last !== undefined) opens(last.server, plugin)
    },
    bursts: (kind = (chance.any(servers) ?? 'web-1').replace(/-.*/, '')) => {
      for (let left = open().length; left > burstOnMax; left -= 1) closes()
      const there = servers.filter((server) => server.startsWith(`${kind}-`))
      for (let n = burstMin + chance.below(burstMore); n > 0; n -= 1) opens(chance.any(there))
      return kind
    },
    closes,
    flaps: () => {
      const last = [...alerts.values()].filter(({ isOpen }) => !isOpen).at(-1)
      if (last === undefined || open().some(({ plugin }) => plugin === last.plugin)) opens()
      else opens(last.server, last.plugin)
    },
    acknowledges: () => types(`ack #${numberOf((chance.any(open()) ?? opens()).id)}`),
    presses: () => {
      const alert = chance.any(open())
      const card = workspace.channels
        .flatMap(({ id: channel }) => workspace.messages(channel).map((message) => ({ channel, message })))
        .find(({ message }) => JSON.stringify(message).includes(`"alert:${alert?.id}:`))
      if (card === undefined) return
      const at = { channel: card.channel, ts: String(card.message.ts) }
      act(workspace.acts.click({ user: chance.of(people), ...at, actionId: 'acknowledge' }))
    },
    notes: () => types(`note #${numberOf((chance.any(open()) ?? opens()).id)} looked at it`),
    mutes: (server, until) => {
      mutes(server)
      types(`mute ${server} ${until} kills`)
    },
    unmutes: (server) => types(`unmute ${server}`),
    mutesAccount: (until) => {
      mutes(account)
      const user = chance.of(people)
      const stop = workspace.events.listen(({ event }) => {
        if (event.type !== 'view_opened' || event.user !== workspace.person(user).id) return
        stop()
        act(workspace.acts.submit({ user, viewId: event.viewId, values: {} }))
      })
      act(
        workspace.acts.command({
          user,
          channel: 'alerts',
          command: '/mon',
          text: `mute account ${until} kills`,
        }),
      )
    },
    unmutesAccount: () => types('unmute account'),
    mutesAlert: (until) => {
      const alert = chance.any(open()) ?? opens()
      mutedAlerts.add(alert.plugin)
      for (const one of open()) if (one.plugin === alert.plugin) one.mayBeHidden = true
      types(`mute #${numberOf(alert.id)} ${until} kills`)
      return alert.plugin
    },
    unmutesAlert: () => {
      const plugin = chance.any([...mutedAlerts])
      const alert = [...alerts.values()].filter((one) => one.plugin === plugin).at(-1)
      if (alert !== undefined) types(`unmute #${numberOf(alert.id)}`)
    },
    mutesOrUnmutes: () => {
      const live = [...muted].filter((subject) => subject !== account)
      if (chance.is(0.5) || live.length === 0) driver.mutes(server(), chance.of(['1m', '1h']))
      else driver.unmutes(chance.any(live) ?? server())
    },
    reuses: async () => {
      const rows = (await world.recall()).alerts
      const isPast = ({ id, isOpen }: TrueAlert) =>
        !isOpen && rows.get(id)?.state === 'closed' && !alerts.has(nextKey(id))
      const before = chance.any([...alerts.values()].filter(isPast))
      if (before === undefined) return
      // A second record that closes the first stays listed in pair form, and would close it again.
      const isItself = world.form === 'flip' && chance.is(0.5)
      const { id: _, ...next } = isItself ? opens(before.server, before.plugin) : opens()
      alerts.delete(String(next.number))
      const id = nextKey(before.id)
      const record = isItself ? before.record : next.record
      // One that has closed before the bot looks is not to be told from the one before.
      alerts.set(id, { ...next, id, record, mayBeHidden: true })
      const shown = { id: Number(numberOf(id)), ...record }
      faults.alias(next.number, { record: before.number, shown })
    },
    comesBack: (known) => {
      for (const alert of alerts.values()) if (!known.includes(alert.id)) alert.mayBeHidden = true
    },
    slackErrs: () =>
      driver.slackFails({
        method: chance.of(slackMethods),
        times: 1 + chance.below(3),
        effect: { kind: 'error', error: 'error_of_next_year' },
      }),
    channelRefuses: () => {
      isChannelRefusing = true
      for (const alert of open()) alert.mayBeElsewhere = true
      driver.slackFails({
        method: 'chat.postMessage',
        channel: workspace.channel(chance.any(Object.values(homes)) ?? homes.web).id,
        times: 1 + chance.below(3),
        effect: { kind: 'error', error: chance.of(refusals) },
      })
    },
    slackIsAway: () => {
      for (const method of ['auth.test', 'apps.connections.open'] as const) {
        const effect = chance.any(awayEffects) ?? { kind: 'reset' }
        driver.slackFails({ method, times: 1 + chance.below(3), effect })
      }
    },
    slackFails: (fault) => {
      lateUntilMs = Math.max(lateUntilMs, Date.now() + 10_000)
      act(workspace.acts.fault(fault))
    },
    apiFails: (fault) => service.orderFault(fault),
    clearFaults: async () => {
      await workspace.acts.clearFaults({})
      service.clearFaults()
      isChannelRefusing = false
      lateUntilMs = Math.min(lateUntilMs, Date.now() + lateMs + marginMs)
    },
    anything: () => (chance.any(timeline) ?? driver.opens)(),
  }

  const slackFaults: readonly FaultAsk['effect'][] = [
    { kind: 'commit_then_reset' },
    { kind: 'commit_then_status', status: 500 },
    { kind: 'commit_late', afterMs: lateMs },
    { kind: 'truncate' },
    { kind: 'delay', delayMs: lateMs },
    { kind: 'ratelimited', retryAfterSeconds: 1 },
    { kind: 'error', error: 'internal_error' },
  ]
  const apiFaults = [
    { status: 503 },
    { status: 503, applied: true },
    { reset: true, applied: true },
    { status: 429, retryAfterSeconds: 1 },
    { delayMs: lateMs },
    { cut: true },
  ]
  const slackMethods = [
    'chat.postMessage',
    'chat.postMessage',
    'chat.update',
    'conversations.history',
  ] as const
  const until = () => chance.of(['1m', '90s', '1h', 'until unmuted'])
  const server = () => chance.any(servers) ?? 'web-1'
  const closeOrOpen = () => (open().length < openMax ? driver.opens() : closes())
  const timeline: readonly (() => unknown)[] = [
    closeOrOpen,
    closeOrOpen,
    () => closes(),
    driver.flaps,
    () => (open().length < openMax ? driver.bursts() : closes()),
    driver.acknowledges,
    driver.presses,
    driver.notes,
    () => driver.mutes(server(), until()),
    () => driver.mutesAlert(until()),
    () => driver.unmutesAlert(),
    () => driver.unmutes([...muted].find((subject) => subject !== account) ?? server()),
    () =>
      driver.slackFails({
        method: chance.of(slackMethods),
        effect: chance.any(slackFaults) ?? { kind: 'reset' },
      }),
    () => driver.apiFails({ path: chance.of(['alerts', 'POST', 'servers']), ...chance.any(apiFaults) }),
  ]
  return driver
}
