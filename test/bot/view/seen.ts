/** What a person sees of a message: its text with names and times as Slack shows them, and what can be pressed, in brackets. */
import type { KnownBlock } from '@slack/types'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { type Scene, type View, viewOf } from '../../../src/bot/view/view.ts'
import type { Facts } from '../../../src/bot/world/facts.ts'
import type { Act, Alert, Mute, Post, Switch } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { policyOf, postOf } from '../worlds/builders.ts'

/** Monday, 01:06 UTC. */
export const nowMs = Date.UTC(2026, 10, 23, 1, 6)
export const at = (clock: string) => Date.parse(`2026-11-23T${clock}:00Z`)

export type Records = {
  readonly alerts?: readonly Alert[]
  readonly posts?: readonly Post[]
  readonly mutes?: readonly Mute[]
  readonly acts?: readonly Act[]
  readonly switches?: readonly Switch[]
  readonly facts?: Partial<Facts>
  readonly policy?: Partial<Policy>
  readonly scene?: Partial<Scene>
}

export function sceneOf(records: Records = {}): Scene {
  const world = new World(() => {})
  const facts: Partial<Facts> = { polled: { atMs: nowMs, unreadable: 0 }, ...records.facts }
  for (const alert of records.alerts ?? []) world.put('alerts', alert)
  for (const post of records.posts ?? []) world.put('posts', post)
  for (const act of records.acts ?? []) world.put('acts', act)
  for (const mute of records.mutes ?? []) world.put('mutes', mute)
  for (const one of records.switches ?? []) world.put('switches', one)
  for (const [id, value] of Object.entries(facts)) world.put('facts', { id, value })
  return {
    world,
    policy: policyOf({ isAccountMuteUnset: false, board: true, ...records.policy }),
    nowMs,
    defaultChannel: 'C0',
    replicaName: 'monbot-1',
    pager: null,
    canMuteAlerts: false,
    ...records.scene,
  }
}

/** A post that shows these alerts, alive in Slack. */
export function shownPost(over: Partial<Post>, ...alerts: readonly Alert[]): Post {
  const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: 0 }))
  return postOf({ state: 'live', ts: '1.5', channelId: 'C0', createdMs: nowMs, shows, ...over })
}

/** `<!date^…>` as 01:06, and another day's as Nov 24 01:06; `<@UANA>` as @ana; links as their words. */
export function readable(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^(\d+)\^([^|]*)\|[^>]*>/g, (_, seconds: string, form: string) => {
      const iso = new Date(Number(seconds) * 1000).toISOString()
      return form.includes('date') ? `${iso.slice(5, 10)} ${iso.slice(11, 16)}` : iso.slice(11, 16)
    })
    .replace(/<@U([A-Z]+)>/g, (_, name: string) => `@${name.toLowerCase()}`)
    .replace(/<!subteam\^\w+>/g, '@team')
    .replace(/<https?:[^|>]*\|([^>]*)>/g, '$1')
}

export function pressable(blocks: readonly KnownBlock[]): string[] {
  return blocks.flatMap((block) => {
    const elements = block.type === 'actions' ? block.elements : []
    const all = block.type === 'section' && block.accessory ? [block.accessory] : elements
    return all.map((element) => {
      if (element.type === 'button') return element.text.text
      return element.type === 'static_select' ? (element.placeholder?.text ?? '') : element.type
    })
  })
}

/** The rows of its table: words as they stand there, and what else a cell holds. */
export function cellsOf({ blocks }: View): unknown[][] {
  return blocks.flatMap((block) =>
    block.type === 'table'
      ? block.rows.map((row) => row.map((cell) => ('text' in cell ? cell.text : richIn(cell))))
      : [],
  )
}

function richIn(cell: object): unknown {
  const { elements = [cell] } = cell as { elements?: object[] }
  return elements[0] === cell ? cell : richIn(elements[0] ?? {})
}

export function seenOfView({ text, blocks }: View): string {
  const buttons = pressable(blocks).map((label) => `[${label}]`)
  return [readable(text), ...(buttons.length === 0 ? [] : [buttons.join(' ')])].join('\n')
}

export function seen(post: Post, records: Records = {}): string {
  return seenOfView(viewOf(post, sceneOf({ ...records, posts: [...(records.posts ?? []), post] })))
}
