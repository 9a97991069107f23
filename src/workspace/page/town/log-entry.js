/**
 * One event of the workspace, as a row of the log: who spoke to whom, what about, and how it ended. Pure.
 *
 * @typedef {'api' | 'people' | 'events' | 'sockets' | 'faults'} LogKind
 * @typedef {{ seq: number, atMs: number, kind: LogKind, from: string, what: string, outcome: string, isWrong: boolean }} Entry
 * @typedef {{ user(id: string): string, channel(id: string): string }} Names the id itself where there is no name
 * @typedef {Omit<Entry, 'seq' | 'atMs' | 'isWrong'> & { isWrong?: boolean }} Told
 */

/** @type {Readonly<Record<LogKind, string>>} */
export const logKinds = {
  api: 'Web API',
  people: 'Interactions',
  events: 'Events',
  sockets: 'Sockets',
  faults: 'Faults',
}

const toSlack = 'monbot → Slack'
const toBot = 'Slack → monbot'
const controls = 'demo controls'

/** @type {(outcome: string, isWrong?: boolean) => (event: Record<string, any>) => Told} */
const sent = (outcome, isWrong) => (event) => ({
  kind: 'events',
  from: toBot,
  what: event.attempt > 0 ? `${event.event}, attempt ${event.attempt + 1}` : event.event,
  outcome,
  ...(isWrong && { isWrong }),
})

/** @type {(what: string, isWrong?: boolean) => (event: Record<string, any>) => Told} */
const socket = (what, isWrong) => (event) => ({
  kind: 'sockets',
  from: toSlack,
  what,
  outcome: `${event.open} open`,
  ...(isWrong && { isWrong }),
})

/** @type {(outcome: string) => (event: Record<string, any>) => Told} */
const fault = (outcome) => (event) => ({ kind: 'faults', from: controls, what: event.fault, outcome })

/** @type {ReadonlyMap<string, (event: Record<string, any>, names: Names) => Told>} */
const readers = new Map(
  Object.entries({
    api_call({ method, channel, outcome }, names) {
      const name = channel === undefined ? '' : names.channel(channel)
      const place = channel === undefined ? '' : ` in ${name === channel ? name : `#${name}`}`
      return { kind: 'api', from: toSlack, what: method + place, outcome, isWrong: outcome !== 'ok' }
    },
    interaction: ({ kind, user, outcome }, names) => ({
      kind: 'people',
      from: toBot,
      what: `${kind} by ${names.user(user)}`,
      outcome,
      isWrong: outcome !== 'ok',
    }),
    event_sent: sent('sent'),
    event_acked: sent('acknowledged'),
    event_missed: sent('not acknowledged', true),
    event_lost: sent('given up', true),
    socket_opened: socket('a socket opened'),
    socket_closed: socket('a socket closed'),
    socket_refused: socket('a socket was refused', true),
    socket_told: (event) => ({ ...socket(`told to go: ${event.reason}`)(event), from: toBot }),
    fault_set: fault('ordered'),
    fault_used: fault('used'),
    fault_cleared: fault('cleared'),
    token_revoked: ({ which }) => ({
      kind: 'faults',
      from: controls,
      what: `the ${which} token`,
      outcome: 'revoked',
      isWrong: true,
    }),
  }),
)

/** Undefined for what belongs in no log.  @type {(row: { seq: number, atMs: number, event: Record<string, any> }, names: Names) => Entry | undefined} */
export function readLogEntry({ seq, atMs, event }, names) {
  const told = readers.get(event.type)?.(event, names)
  return told && { seq, atMs, isWrong: false, ...told }
}
