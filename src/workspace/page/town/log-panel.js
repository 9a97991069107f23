/**
 * The log of what the bot and Slack said to each other, newest first, by kind: a row says who spoke to whom, what about, and
 * how it ended.
 *
 * @import { Shown } from './shapes.js'
 * @typedef {'api' | 'people' | 'events' | 'sockets' | 'faults'} LogKind
 * @typedef {{ seq: number, atMs: number, kind: LogKind, from: string, what: string, outcome: string, isWrong: boolean }} Entry
 * @typedef {{ user(id: string): string, channel(id: string): string }} Names the id itself where there is no name
 * @typedef {Omit<Entry, 'seq' | 'atMs' | 'isWrong'> & { isWrong?: boolean }} Told
 */
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { exactClockOf } from '../local-time.js'

/** @type {Readonly<Record<LogKind, string>>} */
const logKinds = {
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

const onlyWrong = 'wrong'
const filters = Object.entries({ ...logKinds, [onlyWrong]: 'Only failures' })

/** @type {(props: { entries: Entry[], trouble: string }) => Shown} */
export function LogPanel({ entries, trouble }) {
  const [on, setOn] = useState(() => Object.keys(logKinds))
  const shown = entries.filter(
    ({ kind, isWrong }) => on.includes(kind) && (isWrong || !on.includes(onlyWrong)),
  )
  const all = entries.length
  return html`
    <section class="town-panel framed" aria-label="What the bot and Slack said">
      <div class="town-panel-head">
        <h3 class="town-title">What the bot and Slack said</h3>
        <span class="fine">${shown.length === all ? `${all} rows` : `${shown.length} of ${all} rows`}</span>
      </div>
      <div class="town-filters" role="group" aria-label="Shown rows">
        ${filters.map(
          ([name, label]) => html`
            <button
              type="button"
              class="bk-button"
              aria-pressed=${on.includes(name)}
              onClick=${() => setOn(on.includes(name) ? on.filter((one) => one !== name) : [...on, name])}
            >
              ${label}
            </button>
          `,
        )}
      </div>
      <p class="town-wrong" role="alert">${trouble}</p>
      ${
        // A reader of screens would never come to rest if each row were read out.
        html`<div class="town-log framed" role="log" aria-live="off" aria-label="What was said" tabindex="0">
          <ol reversed>${shown.map((entry) => html`<${Row} key=${entry.seq} entry=${entry} />`)}</ol>
          <p class="fine">
            ${shown.length === 0 && (all === 0 ? 'Nothing has been said yet.' : 'No row passes the filter.')}
          </p>
        </div>`
      }
    </section>
  `
}

/** @type {(props: { entry: Entry }) => Shown} */
function Row({ entry }) {
  const { atMs, from, what, outcome, isWrong } = entry
  return useMemo(
    () => html`
      <li class="town-row fine">
        <time datetime=${new Date(atMs).toISOString()}>${exactClockOf(atMs)}</time>
        <span class="town-row-from">${from}</span>
        <span class="town-row-what">${what}</span>
        <span class="town-row-outcome ${isWrong ? 'town-wrong' : ''}">${isWrong ? `✗ ${outcome}` : outcome}</span>
      </li>
    `,
    [entry],
  )
}
