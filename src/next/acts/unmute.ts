/** `unmute`: ends mutes, says what still hides their alerts, and puts a mute back that was replaced less than a minute ago. */
import { minute } from '../clock.ts'
import { hidingMutes, isInForce, isPlanned } from '../decide/hidden.ts'
import { switchOf, wantedOff } from '../loops/switches.ts'
import { actions, button, section, viewOfBlocks } from '../view/blocks.ts'
import { muteButtons, muteLines, muteSentence, mutesOfAct } from '../view/mutes.ts'
import type { Scene } from '../view/scene.ts'
import { type ButtonValue, readValue } from '../view/values.ts'
import { escape, joined } from '../view/words.ts'
import type { Mute, Post } from '../world/types.ts'
import type { Act, Context, Press, Reply } from './act.ts'
import { openInThread } from './grammar/alert-ref.ts'
import { readUnmute } from './grammar/mute-words.ts'
import type { Target } from './grammar/targets.ts'
import { onPost } from './held.ts'
import { subjectsOf } from './muting.ts'
import { refusedTo } from './permit.ts'
import { changed, channelOf, isChanged, record, tellAloud } from './told.ts'

const undoMs = minute
const namedMax = 20

export const unmute: Act = {
  names: ['unmute'],
  usage: 'unmute [host] <server|pattern|#alert|label=value|account>[,…]',
  example: 'unmute web-2',
  does: 'Ends mutes; asks first if there are several',
  isCommon: true,
  permission: 'mute_server',
  command(words, context) {
    const scene = context.scene()
    if (words === '' && context.ask.threadPost !== null) return ofThread(context)
    const muted = [...scene.world.activeMutes.values()].filter(({ subject }) => subject.startsWith('server:'))
    const among = muted.map(({ subject, name }) => ({ host: subject.slice('server:'.length), name }))
    const read = readUnmute(words, scene, context.ask, among)
    if (read.kind === 'no') return read.reply
    return ofTarget(read.target, words, context)
  },
  presses: {
    async unmute(press, context) {
      const mutes = mutesPressed(press, context.scene())
      if (mutes === null || mutes.length === 0) return changed
      const acts = new Set(mutes.map(({ act }) => act))
      return acts.size > 1 ? askWhich(mutes, '', context) : end(mutes, context, postAt(press, context))
    },
    confirm_unmute(press, context) {
      const { mutes, words = '' } = readValue(press.value) ?? {}
      const { world, nowMs } = context.scene()
      if (mutes === undefined) return ofWords(words, context)
      const still = mutes.flatMap((id) => world.activeMutes.get(id) ?? [])
      const running = still.filter((mute) => isInForce(mute, nowMs))
      return running.length === 0 ? changed : end(running, context, null)
    },
  },
}

/** The running mutes of a button, or null where what it showed has changed. */
export function mutesPressed(press: Press, scene: Scene): Mute[] | null {
  const { world, nowMs } = scene
  const value: ButtonValue = readValue(press.value) ?? {}
  const alert = world.alerts.get(value.alert ?? '')
  if (alert !== undefined && isChanged(scene, alert, value.seen)) return null
  const act = world.acts.get(value.act ?? '')
  const named = value.mutes?.flatMap((id) => world.activeMutes.get(id) ?? [])
  const onList = onPost(press, scene).flatMap((one) => hidingMutes(world, one, nowMs))
  const meant = named ?? (act === undefined ? onList : mutesOfAct(act, world))
  return [...new Set(meant)].filter((mute) => isInForce(mute, nowMs))
}

function postAt({ post }: Press, { scene }: Context): Post | null {
  return scene().world.posts.get(post ?? '') ?? null
}

