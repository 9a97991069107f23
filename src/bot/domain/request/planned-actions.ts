/** What people do about mutes that are planned for later: plan one, skip one of its windows, cancel it. */
import type { AskedPlan } from '../command/plan-text.ts'
import type { MuteWindow, PlannedMute } from '../mute/planned.ts'
import { type ActionsOf, renamedServer } from './action.ts'
import type { ServerRef } from './named.ts'

export type PlannedChange =
  /** Typed after `mute`, or from its form. The account, several servers, a glob, labels and what comes again are confirmed first. */
  | {
      readonly kind: 'plan_mute'
      readonly of:
        | { readonly of: 'servers'; readonly servers: readonly ServerRef[] }
        /** `alert`: its number; null: by matchers alone. As in `mute_alert`. */
        | { readonly of: 'alert'; readonly alert: string | null; readonly matchers?: readonly string[] }
        | { readonly of: 'account' }
      readonly plan: AskedPlan
      readonly reason: string
      readonly isConfirmed?: true
    }
  /** `startMs`: when the window begins that the button showed. */
  | { readonly kind: 'skip_planned'; readonly plannedId: string; readonly startMs: number }
  | { readonly kind: 'cancel_planned'; readonly plannedId: string }

export type PlannedDone =
  | {
      readonly act: 'plan_mute'
      readonly planned: PlannedMute
      readonly window: MuteWindow
      /** It was planned like this before, and nothing was changed. */
      readonly isAlready?: true
    }
  /** `window`: the next one after it; null: there is none. */
  | {
      readonly act: 'skip_planned'
      readonly planned: PlannedMute
      readonly skipped: MuteWindow
      readonly window: MuteWindow | null
    }
  | { readonly act: 'cancel_planned'; readonly planned: PlannedMute }

export const plannedActions: ActionsOf<PlannedChange> = {
  plan_mute: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: ({ of }) => {
      if (of.of === 'servers') {
        const [server, ...others] = of.servers
        return server === undefined || server.by === 'card' || others.length > 0
          ? { of: 'servers', servers: of.servers }
          : { of: 'server', server }
      }
      return of.of === 'account' || of.alert === null ? { of: 'account' } : { of: 'alert', alert: of.alert }
    },
    detail: ({ reason }) => (reason === '' ? {} : { reason }),
    renamed: (change, rename) =>
      change.of.of === 'servers'
        ? {
            ...change,
            of: { ...change.of, servers: change.of.servers.map((one) => renamedServer(one, rename)) },
          }
        : change,
  },
  skip_planned: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: () => ({ of: 'account' }),
  },
  cancel_planned: {
    guard: 'mute_server',
    isHarmlessTwice: true,
    target: () => ({ of: 'account' }),
  },
}
