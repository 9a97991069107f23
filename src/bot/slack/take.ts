/** Hands what somebody asks for to the router, and sends its answer where only they see it. */
import type { RequestIn } from '../acts/action.ts'
import type { Router } from '../acts/router.ts'
import type { Log } from '../log.ts'
import type { Scene, View } from '../view/view.ts'
import type { Person } from '../world/facts.ts'
import type { Pass } from '../world/journal.ts'
import { LostLead } from '../world/store.ts'
import type { Post } from '../world/types.ts'
import type { Directory } from './directory.ts'
import type { SlackPort } from './port.ts'

export type TakerParts = {
  readonly slack: SlackPort
  readonly directory: Pick<Directory, 'person'>
  readonly router: Pick<Router, 'take'>
  readonly scene: () => Scene
  readonly log: Log
}

export type Where = { readonly channel: string | null; readonly threadTs: string | null }
export type Respond = (message: { text: string; blocks?: View['blocks'] }) => Promise<unknown>
/** Somebody asks for something, as Slack told it. */
export type Asking = Where & {
  readonly key: string
  readonly user: string
  readonly via: RequestIn['ask']['via']
  readonly asked: RequestIn['asked']
  readonly triggerId?: string
  /** By `response_url`. */
  readonly respond?: Respond | null
}

const originsMax = 500

export type Taker = ReturnType<typeof openTaker>

export function openTaker({ slack, directory, router, scene, log }: TakerParts) {
  /** Where a form was opened, by its id: its own payload does not say. */
  const origins = new Map<string, Where>()

  async function answer(pass: Pass, asking: Asking, { id }: Person, view: View): Promise<void> {
    const { channel, threadTs, respond = null, via, key } = asking
    const isSent = await respond?.(view).then(
      () => true,
      (error: unknown) => log.warn('answer:not_responded', { error: String(error) }),
    )
    if (isSent === true) return
    const send = (message: View) =>
      channel === null || via === 'message'
        ? slack.post(pass, {
            ...message,
            channel: channel ?? id,
            threadTs,
            isBroadcast: false,
            key: `answer:${key}`,
          })
        : slack.ephemeral(pass, channel, id, threadTs, message)
    let outcome = await send(view)
    if (outcome.kind === 'content' || outcome.kind === 'picture')
      outcome = await send({ ...view, blocks: [] })
    if (outcome.kind !== 'ok') log.warn('answer:not_sent', { outcome: outcome.kind })
  }

  async function take(asking: Asking) {
    const { key, channel, threadTs, via, asked, triggerId = null } = asking
    const person = await directory.person(asking.user)
    const threadPost = threadTs === null ? null : (postAt(scene(), channel, threadTs)?.id ?? null)
    try {
      return await router.take({
        ask: { key, person, channel, threadTs, threadPost, triggerId, via },
        asked,
        answer: (pass, view) => answer(pass, asking, person, view),
        open: async (view) => {
          if (triggerId === null) return 'it needs a button'
          const opened = await slack.openView(triggerId, view)
          if ('why' in opened) return opened.why
          if (origins.size >= originsMax) origins.clear()
          origins.set(opened.viewId, { channel, threadTs })
          return null
        },
      })
    } catch (error) {
      if (!(error instanceof LostLead)) throw error
      return { problems: null }
    }
  }
  return {
    take,
    /** Nowhere, if it was opened before a restart: then the answer is a direct message. */
    originOf: (viewId: string): Where => origins.get(viewId) ?? { channel: null, threadTs: null },
  }
}

/** The post of ours at a place in Slack. */
export function postAt({ world }: Scene, channel: string | null, ts: string): Post | null {
  for (const post of world.posts.values())
    if (post.ts === ts && (post.channelId ?? post.channel) === channel) return post
  return null
}
