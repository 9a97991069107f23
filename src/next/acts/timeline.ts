/** `/mon timeline <alert>`: a text file with all that happened about an alert, in its card's thread, for whoever writes the post-mortem. */
import type { Scene } from '../view/scene.ts'
import type { Alert, Post } from '../world/types.ts'
import type { Act, Context, Reply } from './act.ts'
import { wantFile } from './queries/files.ts'

export const timeline: Act = {
  names: ['timeline'],
  usage: 'timeline <alert>',
  example: 'timeline web-2',
  does: "Puts a file with all that happened about an alert into the alert's thread",
  permission: 'add_note',
}

export function wantTimeline(alert: Alert, context: Context): Reply {
  const card = cardOf(alert, context.scene())
  if (card === null)
    return { kind: 'refuse', text: 'That alert has no card in Slack to put a timeline under.' }
  const data = { file: 'timeline', alert: alert.id, post: card.id } as const
  return wantFile(data, "I put the timeline in the alert's thread", context)
}

/** The card of its own before a list that it stands on. */
function cardOf(alert: Alert, { world }: Scene): Post | null {
  const posts = world.postsAbout(alert.id).filter(({ state }) => state === 'live')
  return posts.find(({ kind }) => kind === 'alert') ?? posts.find(({ kind }) => kind === 'list') ?? null
}
