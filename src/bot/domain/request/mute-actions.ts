/** What people do to mute servers or the account, and to end mutes. */
import { isGlob } from '../../../shared/glob.ts'
import { alertMeant } from '../command/alert-text.ts'
import { askedMute } from '../command/mute-text.ts'
import { askedPlan } from '../command/plan-text.ts'
import { invalid } from '../command/words.ts'
import type { Shown } from '../mute/shown.ts'
import { type ActionsOf, byName, renamedServer } from './action.ts'
import type { MuteEnd, OneServer, ServerRef } from './named.ts'
import type { PlannedChange } from './planned-actions.ts'

export type MuteChange =
  /** More than one server, a glob or a long time needs confirmation first. */
  | {
      readonly kind: 'mute_server'
      readonly servers: readonly ServerRef[]
      readonly end: MuteEnd
      readonly reason: string
      /** What was confirmed; null if nothing has been shown yet. */
      readonly shown: Shown | null
    }
  /** One alert's trouble, or what matchers match. */
  | {
      readonly kind: 'mute_alert'
      /** Its number; null: by matchers alone. */
      readonly alert: string | null
      /** In Alertmanager's notation, where somebody chose or edited them. */
      readonly matchers?: readonly string[]
      readonly end: MuteEnd
      readonly reason: string
      /** What was confirmed; null if nothing has been shown yet. */
      readonly shown: Shown | null
    }
  | {
      readonly kind: 'unmute_alert'
      /** Its number; null: of the mute, or by matchers. */
      readonly alert: string | null
      readonly muteId?: string
      readonly matchers?: readonly string[]
      /** As in `unmute_server`. */
      readonly shown?: string
    }
  | {
      readonly kind: 'unmute_server'
      readonly server: OneServer
      /** Names and globs of muted servers, including `server`, if there is more than one name. */
      readonly servers?: readonly OneServer[]
      /** The mute that the button showed, by its `muteFingerprint`. */
      readonly shown?: string
    }
  | {
      readonly kind: 'mute_account'
      readonly end: MuteEnd
      readonly reason: string
      /** What was confirmed; null if nothing has been shown yet. */
      readonly shown: Shown | null
    }
  | { readonly kind: 'unmute_account'; readonly shown?: string }
  /** From the question before its end: moves the deadline by `ms`. */
  | { readonly kind: 'extend_mute'; readonly muteId: string; readonly ms: number }
  /** Within a minute after a mute: restores what was before. */
  | {
      readonly kind: 'undo_mute'
      readonly muteId: string
      /** When the terms to be undone were set. */
      readonly termsMs: number
      /** The audit row for all of them, if several were muted at once. */
      readonly auditId?: string
    }

