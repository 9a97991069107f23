/** `/mon timeline <alert>`: a text file with all that happened about an alert, in its card's thread, for whoever writes the post-mortem. */
import type { Alert } from '../world/types.ts'
import type { Act, Context, Reply } from './act.ts'
import { alertMeant } from './grammar/alert-ref.ts'
import { wantFile } from './queries/files.ts'
import { cardOf } from './told.ts'

export const timeline: Act = {
  names: ['timeline'],
  usage: 'timeline <alert>',
  example: 'timeline web-2',
  does: "Puts a file with all that happened about an alert into the alert's thread",
  permission: 'add_note',
  command(words, context) {
    const meant = alertMeant(words, context.scene(), context.ask, 'timeline {}', { mayBeClosed: true })
    return meant.kind === 'no' ? meant.reply : wantTimeline(meant.alert, context)
  },
}

export function wantTimeline(alert: Alert, context: Context): Reply {
  const card = cardOf(context.scene(), alert)
  if (card === null)
    return { kind: 'refuse', text: 'That alert has no card in Slack to put a timeline under.' }
  const data = { file: 'timeline', alert: alert.id, post: card.id } as const
  return wantFile(data, "I put the timeline in the alert's thread", context)
}
