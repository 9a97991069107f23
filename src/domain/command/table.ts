/** What can be asked of `/mon`, once: the parser, the help, the usage hint and the README's table come from this table. */
import type { GuardedAct } from '../request/authorise.ts'
import {
  acknowledge,
  addMarker,
  addNote,
  addRole,
  alone,
  deleteMetrics,
  deleteServer,
  listAlerts,
  listAudit,
  listMutes,
  listRoles,
  listTriggers,
  muteAccount,
  muteServer,
  type ReadArguments,
  setNoData,
  showChart,
  showReport,
  unmuteServer,
} from './arguments.ts'

export type Command = {
  /** One word or two. */
  readonly name: string
  /** What stands after the name; empty where nothing does. */
  readonly usage: string
  /** One line, without a full stop. */
  readonly summary: string
  /** What somebody could type after `/mon`. */
  readonly examples: readonly string[]
  /** The permission that guards it; null: everyone may. */
  readonly guard: GuardedAct | null
  /** Where the help lists it: `act` on alerts, `ask`, `rare` for the account and what is seldom needed. */
  readonly group: 'act' | 'ask' | 'rare'
  readonly read: ReadArguments
}

/** All but the help, which tells of all. */
export const commandTable: readonly Command[] = [
  {
    name: 'mute',
    usage: '[host] <server>[,…] [for] [duration | until 15:00 | until healthy | until unmuted] [reason]',
    summary: 'Keeps a server quiet; `web-*` means several, and the list is confirmed first',
    examples: ['mute web-1 2h deploying', 'mute web-1 until 15:00', 'mute web-* until healthy new kernel'],
    guard: 'mute_server',
    group: 'act',
    read: muteServer,
  },
  {
    name: 'unmute',
    usage: '[host] <server>[,…]',
    summary: 'Ends the mute of a server; `web-*` means those that are muted',
    examples: ['unmute web-1', 'unmute web-1,web-4', 'unmute web-*'],
    guard: 'mute_server',
    group: 'act',
    read: unmuteServer,
  },
  {
    name: 'ack',
    usage: '<alert or server>',
    summary: 'Acknowledges an alert: its card says that you are on it',
    examples: ['ack #123', 'ack web-1'],
    guard: 'acknowledge',
    group: 'act',
    read: acknowledge,
  },
  {
    name: 'note',
    usage: '<alert or server> <text>',
    summary: 'Writes a note into the thread of an alert',
    examples: ['note #123 the disk is being replaced'],
    guard: 'add_note',
    group: 'act',
    read: addNote,
  },
  {
    name: 'marker',
    usage: '<text>',
    summary: 'Drops a marker, which every chart shows from then on',
    examples: ['marker release 42 is out'],
    guard: 'add_marker',
    group: 'act',
    read: addMarker,
  },
  {
    name: 'role add',
    usage: '<server> <role>[,…]',
    summary: 'Adds a server to roles; a role that does not exist yet is made',
    examples: ['role add web-1 web', 'role add db-1 db,primary'],
    guard: 'add_roles',
    group: 'act',
    read: addRole,
  },
  {
    name: 'status',
    usage: '',
    summary: 'Is all well: last good poll, open alerts, mutes, Slack and the monitoring',
    examples: ['status'],
    guard: null,
    group: 'ask',
    read: alone({ kind: 'status' }),
  },
  {
    name: 'alerts',
    usage: '[open | closed | all] [server]',
    summary: 'Lists alerts, the open ones unless you say otherwise',
    examples: ['alerts', 'alerts closed web-1', 'alerts all db-*'],
    guard: null,
    group: 'ask',
    read: listAlerts,
  },
  {
    name: 'mutes',
    usage: '',
    summary: 'Lists what is muted: by whom, until when and why',
    examples: ['mutes'],
    guard: null,
    group: 'ask',
    read: listMutes,
  },
  {
    name: 'chart',
    usage: '<server> <metric> [duration] or #<alert>',
    summary: 'Draws a metric, of the last 5 hours unless you say otherwise',
    examples: ['chart web-1 cpu_busy', 'chart web-1 "Last minute" 2d', 'chart #123'],
    guard: null,
    group: 'ask',
    read: showChart,
  },
  {
    name: 'roles',
    usage: '[server or role]',
    summary: 'Lists roles and their servers',
    examples: ['roles', 'roles web-1', 'roles db'],
    guard: null,
    group: 'ask',
    read: listRoles,
  },
  {
    name: 'triggers',
    usage: '[filter]',
    summary: 'Lists what makes an alert, as the monitoring has it',
    examples: ['triggers', 'triggers disk'],
    guard: null,
    group: 'ask',
    read: listTriggers,
  },
  {
    name: 'handoff',
    usage: '',
    summary: 'Says what the next person must know: what is open, muted, and was done',
    examples: ['handoff'],
    guard: null,
    group: 'ask',
    read: alone({ kind: 'handoff' }),
  },
  {
    name: 'report',
    usage: '[duration]',
    summary: 'Counts alerts and says what is noisiest, for the last 7 days or up to 30',
    examples: ['report', 'report 24h', 'report 30d'],
    guard: null,
    group: 'ask',
    read: showReport,
  },
  {
    name: 'audit',
    usage: '[server]',
    summary: 'Lists who did what, what was refused too',
    examples: ['audit', 'audit web-1'],
    guard: null,
    group: 'ask',
    read: listAudit,
  },
  {
    name: 'mute account',
    usage: '[for] <duration | until 15:00> <reason>',
    summary: 'Keeps the whole account quiet; always confirmed, and never for long',
    examples: ['mute account 30m network maintenance', 'mute account'],
    guard: 'mute_account',
    group: 'rare',
    read: muteAccount,
  },
  {
    name: 'unmute account',
    usage: '',
    summary: 'Ends the mute of the account; servers that are muted themselves stay so',
    examples: ['unmute account'],
    guard: 'mute_account',
    group: 'rare',
    read: alone({ kind: 'unmute_account' }),
  },
  {
    name: 'nodata',
    usage: '<server> <group>',
    summary: 'Sets which notification group is told when a server sends no data',
    examples: ['nodata web-1 on-call'],
    guard: 'set_no_data',
    group: 'rare',
    read: setNoData,
  },
  {
    name: 'server delete',
    usage: '<server>',
    summary: 'Deletes a server for good; its name is asked for again',
    examples: ['server delete web-1'],
    guard: 'delete_server',
    group: 'rare',
    read: deleteServer,
  },
  {
    name: 'metric delete',
    usage: '<name>[,…]',
    summary: 'Deletes custom metrics for good, at most 20; their names are asked for again',
    examples: ['metric delete queue_length', 'metric delete queue_length,queue_age'],
    guard: 'delete_metric',
    group: 'rare',
    read: deleteMetrics,
  },
]