function ofThread(context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const alerts = openInThread(scene, context.ask)
  const hiding = [...new Set(alerts.flatMap((alert) => hidingMutes(scene.world, alert, scene.nowMs)))]
  const narrow = hiding.filter(({ subject }) => subject !== 'account')
  if (narrow.length > 0)
    return narrow.length === 1 ? end(narrow, context, null) : askWhich(narrow, '', context)
  if (hiding.length === 0) return { kind: 'refuse', text: "It isn't muted." }
  const offers = [{ label: 'unmute account', command: 'unmute account' }]
  return { kind: 'refuse', text: 'Only the account is muted.', offers }
}

function ofWords(words: string, context: Context): Reply | Promise<Reply> {
  const read = readUnmute(words, context.scene(), context.ask)
  return read.kind === 'no' ? read.reply : ofTarget(read.target, words, context)
}

function ofTarget(target: Target, words: string, context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const { world, nowMs } = scene
  const subjects = new Set(subjectsOf(target).map(({ subject }) => subject))
  const meant = [...world.activeMutes.values()].filter(({ subject }) => subjects.has(subject))
  const running = meant.filter((mute) => isInForce(mute, nowMs))
  const planned = meant.filter((mute) => isPlanned(mute, nowMs))
  if (running.length > 1) return askWhich(running, words, context)
  if (running.length === 1) return end(running, context, null)
  if (planned.length > 0) return onlyPlanned(planned)
  const names = subjectsOf(target).map(({ name }) => escape(name, 80))
  const { lines, offers } = stillHidden(
    subjectsOf(target).map((one) => ({ ...one, id: '' })),
    scene,
  )
  const isOne = names.length === 1
  return {
    kind: 'refuse',
    text: [`${joined(names.slice(0, namedMax))} ${isOne ? "isn't" : "aren't"} muted.`, ...lines].join(' '),
    offers,
  }
}

function onlyPlanned(planned: readonly Mute[]): Reply {
  const render = (scene: Scene) => {
    const [first] = planned
    const line = `Nothing is muted now, only planned:\n${muteSentence(planned, scene)}`
    return viewOfBlocks([section(line), ...actions('said', muteButtons(planned, scene, first?.act ?? ''))])
  }
  return { kind: 'say', render }
}

/** Several: whose they are, and a button. */
function askWhich(mutes: readonly Mute[], words: string, { scene }: Context): Reply {
  const groups = [...Map.groupBy(mutes, ({ act }) => act).values()]
  const lines = groups.slice(0, namedMax).map((group) => muteSentence(group, scene()))
  const rest = groups.length > namedMax ? [`and ${groups.length - namedMax} more`] : []
  const value = { mutes: mutes.map(({ id }) => id), words }
  const label = `Unmute ${mutes.length}`
  const yes = button({ id: 'confirm_unmute', label, style: 'danger', value })
  const text = [`Unmute all ${mutes.length} of these?`, ...lines, ...rest].join('\n')
  return { kind: 'say', render: () => viewOfBlocks([section(text), ...actions('confirm', [yes])]) }
}

async function end(mutes: readonly Mute[], context: Context, card: Post | null): Promise<Reply> {
  const { ask } = context
  const isAccount = mutes.some(({ subject }) => subject === 'account')
  // Where nobody decided who may mute everything, anybody may end it.
  const isOpen = !isAccount || context.scene().policy.isAccountMuteUnset
  const refused = isOpen ? null : await refusedTo('mute_account', 'unmute account', context)
  if (refused !== null) return refused
  const scene = context.scene()
  const { world, nowMs } = scene
  const still = mutes.filter(({ id }) => world.activeMutes.has(id))
  const [first] = still
  if (first === undefined) return changed
  const back = still.flatMap((mute) => replacedOf(mute, scene) ?? [])
  const isUndo = still.every(({ fromMs }) => nowMs - fromMs < undoMs)
  world.decide(() => {
    for (const { id } of still) world.patch('mutes', id, { ended: { atMs: nowMs, by: ask.person.id } })
    for (const { id } of back) world.patch('mutes', id, { ended: null })
    const names = [...new Set(still.map(({ name }) => name))].slice(0, namedMax)
    const host =
      first.subject.startsWith('server:') && still.length === 1 ? { host: first.subject.slice(7) } : {}
    const data = { mutes: still.map(({ id }) => id) }
    const act = record(scene, ask, { kind: 'unmute', subject: joined(names), ...host, data })
    // The message of a moment ago says it by itself.
    if (!isUndo) tellAloud(scene, act, channelOf(scene, ask, card))
  })
  const ids = still.map(({ id }) => id)
  const waitsFor = still.flatMap((mute) => switchOf(mute, scene.canMuteAlerts) ?? [])
  return {
    kind: 'say',
    waitsFor,
    render: (now) =>
      endedView(
        ids,
        back.map(({ id }) => id),
        now,
      ),
  }
}

