/**
 * Takes each request of a person once: a repeat gets the same answer. Checks permission, has the act decide, waits for the journal and,
 * a little, for the API, and answers. With the database away it refuses in seconds, and nothing is changed.
 */
import { nearest } from '../../shared/nearest.ts'
import { type Clock, second } from '../clock.ts'
import type { PermissionName } from '../config/policy.ts'
import type { Log } from '../log.ts'
import { wantedOff } from '../loops/switches.ts'
import { actions, button, sections, viewOfBlocks } from '../view/blocks.ts'
import type { Scene, View } from '../view/scene.ts'
import { readValue } from '../view/values.ts'
import { escaped } from '../view/words.ts'
import type { Journal, Outside, Pass } from '../world/journal.ts'
import { LostLead } from '../world/store.ts'
import type { Act, Context, Offer, Reads, Reply } from './act.ts'
import { plainWords } from './grammar/words.ts'
import { refusedTo } from './permit.ts'
import type { Asked, Outcome, RequestIn } from './request.ts'

export type RouterParts = {
  readonly acts: readonly Act[]
  readonly scene: () => Scene
  readonly reads: Reads
  readonly outside: Outside
  readonly journal: Journal
  readonly clock: Clock
  readonly log: Log
}

/** An answer waits so long for the API, before it says that nothing is certain yet. */
const apiWithinMs = 2.2 * second
const lookEveryMs = 25
/** The journal may be behind for so long before requests are refused. */
const awayMaxMs = second
const journalWithinMs = 2.5 * second
const away = "I can't reach my database; nothing was changed."
const awayMeanwhile = "I can't reach my database, so this isn't certain yet. It's done once it is back."
const offersMax = 10
const broken = 'Something went wrong on my side; the log says what. Please try again.'

/** What other tools call it. */
const otherNames = new Map([
  ['silence', 'mute'],
  ['downtime', 'mute'],
  ['unsilence', 'unmute'],
  ['claim', 'ack'],
  ['assign', 'hand'],
  ['unacknowledge', 'unack'],
])

type Found = {
  readonly permission: PermissionName | null
  /** As a command says it: for the audit of refusals. */
  readonly what: string
  /** What was confirmed: it is taken once. */
  readonly once?: string | undefined
  readonly handle: (context: Context) => Reply | Promise<Reply>
}

export type Router = {
  /** Rejects with `LostLead`, and nothing else. */
  take(request: RequestIn): Promise<Outcome>
  /** How many requests were taken since the start. */
  count(): number
}

export function openRouter(parts: RouterParts): Router {
  const running = new Set<string>()
  let taken = 0
  return {
    count: () => taken,
    async take(request) {
      const { key, via } = request.ask
      taken += 1
      // A repeat while the first one still runs is answered by that one.
      if (running.has(key)) return closed
      running.add(key)
      try {
        return await takeOnce(parts, request)
      } catch (error) {
        if (error instanceof LostLead) throw error
        const stack = error instanceof Error ? error.stack : String(error)
        parts.log.error('request:failed', { via, error: stack })
        await send(parts, request, refusal({ kind: 'refuse', text: broken })).catch(() => {})
        return closed
      } finally {
        running.delete(key)
      }
    },
  }
}

/** Of a form: it closes. */
const closed: Outcome = { problems: null }

async function takeOnce(parts: RouterParts, request: RequestIn): Promise<Outcome> {
  const { scene, reads } = parts
  const { ask, asked } = request
  const known = scene().world.requests.get(ask.key)
  if (known !== undefined) {
    if (known.answer !== null) await send(parts, request, JSON.parse(known.answer) as View)
    return closed
  }
  if (isAway(parts)) {
    await tellAway(request, away)
    return closed
  }
  const context: Context = { ask, scene, reads }
  const { permission, what, once, handle } = foundFor(parts.acts, asked)
  const now = scene()
  if (once !== undefined && now.world.requests.has(once)) {
    await send(parts, request, refusal({ kind: 'refuse', text: "You've confirmed this already." }))
    return closed
  }
  if (once !== undefined) now.world.put('requests', { id: once, atMs: now.nowMs, answer: null })
  const refused = permission === null ? null : await refusedTo(permission, what, context)
  const reply = refused ?? (await handle(context))
  if (reply.kind === 'problems') return reply
  if (reply.kind === 'form') {
    const why = await request.open(reply.view)
    const text = `Couldn't open the form: ${why}. Please try again.`
    if (why !== null) await send(parts, request, refusal({ kind: 'refuse', text }))
    return closed
  }
  // It is remembered before anything is waited for: a repeat must not do it again.
  const { world, nowMs } = scene()
  world.put('requests', { id: ask.key, atMs: nowMs, answer: null })
  if (once !== undefined && reply.kind === 'refuse') world.remove('requests', once, 'gone')
  if (reply.kind === 'done') return closed
  if (reply.kind === 'say') await waitFor(parts, reply.waitsFor ?? [])
  const view = reply.kind === 'say' ? reply.render(scene()) : refusal(reply)
  if (view === null) return closed
  world.patch('requests', ask.key, { answer: JSON.stringify(view) })
  await send(parts, request, view)
  return closed
}

