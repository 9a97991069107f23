/** Everything that monbot does about mutes by itself, over one memory. */
import type { IgnoreRule } from '../../domain/alert/match.ts'
import type { LiveRouting } from '../../domain/card/reach.ts'
import type { Reminders } from '../../domain/card/reminders.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import { isSameTerms, type Mute } from '../../domain/mute/mute.ts'
import { openMovedChannels } from '../outbox/moved-channels.ts'
import type { Store } from '../ports/store.ts'
import { openReminders } from '../reminders/remind.ts'
import { type ExpiryPorts, openExpiry } from './expiry.ts'
import { openHeldMutes } from './held.ts'
import { openPlanned, type PlannedOptions, type PlannedPorts } from './planned.ts'
import { openHidden } from './reveal.ts'
import { openSwitches, type SwitchPorts } from './switches.ts'

type Ports = Omit<ExpiryPorts, 'hidden' | 'store'> &
  Omit<SwitchPorts, 'hidden' | 'monitor' | 'store'> & {
    readonly servers: PlannedPorts['servers']
    readonly monitor: SwitchPorts['monitor'] & Parameters<typeof openHeldMutes>[0]['monitor']
    readonly store: ExpiryPorts['store'] &
      SwitchPorts['store'] &
      PlannedPorts['store'] &
      Parameters<typeof openHeldMutes>[0]['store'] &
      Parameters<typeof openHidden>[0]['store'] &
      Parameters<typeof openMovedChannels>[0]['store'] &
      Parameters<typeof openReminders>[0]['store']
  }

/** Are these mutes, as the API answers for them by then, still what somebody was told? */
export type IsStanding = (told: readonly Mute[]) => Promise<boolean>

/** The mutes as they are once the API has answered for all of them for good; null: the signal aborted before. */
export type WhenAnswered = (told: readonly Mute[], signal: AbortSignal) => Promise<readonly Mute[] | null>

/** `channels`: every one that the settings name. */
export function openMutes(
  ports: Ports,
  options: LiveRouting & {
    readonly images: Images
    readonly ignore: readonly IgnoreRule[]
    readonly reminders: Reminders
    readonly channels: readonly string[]
    readonly planned: PlannedOptions
  },
) {
  const { store } = ports
  const hidden = openHidden(ports, options)
  const switches = openSwitches({ ...ports, hidden })
  const whenAnswered: WhenAnswered = async (told, signal) => {
    const subjects = told.map(({ subject }) => subject)
    await switches.answered(subjects, signal)
    if (signal.aborted) return null
    const now = await Promise.all(told.map(({ muteId }) => store.muteById(muteId)))
    return now.flatMap((mute) => mute ?? [])
  }
  return {
    hidden,
    switches,
    whenAnswered,
    expiry: openExpiry({ ...ports, hidden }, options),
    held: openHeldMutes({ ...ports, hidden }),
    planned: openPlanned(ports, options.planned),
    moved: openMovedChannels({ ...ports, hidden }, options),
    isStanding: openStanding(store),
    reminders: openReminders(ports, { ...options.reminders, routing: options, ignore: options.ignore }),
  }
}

function openStanding(store: Pick<Store, 'muteById'>): IsStanding {
  return async (told) => {
    for (const mute of told) {
      const now = await store.muteById(mute.muteId)
      if (now?.state !== 'active' || now.termsMs !== mute.termsMs || !isSameTerms(now, mute)) return false
    }
    return true
  }
}
