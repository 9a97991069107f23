/**
 * A person of the workspace, for tests: types, clicks, chooses and fills in by visible words, and waits for them as people do. If
 * something does not appear, the error lists what is there.
 */
import type { Reply } from '../../src/workspace/api/reply.ts'
import { withEmoji } from '../../src/workspace/page/blocks/emoji-codes.js'
import type { Choice } from '../../src/workspace/people/elements.ts'
import { patienceMs } from './patience.ts'
import type { Workspace } from './slack.ts'
import { choiceByWords, listOf, sameWords, textOf, type Usable, usablesIn, wordsOf } from './visible-words.ts'

export type Message = { readonly ts: string; readonly channel?: string }
/** Where a person looks: a message, the newest answer that only they see, the open modal, or their Home tab. */
export type Place = Message | 'answer' | 'modal' | 'home'
/** Words that tell one of several from the others: those that it stands by. */
export type Beside = { readonly beside?: string }

export type Answer = Message & {
  readonly channel: string
  readonly text: string
  readonly blocks?: readonly Record<string, unknown>[]
}
export type Modal = {
  readonly title: string
  readonly words: string
  /** Of what can be filled in and pressed. */
  readonly labels: readonly string[]
  /** What the last submission was refused with, by the label of the input. */
  readonly errors: Readonly<Record<string, string>>
}

export type Person = {
  readonly id: string
  /** Types a command, if it begins with a slash, or a message; in #alerts, unless another channel is named. */
  types(text: string, channel?: string): Promise<void>
  presses(button: string, place?: Place, which?: Beside): Promise<void>
  chooses(select: string, option: string, place?: Place, which?: Beside): Promise<void>
  /** Inputs of the modal by their labels; options by their words. */
  fills(values: Readonly<Record<string, string>>): Promise<void>
  submits(): Promise<void>
  closes(): Promise<void>
  opensHome(): Promise<void>
  /** The texts of what only this person sees, the newest last. */
  sees(): string[]
  answers(): Answer[]
  modal(): Modal | null
  /** The words of the Home tab. */
  home(): string | null
  /** The texts of the direct messages with the bot, oldest first. */
  inbox(): Promise<string[]>
}

type Values = Record<string, Record<string, Choice>>

