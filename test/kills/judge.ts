/** What must be true whenever the bot has come to rest, however often it was killed: each breach in a sentence. */
import type { Selectable } from 'kysely'
import { numberOf } from '../../src/bot/domain/alert/episode.ts'
import { linesOf } from '../../src/bot/domain/card/storm.ts'
import type { AlertRow, CardRow } from '../../src/bot/store/open/schema.ts'
import { toAlert } from '../../src/bot/store/records/rows.ts'
import { wordsOf as visibleWordsOf } from '../support/visible-words.ts'
import { account, type Driver, type TrueAlert } from './driver.ts'
import type { Memory } from './memory.ts'
import { homes, keyOf, type World, wordsOf } from './world.ts'

type Message = { readonly ts: string; readonly channel: string; readonly key: string; readonly text: string }
type Held = {
  readonly account: { readonly notifications: boolean }
  readonly servers: readonly { readonly hostname: string; readonly notifications: boolean }[]
}

/**
 * Grows with every card that turns green, or is posted so, while its alert is open at the API: what corrects itself a moment
 * later was a lie all the same. A number that several alerts had is left out: which of them a line is of, it does not say. Of
 * what is in words the line names its alert by the end of its number or, in a list, by its subject; in blocks by its link.
 */
export function watchGreens({ workspace }: World, { alerts }: Driver): readonly string[] {
  const greens: string[] = []
  workspace.events.listen(({ event }) => {
    if (event.type !== 'message_posted' && event.type !== 'message_updated') return
    for (const line of linesIn(event.message)) {
      const [alert, ...others] = line.includes('🟢') ? namedIn(line, [...alerts.values()]) : []
      if (alert === undefined || others.length > 0 || alerts.has(`${numberOf(alert.id)}~2`)) continue
      if (alert.isOpen) greens.push(`GREEN: #${alert.id} is open, and Slack was told: ${line}`)
    }
  })
  return greens
}

/** Of its text and of its blocks. */
function linesIn(message: object): string[] {
  const blocks = 'blocks' in message && Array.isArray(message.blocks) ? message.blocks : []
  return [wordsOf(message), visibleWordsOf(blocks)].flatMap((words) => words.split('\n'))
}

/** Several where a line does not say which. */
function namedIn(line: string, alerts: readonly TrueAlert[]): readonly TrueAlert[] {
  const linked = /\/a\/(\d+)\?/.exec(line)?.[1]
  if (linked !== undefined) return alerts.filter(({ id }) => numberOf(id) === linked)
  const ending = /#…(\d+)/.exec(line)?.[1]
  if (ending !== undefined) return alerts.filter(({ id }) => numberOf(id).endsWith(ending))
  return alerts.filter(({ server, plugin }) => new RegExp(`🟢 ${server} ${plugin}(?!\\d)`, 'u').test(line))
}

/** Empty where all is well. Whatever the bot is still about to do is a breach too: who waits, asks again. */
export async function breaches(world: World, driver: Driver): Promise<string[]> {
  const memory = await world.recall()
  const messages = messagesIn(world)
  return [
    ...copies(messages),
    ...undelivered(memory, messages),
    ...[...driver.alerts.values()].flatMap((alert) => ofAlert(alert, world, memory, messages)),
    ...ofMutes(memory, world.service.state() as Held, world.nowMs()),
    ...promises(world, driver, memory),
  ]
}

function messagesIn({ workspace }: World): Message[] {
  return workspace.channels.flatMap(({ id: channel }) =>
    workspace
      .messages(channel)
      .map((message) => ({ ts: String(message.ts), channel, key: keyOf(message), text: wordsOf(message) }))
      .filter(({ key }) => key !== ''),
  )
}

function copies(messages: readonly Message[]): string[] {
  const seen = new Map<string, number>()
  for (const { key, channel } of messages) {
    const place = `${key} in ${channel}`
    seen.set(place, (seen.get(place) ?? 0) + 1)
  }
  return [...seen].flatMap(([place, times]) =>
    times > 1 ? [`TWICE: ${place} stands there ${times} times`] : [],
  )
}

