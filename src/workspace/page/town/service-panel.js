/**
 * What the monitoring service sees: the account's switch, servers with roles and mutes, open alerts, markers.
 *
 * @import { Server, Shown, Town } from './shapes.js'
 */
import { html } from '../html.js'
import { exactClockOf, spanWords } from '../local-time.js'

/** More rows than that are counted, not shown. */
const serversMax = 60
const listedMax = 12
/** A server that has sent nothing for so long stands out. */
const lateAfterMs = 15_000

const natural = new Intl.Collator('en', { numeric: true })

/** Names as people count: web-2 before web-10.  @type {(a: { hostname: string }, b: { hostname: string }) => number} */
export const byName = (a, b) => natural.compare(a.hostname, b.hostname)

/** @type {(props: { town: Town | undefined, onServer: (name: string) => void }) => Shown} `onServer` is called with the server whose chart is wanted. */
export function ServicePanel({ town, onServer }) {
  return html`
    <section class="town-panel framed" aria-label="What the monitoring service sees">
      <div class="town-panel-head"><h3 class="town-title">What the monitoring service sees</h3></div>
      ${town && html`<${Seen} town=${town} onServer=${onServer} />`}
    </section>
  `
}

/** @type {(props: { town: Town, onServer: (name: string) => void }) => Shown} */
function Seen({ town, onServer }) {
  const { servers, open_alerts: alerts, markers } = town
  const isAccountOn = town.account.notifications
  const counts = Map.groupBy(alerts, ({ server }) => server)
  const chosen = chooseServers(servers, counts)
  return html`
    <p class="town-account ${isAccountOn ? 'town-good' : 'town-wrong'}">
      ${
        isAccountOn
          ? 'Notifications of the account are on.'
          : 'Notifications of the whole account are off: nobody is told of any alert.'
      }
    </p>
    <table class="town-servers">
      <caption class="unseen">Servers; a server’s name shows its chart</caption>
      <thead>
        <tr>
          ${['Server', 'Notifications', 'Last sample', 'Open alerts'].map(
            (text) => html`<th scope="col">${text}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${chosen.map(
          (server) => html`
            <${ServerRow}
              key=${server.hostname}
              server=${server}
              nowMs=${Date.parse(town.now)}
              isAccountOn=${isAccountOn}
              alerts=${counts.get(server.hostname)?.length ?? 0}
              onServer=${onServer}
            />
          `,
        )}
      </tbody>
    </table>
    <p class="fine">
      ${chosen.length < servers.length && `and ${servers.length - chosen.length} more servers`}
    </p>
    <h4 class="town-group fine">${alerts.length === 0 ? 'No open alerts' : `Open alerts (${alerts.length})`}</h4>
    <ul>
      ${newest(alerts).map(({ server, plugin, title, time, muted }) =>
        renderLine(
          `${plugin} on ${server}`,
          `${title} · since ${exactClockOf(Date.parse(time))}${muted ? ' · muted' : ''}`,
        ),
      )}
    </ul>
    <p class="fine">
      ${alerts.length > listedMax && `and ${alerts.length - listedMax} older ones`}
    </p>
    <h4 class="town-group fine">${markers.length === 0 ? 'No markers' : `Markers (${markers.length})`}</h4>
    <ul>
      ${newest(markers).map(({ notes, time }) => renderLine(notes, exactClockOf(Date.parse(time))))}
    </ul>
  `
}

/** @template Item @param {Item[]} items the last one is the newest @returns {Item[]} */
const newest = (items) => items.slice(-listedMax).reverse()

/** @type {(what: string, detail: string) => Shown} */
const renderLine = (what, detail) => html`
  <li class="town-list"><strong>${what}</strong><span class="fine">${detail}</span></li>
`

/** @type {(props: { server: Server, nowMs: number, isAccountOn: boolean, alerts: number, onServer: (name: string) => void }) => Shown} */
function ServerRow({ server, nowMs, isAccountOn, alerts, onServer }) {
  const { hostname, kind, roles, notifications, last_sample: sample } = server
  const group = server.no_data_notification_group
  const ageMs = sample === null ? 0 : nowMs - Date.parse(sample)
  return html`
    <tr>
      <th scope="row">
        <button type="button" class="town-server bare" onClick=${() => onServer(hostname)}>${hostname}</button>
        <span class="fine">${[kind === 'machine' ? 'this machine' : [], roles].flat().join(', ')}</span>
      </th>
      <td>
        <span class=${notifications && isAccountOn ? '' : 'town-wrong'}>
          ${!notifications ? 'muted' : isAccountOn ? 'on' : 'account off'}
        </span>
        <span class="fine">${group && `no data: ${group}`}</span>
      </td>
      <td class=${ageMs > lateAfterMs ? 'town-wrong' : ''}>
        ${sample === null ? 'never' : `${spanWords(ageMs)} ago`}
      </td>
      <td class=${alerts > 0 ? 'town-wrong' : ''}>${alerts}</td>
    </tr>
  `
}

/** This machine first; where there are too many, those with alerts or mutes before the others.  @type {(servers: Server[], alerts: ReadonlyMap<string, unknown>) => Server[]} */
function chooseServers(servers, alerts) {
  const isMachine = (/** @type {Server} */ { kind }) => Number(kind === 'machine')
  const isOfNote = (/** @type {Server} */ one) =>
    Number(isMachine(one) === 1 || !one.notifications || alerts.has(one.hostname))
  return servers
    .toSorted((a, b) => isOfNote(b) - isOfNote(a) || byName(a, b))
    .slice(0, serversMax)
    .sort((a, b) => isMachine(b) - isMachine(a) || byName(a, b))
}
