/** What must be said before anything is called fine: the monitoring is away, everything is muted, Slack refuses. Worst first. */
import { minute } from '../../clock.ts'
import { isInForce } from '../../decide/hidden.ts'
import type { Scene } from '../../view/scene.ts'
import { date, escape, person } from '../../view/words.ts'
import type { Mute } from '../../world/types.ts'

/** Polls come every few seconds: after so long without one nothing is certain. */
const staleMs = 5 * minute

/** Why what we know of alerts may be wrong; null while it is fresh. */
export function doubtOf({ world, nowMs }: Scene): string | null {
  const failing = world.fact('failing') ?? null
  const polled = world.fact('polled')
  if (failing !== null)
    return `⚠️ *Monitoring has been down since ${date(failing.sinceMs)}*: ${escape(failing.why)}`
  if (polled === undefined) return "⚠️ *The monitoring hasn't been read yet*"
  if (nowMs - polled.atMs > staleMs) return `⚠️ *Cards may be out of date since ${date(polled.atMs)}*`
  return null
}

/** The mute of the whole account that is in force. */
export function accountMute({ world, nowMs }: Scene): Mute | null {
  const mutes = [...world.activeMutes.values()]
  return mutes.find((mute) => mute.subject === 'account' && isInForce(mute, nowMs)) ?? null
}

export function accountWords(scene: Scene): string | null {
  const mute = accountMute(scene)
  if (mute === null) return null
  const until = mute.untilMs === null ? 'until someone unmutes it' : `until ${date(mute.untilMs)}`
  const why = mute.reason === '' ? '' : ` — ${escape(mute.reason)}`
  return `🔕 ${person(mute.by)} muted everything ${until}${why}`
}
