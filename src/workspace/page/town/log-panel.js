/**
 * The log of what the bot and Slack said to each other: newest first, by kind.
 *
 * @import { Entry } from './log-entry.js'
 * @import { Shown } from './shapes.js'
 */
import { useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { logKinds } from './log-entry.js'
import { clockTime } from './town-time.js'

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
    <section class="town-panel" aria-label="What the bot and Slack said">
      <div class="town-panel-head">
        <h3 class="town-title">What the bot and Slack said</h3>
        <span class="town-small">${shown.length === all ? `${all} rows` : `${shown.length} of ${all} rows`}</span>
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
        html`<div class="town-log" role="log" aria-live="off" aria-label="What was said" tabindex="0">
          <ol reversed>${shown.map((entry) => html`<${Row} key=${entry.seq} entry=${entry} />`)}</ol>
          <p class="town-small">
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
      <li class="town-row">
        <time datetime=${new Date(atMs).toISOString()}>${clockTime(atMs)}</time>
        <span class="town-row-from">${from}</span>
        <span class="town-row-what">${what}</span>
        <span class="town-row-outcome ${isWrong ? 'town-wrong' : ''}">${isWrong ? `✗ ${outcome}` : outcome}</span>
      </li>
    `,
    [entry],
  )
}
