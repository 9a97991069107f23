/** What the monitoring service sees: the account's switch, servers with roles and mutes, open alerts, markers. */
import { build } from '../blocks/build-node.js'
import { keepRows, writeText } from './keyed-rows.js'
import { clockTime, spanWords } from './town-time.js'

/** @typedef {import('./read-town.js').Town} Town @typedef {import('./read-town.js').Server} Server */

/** More rows than that are counted, not shown. */
const serversMax = 60
const alertsMax = 12
const markersMax = 12

/**
 * @param {{ onServer(name: string): void }} parts `onServer` is called with the server whose chart is wanted
 * @returns {{ element: HTMLElement, show(town: Town): void }}
 */
export function createServicePanel({ onServer }) {
  const account = build('p', { class: 'town-account' })
  const body = build('tbody')
  const moreServers = build('p', { class: 'town-more' })
  const alerts = build('ul', { class: 'town-list' })
  const alertsTitle = build('h4', { class: 'town-group' })
  const moreAlerts = build('p', { class: 'town-more' })
  const markers = build('ul', { class: 'town-list' })
  const markersTitle = build('h4', { class: 'town-group' })
  const heads = ['Server', 'Notifications', 'Last sample', 'Open alerts']
  const head = build('tr', {}, ...heads.map((text) => build('th', { scope: 'col' }, text)))

  const keepServers = keepRows(body, { key: ({ server }) => server.name, create: () => createRow(onServer) })
  const keepAlerts = keepRows(alerts, { key: ({ key }) => key, create: createLine })
  const keepMarkers = keepRows(markers, { key: ({ key }) => key, create: createLine })

  return {
    element: build(
      'section',
      { class: 'town-panel', 'aria-label': 'What the monitoring service sees' },
      build('h3', { class: 'town-title' }, 'What the monitoring service sees'),
      account,
      build(
        'table',
        { class: 'town-servers' },
        build('caption', { class: 'town-unseen' }, 'Servers; a server’s name shows its chart'),
        build('thead', {}, head),
        body,
      ),
      moreServers,
      alertsTitle,
      alerts,
      moreAlerts,
      markersTitle,
      markers,
    ),
    show(town) {
      const { isAccountOn, nowMs } = town
      account.classList.toggle('town-off', !isAccountOn)
      writeText(
        account,
        isAccountOn
          ? 'Notifications of the account are on.'
          : 'Notifications of the whole account are off: nobody is told of any alert.',
      )
      const counts = Map.groupBy(town.alerts, ({ server }) => server)
      const servers = chooseServers(town.servers, counts)
      keepServers(
        servers.map((server) => ({
          server,
          nowMs,
          isAccountOn,
          alerts: counts.get(server.name)?.length ?? 0,
        })),
      )
      const hidden = town.servers.length - servers.length
      writeText(moreServers, hidden === 0 ? '' : `and ${hidden} more servers`)

      writeText(
        alertsTitle,
        town.alerts.length === 0 ? 'No open alerts' : `Open alerts (${town.alerts.length})`,
      )
      const newest = town.alerts.toReversed().slice(0, alertsMax)
      keepAlerts(
        newest.map(({ server, plugin, title, atMs, isMuted }) => ({
          key: JSON.stringify([server, plugin, title, atMs]),
          what: `${plugin} on ${server}`,
          detail: `${title} · since ${clockTime(atMs)}${isMuted ? ' · muted' : ''}`,
        })),
      )
      const older = town.alerts.length - newest.length
      writeText(moreAlerts, older === 0 ? '' : `and ${older} older ones`)

      writeText(markersTitle, town.markers.length === 0 ? 'No markers' : `Markers (${town.markers.length})`)
      keepMarkers(
        town.markers
          .slice(-markersMax)
          .toReversed()
          .map(({ notes, atMs }) => ({
            key: JSON.stringify([notes, atMs]),
            what: notes,
            detail: clockTime(atMs),
          })),
      )
    },
  }
}

const natural = new Intl.Collator('en', { numeric: true })

/** This machine first; where there are too many, those with alerts or mutes before the others. */
function chooseServers(/** @type {Server[]} */ servers, /** @type {Map<string, unknown>} */ alerts) {
  const isOfNote = (/** @type {Server} */ one) => one.isThisMachine || one.isMuted || alerts.has(one.name)
  const chosen = [...servers]
    .sort((a, b) => Number(isOfNote(b)) - Number(isOfNote(a)) || natural.compare(a.name, b.name))
    .slice(0, serversMax)
  return chosen.sort(
    (a, b) => Number(b.isThisMachine) - Number(a.isThisMachine) || natural.compare(a.name, b.name),
  )
}

/** @param {(name: string) => void} onServer */
function createRow(onServer) {
  let name = ''
  const button = build('button', { type: 'button', class: 'town-server' })
  button.addEventListener('click', () => onServer(name))
  const roles = build('span', { class: 'town-roles' })
  const switched = build('span', { class: 'town-switch' })
  const group = build('span', { class: 'town-roles' })
  const sample = build('td')
  const alerts = build('td', { class: 'town-count' })
  const element = build(
    'tr',
    {},
    build('th', { scope: 'row' }, button, roles),
    build('td', {}, switched, group),
    sample,
    alerts,
  )
  return {
    element,
    /** @param {{ server: Server, nowMs: number, isAccountOn: boolean, alerts: number }} now */
    show({ server, nowMs, isAccountOn, alerts: count }) {
      name = server.name
      writeText(button, server.name)
      writeText(roles, [...(server.isThisMachine ? ['this machine'] : []), ...server.roles].join(', '))
      writeText(switched, server.isMuted ? 'muted' : isAccountOn ? 'on' : 'account off')
      switched.classList.toggle('town-off', server.isMuted || !isAccountOn)
      writeText(group, server.noDataGroup === '' ? '' : `no data: ${server.noDataGroup}`)
      const { lastSampleMs } = server
      writeText(sample, lastSampleMs === null ? 'never' : `${spanWords(nowMs - lastSampleMs)} ago`)
      sample.classList.toggle('town-late', lastSampleMs !== null && nowMs - lastSampleMs > 15_000)
      writeText(alerts, String(count))
      alerts.classList.toggle('town-some', count > 0)
    },
  }
}

function createLine() {
  const what = build('span', { class: 'town-what' })
  const detail = build('span', { class: 'town-detail' })
  return {
    element: build('li', {}, what, detail),
    /** @param {{ key: string, what: string, detail: string }} now */
    show(now) {
      writeText(what, now.what)
      writeText(detail, now.detail)
    },
  }
}
