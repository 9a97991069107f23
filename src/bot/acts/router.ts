/**
 * Takes each request of a person once: a repeat gets the same answer. Checks permission, has the act decide, waits for the journal and,
 * a little, for the API, and answers. With the database away it refuses in seconds, and nothing is changed.
 */
import { nearest } from '../../shared/nearest.ts'
import { type Clock, second } from '../clock.ts'
import type { PermissionName } from '../config/policy.ts'
import type { Log } from '../log.ts'
import { wantedOff } from '../loops/switches.ts'
import { actions, button, fitted, readValue, sections, viewOfBlocks } from '../view/blocks.ts'
import type { Scene, View } from '../view/view.ts'
import { escaped } from '../view/words.ts'
import type { Journal, Outside, Pass } from '../world/journal.ts'
import { LostLead } from '../world/store.ts'
import {
  type Action,
  type Asked,
  type Context,
  type Offer,
  type Outcome,
  type Press,
  type Reads,
  Refusal,
  type Reply,
  type RequestIn,
  refuse,
  tooOld,
} from './action.ts'
import { plainWords } from './grammar/targets.ts'
import { demand } from './pressed.ts'

export type RouterParts = {
  readonly acts: readonly Action[]
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
/** Whoever asks hears something within so long; after the API the journal has at least the shorter time. */
const answerWithinMs = 2.9 * second
const journalMinMs = 0.7 * second
const away = "I can't reach my database; nothing was changed."
const awayOfQuestion = "⚠️ I can't reach my database: what is newest here isn't certain."
const awayMeanwhile = "I can't reach my database, so this isn't certain yet. It's done once it is back."
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
        const untilMs = parts.clock.steadyMs() + answerWithinMs
        await send(parts, request, refusalView(broken), untilMs).catch(() => {})
        return closed
      } finally {
        running.delete(key)
      }
    },
  }
}

const closed: Outcome = { problems: null }

async function takeOnce(parts: RouterParts, request: RequestIn): Promise<Outcome> {
  const { scene, reads } = parts
  const { ask, asked } = request
  const found = foundFor(parts.acts, asked)
  const { once } = found
  // Who only asks what is open must hear it though the database is away.
  const isQuestion = asked.kind === 'command' && found.permission === null
  const untilMs = parts.clock.steadyMs() + answerWithinMs
  const say = (view: View) => (isQuestion ? sendRead : send)(parts, request, view, untilMs)
  const known = scene().world.requests.get(ask.key)
  if (known !== undefined) {
    if (known.answer !== null) await say(JSON.parse(known.answer) as View)
    return closed
  }
  if (isAway(parts) && !isQuestion) {
    await request.answer({} as Pass, refusalView(away))
    return closed
  }
  const now = scene()
  if (once !== undefined && now.world.requests.has(once)) {
    await say(refusalView("You've confirmed this already."))
    return closed
  }
  if (once !== undefined) now.world.put('requests', { id: once, atMs: now.nowMs, answer: null })
  if (asked.kind === 'press' && asked.press.option !== null) forgetChoice(asked.press, now)
  const reply = await repliedBy(found, { ask, scene, reads })
  const isRefused = reply instanceof Refusal
  if (isRefused && asked.kind === 'form') {
    const field = reply.field ?? [...asked.form.values.keys()][0]
    if (field !== undefined) return { problems: { [field]: reply.message.replaceAll('`', '') } }
  }
  if (!isRefused && reply.kind === 'form') {
    const why = await request.open(reply.view)
    // A mention opens none, but the button that repeats it does.
    const again = asked.kind === 'command' ? [{ label: asked.text, command: asked.text }] : []
    if (why !== null) await say(refusalView(`Couldn't open the form: ${why}. Please try again.`, again))
    return closed
  }
  // It is remembered before anything is waited for: a repeat must not do it again.
  const { world, nowMs } = scene()
  world.put('requests', { id: ask.key, atMs: nowMs, answer: null })
  if (once !== undefined && isRefused) world.remove('requests', once, 'gone')
  if (!isRefused && reply.kind === 'done') return closed
  if (!isRefused) await waitFor(parts, reply.waitsFor ?? [])
  const view = isRefused ? refusalView(reply.message, reply.offers) : reply.render(scene())
  if (view === null) return closed
  world.patch('requests', ask.key, { answer: JSON.stringify(view) })
  await say(view)
  return closed
}

