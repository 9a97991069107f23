/**
 * Mutes end: at their time, or once what they hide has been fine for 15 minutes. A clock that jumped ends none for a minute. Whoever made a
 * mute is asked ten minutes before its end whether it shall last longer.
 */
import { minute } from '../clock.ts'
import type { Scene } from '../view/scene.ts'
import type { Mute } from '../world/types.ts'
import { apart } from './apart.ts'
import { isLeftOut, isMember } from './channels.ts'
import { isInForce, isMeantBy, switchOf } from './hidden.ts'
import { want } from './new-post.ts'
import { note } from './noted.ts'
import { messageOf } from './standing.ts'

const fineForMs = 15 * minute
const askedBeforeMs = 10 * minute
const askedFromMs = 20 * minute

export function endMutes(scene: Scene): void {
  const { world } = scene
  for (const mute of world.activeMutes.values())
    apart(world, `mute ${mute.id}`, () => {
      if (mute.untilFine && isInForce(mute, scene.nowMs)) lookAtHealth(scene, mute)
      endInTime(scene, mute.id)
    })
}

function endInTime(scene: Scene, id: string): void {
  const { world, nowMs } = scene
  const mute = world.activeMutes.get(id)
  if (mute === undefined) return
  const endMs = mute.untilMs ?? mute.maxUntilMs
  if (nowMs >= endMs) end(scene, mute, 'time')
  else if (nowMs >= endMs - askedBeforeMs && isInForce(mute, nowMs)) ask(scene, mute)
}

function end(scene: Scene, mute: Mute, by: 'time' | 'fine'): void {
  const { world, nowMs, defaultChannel } = scene
  world.patch('mutes', mute.id, { ended: { atMs: nowMs, by } })
  if (mute.isSkipped === true) return
  const wasMissed = switchOf(mute, scene) !== null && !mute.isConfirmed && mute.plan !== undefined
  const act = `${mute.id}:ended`
  note(scene, {
    id: act,
    kind: 'mute_ended',
    subject: mute.name,
    ...(mute.subject.startsWith('server:') && { host: mute.subject.slice('server:'.length) }),
    outcome: wasMissed ? 'failed' : 'done',
    data: { mutes: [mute.id], ...(wasMissed && { why: 'the monitoring never heard of it' }) },
  })
  // The message of a plan goes on to its next window, so one that never came is told by itself.
  if (!wasMissed || mute.every === undefined) return
  const channel = messageOf(world, mute.act)?.channel ?? defaultChannel
  want(world, nowMs, { id: `said:${act}:${channel}`, kind: 'said', channel, data: { act } })
}

/** Fine is what good polls say: from the first one without an open alert that it means, to one that comes 15 minutes later. */
function lookAtHealth(scene: Scene, mute: Mute): void {
  const { world } = scene
  const polledMs = world.fact('polled')?.atMs
  const isFailing = (world.fact('failing') ?? null) !== null
  if (polledMs === undefined || polledMs < mute.fromMs) return
  const isIll = [...world.open.values()].some((alert) => isMeantBy(mute, alert) && !isLeftOut(scene, alert))
  const fineMs = isIll ? null : (mute.fineMs ?? (isFailing ? null : polledMs))
  if (fineMs !== mute.fineMs) world.patch('mutes', mute.id, { fineMs })
  if (fineMs !== null && polledMs - fineMs >= fineForMs) end(scene, mute, 'fine')
}

/** Once, in the thread of the message that told it, for all mutes of one command; the buttons are on what it repeats. */
function ask({ world, nowMs, defaultChannel }: Scene, mute: Mute): void {
  const { id, by, act, fromMs, untilMs, untilFine, plan, isAsked } = mute
  const isLong = untilMs !== null && untilMs - fromMs >= askedFromMs
  if (isAsked === true || !isLong || untilFine || plan !== undefined || !isMember(by)) return
  world.patch('mutes', id, { isAsked: true })
  const told = messageOf(world, act)
  want(world, nowMs, {
    id: `said:${act}:ends:${untilMs}`,
    kind: 'said',
    channel: told?.channel ?? defaultChannel,
    thread: told?.id ?? null,
    isLoud: true,
    mention: `<@${by}>`,
    data: { act, untilMs },
    urgency: 3,
  })
}
