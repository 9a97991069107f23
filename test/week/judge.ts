/** What must be true all week long: looks at the memory beside the bot, and answers every breach in a sentence. */
import SQLite from 'better-sqlite3'
import type { CardRow, MuteRow } from '../../src/bot/store/open/schema.ts'
import type { WeekApi } from './api.ts'
import type { WeekSlack } from './slack.ts'

const minuteMs = 60_000
/** Outside of storms a card is behind for seconds; after one, Slack takes forty updates a minute. */
export const behindMaxMs = 20 * minuteMs
/** `openExpiry` looks every half minute. */
const overdueMaxMs = 2 * minuteMs
/** An end that the API could not be told is tried again every minute. */
const endingMaxMs = 5 * minuteMs
/** Two sweeps close by absence, and a list that left some out may do so a few times in a row. */
const strangerPollsMax = 6

export type Judge = {
  /** After a poll that read the API: the bot knows what is open, and nothing else, and each of it has its card. */
  afterPoll(): string[]
  /** Now and then, so that it is seen how long a card stays behind. */
  onBehind(nowMs: number): string[]
  /** Every hour: mutes, what can never be shown, and what Slack shows. `calmMs`: for how long the API has answered. */
  everyHour(nowMs: number, calmMs: number): string[]
  close(): void
}

export function openJudge(path: string, api: WeekApi, slack: WeekSlack): Judge {
  const db = new SQLite(path, { readonly: true })
  const all = <Row>(sql: string): Row[] => db.prepare<[], Row>(sql).all()
  const strangers = new Map<string, number>()
  const behind = new Map<string, { shown: number; sinceMs: number }>()

  function afterPoll(): string[] {
    // One that was left out of the list and is told anew has a key of its own, and the API's number.
    const known = new Set(db.prepare("select number from alerts where state = 'open'").pluck().all())
    const open = new Set(api.openIds())
    const odd = new Set([
      ...[...open].filter((id) => !known.has(id)),
      ...[...known].map(String).filter((id) => !open.has(id)),
    ])
    for (const id of strangers.keys()) if (!odd.has(id)) strangers.delete(id)
    for (const id of odd) strangers.set(id, (strangers.get(id) ?? 0) + 1)
    const unknown = [...strangers]
      .filter(([, polls]) => polls === strangerPollsMax)
      .map(([id]) => `STATE: the alert ${id} is ${open.has(id) ? 'open' : 'over'}, and the bot does not know`)
    return [...unknown, ...cards()]
  }

  function onBehind(nowMs: number): string[] {
    const rows = all<Pick<CardRow, 'card_id' | 'shown' | 'state' | 'why'>>(
      `select card_id, shown, state, why from cards
       where state in ('wanted', 'sending', 'unknown') or (state = 'shown' and shown < wanted)`,
    )
    const found: string[] = []
    const now = new Set(rows.map(({ card_id }) => card_id))
    for (const id of behind.keys()) if (!now.has(id)) behind.delete(id)
    for (const { card_id, shown, state, why } of rows) {
      const before = behind.get(card_id)
      if (before === undefined || before.shown !== shown) behind.set(card_id, { shown, sinceMs: nowMs })
      else if (nowMs - before.sinceMs > behindMaxMs) {
        const minutes = Math.round((nowMs - before.sinceMs) / minuteMs)
        found.push(`BEHIND: ${card_id} has been ${state} for ${minutes} min (${why})`)
      }
    }
    return found
  }

  function cards(): string[] {
    const rows = all<{ alert_id: string; cards: number; muted: number }>(
      `select alerts.alert_id, count(cards.card_id) as cards,
         exists (select 1 from mutes where mutes.subject = alerts.hostname and state <> 'ended') as muted
       from alerts
       left join card_alerts on card_alerts.alert_id = alerts.alert_id
       left join cards on cards.card_id = card_alerts.card_id and cards.kind in ('alert', 'summary', 'storm')
       where alerts.state = 'open' group by alerts.alert_id`,
    )
    return rows
      .filter((row) => row.cards > 1 || (row.cards === 0 && row.muted === 0))
      .map((row) => `CARDS: the open alert ${row.alert_id} stands on ${row.cards}`)
  }

  function dead(): string[] {
    const rows = all<{ card_id: string }>("select card_id from cards where state = 'dead'")
    return rows.map(({ card_id }) => `DEAD: ${card_id}`)
  }

  function shown(): string[] {
    const rows = all<{ card_id: string; open: number }>(
      `select cards.card_id, exists (
         select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
         where card_alerts.card_id = cards.card_id and alerts.state = 'open') as open
       from cards where kind = 'alert' and state = 'shown' and shown = wanted`,
    )
    return rows.flatMap(({ card_id, open }) => {
      const message = slack.messageOf(card_id)
      if (message === null) return [`LOST: ${card_id} is not in Slack`]
      const isRight = (message.state === 'open') === (open === 1)
      return isRight ? [] : [`WRONG: ${card_id} shows ${message.state}`]
    })
  }

  function mutes(nowMs: number, calmMs: number): string[] {
    const live = all<MuteRow>("select * from mutes where state <> 'ended'")
    const subjects = new Set(live.map(({ subject }) => subject))
    const isLate = ({ state, until_ms, terms_ms }: MuteRow) => {
      if (state === 'active') return until_ms !== null && until_ms < nowMs - overdueMaxMs
      return calmMs > endingMaxMs && (until_ms ?? terms_ms) < nowMs - endingMaxMs
    }
    return [
      ...live.filter(isLate).map(({ subject, state }) => `MUTE: that of ${subject} is ${state} past its end`),
      ...[...api.silenced]
        .filter((hostname) => !subjects.has(hostname))
        .map((hostname) => `MUTE: the notifications of ${hostname} were left off`),
    ]
  }

  return {
    afterPoll,
    onBehind,
    everyHour: (nowMs, calmMs) => {
      const found = [...dead(), ...shown(), ...mutes(nowMs, calmMs)]
      slack.keepOnly(new Set(db.prepare('select card_id from cards').pluck().all().map(String)))
      return found
    },
    close: () => db.close(),
  }
}
