/** The menu ⋯ of a card and of a list: opens the form, or does at once what needs none. */
import { readValue } from '../view/values.ts'
import { type Context, type Press, pressedOnly, type Reply } from './act.ts'
import { formFor } from './hand.ts'
import { markerFormFor } from './marker.ts'
import { noteFormFor } from './note.ts'
import { refusedTo } from './permit.ts'
import { rolesFormFor } from './role-add.ts'
import { wantTimeline } from './timeline.ts'
import { cardOf, tooOld } from './told.ts'

export const more = pressedOnly(null, { more: open })

async function open(press: Press, context: Context): Promise<Reply> {
  const value = readValue(press.option ?? press.value)
  const permission =
    ({ hand: 'acknowledge', roles: 'add_roles', marker: 'add_marker' } as const)[value?.words ?? ''] ??
    'add_note'
  const refused = await refusedTo(permission, value?.words ?? 'note', context)
  if (refused !== null) return refused
  const scene = context.scene()
  if (value?.words === 'marker') return markerFormFor()
  const post = scene.world.posts.get(value?.post ?? press.post ?? '') ?? null
  const alert = scene.world.alerts.get(value?.alert ?? '')
  if (alert === undefined) {
    const alerts = [...new Set(post?.shows.map((one) => one.alert))].flatMap(
      (id) => scene.world.alerts.get(id) ?? [],
    )
    return value?.words === 'note' && alerts.length > 0 ? noteFormFor(alerts, post) : tooOld
  }
  if (value?.words === 'note') return noteFormFor([alert], cardOf(scene, alert))
  if (value?.words === 'timeline') return wantTimeline(alert, context)
  if (alert.closedMs !== null) return { kind: 'refuse', text: 'This alert is closed.' }
  if (value?.words === 'hand') return formFor(alert, scene)
  return value?.words === 'roles' ? rolesFormFor(alert.id, alert.server, context) : tooOld
}
