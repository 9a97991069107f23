/** The words for changes at the monitoring service besides mutes. */
import type { ServiceChange, ServiceDone } from '../../../domain/request/service-actions.ts'
import { escaped } from '../../mrkdwn.ts'
import { code, counted, namesOf, serverName } from '../text/phrases.ts'
import { doubts, type WordsOf } from './action-words.ts'
import { own } from './entry-parts.ts'

const rolesOnCard = 3
const markerCharsMax = 200
const matchersCharsMax = 400
const namesCharsMax = 80

export const serviceWords: WordsOf<ServiceChange> = {
  add_roles: {
    may: 'add roles',
    attempt: 'add the roles',
    thing: 'the roles of',
    doubt: doubts.again,
    told: ({ who, what, roles, detail }) =>
      `🏷️ ${who} added role${detail.roles?.length === 1 ? '' : 's'} ${roles} to ${what}`,
    wanted: ({ server, roles }) => `add ${roles} to ${server}`,
    timeline: ({ detail: { roles = [] } }) =>
      `role${roles.length === 1 ? '' : 's'} ${namesOf(roles, rolesOnCard)} added`,
    done: rolesAdded,
    // Says more than the card: a new role may be a typing error, and roles that were there were not added.
    isOnCard: ({ created, already }) => created.length + already.length === 0,
  },
  add_marker: {
    may: 'drop markers',
    attempt: 'drop the marker',
    thing: 'the marker',
    doubt: 'Look at a chart before you try again, or there may be two.',
    told: ({ who, detail }) => `📍 ${who} dropped a marker: ${own(detail.text)}`,
    wanted: () => 'drop a marker',
    timeline: () => 'marker dropped',
    done: ({ text }) => [`📍 Marker dropped: ${escaped(text, markerCharsMax)}`],
    isOnCard: () => true,
  },
  set_no_data: {
    may: 'set no-data groups',
    attempt: 'set the no-data group',
    thing: 'the no-data group of',
    doubt: doubts.again,
    told: ({ who, what, detail }) =>
      `📨 ${who} changed who is notified when ${what} sends no data: ${own(detail.group)}`,
    wanted: ({ server }) => `set the no-data group of ${server}`,
    timeline: () => 'no-data group set',
    done: ({ server, group }) => [
      `📨 ${code(group)} is now notified when ${serverName(server)} sends no data.`,
    ],
    isOnCard: () => false,
  },
  end_silence: {
    may: 'end silences',
    attempt: 'end the silence',
    thing: 'the end of the silence',
    doubt: doubts.again,
    told: ({ who, owner, detail }) => {
      const whose = owner === null ? '' : ` by ${owner}`
      return `🔔 ${who} ended the silence${whose} of ${counted(detail.alerts ?? 0, 'open alert')}: ${code(detail.text ?? '', matchersCharsMax)}`
    },
    wanted: () => 'end a silence',
    timeline: () => 'silence ended',
    done: ({ by, hides }) => [
      `🔔 The silence${by === null ? '' : ` by ${escaped(by, namesCharsMax)}`} has ended.`,
      ...(hides === 0
        ? []
        : [`What it hid and nothing else hides is shown in a few minutes, if it is still open.`]),
    ],
    isOnCard: () => false,
  },
  delete_server: {
    may: 'delete servers',
    attempt: 'delete the server',
    thing: 'the deletion of',
    doubt: 'Try again in a minute: a server that is gone is not found then.',
    told: ({ who, what }) => `🗑️ ${who} deleted the server ${what}`,
    wanted: ({ server }) => `delete the server ${server}`,
    timeline: () => 'server deleted',
    done: ({ server }) => [`🗑️ Deleted the server ${serverName(server)}.`],
    isOnCard: () => false,
  },
  delete_metrics: {
    may: 'delete metrics',
    attempt: 'delete the metrics',
    thing: 'the deletion of the metrics',
    doubt: 'Try again in a minute: a metric that is gone is not found then.',
    told: ({ who, names, detail }) =>
      `🗑️ ${who} deleted ${counted(detail.names?.length ?? 0, 'custom metric')}: ${names}`,
    wanted: ({ names }) => `delete the metrics ${names}`,
    timeline: () => 'metrics deleted',
    done: ({ names }) => [`🗑️ Deleted ${counted(names.length, 'custom metric')}: ${namesOf(names)}.`],
    isOnCard: () => false,
  },
}

function rolesAdded({
  server,
  roles,
  created,
  already,
}: Extract<ServiceDone, { act: 'add_roles' }>): string[] {
  const what = serverName(server)
  const rolesOf = (names: readonly string[]) => `role${names.length === 1 ? '' : 's'} ${namesOf(names)}`
  const fresh = roles.filter((role) => !already.includes(role))
  if (fresh.length === 0) return [`🏷️ ${what} already has ${rolesOf(already)}. Nothing changed.`]
  return [
    `🏷️ Added ${rolesOf(fresh)} to ${what}.`,
    ...(created.length === 0
      ? []
      : [
          `New ${rolesOf(created)}: check the spelling; roles can only be removed in the monitoring service.`,
        ]),
    ...(already.length === 0 ? [] : [`It already had ${rolesOf(already)}.`]),
  ]
}
