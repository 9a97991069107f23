/** Somebody acknowledged in the pager: as if they had pressed *Acknowledge*, under their name there. */
import { isMember } from '../decide/channels.ts'
import { note } from '../decide/noted.ts'
import { heldBy } from '../decide/rounds.ts'
import type { Scene } from '../view/scene.ts'
import { hurry, ofAlert } from './told.ts'

/** `key`: the call's. `by`: a Slack member id, or a name. How many alerts of it nobody was on. */
export function heardPage(scene: Scene, key: string, by: string): 'acknowledged' | 'nothing' | 'unknown' {
  const { world, nowMs } = scene
  const call = [...world.effects.values()].find(({ does, data }) => does === 'page' && data.dedupKey === key)
  if (call === undefined) return 'unknown'
  const holder = isMember(by) ? by : `pager:${by.slice(0, 80)}`
  const asked = world.acts.get(call.act ?? '')
  if (asked?.kind === 'page') {
    if (asked.data.answeredBy !== undefined) return 'nothing'
    world.patch('acts', asked.id, { data: { ...asked.data, answeredBy: holder } })
    return 'acknowledged'
  }
  const post = world.posts.get(call.data.post ?? '')
  const ids = new Set([...(post?.shows.map(({ alert }) => alert) ?? []), ...(call.data.alerts ?? [])])
  const alerts = [...ids].flatMap((id) => world.open.get(id) ?? []).filter((alert) => alert.holder === null)
  if (alerts.length === 0) return 'nothing'
  world.decide(() => {
    for (const alert of alerts) {
      world.patch('alerts', alert.id, heldBy(holder, nowMs))
      note(scene, { kind: 'acknowledge', by: holder, ...ofAlert(alert) })
    }
    hurry(
      scene,
      alerts.map(({ id }) => id),
    )
  })
  return 'acknowledged'
}
