/** A press on a card that had changed: what changed, who changed it, and how long before; nothing was done. */
import { numberOf } from '../../../domain/alert/episode.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { Changed } from '../../../domain/request/reply.ts'
import { command } from '../../vocabulary.ts'
import {
  code,
  endWords,
  listed,
  name,
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
      const before = alert.closedMs === null ? 'before your click' : `${about}${since(alert.closedMs, nowMs)}`
      return [`🟢 ${subject} closed ${before}. ${nothing}`]
    }
    case 'all_closed': {
      const { count, closedMs } = changed
      if (closedMs === null) return [`⚪ Nothing on this card is listed as open any more. ${nothing}`]
      const which = count === 1 ? 'The alert' : `All ${count} alerts`
      return [`🟢 ${which} of this card had closed ${since(closedMs, nowMs)}. ${nothing}`]
    }
    case 'acknowledged': {
      const { alert } = changed
      const subject = subjectWords(alert.plugin, serverOf(alert))
      const before = alert.ackedMs === null ? 'before your click' : since(alert.ackedMs, nowMs)
      return [
        `👀 ${person(alert.ackedBy)} acknowledged ${subject} ${before}. ${nothing}`,
        `${code(`${command} take #${numberOf(alert.alertId)}`)} makes it yours, as does *Take over* on its card.`,
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
        `${nothing} The card shows it now; to change it, mute or unmute from there.`,
      ]
    }
    case 'unmuted': {
      const { server, by } = changed
      const what = serverName(server)
      if (by === null) return [`🔔 ${what} is not muted any more. ${nothing}`]
      const who = by.userId === null ? `The mute of ${what} ended` : `${person(by.userId)} unmuted ${what}`
      return [`🔔 ${who} ${since(by.atMs, nowMs)}. ${nothing}`]
    }
    case 'extended': {
      const { mute, by } = changed
      const what = serverName(mute.hostname)
      const before = by === null ? 'before your click' : since(by.atMs, nowMs)
      const who = by === null ? 'Somebody' : person(by.userId)
      return [`🔕 ${who} changed the mute of ${what} ${before}: it goes on ${endWords(mute, when)}.`, nothing]
    }
    case 'deleted': {
      const { names, by } = changed
      const what = listed(names.map(name), namesShown)
      return [`🗑️ ${person(by.userId)} deleted ${what} ${since(by.atMs, nowMs)}. ${nothing}`]
    }
  }
}

function since(ms: number, nowMs: number): string {
  return `${formatDuration(nowMs - ms)} before your click`
}
