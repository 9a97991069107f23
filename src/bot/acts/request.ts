/** What reaches the router, and how it answers: nothing here knows of Bolt. */

import type { View as SlackView } from '@slack/types'
import type { View } from '../view/scene.ts'
import type { Pass } from '../world/journal.ts'
import type { Ask, Form, Press } from './act.ts'

/** A command's text stands behind `/mon` or the mention, as it was typed. */
export type Asked =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'press'; readonly press: Press }
  | { readonly kind: 'form'; readonly form: Form }

export type RequestIn = {
  readonly ask: Ask
  readonly asked: Asked
  /** Sends an answer that only the asker sees, where they asked; what Slack says to it is not told. */
  answer(pass: Pass, view: View): Promise<void>
  /** Opens a form at once: a trigger lives for three seconds. Null: it could not, in words. */
  open(view: SlackView): Promise<string | null>
}

/** What the adapter does with a form that was sent: closes it, or shows its problems. */
export type Outcome = { readonly problems: Readonly<Record<string, string>> | null }
