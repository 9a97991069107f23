/** A rendering of tests: all that a card must show, in one line. */

import { isHidden } from '../../../src/next/decide/hidden.ts'
import type { Scene, View } from '../../../src/next/view/scene.ts'
import type { Post } from '../../../src/next/world/types.ts'

export function viewOf(post: Post, { world, nowMs }: Scene): View {
  const alerts = post.shows.map(({ alert: id }) => {
    const alert = world.alerts.get(id)
    if (alert === undefined) return `${id} ?`
    const hidden = alert.closedMs === null && isHidden(world, alert, nowMs) ? ' hidden' : ''
    return `${id} ${alert.closedMs === null ? 'open' : 'closed'} ${alert.value} ${alert.holder ?? '-'}${hidden}`
  })
  const text = `${post.id}: ${alerts.join('; ')}`.slice(0, 3000)
  return { text, blocks: post.isPlain ? [] : [{ type: 'section', text: { type: 'mrkdwn', text } }] }
}

export const viewHash = (view: View) => JSON.stringify(view)
