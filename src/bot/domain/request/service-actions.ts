/** What people change at the monitoring service besides mutes: roles, markers, the no-data group, and deletions. */
import { invalid } from '../command/words.ts'
import { type ActionsOf, byName, renamedServer } from './action.ts'
import type { OneServer } from './named.ts'

export type ServiceChange =
  | {
      readonly kind: 'add_roles'
      readonly server: OneServer
      readonly roles: readonly string[]
      /** Those that were chosen from existing roles, so they must not be created. */
      readonly existing?: readonly string[]
      /** Odd names were asked about. */
      readonly isConfirmed?: true
    }
  | { readonly kind: 'add_marker'; readonly text: string }
  | { readonly kind: 'set_no_data'; readonly server: string; readonly group: string }
  /** A silence that somebody made elsewhere. `shown`: what was confirmed; null if nothing has been shown yet. */
  | { readonly kind: 'end_silence'; readonly id: string; readonly shown: string | null }
  /** `typed` is the name as retyped to confirm; null before the question. `shownMs`: when the question was shown. */
  | {
      readonly kind: 'delete_server'
      readonly server: string
      readonly typed: string | null
      readonly shownMs?: number
    }
  | {
      readonly kind: 'delete_metrics'
      readonly names: readonly string[]
      readonly typed: string | null
      readonly shownMs?: number
    }

export type ServiceDone =
  | {
      readonly act: 'add_roles'
      readonly server: string
      readonly roles: readonly string[]
      /** Those that did not exist before. */
      readonly created: readonly string[]
      readonly already: readonly string[]
    }
  | { readonly act: 'add_marker'; readonly text: string }
  | { readonly act: 'set_no_data'; readonly server: string; readonly group: string }
  /** `by`: who had made it, if that is known; `hides`: how many open alerts it hid. */
  | { readonly act: 'end_silence'; readonly by: string | null; readonly hides: number }
  | { readonly act: 'delete_server'; readonly server: string }
  | { readonly act: 'delete_metrics'; readonly names: readonly string[] }

/** The API takes no more at once (docs/api.md#operations). */
export const metricsDeletedMax = 20
export const rolesAddedMax = 20
export const roleCharsMax = 200

export const serviceActions: ActionsOf<ServiceChange> = {
  add_marker: {
    guard: 'add_marker',
    isHarmlessTwice: false,
    target: () => ({ of: 'account' }),
    detail: ({ text }) => ({ text }),
    command: {
      name: 'marker',
      usage: '<text>',
      summary: 'Drops a marker that appears on every chart',
      examples: ['marker release 42 is out'],
      group: 'act',
      read: (words) => {
        const text = words.text()
        return text === '' ? null : { kind: 'add_marker', text }
      },
    },
  },
  add_roles: {
    guard: 'add_roles',
    isHarmlessTwice: true,
    target: ({ server }) => ({ of: 'server', server }),
    detail: ({ roles }) => ({ roles }),
    renamed: (change, rename) => ({ ...change, server: renamedServer(change.server, rename) }),
    command: {
      name: 'role add',
      usage: '<server> <role>[,…]',
      summary: 'Adds roles to a server',
      examples: ['role add web-1 web', 'role add db-1 db,primary'],
      group: 'act',
      read: (words) => {
        const server = words.name()
        const roles = words.names()
        return server === null || roles.length === 0
          ? null
          : { kind: 'add_roles', server: byName(server), roles }
      },
    },
  },
  set_no_data: {
    guard: 'set_no_data',
    isHarmlessTwice: true,
    target: ({ server }) => ({ of: 'server', server: byName(server) }),
    detail: ({ group }) => ({ group }),
    renamed: (change, rename) => ({ ...change, server: rename(change.server) }),
    command: {
      name: 'nodata',
      usage: '<server> <group>',
      summary: 'Sets which group is notified when a server sends no data',
      examples: ['nodata web-1 on-call'],
      group: 'rare',
      read: (words) => {
        const server = words.name()
        const group = words.restAsName()
        return server === null || group === null ? null : { kind: 'set_no_data', server, group }
      },
    },
  },
  end_silence: {
    // One that hides more than one alert needs `mute_account` as well.
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: () => ({ of: 'account' }),
    detail: ({ id }) => ({ silenceId: id }),
  },
  delete_server: {
    guard: 'delete_server',
    isHarmlessTwice: false,
    target: ({ server }) => ({ of: 'server', server: byName(server) }),
    command: {
      name: 'server delete',
      usage: '<server>',
      summary: 'Deletes a server for good, after you type its name again',
      examples: ['server delete web-1'],
      group: 'rare',
      read: (words) => {
        const server = words.name()
        return server === null ? null : askedAgain('delete_server', server)
      },
    },
  },
  delete_metrics: {
    guard: 'delete_metric',
    isHarmlessTwice: false,
    target: () => ({ of: 'account' }),
    detail: ({ names }) => ({ names }),
    command: {
      name: 'metric delete',
      usage: '<name>[,…]',
      summary: 'Deletes custom metrics for good, at most 20, after you type their names again',
      examples: ['metric delete queue_length', 'metric delete queue_length,queue_age'],
      group: 'rare',
      read: (words) => {
        const names = words.names()
        if (names.length === 0) return null
        return names.length > metricsDeletedMax
          ? invalid(`at most ${metricsDeletedMax} metrics at once`, `${names.length} metrics`)
          : askedAgain('delete_metrics', names.join(','))
      },
    },
  },
}

function askedAgain(form: 'delete_server' | 'delete_metrics', given: string) {
  return { kind: 'open_form', form, alertId: null, given } as const
}
