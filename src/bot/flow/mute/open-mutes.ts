/** What is done about mutes, and about what nobody has heard of, by itself: one part each, over one memory and one lock. */
import type { LiveRouting } from '../../domain/card/reach.ts'
import type { Reminders } from '../../domain/card/reminders.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import { openMovedChannels } from '../outbox/moved-channels.ts'
import { openReminders } from '../reminders/remind.ts'
import { openEndMute } from './end.ts'
import { type ExpiryPorts, openExpiry } from './expiry.ts'
import { openRepeats } from './repeat-switch.ts'
import { openHidden } from './reveal.ts'
import { openStanding } from './standing.ts'

type Ports = Omit<ExpiryPorts, 'endMute' | 'hidden' | 'store'> &
  Omit<Parameters<typeof openEndMute>[0], 'hidden'> &
  Parameters<typeof openRepeats>[0] & {
    readonly store: ExpiryPorts['store'] &
      Parameters<typeof openHidden>[0]['store'] &
      Parameters<typeof openMovedChannels>[0]['store'] &
      Parameters<typeof openReminders>[0]['store'] &
      Parameters<typeof openStanding>[0]['store']
  }

/** `channels`: every one that the settings name. */
export function openMutes(
  ports: Ports,
  options: LiveRouting & {
    readonly images: Images
    readonly reminders: Reminders
    readonly channels: readonly string[]
  },
) {
  const hidden = openHidden(ports, options)
  const endMute = openEndMute({ ...ports, hidden })
  return {
    endMute,
    expiry: openExpiry({ ...ports, endMute, hidden }, options),
    moved: openMovedChannels({ ...ports, hidden }, options),
    repeats: openRepeats(ports),
    isStanding: openStanding(ports),
    reminders: openReminders(ports, { ...options.reminders, routing: options }),
  }
}
