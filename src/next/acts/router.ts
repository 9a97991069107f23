/**
 * Takes each request of a person once: a repeat gets the same answer. Checks permission, has the act decide, waits for the journal and,
 * a little, for the API, and answers. With the database away it refuses in seconds, and nothing is changed.
 */
import { nearest } from '../../shared/nearest.ts'
import { type Clock, second } from '../clock.ts'
import type { PermissionName } from '../config/policy-types.ts'
import type { Log } from '../log.ts'
import { wantedOff } from '../loops/switches.ts'
import { actions, button, sections, viewOfBlocks } from '../view/blocks.ts'
import type { Scene, View } from '../view/scene.ts'
import { readValue } from '../view/values.ts'
import type { Outside } from '../world/outside.ts'
import { type Journal, LostLead } from '../world/store.ts'
import type { Act, Ask, Context, Offer, Reads, Reply } from './act.ts'
import { plainWords } from './grammar/plain.ts'
import { mayDo } from './permit.ts'
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

/** An answer waits so long for the API; what comes later is told as not certain. */
const apiWithinMs = 2.2 * second
const lookEveryMs = 25
/** The journal may be behind for so long before requests are refused. */
const awayMaxMs = second
const journalWithinMs = 2.5 * second
const away = "I can't reach my database; nothing was changed."
const broken = 'Something went wrong on my side; the log says what. Please try again.'

type Handler = (context: Context) => Reply | Promise<Reply>
type Found = {
  readonly permission: PermissionName | null
  readonly act: Act | null
  readonly handle: Handler
}

export type Router = {
  take(request: RequestIn): Promise<Outcome>
  /** How many requests were taken since the start. */
  count(): number
}

export function openRouter(parts: RouterParts): Router {
  const { scene, clock, log } = parts
  const running = new Set<string>()
  let taken = 0

  async function take(request: RequestIn): Promise<Outcome> {
    const { ask, asked } = request
    taken += 1
    // A repeat while the first one still runs is answered by that one.
    if (running.has(ask.key)) return { problems: null }
    const known = scene().world.requests.get(ask.key)
    if (known !== undefined) return repeat(request, known.answer)
    running.add(ask.key)
    try {
      if (isAway()) return await refuseAway(request)
      return await serve(request, foundFor(parts.acts, asked, ask))
    } catch (error) {
      if (error instanceof LostLead) throw error
      log.error('request:failed', {
        via: ask.via,
        error: error instanceof Error ? error.stack : String(error),
      })
      await send(request, refusal({ kind: 'refuse', text: broken })).catch(() => {})
      return { problems: null }
    } finally {
      running.delete(ask.key)
    }
  }

  async function serve(request: RequestIn, found: Found): Promise<Outcome> {
    const { ask } = request
    const context: Context = { ask, scene, reads: parts.reads }
    const denied = found.permission === null ? null : await mayDo(found.permission, context)
    if (denied !== null) {
      noteRefusal(found, context)
      return answer(request, { kind: 'refuse', text: denied })
    }
    const reply = await found.handle(context)
    if (reply.kind === 'problems') return { problems: reply.problems }
    if (reply.kind === 'form') {
      const why = await request.open(reply.view)
      if (why !== null)
        await send(
          request,
          refusal({ kind: 'refuse', text: `Couldn't open the form: ${why}. Please try again.` }),
        )
      return { problems: null }
    }
    return answer(request, reply)
  }

  async function answer(
    request: RequestIn,
    reply: Exclude<Reply, { kind: 'form' | 'problems' }>,
  ): Promise<Outcome> {
    const { world, nowMs } = scene()
    if (reply.kind === 'done') {
      world.put('requests', { id: request.ask.key, atMs: nowMs, answer: null })
      return { problems: null }
    }
    if (reply.kind === 'say' && reply.waitsFor !== undefined) await waitFor(reply.waitsFor)
    const view = reply.kind === 'say' ? reply.render(scene()) : refusal(reply)
    scene().world.put('requests', { id: request.ask.key, atMs: nowMs, answer: JSON.stringify(view) })
    await send(request, view)
    return { problems: null }
  }

  /** Within a time: a database that went away meanwhile must not leave somebody without any answer. */
  async function send(request: RequestIn, view: View): Promise<void> {
    const late = new AbortController()
    const isSent = parts.outside((pass) => request.answer(pass, view)).then(() => true)
    const isLate = clock.wait(journalWithinMs, late.signal).then(() => isAway())
    if (await Promise.race([isSent, isLate.then((isIt) => (isIt ? false : isSent))])) return late.abort()
    await refuseAway(request, true)
  }

  async function refuseAway(request: RequestIn, isDecided = false): Promise<Outcome> {
    const text = isDecided
      ? "I can't reach my database, so this isn't certain yet. It is done once it is back."
      : away
    // The one answer that does not wait for the journal: it says that it cannot.
    await request.answer({} as never, refusal({ kind: 'refuse', text }))
    return { problems: null }
  }

  async function repeat(request: RequestIn, known: string | null): Promise<Outcome> {
    if (known !== null) await send(request, JSON.parse(known) as View)
    return { problems: null }
  }

  function isAway(): boolean {
    const sinceMs = parts.journal.awaySinceMs()
    return sinceMs !== null && clock.nowMs() - sinceMs > awayMaxMs
  }

  async function waitFor(ids: readonly string[]): Promise<void> {
    const untilMs = clock.steadyMs() + apiWithinMs
    while (clock.steadyMs() < untilMs) {
      const now = scene()
      if (ids.every((id) => isSettled(id, now))) return
      await clock.wait(lookEveryMs)
    }
  }

  return { take, count: () => taken }
}

