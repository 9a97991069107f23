/** Sends answers to Slack's response URLs, which reach only the person who asked, even in channels that the bot is not in. */
import type { KnownBlock } from '@slack/types'
import { request } from 'undici'
import type { Clock } from '../../flow/ports/ports.ts'

/** An answer for one person. `replace`: it replaces the message with the clicked button. */
export type ForOne = {
  readonly text: string
  readonly blocks: readonly KnownBlock[]
  readonly replace: boolean
}

/**
 * - `taken`
 * - `over`: it was used up, is too old, or is not an address of Slack's
 * - `not_ready`: Slack has not processed the picture yet
 * - `refused`: Slack does not accept these blocks
 * - `lost`: the outcome is unknown, and there are no more tries
 */
export type Sent = 'taken' | 'over' | 'not_ready' | 'refused' | 'lost'

const callMs = 5_000
const triesMax = 3
const pausesMs = [250, 1_000] as const
const bodyBytesMax = 10_000
const slackHosts = ['slack.com', 'slack-gov.com']

type ResponseUrls = { send(address: string, what: ForOne): Promise<Sent> }

/** `apiUrl`: a local Slack gives response URLs of its own origin. */
export function openResponseUrls({
  apiUrl,
  clock,
}: {
  readonly apiUrl: string
  readonly clock: Clock
}): ResponseUrls {
  const ownOrigin = new URL(apiUrl).origin
  return {
    send: async (address, { text, blocks, replace }) => {
      if (!isOfSlack(address, ownOrigin)) return 'over'
      const body = JSON.stringify({
        response_type: 'ephemeral',
        replace_original: replace,
        text,
        // Without `blocks`, the replaced message would keep its own.
        ...(blocks.length > 0 || replace ? { blocks } : {}),
      })
      for (let tries = 1; ; tries += 1) {
        const sent = await once(address, body)
        if (sent !== 'lost' || tries >= triesMax) return sent
        // A duplicate is better than nothing: only one person sees it.
        await clock.wait(pausesMs[tries - 1] ?? 0)
      }
    },
  }
}

function isOfSlack(address: string, ownOrigin: string): boolean {
  const url = URL.parse(address)
  if (url === null) return false
  if (url.origin === ownOrigin) return true
  return url.protocol === 'https:' && slackHosts.some((host) => url.hostname.endsWith(`.${host}`))
}

// No error leaves this function: HTTP clients' errors contain the address.
async function once(address: string, body: string): Promise<Sent> {
  try {
    const answer = await request(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      signal: AbortSignal.timeout(callMs),
    })
    const isTaken = answer.statusCode >= 200 && answer.statusCode < 300
    // Though the answer is cut off: another try would be read twice.
    const said = await beginningOf(answer.body).catch((error) => {
      if (isTaken) return ''
      throw error
    })
    if (isTaken) return 'taken'
    if (answer.statusCode === 429 || answer.statusCode >= 500) return 'lost'
    if (said.includes('invalid slack file')) return 'not_ready'
    return said.includes('invalid_blocks') ? 'refused' : 'over'
  } catch {
    return 'lost'
  }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const part of body) {
    text += part.toString('utf8')
    if (text.length > bodyBytesMax) break
  }
  return text
}
