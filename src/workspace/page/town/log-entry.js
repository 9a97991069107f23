/**
 * One event of the workspace, as a row of the log: who spoke to whom, what about, and how it ended. Pure.
 *
 * @typedef {'api' | 'people' | 'events' | 'sockets' | 'faults'} LogKind
 * @typedef {{ seq: number, atMs: number, kind: LogKind, from: string, what: string, outcome: string, isWrong: boolean }} LogEntry
 * @typedef {{ user(id: string): string, channel(id: string): string }} Names the id itself where there is no name
 */
import { isFields } from './read-town.js'

/** @type {readonly { kind: LogKind, label: string }[]} */
export const logKinds = [
  { kind: 'api', label: 'Web API' },
  { kind: 'people', label: 'Interactions' },
  { kind: 'events', label: 'Events' },
  { kind: 'sockets', label: 'Sockets' },
  { kind: 'faults', label: 'Faults' },
]

const toSlack = 'monbot → Slack'
const toBot = 'Slack → monbot'
const town = 'town'

const socketWords = /** @type {const} */ ({
  socket_opened: 'a socket opened',
  socket_closed: 'a socket closed',
  socket_refused: 'a socket was refused',
})
const eventWords = /** @type {const} */ ({
  event_sent: 'sent',
  event_acked: 'acknowledged',
  event_missed: 'not acknowledged',
  event_lost: 'given up',
})
const faultWords = /** @type {const} */ ({
  fault_set: 'ordered',
  fault_used: 'used',
  fault_cleared: 'cleared',
})

/**
 * @param {unknown} row `{ seq, atMs, event }`
 * @param {Names} names
 * @returns {LogEntry | undefined} undefined for what belongs in no log
 */
export function readLogEntry(row, names) {
  if (!isFields(row) || !isFields(row.event)) return undefined
  const { event } = row
  const field = (/** @type {string} */ name) => String(event[name] ?? '')
  const at = { seq: Number(row.seq), atMs: Number(row.atMs) }
  const type = field('type')
  switch (type) {
    case 'api_call': {
      const id = field('channel')
      const name = names.channel(id)
      const channel = id === '' ? '' : ` in ${name === id ? id : `#${name}`}`
      const isWrong = field('outcome') !== 'ok'
      return {
        ...at,
        kind: 'api',
        from: toSlack,
        what: `${field('method')}${channel}`,
        outcome: field('outcome'),
        isWrong,
      }
    }
    case 'interaction':
      return {
        ...at,
        kind: 'people',
        from: toBot,
        what: `${field('kind')} by ${names.user(field('user'))}`,
        outcome: field('outcome'),
        isWrong: field('outcome') !== 'ok',
      }
    case 'event_sent':
    case 'event_acked':
    case 'event_missed':
    case 'event_lost': {
      const attempt = Number(event.attempt)
      const again = attempt > 0 ? `, attempt ${attempt + 1}` : ''
      const isWrong = type === 'event_missed' || type === 'event_lost'
      return {
        ...at,
        kind: 'events',
        from: toBot,
        what: `${field('event')}${again}`,
        outcome: eventWords[type],
        isWrong,
      }
    }
    case 'socket_opened':
    case 'socket_closed':
    case 'socket_refused':
      return {
        ...at,
        kind: 'sockets',
        from: toSlack,
        what: socketWords[type],
        outcome: `${field('open')} open`,
        isWrong: type === 'socket_refused',
      }
    case 'socket_told':
      return {
        ...at,
        kind: 'sockets',
        from: toBot,
        what: `told to go: ${field('reason')}`,
        outcome: `${field('open')} open`,
        isWrong: false,
      }
    case 'fault_set':
    case 'fault_used':
    case 'fault_cleared':
      return {
        ...at,
        kind: 'faults',
        from: town,
        what: field('fault'),
        outcome: faultWords[type],
        isWrong: false,
      }
    case 'token_revoked':
      return {
        ...at,
        kind: 'faults',
        from: town,
        what: `the ${field('which')} token`,
        outcome: 'revoked',
        isWrong: true,
      }
    default:
      return undefined
  }
}
