/** What people do during the week, through the bot's own door: acknowledge, note, mute, extend, unmute, look at their Home. */

import type { Mute } from '../../src/bot/domain/mute/mute.ts'
import type { Change } from '../../src/bot/domain/request/actions.ts'
import type { MuteEnd } from '../../src/bot/domain/request/named.ts'
import { openWatch, type Watch } from '../../src/bot/flow/concurrency/watch.ts'
import type { Clock } from '../../src/bot/flow/ports/ports.ts'
import type { Chance } from '../kills/chance.ts'
import type { WeekBot } from './bot.ts'
import { defaultChannel, hosts } from './hosts.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const actsEveryMs = 20_000
/** So long before its end somebody asks for the mute of a farm server once more, as a rule. */
const beforeEndMs = 5 * minuteMs
const users = ['U0ANA', 'U0BEN', 'U0CLEO'] as const

const homeShare = 0.02
const ackShare = 0.3
const noteShare = 0.1
const muteShare = 0.02
const unmuteShare = 0.02
/** Sometimes nobody looks after the farm. */
const careShare = 0.6

export function startPeople(bot: WeekBot, clock: Clock, chance: Chance): Watch {
  let lastKey = 0

  async function asks(intent: Change): Promise<void> {
    lastKey += 1
    await bot.handle({
      intent,
      userId: chance.of(users),
      via: 'command',
      keys: [`key-${lastKey}`],
      channel: defaultChannel,
      card: null,
    })
  }

  const mutes = (hostname: string, end: MuteEnd) =>
    asks({
      kind: 'mute_server',
      servers: [{ by: 'name', name: hostname }],
      end,
      reason: 'testing',
      shown: { servers: [], open: 0, mutes: [] },
    })

  /** Two thirds of the farm for some hours at a time, the rest until somebody unmutes it. */
  function endFor(hostname: string): MuteEnd {
    const isForGood = (hosts.lab as readonly string[]).indexOf(hostname) % 3 === 0
    if (isForGood) return { kind: 'unmuted' }
    return { kind: 'for', ms: chance.of([hourMs, 2 * hourMs, 4 * hourMs]) }
  }

  async function lookAfterTheFarm(live: readonly Mute[]): Promise<void> {
    if (!chance.is(careShare)) return
    for (const hostname of hosts.lab) {
      const mute = live.find((one) => one.subject === hostname)
      if (mute === undefined) await mutes(hostname, endFor(hostname))
      else if (mute.untilMs !== null && mute.untilMs - clock.nowMs() < beforeEndMs && chance.is(0.1)) {
        if (chance.is(0.5)) await asks({ kind: 'extend_mute', muteId: mute.muteId, ms: hourMs })
        else await mutes(hostname, endFor(hostname))
      }
    }
  }

  const watch = openWatch('schedule', { clock, logger: bot.logger }, async () => {
    const open = (await bot.store.openAlerts([...hosts.web, ...hosts.db, ...hosts.job])).filter(
      ({ ackedMs }) => ackedMs === null,
    )
    const alert = chance.any(open)
    if (alert !== undefined && chance.is(ackShare)) {
      await asks({ kind: 'acknowledge', alert: alert.alertId })
    }
    if (alert !== undefined && chance.is(noteShare)) {
      await asks({ kind: 'add_note', alert: alert.alertId, text: 'looking' })
    }
    if (alert !== undefined && chance.is(muteShare)) {
      await mutes(
        alert.hostname,
        chance.is(0.2) ? { kind: 'healthy' } : { kind: 'for', ms: chance.of([30 * minuteMs, hourMs]) },
      )
    }
    const { mutes: live } = await bot.store.mutes()
    const hostname = chance.any(live)?.subject ?? null
    if (hostname !== null && chance.is(unmuteShare)) {
      await asks({ kind: 'unmute_server', server: { by: 'name', name: hostname } })
    }
    await lookAfterTheFarm(live)
    if (chance.is(homeShare)) await bot.homeOpened(chance.of(users))
    return actsEveryMs
  })
  watch.start()
  return watch
}
