/** The words for changes at the monitoring service besides mutes. */
import type { ServiceChange, ServiceDone } from '../../../domain/request/service-actions.ts'
import { escaped } from '../../mrkdwn.ts'
import { code, counted, listed, name, serverName } from '../text/phrases.ts'
import { doubts, type WordsOf } from './action-words.ts'
import { own } from './entry-parts.ts'

const namesShown = 8
const rolesOnCard = 3
const markerCharsMax = 200

export const serviceWords: WordsOf<ServiceChange> = {
  add_roles: {
    may: 'add roles',
    attempt: 'add the roles',
    doubt: doubts.again,
    told: ({ who, what, roles, detail }) =>
      `🏷️ ${who} added ${what} to the role${detail.roles?.length === 1 ? '' : 's'} ${roles}`,
    wanted: ({ server, roles }) => `add ${server} to ${roles}`,
    timeline: ({ detail: { roles = [] } }) =>
      `role${roles.length === 1 ? '' : 's'} ${listed(roles.map(name), rolesOnCard)} added`,
    done: rolesAdded,
  },
  add_marker: {
    may: 'drop markers',
    attempt: 'drop the marker',
    doubt: 'monbot does not repeat it, or there might be two: look at a chart before you do.',
    told: ({ who, detail }) => `📍 ${who} dropped a marker: ${own(detail.text)}`,
    wanted: () => 'drop a marker',
    timeline: () => 'marker dropped',
    done: ({ text }) => [`📍 Marker dropped: ${escaped(text, markerCharsMax)}`],
  },
  set_no_data: {
    may: 'set no-data groups',
    attempt: 'set the no-data group',
    doubt: doubts.again,
    told: ({ who, what, detail }) =>
      `📨 ${who} changed who is notified if ${what} sends no data: ${own(detail.group)}`,
    wanted: ({ server }) => `set the no-data group of ${server}`,
    timeline: () => 'no-data group set',
    done: ({ server, group }) => [
      `📨 If ${serverName(server)} sends no data, ${code(group)} is notified from now on.`,
    ],
  },
  delete_server: {
    may: 'delete servers',
    attempt: 'delete the server',
    doubt: 'monbot does not repeat it. Ask again in a minute: a server that is gone is then not found.',
    told: ({ who, what }) => `🗑️ ${who} deleted the server ${what}`,
    wanted: ({ server }) => `delete the server ${server}`,
    timeline: () => 'server deleted',
    done: ({ server }) => [`🗑️ The server ${serverName(server)} is deleted.`],
  },
  delete_metrics: {
    may: 'delete metrics',
    attempt: 'delete the metrics',
    doubt: 'monbot does not repeat it. Ask again in a minute: a metric that is gone is then not found.',
    told: ({ who, names, detail }) =>
      `🗑️ ${who} deleted ${counted(detail.names?.length ?? 0, 'custom metric')}: ${names}`,
    wanted: ({ names }) => `delete the metrics ${names}`,
    timeline: () => 'metrics deleted',
    done: ({ names }) => [`🗑️ ${counted(names.length, 'custom metric')} deleted: ${named(names)}.`],
  },
}

function rolesAdded({
  server,
  roles,
  created,
  already,
}: Extract<ServiceDone, { act: 'add_roles' }>): string[] {
  const what = serverName(server)
  const has = (names: readonly string[]) => `the role${names.length === 1 ? '' : 's'} ${named(names)}`
  const had = already.length === 0 ? [] : [`It had ${has(already)} before.`]
  const fresh = roles.filter((role) => !already.includes(role))
  if (fresh.length === 0) return [`🏷️ ${what} has ${has(already)} already. Nothing changed.`]
  const isNew = created.length === 1 ? 'is a new role' : 'are new roles'
  return [
    `🏷️ ${what} now has ${has(fresh)}.`,
    ...(created.length === 0 ? [] : [`${named(created)} ${isNew}: check the spelling.`]),
    ...had,
  ]
}

function named(names: readonly string[]): string {
  return listed(names.map(name), namesShown)
}