function undelivered({ cards }: Memory, messages: readonly Message[]): string[] {
  const known = new Set(cards.map(({ card_id }) => card_id))
  const strangers = messages
    .filter(({ key }) => !known.has(key))
    .map(({ key }) => `STRANGER: nobody knows ${key}`)
  const behind = cards
    .filter(({ kind }) => kind !== 'board')
    .flatMap((card) => {
      if (card.state !== 'shown' || card.shown < card.wanted) return [`BEHIND: ${wordsOfCard(card)}`]
      const isThere = messages.some(
        ({ ts, channel, key }) => ts === card.ts && channel === card.channel && key === card.card_id,
      )
      return isThere ? [] : [`LOST: ${wordsOfCard(card)} is not in Slack`]
    })
  return [...strangers, ...behind]
}

function wordsOfCard({ card_id, state, shown, wanted, why }: CardRow): string {
  return `${card_id} ${state} ${shown}/${wanted}${why === null ? '' : ` (${why})`}`
}

/** A poll may decide something at the same moment as a person. */
const commitMs = 1_000
const marks = { open: '🔴', closed: '🟢' } as const

function ofAlert(
  alert: TrueAlert,
  { workspace }: World,
  memory: Memory,
  messages: readonly Message[],
): string[] {
  const { id, server, isOpen, mayBeHidden, mayBeElsewhere, plugin } = alert
  const name = `#${id} ${plugin} on ${server}`
  const row = memory.alerts.get(id)
  if (row === undefined) return isOpen || !mayBeHidden ? [`MISSED: ${name} was never seen`] : []
  const state = isOpen ? 'open' : 'closed'
  if (row.state !== state) return [`STATE: ${name} is ${state}, and the bot believes ${row.state}`]
  const channel = workspace.channel(homes[server.split('-')[0] as keyof typeof homes]).id
  const listing = memory.cards.filter(({ kind }) => kind === 'alert' || kind === 'page')
  const on = listing.filter((card) =>
    memory.members.some(({ card_id, alert_id }) => card_id === card.card_id && alert_id === id),
  )
  // One whose server could not be read at first stands in the default channel as well.
  const nameless = workspace.channel(homes.web).id
  const here = on.length > 1 ? on.filter((one) => one.channel !== nameless || channel === nameless) : on
  if (here.length > 1 || on.length > 2) {
    return [`TWICE: ${name} stands on ${on.map(({ card_id }) => card_id).join(' and ')}`]
  }
  const [card] = here
  if (card === undefined) {
    const hiding = [server, account, row.trouble]
    const isHidden = isOpen && memory.mutes.some(({ subject }) => hiding.includes(subject))
    return isHidden || (!isOpen && mayBeHidden) ? [] : [`NO CARD: ${name} (${state}) stands on none`]
  }
  // One that had closed, or was muted, before its server could be read stays where it was told.
  const mayStay = !isOpen || mayBeHidden || mayBeElsewhere
  if (card.channel !== channel && !(mayStay && card.channel === nameless))
    return [`PLACE: ${name} stands in ${card.channel}`]
  const counted = memory.members.some(
    ({ card_id, alert_id }) => card_id === card.parent_id && alert_id === id,
  )
  const own = memory.mutes.find(({ subject, state: of }) => of === 'active' && subject === row.trouble)
  const sinceMs = (own?.started_ms ?? Number.POSITIVE_INFINITY) + commitMs
  // What has no name at first is no trouble that is muted yet.
  if (isOpen && row.first_seen_ms > sinceMs && card.channel !== nameless)
    return [`SHOWN: ${name} is muted, and stands on ${card.card_id}`]
  if (card.kind === 'page' && !counted) {
    return [`NOT COUNTED: ${name} stands on ${card.card_id}, and not on ${card.parent_id}`]
  }
  const text = messages.find(({ key }) => key === card.card_id)?.text ?? ''
  if (!shownOn(card, memory).includes(id)) return []
  const words = `${marks[state]} ${server} ${plugin}`
  const says =
    card.kind === 'alert' ? text.startsWith(words) && isCalled(text, row, memory) : text.includes(words)
  if (!says) return [`WORDS: the card of ${name} (${state}) says ${text}`]
  const isAcked = card.kind === 'alert' && isOpen && row.acked_by !== null
  if (isAcked && !text.includes(`👀 <@${row.acked_by}>`))
    return [`WORDS: ${name} is acknowledged; its card says ${text}`]
  return []
}

/** By the end of its number, which is no other alert's. */
function isCalled(text: string, { number, ending }: Selectable<AlertRow>, { alerts }: Memory): boolean {
  if (ending === null || !number.endsWith(ending)) return false
  const same = [...alerts.values()].filter((one) => one.ending === ending && one.number !== number)
  return same.length === 0 && new RegExp(`#…${ending}(?!\\d)`, 'u').test(text)
}