function endedView(ids: readonly string[], back: readonly string[], scene: Scene) {
  const { world } = scene
  const ended = ids.flatMap((id) => world.mutes.get(id) ?? [])
  const restored = back.flatMap((id) => world.activeMutes.get(id) ?? [])
  const { lines } = stillHidden(ended, scene)
  const sentences = restored.length === 0 ? lines : [`Back as it was: ${muteSentence(restored, scene)}`]
  const said = [...muteLines(ended, scene), ...doubts(ended, scene), ...sentences]
  return viewOfBlocks([section(said.join('\n'))])
}

/** The monitoring has not said yes yet; or an unclear call that muted may still arrive. */
function doubts(ended: readonly Mute[], scene: Scene): string[] {
  const off = wantedOff(scene)
  const switches = ended.flatMap(
    (mute) => scene.world.switches.get(switchOf(mute, scene.canMuteAlerts) ?? '') ?? [],
  )
  const free = switches.filter(({ id }) => !off.has(id))
  if (free.some(({ told }) => told !== 'on')) return ["The monitoring hasn't confirmed it yet"]
  return free.some(({ repeatsMs }) => repeatsMs.length > 0)
    ? ["I'll recheck for 30 min in case the mute arrives late"]
    : []
}

/** The mute that this one took the place of, within a minute, if its time is not up. */
function replacedOf({ replaced, fromMs }: Mute, { world, nowMs }: Scene): Mute | null {
  const before = world.mutes.get(replaced ?? '')
  if (before?.ended?.by !== 'replaced' || nowMs - fromMs >= undoMs) return null
  return (before.untilMs ?? before.maxUntilMs) > nowMs ? before : null
}

type Ended = Pick<Mute, 'id' | 'subject'> & Partial<Pick<Mute, 'alert'>>

/** What hides them though these mutes are over, the widest first. */
function stillHidden(
  ended: readonly Ended[],
  { world, nowMs }: Scene,
): { lines: string[]; offers: { label: string; command: string }[] } {
  const ids = new Set(ended.map(({ id }) => id))
  const running = [...world.activeMutes.values()].filter(
    (mute) => isInForce(mute, nowMs) && !ids.has(mute.id),
  )
  const isAccount = ended.some(({ subject }) => subject === 'account')
  if (!isAccount && running.some(({ subject }) => subject === 'account')) {
    const offers = [{ label: 'unmute account', command: 'unmute account' }]
    return { lines: ['Still muted: the whole account is.'], offers }
  }
  const hosts = new Set(ended.map(({ subject }) => subject))
  const alerts = [...world.open.values()].filter(
    ({ id, host }) => hosts.has(`server:${host}`) || ended.some(({ alert }) => alert === id),
  )
  const hiding = new Set(
    isAccount
      ? running
      : alerts.flatMap((alert) => hidingMutes(world, alert, nowMs)).filter(({ id }) => !ids.has(id)),
  )
  const names = [...new Set([...hiding].map(({ name }) => `*${escape(name, 80)}*`))].slice(0, namedMax)
  return { lines: names.length === 0 ? [] : [`Still muted: ${joined(names)}.`], offers: [] }
}
