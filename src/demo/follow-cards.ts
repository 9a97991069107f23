/** Prints the workspace's messages as they are posted and updated, for who has no browser at hand. */
import { EventSource, MessageEvent } from 'undici'
import { z } from 'zod'
import { realClock } from '../clock.ts'
import { renderMessage } from '../workspace/terminal.ts'

const widthMax = 110
const usualWidth = 80

/** The parts of a happening that are printed; the workspace's own control API is trusted for the rest. */
const happening = z.object({
  event: z.object({
    channel: z.string(),
    message: z.object({
      ts: z.string(),
      text: z.string().optional(),
      blocks: z.array(z.unknown()).optional(),
      thread_ts: z.string().optional(),
    }),
  }),
})

/** Resolves once it listens; `names` tells channels by their ids. A lost connection is taken up again by itself. */
export async function followCards(
  address: string,
  names: ReadonlyMap<string, string>,
  say: (text: string) => void,
): Promise<{ stop(): Promise<void> }> {
  const source = new EventSource(address)
  const print = (verb: string) => (told: Event) => {
    if (!(told instanceof MessageEvent)) return
    const { event } = happening.parse(JSON.parse(told.data))
    const { ts, text, blocks, thread_ts: threadTs } = event.message
    const isReply = threadTs !== undefined && threadTs !== ts
    const place = `#${names.get(event.channel) ?? event.channel}${isReply ? ', in a thread' : ''}`
    const card = renderMessage(
      { ts, ...(text === undefined ? {} : { text }), ...(blocks === undefined ? {} : { blocks }) },
      {
        width: Math.min(widthMax, process.stdout.columns ?? usualWidth),
        color: process.stdout.isTTY === true,
        now: new Date(realClock.nowMs()),
      },
    )
    say(`── ${verb} ${place}\n${card}\n`)
  }
  source.addEventListener('message_posted', print('posted in'))
  source.addEventListener('message_updated', print('updated in'))
  await new Promise<void>((resolve) => source.addEventListener('open', () => resolve()))
  return { stop: async () => source.close() }
}