export function personIn(workspace: Workspace, name: string, timeout = patienceMs): Person {
  const seenWithin = { timeout, interval: 20 }
  const { id } = workspace.person(name)
  const { acts } = workspace
  const filled = new Map<string, Values>()
  let errors: { readonly viewId: string; readonly byLabel: Readonly<Record<string, string>> } | null = null

  const answers = (): Answer[] =>
    (workspace.ephemerals(name) as unknown as Answer[]).map((one) => ({ ...one, text: withEmoji(one.text) }))
  const topModal = () => workspace.modals(name).at(-1)

  type Spot = {
    readonly blocks: readonly unknown[]
    readonly at: { channel: string; ts: string } | { viewId: string }
  }

  function snapshot(place: Place): Spot {
    if (place === 'modal' || place === 'home') {
      const view = place === 'modal' ? topModal() : workspace.home(name)
      if (view === undefined) throw new Error(`${name} has no ${place} in front of them`)
      return { blocks: listOf(view.blocks), at: { viewId: String(view.id) } }
    }
    if (place === 'answer') {
      const newest = answers().at(-1)
      if (newest === undefined) throw new Error(`${name} has had no answer`)
      return { blocks: newest.blocks ?? [], at: { channel: newest.channel, ts: newest.ts } }
    }
    const channel = place.channel ?? workspace.channel('alerts').id
    const all = [...workspace.messages(channel), ...answers()]
    const message = all.find((one) => one.ts === place.ts)
    if (message === undefined) throw new Error(`there is no message ${place.ts} in ${channel}`)
    return { blocks: listOf(message.blocks), at: { channel, ts: place.ts } }
  }

  function find(
    words: string,
    place: Place,
    { beside = '' }: Beside,
    fits: (usable: Usable) => boolean,
  ): Promise<{ readonly usable: Usable; readonly at: Spot['at'] }> {
    return waitFor(() => {
      const { blocks, at } = snapshot(place)
      const there = usablesIn(blocks).filter((one) => fits(one) && one.beside.includes(beside))
      const [usable, second] = there.filter((one) => sameWords(one.label, words))
      if (usable !== undefined && second === undefined) return { usable, at }
      const list = there.map((one) => JSON.stringify(one.label)).join(', ') || 'nothing'
      const sort = usable === undefined ? 'no' : 'more than one'
      throw new Error(`${name} sees ${sort} ${JSON.stringify(words)}; could use: ${list}\n${wordsOf(blocks)}`)
    }, seenWithin)
  }

  function done(what: string, reply: Reply): Reply {
    if (!reply.ok) throw new Error(`${name} ${what}: ${reply.error} (${String(reply.detail)})`)
    return reply
  }

  const openModal = () =>
    waitFor(() => {
      const view = topModal()
      if (view === undefined) throw new Error(`${name} has no modal open`)
      return { viewId: String(view.id), blocks: listOf(view.blocks) }
    }, seenWithin)

  return {
    id,
    async types(text, channel = 'alerts') {
      const [command = '', ...rest] = text.split(' ')
      const reply = command.startsWith('/')
        ? await acts.command({ user: name, channel, command, text: rest.join(' ') })
        : await acts.say({ user: name, channel, text })
      done(`typed ${text}`, reply)
    },
    async presses(button, place = 'answer', which = {}) {
      const { usable, at } = await find(button, place, which, ({ element }) => element.type === 'button')
      const { actionId, blockId } = usable.element
      done(`pressed ${button}`, await acts.click({ user: name, ...at, actionId, blockId }))
    },
    async chooses(select, option, place = 'answer', which = {}) {
      const { usable, at } = await find(select, place, which, ({ element }) => element.type !== 'button')
      const { actionId, blockId } = usable.element
      const choice = choiceByWords(usable, option)
      done(
        `chose ${option} from ${select}`,
        await acts.click({ user: name, ...at, actionId, blockId, choice }),
      )
    },
    async fills(values) {
      for (const [label, wanted] of Object.entries(values)) {
        const { usable } = await find(label, 'modal', {}, ({ element }) => element.input !== undefined)
        const { viewId } = await openModal()
        const { blockId, actionId } = usable.element
        const isPerson = usable.element.type === 'users_select'
        const choice = isPerson ? workspace.person(wanted).id : choiceByWords(usable, wanted)
        const all = filled.get(viewId) ?? {}
        filled.set(viewId, { ...all, [blockId]: { [actionId]: choice } })
      }
    },
    async submits() {
      const { viewId, blocks } = await openModal()
      const reply = await acts.submit({ user: name, viewId, values: filled.get(viewId) ?? {} })
      done('submitted the modal', reply)
      errors = reply.response_action === 'errors' ? { viewId, byLabel: byLabel(blocks, reply.errors) } : null
    },
    async closes() {
      const { viewId } = await openModal()
      done('closed the modal', await acts.close({ user: name, viewId }))
    },
    async opensHome() {
      done('opened the Home tab', await acts.home({ user: name }))
    },
    sees: () => answers().map(({ text }) => text),
    answers,
    modal() {
      const view = topModal()
      if (view === undefined) return null
      const blocks = listOf(view.blocks)
      return {
        title: textOf(view.title),
        words: wordsOf(blocks),
        labels: usablesIn(blocks).map(({ label }) => label),
        errors: errors !== null && errors.viewId === view.id ? errors.byLabel : {},
      }
    },
    home() {
      const view = workspace.home(name)
      return view === undefined ? null : wordsOf(listOf(view.blocks))
    },
    inbox: async () => {
      const state: unknown = await (await fetch(`${workspace.url}control/state`)).json()
      const { channels } = state as { channels: { id: string; kind: string; members: string[] }[] }
      const direct = channels.filter(({ kind, members }) => kind === 'im' && members.includes(id))
      return direct.flatMap((one) => workspace.messages(one.id).map(({ text }) => withEmoji(String(text))))
    },
  }
}

function byLabel(blocks: readonly unknown[], errors: unknown): Record<string, string> {
  const usables = usablesIn(blocks)
  return Object.fromEntries(
    Object.entries(errors ?? {}).map(([blockId, words]) => [
      usables.find(({ element }) => element.blockId === blockId)?.label ?? blockId,
      String(words),
    ]),
  )
}

/** Tries until it no longer throws, so that scripts without a test runner can use people too. */
async function waitFor<T>(
  work: () => T,
  { timeout, interval }: { timeout: number; interval: number },
): Promise<T> {
  const untilMs = performance.now() + timeout
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (performance.now() > untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, interval))
    }
  }
}
