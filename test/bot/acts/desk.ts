/** One person after the other at a desk: they type, press what they see, and fill in forms; a real router and world, without Slack. */
import type { KnownBlock, View as SlackView } from '@slack/types'
import type { Reads, RequestIn } from '../../../src/bot/acts/action.ts'
import { openRouter } from '../../../src/bot/acts/router.ts'
import { acts } from '../../../src/bot/acts/table.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { type Log, silentLog } from '../../../src/bot/log.ts'
import { wantedOff } from '../../../src/bot/loops/switches.ts'
import { type Scene, type View, viewOf } from '../../../src/bot/view/view.ts'
import type { Person } from '../../../src/bot/world/facts.ts'
import type { Pass } from '../../../src/bot/world/journal.ts'
import type { Alert, Post } from '../../../src/bot/world/types.ts'
import { World } from '../../../src/bot/world/world.ts'
import { readable, seenOfView } from '../view/seen.ts'
import { alertOf, policyOf, postOf } from '../worlds/builders.ts'
import { handClock } from '../worlds/hand-clock.ts'
import { noReads } from './records.ts'

const personOf = (id: string, realName: string): Person => {
  const names = { id, name: realName.split(' ')[0]?.toLowerCase() ?? '', realName, email: null }
  return { ...names, zone: 'UTC', isBot: id === 'UBOT', isDeleted: id === 'UGONE', readMs: 0 }
}
const people = [
  personOf('UANA', 'Ana Novak'),
  personOf('UBEN', 'Ben Miller'),
  personOf('UBENZ', 'Ben Zeta'),
  personOf('UBOT', 'monbot'),
  personOf('UGONE', 'Gone Away'),
]

/** A bug of an act fails its test. */
const loud: Log = {
  ...silentLog,
  error: (event, fields) => {
    throw new Error(`${event}: ${JSON.stringify(fields)}`)
  },
}

type Options = {
  readonly policy?: Partial<Policy>
  readonly canMuteAlerts?: boolean
  readonly pager?: 'webhook' | 'pagerduty'
  readonly reads?: Partial<Reads>
  /** Since when the database has been away. */
  readonly awaySinceMs?: () => number | null
  readonly outside?: <T>(work: (pass: Pass) => Promise<T>) => Promise<T>
  /** Why Slack opens no form. */
  readonly noForm?: string
  /** What Slack and the API say: yes, or nothing. */
  readonly api?: 'says yes' | 'is silent'
}
type Place = { readonly channel?: string; readonly threadPost?: string; readonly key?: string }
type Element = {
  readonly action_id?: string
  readonly value?: string
  readonly option_groups?: readonly OptionGroup[]
}
type OptionGroup = { readonly options: readonly { readonly value?: string }[] }

export type Desk = ReturnType<typeof openDesk>