/** Within a time: a database that went away meanwhile must not leave somebody without any answer. */
async function send(parts: RouterParts, request: RequestIn, view: View): Promise<void> {
  const done = new AbortController()
  const isSent = parts.outside((pass) => request.answer(pass, view)).then(() => true)
  const isLate = parts.clock.wait(journalWithinMs, done.signal).then(() => (isAway(parts) ? false : isSent))
  try {
    if (!(await Promise.race([isSent, isLate]))) await tellAway(request, awayMeanwhile)
  } finally {
    done.abort()
  }
}

/** The one answer that cannot wait for the database: it says that it is away. */
function tellAway(request: RequestIn, text: string): Promise<void> {
  return request.answer({} as Pass, refusal({ kind: 'refuse', text }))
}

function isAway({ journal, clock }: RouterParts): boolean {
  const sinceMs = journal.awaySinceMs()
  return sinceMs !== null && clock.nowMs() - sinceMs > awayMaxMs
}

async function waitFor({ scene, clock }: RouterParts, ids: readonly string[]): Promise<void> {
  const untilMs = clock.steadyMs() + apiWithinMs
  while (clock.steadyMs() < untilMs && !areSettled(ids, scene())) await clock.wait(lookEveryMs)
}

function areSettled(ids: readonly string[], now: Scene): boolean {
  if (ids.length === 0) return true
  const off = wantedOff(now)
  return ids.every((id) => {
    const effect = now.world.effects.get(id)
    if (effect !== undefined) return !['new', 'asked'].includes(effect.state)
    const post = now.world.posts.get(id)
    if (post !== undefined) return !['new', 'sending'].includes(post.state)
    return (now.world.switches.get(id)?.told ?? 'on') === (off.has(id) ? 'off' : 'on')
  })
}

/** Which act is meant, by the first words, the button, or the form. */
function foundFor(acts: readonly Act[], asked: Asked): Found {
  if (asked.kind === 'command') return commandFor(acts, asked.text)
  if (asked.kind === 'form') {
    const { form } = asked
    const act = acts.find(({ forms }) => forms !== undefined && Object.hasOwn(forms, form.callbackId))
    const handle = act?.forms?.[form.callbackId]
    if (act === undefined || handle === undefined)
      return unknown('This form is too old. Please open it again.')
    const what = act.names[0] ?? form.callbackId
    return { permission: act.permission, what, handle: (context) => handle(form, context) }
  }
  const { press } = asked
  const { actionId } = press
  const { words: command, once: asking } = readValue(press.value) ?? {}
  const once = asking === undefined ? undefined : `once:${asking}`
  if (/^(?:offer|page)_\d+$/.test(actionId) && command !== undefined) return commandFor(acts, command)
  const act = acts.find(({ presses }) => presses !== undefined && Object.hasOwn(presses, actionId))
  const handle = act?.presses?.[actionId]
  if (act === undefined || handle === undefined) return unknown('This message is too old to act on.')
  const what = act.names[0] ?? actionId
  const handled = (context: Context) => handle(press, context)
  return { permission: act.permission, what, once, handle: handled }
}

function commandFor(acts: readonly Act[], text: string): Found {
  const words = plainWords(text).replace(/^\/?mon\s+/i, '') || 'help'
  const lower = words.toLowerCase()
  const names = acts.flatMap((act) =>
    act.command === undefined ? [] : act.names.map((name) => ({ act, name })),
  )
  const [longest] = names
    .filter(({ name }) => lower === name || lower.startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)
  if (longest !== undefined) {
    const { act, name } = longest
    const rest = words.slice(name.length).trim()
    return {
      permission: act.permission,
      what: name,
      handle: (context) => act.command?.(rest, context) ?? { kind: 'done' },
    }
  }
  const [first = ''] = words.split(' ')
  const other = otherNames.get(first.toLowerCase())
  const known = names.map(({ name }) => name)
  const near = other === undefined ? nearest(first, known, 2) : [other]
  const commands = near.map((name) => `${name}${words.slice(first.length)}`)
  const offers = commands.map((command) => ({ label: command, command }))
  return unknown(`No command \`${escaped(first, 40)}\`. Try \`/mon help\``, offers)
}

function unknown(text: string, offers: readonly Offer[] = []): Found {
  return { permission: null, what: 'unknown', handle: () => ({ kind: 'refuse', text, offers }) }
}

/** A sentence, and what to do instead as buttons with whole commands. */
function refusal({ text, offers = [] }: Extract<Reply, { kind: 'refuse' }>): View {
  const said = /^\p{Extended_Pictographic}/u.test(text) ? text : `⚠️ ${text}`
  const buttons = offers
    .slice(0, offersMax)
    .map(({ label, command }, at) => button({ id: `offer_${at + 1}`, label, value: { words: command } }))
  return viewOfBlocks([...sections([said]), ...actions('offers', buttons)])
}