export const muteActions: ActionsOf<MuteChange, PlannedChange> = {
  mute_server: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ servers, shown }) => {
      const [server, ...others] = servers
      return server === undefined || server.by === 'card' || others.length > 0
        ? { of: 'servers', servers, names: shown?.servers ?? [] }
        : { of: 'server', server }
    },
    detail: reasonOf,
    renamed: (change, rename) => ({
      ...change,
      servers: change.servers.map((server) => renamedServer(server, rename)),
    }),
    command: {
      name: 'mute',
      usage:
        '[host] <server>[,…] | #<alert> | <label>=<value>[,…] [for] [duration | until 15:00 | until healthy | until unmuted | from 22:00 for 2h | every tue 02:00-04:00] [reason]',
      summary: 'Mutes servers (`web-*` asks first) or an alert: now, later (`from`) or repeatedly (`every`)',
      examples: [
        'mute web-1 2h deploying',
        'mute #123 2h known, fixed tomorrow',
        'mute web-1 until 15:00',
        'mute web-* until healthy new kernel',
        'mute namespace=pay-* 2h migration',
        'mute web-* from tomorrow 22:00 for 2h new kernel',
        'mute db-1 every tue 02:00-04:00 backup',
      ],
      group: 'act',
      read: (words) => {
        const isHost = words.count() > 1 && words.keyword('host') !== null
        const servers = words.names()
        if (servers.length === 0) return null
        const planned = askedPlan(words)
        const asked = planned ?? askedMute(words)
        if ('why' in asked) return asked
        const alert = isHost ? null : alertMeant(servers)
        if (alert !== null && 'why' in alert) return alert
        if ('plan' in asked) {
          const of =
            alert === null
              ? ({ of: 'servers', servers: servers.map(byName) } as const)
              : ({ of: 'alert', ...alert } as const)
          return { kind: 'plan_mute', of, ...asked }
        }
        if (alert !== null) return { kind: 'mute_alert', ...alert, ...asked, shown: null }
        return { kind: 'mute_server', servers: servers.map(byName), ...asked, shown: null }
      },
    },
  },
  unmute_server: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ server, servers }) =>
      servers === undefined ? { of: 'server', server } : { of: 'servers', servers },
    renamed: ({ servers, ...change }, rename) => ({
      ...change,
      server: renamedServer(change.server, rename),
      ...(servers === undefined ? {} : { servers: servers.map((one) => renamedServer(one, rename)) }),
    }),
    command: {
      name: 'unmute',
      usage: '[host] <server>[,…] | #<alert> | <label>=<value>[,…]',
      summary: 'Unmutes a server or one alert; `web-*` for all muted servers that match',
      examples: ['unmute web-1', 'unmute #123', 'unmute web-1,web-4', 'unmute web-*'],
      group: 'act',
      read: (words) => {
        const isHost = words.count() > 1 && words.keyword('host') !== null
        const names = words.names()
        const [name, ...others] = names
        if (name === undefined) return null
        const alert = isHost ? null : alertMeant(names)
        if (alert !== null && 'why' in alert) return alert
        if (alert !== null) return { kind: 'unmute_alert', ...alert }
        const isOne = others.length === 0 && !isGlob(name)
        const several = isOne ? {} : { servers: names.map(byName) }
        return { kind: 'unmute_server', server: byName(name), ...several }
      },
    },
  },
  mute_account: {
    guard: 'mute_account',
    isHarmlessTwice: true,
    target: () => ({ of: 'account' }),
    detail: reasonOf,
    command: {
      name: 'mute account',
      usage: '[for] <duration | until 15:00 | from 22:00 for 2h | every tue 02:00-04:00> <reason>',
      summary: 'Mutes the whole account, after you confirm and never for long',
      examples: ['mute account 30m network maintenance', 'mute account'],
      group: 'rare',
      // A form asks for what is missing, and receives what was typed; the account's mute always has an end.
      read: (words) => {
        const typed = words.left()
        const asked = askedPlan(words) ?? askedMute(words)
        if ('why' in asked) return asked
        if ('plan' in asked) return { kind: 'plan_mute', of: { of: 'account' }, ...asked }
        const { end, reason } = asked
        if (end.kind === 'healthy' || end.kind === 'unmuted') {
          const expected = 'a duration or a time: the account is never muted without an end'
          return invalid(expected, `until ${end.kind}`)
        }
        if (end.kind === 'default' || reason === '') {
          const given = typed === '' ? null : typed
          return { kind: 'open_form', form: 'mute_account', alertId: null, given }
        }
        return { kind: 'mute_account', end, reason, shown: null }
      },
    },
  },
  unmute_account: {
    guard: 'mute_account',
    isHarmlessTwice: true,
    target: () => ({ of: 'account' }),
    command: {
      name: 'unmute account',
      usage: '',
      summary: 'Unmutes the account; individually muted servers stay muted',
      examples: ['unmute account'],
      group: 'rare',
      read: () => ({ kind: 'unmute_account' }),
    },
  },
  mute_alert: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ alert }) => (alert === null ? { of: 'account' } : { of: 'alert', alert }),
    detail: reasonOf,
  },
  unmute_alert: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ alert, muteId }) =>
      muteId !== undefined
        ? { of: 'mute', muteId }
        : alert === null
          ? { of: 'account' }
          : { of: 'alert', alert },
  },
  extend_mute: {
    guard: 'mute_server',
    isHarmlessTwice: false,
    target: ({ muteId }) => ({ of: 'mute', muteId }),
  },
  undo_mute: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ muteId, auditId }) => ({ of: 'mute', muteId, ...(auditId === undefined ? {} : { auditId }) }),
  },
}

function reasonOf({ reason }: { readonly reason: string }) {
  return reason === '' ? {} : { reason }
}