export function openDesk(options: Options = {}) {
  const clock = handClock()
  const world = new World()
  let keys = 0
  let policy = policyOf(options.policy)
  const scene = (): Scene => ({
    ...{ world, policy, nowMs: clock.nowMs(), defaultChannel: 'C0', replicaName: 'test' },
    pager: options.pager ?? null,
    canMuteAlerts: options.canMuteAlerts ?? false,
  })
  const reads: Reads = {
    ...noReads,
    findPeople: async (words) => people.filter((one) => isCalled(one, words)),
    isInGroup: async () => false,
    ...options.reads,
  }
  const outside = options.outside ?? ((work) => work({} as Pass))
  const journal = { awaySinceMs: options.awaySinceMs ?? (() => null) } as Parameters<
    typeof openRouter
  >[0]['journal']
  const router = openRouter({ acts, scene, reads, outside, journal, clock, log: loud })

  /** What Slack and the API do meanwhile: they take what is wanted, at once. */
  function settle(): void {
    if (options.api === 'is silent') return
    for (const { id, kind, state } of world.posts.values())
      if (state === 'new' && (kind === 'said' || kind === 'line')) world.patch('posts', id, { state: 'live' })
    const off = wantedOff(scene())
    for (const id of new Set([...world.switches.keys(), ...off.keys()])) {
      const told = off.has(id) ? 'off' : 'on'
      const rest = { telling: null, tries: 0, dueMs: 0, repeatsMs: [], missingMs: null }
      world.put('switches', { id, told, ...rest })
      for (const one of off.get(id) ?? []) world.patch('mutes', one.id, { isConfirmed: true })
    }
    for (const effect of world.effects.values()) {
      world.patch('effects', effect.id, { state: 'done' })
      if (effect.act !== undefined) world.patch('acts', effect.act, { outcome: 'done' })
    }
  }

  async function ask(user: string, asked: RequestIn['asked'], place: Place, via: RequestIn['ask']['via']) {
    const person = people.find(({ id }) => id === user) ?? personOf(user, user)
    const got: { views: View[]; form: SlackView | null } = { views: [], form: null }
    keys += 1
    const { channel = 'D1', threadPost = null, key = `request-${keys}` } = place
    const where = { channel, threadTs: threadPost, threadPost, triggerId: 'trigger' }
    const taken = router.take({
      ask: { key, person, ...where, via },
      asked,
      answer: async (_, view) => void got.views.push(view),
      open: async (view) => {
        got.form = view
        return options.noForm ?? null
      },
    })
    await Promise.resolve()
    const isTaken = taken.then(() => true)
    while (!(await Promise.race([isTaken, clock.runFor(25).then(() => false)]))) settle()
    const { problems } = await taken
    return answerOf(got, problems)
  }

  function answerOf(got: { views: readonly View[]; form: SlackView | null }, problems: object | null) {
    const said = got.views.map(seenOfView).join('\n\n')
    return {
      said,
      count: got.views.length,
      blocks: got.views.flatMap(({ blocks }) => blocks),
      form: got.form,
      problems,
    }
  }
  type Answer = Awaited<ReturnType<typeof ask>>

  const type = (user: string, text: string, place: Place = {}) =>
    ask(user, { kind: 'command', text }, place, 'command')

  return {
    world,
    clock,
    scene,
    settle,
    type,
    usePolicy(over: Partial<Policy>): void {
      policy = policyOf(over)
    },
    /** An open alert with its card. */
    open(number: string, server: string, over: Partial<Alert> = {}): Alert {
      const startedMs = clock.nowMs() - 60_000
      const alert = alertOf({ number, host: server, server, startedMs, plugin: 'CPU', ...over })
      world.put('alerts', alert)
      const shows = [{ alert: alert.id, isQuiet: false, atMs: startedMs }]
      const live = { state: 'live', ts: `${number}.1`, channelId: 'C0' } as const
      world.put('posts', postOf({ id: `alert:${alert.id}:C0`, shows, ...live }))
      return alert
    },
    /** A message that stands and shows these alerts; anew with others, where it stands already. */
    stand(alerts: readonly Alert[], over: Partial<Post>): void {
      const shows = alerts.map(({ id }) => ({ alert: id, isQuiet: false, atMs: 0 }))
      world.put(
        'posts',
        postOf({ id: 'list:1:C0', shows, state: 'live', ts: '9.1', channelId: 'C0', ...over }),
      )
    },
    card: (alert: Alert) => seenOfView(viewOf(postAt(world, `alert:${alert.id}:C0`), scene())),
    post: (id: string) => seenOfView(viewOf(postAt(world, id), scene())),
    cardBlocks: (alert: Alert) => viewOf(postAt(world, `alert:${alert.id}:C0`), scene()).blocks,
    blocksOf: (id: string) => viewOf(postAt(world, id), scene()).blocks,
    /** The messages and lines that are wanted, in the order they were made. */
    told: () =>
      [...world.posts.values()]
        .filter(({ kind }) => ['said', 'line', 'dm'].includes(kind))
        .map((post) => `${post.kind} ${post.channel}: ${readable(viewOf(post, scene()).text)}`),
    press(
      user: string,
      blocks: readonly KnownBlock[],
      actionId: string,
      place: Place & { post?: string; option?: string } = {},
    ) {
      const element = elementsOf(blocks).find((one) => one.action_id === actionId)
      if (element === undefined) throw new Error(`expected a button ${actionId}; there is none`)
      const choices = element.option_groups?.flatMap(({ options: some }) => some) ?? optionsIn(element)
      const option = choices.find(({ value }) => value?.includes(`"words":"${place.option}"`))?.value ?? null
      const press = { actionId, value: element.value ?? '', option, post: place.post ?? null }
      return ask(user, { kind: 'press', press }, place, 'button')
    },
    fill(user: string, form: SlackView | null, values: Readonly<Record<string, string>>) {
      const { callback_id: callbackId = '', private_metadata: metadata = '' } = form as {
        callback_id?: string
        private_metadata?: string
      }
      const filled = new Map(Object.entries(values).map(([id, value]) => [id, [value]]))
      return ask(user, { kind: 'form', form: { callbackId, metadata, values: filled } }, {}, 'form')
    },
    /** The command of an offered button. */
    offers: (answer: Answer) =>
      elementsOf(answer.blocks).map(
        ({ value = '{}' }) => (JSON.parse(value) as { words?: string }).words ?? '',
      ),
  }
}

function elementsOf(blocks: readonly KnownBlock[]): Element[] {
  return blocks.flatMap((block) => {
    if (block.type === 'actions') return block.elements as Element[]
    return block.type === 'section' && block.accessory ? [block.accessory as Element] : []
  })
}

function optionsIn(element: object): readonly { readonly value?: string }[] {
  return 'options' in element ? (element.options as readonly { readonly value?: string }[]) : []
}

function postAt(world: World, id: string) {
  const post = world.posts.get(id)
  if (post === undefined) throw new Error(`expected a post ${id}; there is none`)
  return post
}

function isCalled({ id, name, realName }: Person, words: string): boolean {
  const wanted = words.toLowerCase()
  return words === `<@${id}>` || [name, realName.toLowerCase()].includes(wanted.replace(/^@/, ''))
}