/** The alerts that a card names: of flaps that are folded into one card, or one line of a page, the last. */
function shownOn({ card_id, kind }: CardRow, { members, alerts }: Memory): string[] {
  const ids = members.filter((member) => member.card_id === card_id).map(({ alert_id }) => alert_id)
  if (kind === 'alert') return ids.slice(-1)
  const rows = ids.flatMap((id) => alerts.get(id) ?? [])
  return linesOf(rows.map(toAlert)).map(({ alert }) => alert.alertId)
}

function ofMutes({ mutes, switches }: Memory, { account: whole, servers }: Held, nowMs: number): string[] {
  // The plain API is told of servers and the account alone.
  const isTold = ({ alert, state }: (typeof mutes)[number]) => alert === null && state === 'active'
  const live = new Set(mutes.filter(isTold).map(({ subject }) => subject))
  const off = new Set(servers.flatMap(({ hostname, notifications }) => (notifications ? [] : [hostname])))
  if (!whole.notifications) off.add(account)
  // How these should be is said again at a time that is on disk.
  const unsure = new Set(switches.map(({ subject }) => subject))
  const nameOf = (subject: string) => (subject === account ? 'the account' : subject)
  return [
    ...[...off]
      .filter((one) => !live.has(one) && !unsure.has(one))
      .map((one) => `MUTE LEFT BEHIND: ${nameOf(one)} is off at the API, and no mute is live`),
    ...[...live]
      .filter((one) => !off.has(one) && !unsure.has(one))
      .map((one) => `NOT MUTED: ${nameOf(one)} has a live mute, and is on at the API`),
    ...mutes
      .filter(({ confirmation }) => confirmation !== 'confirmed')
      .map(
        ({ subject, state }) =>
          `UNSETTLED: the API has not confirmed the ${state} mute of ${nameOf(subject)}`,
      ),
    ...switches
      .filter((row) => row.said_revision < row.revision || row.asked_ms !== null)
      .map(
        ({ subject, wanted }) =>
          `UNSETTLED: the API is still to be told that ${nameOf(subject)} is ${wanted}`,
      ),
    ...switches
      .filter((row) => row.said_revision >= row.revision && row.not_before_ms < nowMs)
      .map(({ subject }) => `NOT SAID AGAIN: what ${nameOf(subject)} should be`),
    ...mutes
      .filter(({ state, until_ms }) => state === 'active' && until_ms !== null && until_ms < nowMs)
      .map(({ subject }) => `OVERDUE: the mute of ${nameOf(subject)} should have ended`),
  ]
}

/** What somebody was told is done, is done: each such answer has its row, and an acknowledgement is still there. */
function promises({ workspace }: World, { alerts }: Driver, { done, alerts: rows }: Memory): string[] {
  return ['ana', 'ben', 'cleo'].flatMap((name) => {
    const userId = workspace.person(name).id
    const told = workspace.ephemerals(name).map(wordsOf)
    const acked = [...alerts.values()].filter(({ plugin, server }) =>
      told.some((text) => text.startsWith(`👀 You acknowledged ${plugin} on ${server}`)),
    )
    const lost = acked
      .filter(({ id, plugin, server }) => {
        const same = [...alerts.values()].filter((one) => one.plugin === plugin && one.server === server)
        return !same.some((one) => rows.get(one.id)?.acked_by === userId) && rows.get(id)?.acked_by !== userId
      })
      .map(({ id }) => `FORGOTTEN: ${name} was told that #${id} is acknowledged`)
    const counted: readonly (readonly [RegExp, string])[] = [
      // What is muted in Slack alone the API may still refuse, and then it is not done.
      [/^🔕 \S+ is muted (?!in Slack)/, 'mute_server'],
      [/^🔕 The whole account is muted (?!in Slack)/, 'mute_account'],
      [/^🔕 Plugin \d+.* is muted /, 'mute_alert'],
      [/^📝/, 'add_note'],
    ]
    const short = counted.flatMap(([words, act]) => {
      const answers = told.filter((text) => words.test(text)).length
      const rowsOf = done.filter((row) => row.act === act && row.user_id === userId).length
      return answers > rowsOf
        ? [`FORGOTTEN: ${name} was told ${act} ${answers} times; ${rowsOf} are in the audit`]
        : []
    })
    return [...lost, ...short]
  })
}
