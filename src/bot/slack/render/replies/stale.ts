/** Renders the answer to a click on a card that had changed: what changed, who changed it, and when. Nothing was done. */
import type { Button, KnownBlock } from '@slack/types'
import { numberOf } from '../../../domain/alert/episode.ts'
import { formatRoughly, minuteMs } from '../../../domain/base/duration.ts'
import { typedName } from '../../../domain/command/words.ts'
import type { StaleReason } from '../../../domain/request/reply.ts'
import { unmuteButtons } from '../text/list-lines.ts'
import { actionsBlock, commandButton } from '../text/message-parts.ts'
import {
  endWords,
  mutedThing,
  namesOf,
  person,
  reasonWords,
  serverName,
  serverOf,
  subjectWords,
  type When,
} from '../text/phrases.ts'

const namesShown = 5

export function staleLines(changed: StaleReason, nowMs: number, when: When): string[] {
  switch (changed.what) {
    case 'closed': {
      const { alert } = changed
      const subject = subjectWords(alert.plugin, serverOf(alert))
      if (alert.state === 'unreported') return [`⚪ ${subject} is no longer reported as open.`]
      if (alert.closedMs === null) return [`🟢 ${subject} has already closed.`]
      const isVague = alert.closedBy === 'absence' || alert.closedAfterMs !== null
      return [`🟢 ${subject} ${ago('closed', alert.closedMs, nowMs, isVague)}.`]
    }
    case 'all_closed': {
      const { count, closedMs } = changed
      if (closedMs === null) return [`⚪ No alert on this card is listed as open any more.`]
      const which = count === 1 ? 'The alert' : `All ${count} alerts`
      return [`🟢 ${which} on this card ${ago('closed', closedMs, nowMs)}.`]
    }
    case 'acknowledged': {
      const { alert } = changed
      const who = person(alert.ackedBy)
      if (alert.ackedMs === null) return [`👀 ${who} has this.`]
      return [`👀 ${who} ${ago('acknowledged', alert.ackedMs, nowMs, false, ' this')}.`]
    }
    case 'unacknowledged': {
      const { alert } = changed
      return [`👀 ${subjectWords(alert.plugin, serverOf(alert))} is unacknowledged.`]
    }
    case 'muted': {
      const { mute } = changed
      const what = mutedThing(mute)
      return [
        `🔕 ${what} is already muted by ${person(mute.userId)} ${endWords(mute, when)}${reasonWords(mute.reason)}`,
      ]
    }
    case 'unmuted': {
      const { server, by } = changed
      const what = serverName(server)
      if (by === null) return [`🔔 ${what} is unmuted.`]
      return by.userId === null
        ? [`🔔 The mute of ${what} ${ago('ended', by.atMs, nowMs)}.`]
        : [`🔔 ${person(by.userId)} ${ago('unmuted', by.atMs, nowMs, false, ` ${what}`)}.`]
    }
    case 'extended': {
      const { mute, by } = changed
      const what = mutedThing(mute)
      const who = by === null ? 'Somebody' : person(by.userId)
      const mutes = ` the mute of ${what}`
      const did = by === null ? `changed${mutes}` : ago('changed', by.atMs, nowMs, false, mutes)
      return [`🔕 ${who} ${did}: it goes on ${endWords(mute, when)}.`]
    }
    case 'silence_over': {
      const { by } = changed
      if (by === null) return ['🔔 That silence is over. What it hid is shown in a few minutes.']
      return [`🔔 ${person(by.userId)} ${ago('ended', by.atMs, nowMs, false, ' that silence')}.`]
    }
    case 'deleted': {
      const { names, by } = changed
      const what = namesOf(names, namesShown)
      return [`🗑️ ${person(by.userId)} ${ago('deleted', by.atMs, nowMs, false, ` ${what}`)}.`]
    }
  }
}

/** How long ago: `just closed`, `closed 5 min ago`. `what` follows the verb. */
function ago(verb: string, ms: number, nowMs: number, isAbout = false, what = ''): string {
  const passedMs = nowMs - ms
  if (passedMs < minuteMs) return `just ${verb}${what}`
  return `${verb}${what} ${isAbout ? 'about ' : ''}${formatRoughly(passedMs)} ago`
}

/** Buttons for what can be done now, so that nobody has to look for the card again. */
export function staleButtons(changed: StaleReason): KnownBlock[] {
  const press = pressesOf(changed)
  return press.length === 0 ? [] : [actionsBlock(press)]
}

function pressesOf(changed: StaleReason): Button[] {
  if (changed.what === 'muted') return unmuteButtons(changed.mute)
  if (changed.what !== 'acknowledged') return []
  const { alert } = changed
  const says = `Take over ${alert.plugin} on ${serverOf(alert)}`
  const value = `take ${typedName(`#${numberOf(alert.alertId)}`)}`
  return commandButton(value, { id: 'take', label: 'Take over', says })
}
