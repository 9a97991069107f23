/** A press on a card that had changed: what changed, who changed it, and how much earlier; nothing was done. */
import { numberOf } from '../../../domain/alert/episode.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import { typedName } from '../../../domain/command/words.ts'
import type { Changed } from '../../../domain/request/reply.ts'
import { command } from '../../vocabulary.ts'
import {
  code,
  endWords,
  namesOf,
  person,
  reasonWords,
  serverName,
  serverOf,
  subjectWords,
  type When,
} from '../text/phrases.ts'

const namesShown = 5
const nothing = 'Nothing changed.'

export function staleLines(changed: Changed, nowMs: number, when: When): string[] {
  switch (changed.what) {
    case 'closed': {
      const { alert } = changed
      const subject = subjectWords(alert.plugin, serverOf(alert))
      if (alert.state === 'unreported') return [`⚪ ${subject} is no longer reported as open. ${nothing}`]
      const about = alert.closedBy === 'absence' ? 'about ' : ''
      return [
        `🟢 ${subject} ${alert.closedMs === null ? 'has already closed' : `closed ${about}${since(alert.closedMs, nowMs)}`}. ${nothing}`,
      ]
    }
    case 'all_closed': {
      const { count, closedMs } = changed
      if (closedMs === null) return [`⚪ No alert on this card is listed as open any more. ${nothing}`]
      const which = count === 1 ? 'The alert' : `All ${count} alerts`
      return [`🟢 ${which} on this card closed ${since(closedMs, nowMs)}. ${nothing}`]
    }
    case 'acknowledged': {
      const { alert } = changed
      const subject = subjectWords(alert.plugin, serverOf(alert))
      const who = person(alert.ackedBy)
      const words =
        alert.ackedMs === null
          ? `${who} has already acknowledged ${subject}`
          : `${who} acknowledged ${subject} ${since(alert.ackedMs, nowMs)}`
      return [
        `👀 ${words}. ${nothing}`,
        `${code(`${command} take #${numberOf(alert.alertId)}`)} makes it yours.`,
      ]
    }
    case 'unacknowledged': {
      const { alert } = changed
      return [`👀 Nobody has acknowledged ${subjectWords(alert.plugin, serverOf(alert))}. ${nothing}`]
    }
    case 'muted': {
      const { mute } = changed
      const what = serverName(mute.hostname)
      return [
        `🔕 ${what} is already muted by ${person(mute.userId)} ${endWords(mute, when)}${reasonWords(mute.reason)}`,
        `${nothing} ${code(`${command} unmute ${mute.hostname === null ? 'account' : typedName(mute.hostname)}`)} ends it.`,
      ]
    }
    case 'unmuted': {
      const { server, by } = changed
      const what = serverName(server)
      if (by === null) return [`🔔 ${what} is unmuted. ${nothing}`]
      const who = by.userId === null ? `The mute of ${what} ended` : `${person(by.userId)} unmuted ${what}`
      return [`🔔 ${who} ${since(by.atMs, nowMs)}. ${nothing}`]
    }
    case 'extended': {
      const { mute, by } = changed
      const what = serverName(mute.hostname)
      const who = by === null ? 'Somebody' : person(by.userId)
      const before = by === null ? '' : ` ${since(by.atMs, nowMs)}`
      return [`🔕 ${who} changed the mute of ${what}${before}: it goes on ${endWords(mute, when)}.`, nothing]
    }
    case 'deleted': {
      const { names, by } = changed
      const what = namesOf(names, namesShown)
      return [`🗑️ ${person(by.userId)} deleted ${what} ${since(by.atMs, nowMs)}. ${nothing}`]
    }
  }
}

function since(ms: number, nowMs: number): string {
  return `${formatDuration(nowMs - ms)} earlier`
}
