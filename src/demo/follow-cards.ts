/** Prints what is said in the workspace, and what an incident does, in case no browser is at hand. */
import { EventSource, MessageEvent } from 'undici'
import { withEmoji } from '../workspace/page/blocks/emoji-codes.js'

type Message = { readonly ts: string; readonly text: string; readonly thread_ts?: string; subtype?: string }
type Posted = { readonly channel: string; readonly message: Message }

export async function followCards(
  address: string,
  names: ReadonlyMap<string, string>,
  say: (text: string) => void,
): Promise<{ stop(): Promise<void> }> {
  const source = new EventSource(address)
  const on = <Told>(type: string, print: (event: Told) => void) =>
    source.addEventListener(type, (heard: Event) => {
      if (heard instanceof MessageEvent) print(JSON.parse(heard.data).event)
    })
  const print =
    (verb: string) =>
    ({ channel, message }: Posted) => {
      const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts
      const isQuiet = isReply && message.subtype !== 'thread_broadcast'
      const place = `#${names.get(channel) ?? channel}${isQuiet ? ', in a thread' : ''}`
      say(`── ${verb} ${place}\n${plainWords(message.text, names)}\n`)
    }
  on('message_posted', print('posted in'))
  on('message_updated', print('updated in'))
  on('incident', ({ words }: { words: string }) => say(`> ${words}`))
  await new Promise<void>((resolve) => source.addEventListener('open', () => resolve()))
  return { stop: async () => source.close() }
}

/** For a terminal: links and dates as their labels, people by name, and nothing that could control the terminal. */
export function plainWords(mrkdwn: string, names: ReadonlyMap<string, string> = new Map()): string {
  const named = mrkdwn.replace(
    /<([@#])([A-Z0-9]+)>/g,
    (_, sign: string, id: string) => `${sign}${names.get(id) ?? id}`,
  )
  const labelled = named.replace(/<(?:[^<>|]*\|)?([^<>]*)>/g, '$1')
  const unescaped = labelled.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
  return withEmoji(unescaped).replace(/(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
}