function isSettled(id: string, now: Scene): boolean {
  const effect = now.world.effects.get(id)
  if (effect !== undefined) return !['new', 'asked'].includes(effect.state)
  const wanted = wantedOff(now).has(id) ? 'off' : 'on'
  return (now.world.switches.get(id)?.told ?? 'on') === wanted
}

/** Which act is meant, by the first words, the button, or the form. */
function foundFor(acts: readonly Act[], asked: Asked, ask: Ask): Found {
  if (asked.kind === 'form') {
    const { form } = asked
    const act = acts.find(({ forms }) => forms !== undefined && Object.hasOwn(forms, form.callbackId))
    const handle = act?.forms?.[form.callbackId]
    if (act === undefined || handle === undefined)
      return unknown('This form is too old. Please open it again.')
    return { act, permission: act.permission, handle: (context) => handle(form, context) }
  }
  if (asked.kind === 'command') return commandFor(acts, asked.text, ask)
  const { press } = asked
  const actionId = press.actionId.replace(/:\d+$/, '')
  const words = readValue(press.value)?.words
  if (/^(?:offer|page)_\d+$/.test(actionId) && words !== undefined) return commandFor(acts, words, ask)
  const act = acts.find(({ presses }) => presses !== undefined && Object.hasOwn(presses, actionId))
  const handle = act?.presses?.[actionId]
  if (act === undefined || handle === undefined) return unknown('This message is too old to act on.')
  return { act, permission: act.permission, handle: (context) => handle({ ...press, actionId }, context) }
}

function commandFor(acts: readonly Act[], text: string, { via }: Ask): Found {
  const words = plainWords(text)
  const lower = words.toLowerCase()
  const names = acts.flatMap((act) => act.names.map((name) => ({ act, name })))
  const longest = names
    .filter(({ act, name }) => act.command !== undefined && (lower === name || lower.startsWith(`${name} `)))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (longest === undefined) {
    const [first = '', ...rest] = words.split(' ')
    const near = nearest(
      first,
      names.map(({ name }) => name),
      2,
    )
    const offered = near.map((name) => ({
      label: [name, ...rest].join(' '),
      command: [name, ...rest].join(' '),
    }))
    if (words === '') return commandFor(acts, 'help', { via } as Ask)
    return unknown(`No command \`${first.replaceAll('`', '').slice(0, 40)}\`. Try \`/mon help\``, offered)
  }
  const { act, name } = longest
  const handle = (context: Context) =>
    act.command?.(words.slice(name.length).trim(), context) ?? { kind: 'done' as const }
  return { act, permission: act.permission, handle }
}

function unknown(text: string, offers: readonly Offer[] = []): Found {
  return { act: null, permission: null, handle: () => ({ kind: 'refuse', text, offers }) }
}

function noteRefusal({ act, permission }: Found, { ask, scene }: Context): void {
  const { world, nowMs } = scene()
  world.put('acts', {
    id: world.nextId(nowMs),
    atMs: nowMs,
    by: ask.person.id,
    kind: 'refused',
    subject: `${act?.names[0] ?? 'a request'} (${permission ?? ''})`,
    ...(ask.channel === null ? {} : { channel: ask.channel }),
    outcome: 'refused',
    data: {},
  })
}

/** A sentence, and what to do instead as buttons with whole commands. */
export function refusal({ text, offers = [] }: Extract<Reply, { kind: 'refuse' }>): View {
  const said = /^[⚠️🔕🟢]/u.test(text) ? text : `⚠️ ${text}`
  const buttons = offers
    .slice(0, 5)
    .map(({ label, command }, at) => button({ id: `offer_${at + 1}`, label, value: { words: command } }))
  return viewOfBlocks([...sections([said]), ...actions('offers', buttons)])
}