async function repliedBy({ permission, what, handle }: Found, context: Context): Promise<Reply | Refusal> {
  try {
    if (permission !== null) await demand(permission, what, context)
    return await handle(context)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Another rendering: who chose something can choose it again. */
function forgetChoice({ post: id }: Press, { world }: Scene): void {
  const post = world.posts.get(id ?? '')
  if (post !== undefined)
    world.patch('posts', post.id, { data: { ...post.data, choices: (post.data.choices ?? 0) + 1 } })
}

/** Within a time: a database that went away meanwhile must not leave somebody without any answer. */
async function send(parts: RouterParts, request: RequestIn, view: View, untilMs: number): Promise<void> {
  const sent = parts.outside((pass) => request.answer(pass, view))
  if (!(await isInTime(parts, sent, untilMs))) await request.answer({} as Pass, refusalView(awayMeanwhile))
}

/** What is only read is sent once, whether or not all of it is on disk. */
async function sendRead(parts: RouterParts, request: RequestIn, view: View, untilMs: number): Promise<void> {
  const written = () => parts.outside(async () => {})
  const isOnDisk = !isAway(parts) && (await isInTime(parts, written(), untilMs))
  const text = `${awayOfQuestion}\n${view.text}`
  const blocks = isOnDisk ? [] : fitted([...sections([awayOfQuestion]), ...view.blocks])
  await request.answer({} as Pass, isOnDisk ? view : { text, blocks })
}

/** Once that time is over, what is under way is waited for only while the database answers. */
async function isInTime(parts: RouterParts, work: Promise<void>, untilMs: number): Promise<boolean> {
  const { clock } = parts
  const done = new AbortController()
  const isDone = work.then(() => true)
  const waitMs = Math.max(untilMs - clock.steadyMs(), journalMinMs)
  const isLate = clock.wait(waitMs, done.signal).then(() => (isAway(parts) ? false : isDone))
  return Promise.race([isDone, isLate]).finally(() => done.abort())
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

function foundFor(acts: readonly Action[], asked: Asked): Found {
  if (asked.kind === 'command') return commandFor(acts, asked.text)
  if (asked.kind === 'form') {
    const { form } = asked
    for (const { forms = {}, names, permission } of acts) {
      const handle = Object.hasOwn(forms, form.callbackId) ? forms[form.callbackId] : undefined
      if (handle !== undefined)
        return { permission, what: names[0] ?? form.callbackId, handle: (context) => handle(form, context) }
    }
    return unknown('This form is too old. Please open it again.')
  }
  const { press } = asked
  const { actionId } = press
  const { words, once: asking } = readValue(press.value) ?? {}
  if (/^(?:offer|page)_\d+$/.test(actionId) && words !== undefined) return commandFor(acts, words)
  const once = asking === undefined ? undefined : `once:${asking}`
  for (const { presses = {}, names, permission } of acts) {
    const handle = Object.hasOwn(presses, actionId) ? presses[actionId] : undefined
    if (handle !== undefined)
      return { permission, what: names[0] ?? actionId, once, handle: (context) => handle(press, context) }
  }
  return unknown(tooOld)
}

function commandFor(acts: readonly Action[], text: string): Found {
  const words = plainWords(text).replace(/^(?:\/?mon|please|pls|(?:can|could) you)\s+/i, '') || 'help'
  const names = acts.flatMap(({ command, names, permission }) =>
    command === undefined ? [] : names.map((name) => ({ name, command, permission })),
  )
  const [longest] = names
    .filter(({ name }) => `${words} `.toLowerCase().startsWith(`${name} `))
    .sort((a, b) => b.name.length - a.name.length)
  if (longest !== undefined) {
    const { command, name, permission } = longest
    const rest = words.slice(name.length).trim()
    return { permission, what: name, handle: (context) => command(rest, context) }
  }
  const [first = ''] = words.split(' ')
  const other = otherNames.get(first.toLowerCase())
  const known = names.map(({ name }) => name)
  const near = other === undefined ? nearest(first, known, 2) : [other]
  const offers = near.map((name) => `${name}${words.slice(first.length)}`)
  return unknown(`No command \`${escaped(first, 40)}\`. Try \`/mon help\``, offers)
}

function unknown(text: string, offers: readonly string[] = []): Found {
  return { permission: null, what: 'unknown', handle: () => refuse(text, offers) }
}

function refusalView(text: string, offers: readonly Offer[] = []): View {
  const said = /^\p{Extended_Pictographic}/u.test(text) ? text : `⚠️ ${text}`
  const buttons = offers.map(({ label, command }, at) =>
    button({ id: `offer_${at + 1}`, label, value: { words: command } }),
  )
  return viewOfBlocks([...sections([said]), ...actions('offers', buttons)])
}
