/** Carries out the demo's night: problems at the service, people in the workspace, and a count of the results. */
import { EventSource, MessageEvent } from 'undici'
import { z } from 'zod'
import { realClock } from '../bot/clock.ts'
import { answerWithinMs, order, post, type Town } from './town.ts'

const seenWithinMs = 20_000
const lookEveryMs = 250
const pageSize = 50

const button = z.object({
  type: z.literal('button'),
  action_id: z.string(),
  text: z.object({ text: z.string() }),
})
const message = z.object({
  ts: z.string(),
  text: z.string().default(''),
  thread_ts: z.string().optional(),
  blocks: z
    .array(z.looseObject({ block_id: z.string().optional(), elements: z.array(z.unknown()).optional() }))
    .default([]),
  metadata: z.object({ event_payload: z.object({ card: z.string() }) }).optional(),
})
const messages = z.object({ messages: z.array(message) })
const done = z.looseObject({ ok: z.boolean(), error: z.string().optional() })
const alerts = z.object({ results: z.array(z.object({ id: z.number() })) })
const state = z.object({ open_alerts: z.array(z.unknown()) })

type Message = z.output<typeof message>

/** In words, not on a button: `<http://…/a/123?t=…|web-2>`. */
const linked = /<[^<>|"]*\/a\/(\d+)\?[^<>|"]*\|/g

export type Tally = {
  readonly listed: number
  readonly shown: number
  readonly missing: number
  readonly doubled: number
}

export type NightTown = Pick<Town, 'startScenario'> & {
  /** The API answers with 503 for so long. */
  failApi(seconds: number): Promise<void>
  /** Opens an alert that closes by itself. */
  openAlert(of: {
    server: string
    plugin: string
    metric: string
    value: number
    seconds: number
  }): Promise<void>
  /** A person types `/mon` and this. */
  type(user: string, text: string): Promise<void>
  /** A person presses the button with this label on the newest message of the channel that holds `words`. */
  press(user: string, label: string, words: string): Promise<void>
  openAlerts(): Promise<number>
  /** Compares all that the API lists with all that the channel has shown, message by message; null: the API does not answer. */
  tally(): Promise<Tally | null>
  stop(): void
}

export function openNightTown(
  town: Pick<Town, 'startScenario'>,
  at: { serviceUrl: string; controlUrl: string; apiKey: string; workspaceUrl: string; channel: string },
): NightTown {
  const seen = new Set<string>()
  const source = new EventSource(`${at.workspaceUrl}/control/events?since=0`)
  noteShown(source, seen)

  const messagesNow = async () => {
    const found = await get(`${at.workspaceUrl}/control/messages?channel=${at.channel}`)
    return messages.parse(found).messages
  }

  /** False: what was acted on is not there any more. */
  async function act(name: string, body: object): Promise<boolean> {
    const asked = await post(`${at.workspaceUrl}/control/${name}`, body)
    const answer = done.parse(await asked.json())
    if (answer.error === 'unknown_action') return false
    if (!answer.ok) throw new Error(`the local Slack refused ${name}: ${answer.error}`)
    return true
  }

  return {
    ...town,
    failApi: async (seconds) => {
      await order(`${at.controlUrl}/control/faults`, { status: 503, times: 10_000, seconds })
    },
    openAlert: async (of) => {
      await order(`${at.controlUrl}/control/alerts`, of)
    },
    async type(user, text) {
      await act('command', { user, channel: at.channel, command: '/mon', text })
    },
    async press(user, label, words) {
      const deadlineMs = realClock.nowMs() + seenWithinMs
      for (;;) {
        const found = newestWith(await messagesNow(), label, words)
        // A card that was updated since it was read is looked at anew.
        if (found !== null && (await act('click', { user, channel: at.channel, ...found }))) return
        if (realClock.nowMs() > deadlineMs) throw new Error(`${user} finds no ${label} beside ${words}`)
        await realClock.wait(lookEveryMs)
      }
    },
    openAlerts: async () => state.parse(await get(`${at.controlUrl}/control/state`)).open_alerts.length,
    async tally() {
      const ids: string[] = []
      for (let offset = 0; ; offset += pageSize) {
        const page = alerts.safeParse(
          await get(`${at.serviceUrl}/api/v2/${at.apiKey}/alerts.json?lifecycle=all&offset=${offset}`),
        )
        if (!page.success) return null
        ids.push(...page.data.results.map(({ id }) => String(id)))
        if (page.data.results.length < pageSize) break
      }
      const cards = (await messagesNow()).flatMap(({ metadata }) => metadata?.event_payload.card ?? [])
      const missing = ids.filter((id) => !seen.has(id)).length
      return {
        listed: ids.length,
        shown: ids.length - missing,
        missing,
        doubled: cards.length - new Set(cards).size,
      }
    },
    stop: () => source.close(),
  }
}

/** Every alert that any message has shown, however it was edited later: by the link, as a number is not always shown, or not whole. */
function noteShown(source: EventSource, seen: Set<string>): void {
  const note = (heard: Event) => {
    if (!(heard instanceof MessageEvent)) return
    for (const [, id] of String(heard.data).matchAll(linked)) if (id !== undefined) seen.add(id)
  }
  for (const type of ['message_posted', 'message_updated']) source.addEventListener(type, note)
}

function newestWith(all: readonly Message[], label: string, words: string) {
  const own = all.filter(({ thread_ts: thread, ts }) => thread === undefined || thread === ts)
  for (const { ts, text, blocks } of own.toReversed()) {
    if (!text.includes(words)) continue
    for (const { block_id: blockId, elements = [] } of blocks) {
      for (const element of elements) {
        const found = button.safeParse(element)
        if (found.success && found.data.text.text === label) {
          return { ts, actionId: found.data.action_id, ...(blockId === undefined ? {} : { blockId }) }
        }
      }
    }
  }
  return null
}

async function get(url: string): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) })
  return answer.json()
}
