/** `unmute`: ends mutes, says what still hides their alerts, and puts back a mute that was replaced less than a minute ago. */
import { minute } from '../clock.ts'
import { hidingMutes, isInForce, isPlanned, switchOf } from '../decide/hidden.ts'
import { messageOf } from '../decide/standing.ts'
import { wantedOff } from '../loops/switches.ts'
import { actions, section, viewOfBlocks } from '../view/blocks.ts'
import { muteButtons, muteLines, muteSentence, mutesOfAct } from '../view/mutes.ts'
import type { Scene } from '../view/scene.ts'
import { type ButtonValue, readValue } from '../view/values.ts'
import { escaped, joined } from '../view/words.ts'
import type { Mute } from '../world/types.ts'
import type { Act, Context, Press, Reply } from './act.ts'
import { openInThread } from './grammar/alert-ref.ts'
import { readUnmute } from './grammar/mute-words.ts'
import type { TargetReading } from './grammar/targets.ts'
import { onPost } from './held.ts'
import { subjectsOf } from './muting.ts'
import { refusedTo } from './permit.ts'
import { askFirst, changed, channelOf, isChanged, namesOfMutes, record, sayTold, tellAloud } from './told.ts'

const undoMs = minute
const namedMax = 20
const unmuteAccount = { label: 'unmute account', command: 'unmute account' }

export const unmute: Act = {
  names: ['unmute'],
  usage: 'unmute [host] <server|pattern|#alert|label=value|account>[,…]',
  example: 'unmute web-2',
  does: 'Ends mutes; asks first if there are several',
  isCommon: true,
  permission: 'mute_server',
  command(words, context) {
    if (words === '' && context.ask.threadPost !== null) return ofThread(context)
    const reading = readingOf(words, context)
    return reading.kind === 'no' ? reading.reply : ofTarget(reading, words, context)
  },
  presses: {
    unmute(press, context) {
      const mutes = mutesPressed(press, context.scene())
      if (mutes === null || mutes.length === 0) return changed
      const { act: _, ...value } = readValue(press.value) ?? {}
      // The mutes of one command are one.
      const isOne = new Set(mutes.map(({ act }) => act)).size === 1
      return isOne ? end(mutes, context, press) : askWhich(mutes, value, context)
    },
    confirm_unmute(press, context) {
      const { mutes, words } = readValue(press.value) ?? {}
      if (mutes !== undefined || words === undefined)
        return end(mutesPressed(press, context.scene()) ?? [], context, null)
      const reading = readingOf(words, context)
      return reading.kind === 'no' ? reading.reply : end(runningOf(reading, context.scene()), context, null)
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
  const onList = () => onPost(press, scene).flatMap((one) => hidingMutes(world, one, nowMs))
  const meant = named ?? (act === undefined ? onList() : mutesOfAct(act, world))
  return [...new Set(meant)].filter((mute) => isInForce(mute, nowMs))
}

/** Patterns mean what is muted. */
function readingOf(words: string, { ask, scene }: Context): TargetReading {
  const now = scene()
  const muted = [...now.world.activeMutes.values()].filter(({ subject }) => subject.startsWith('server:'))
  const among = muted.map(({ subject, name }) => ({ host: subject.slice('server:'.length), name }))
  return readUnmute(words, now, ask, among)
}

type Read = Extract<TargetReading, { kind: 'target' }>

function activeOf({ target }: Read, { world }: Scene): Mute[] {
  const subjects = new Set(subjectsOf(target).map(({ subject }) => subject))
  return [...world.activeMutes.values()].filter(({ subject }) => subjects.has(subject))
}

function runningOf(read: Read, scene: Scene): Mute[] {
  return activeOf(read, scene).filter((mute) => isInForce(mute, scene.nowMs))
}

function ofThread(context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const alerts = openInThread(scene, context.ask)
  const hiding = [...new Set(alerts.flatMap((alert) => hidingMutes(scene.world, alert, scene.nowMs)))]
  const narrow = hiding.filter(({ subject }) => subject !== 'account')
  if (narrow.length === 1) return end(narrow, context, null)
  if (narrow.length > 1) return askWhich(narrow, {}, context)
  if (hiding.length === 0) return { kind: 'refuse', text: "It isn't muted." }
  return { kind: 'refuse', text: 'Only the account is muted.', offers: [unmuteAccount] }
}

function ofTarget(read: Read, words: string, context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const running = runningOf(read, scene)
  if (running.length > 1) return askWhich(running, { words }, context)
  if (running.length === 1) return end(running, context, null)
  const planned = activeOf(read, scene).filter((mute) => isPlanned(mute, scene.nowMs))
  if (planned.length > 0) return onlyPlanned(planned)
  const subjects = subjectsOf(read.target)
  const isAccount = read.target.kind === 'account'
  const names = isAccount
    ? 'The account'
    : joined(subjects.slice(0, namedMax).map(({ name }) => escaped(name, 80)))
  const hiding = stillHiding(subjects, scene)
  return {
    kind: 'refuse',
    text: [`${names} ${subjects.length === 1 ? "isn't" : "aren't"} muted.`, ...stillWords(hiding)].join(' '),
    offers: hiding.some(({ subject }) => subject === 'account') ? [unmuteAccount] : [],
  }
}

function onlyPlanned(planned: readonly Mute[]): Reply {
  const act = planned[0]?.act ?? ''
  const render = (scene: Scene) => {
    const line = `Nothing is muted now, only planned:\n${muteSentence(planned, scene)}`
    return viewOfBlocks([section(line), ...actions('said', muteButtons(planned, scene, act))])
  }
  return { kind: 'say', render }
}

/** Several: whose they are, and a button. `value`: where they are found again, if their ids do not fit into it. */
function askWhich(mutes: readonly Mute[], value: ButtonValue, context: Context): Reply {
  const groups = [...Map.groupBy(mutes, ({ act }) => act).values()]
  const lines = groups.slice(0, namedMax).map((group) => muteSentence(group, context.scene()))
  const rest = groups.length > namedMax ? [`and ${groups.length - namedMax} more`] : []
  const ids = mutes.map(({ id }) => id)
  const yes = { id: 'confirm_unmute', label: `Unmute ${mutes.length}`, value: { ...value, mutes: ids } }
  return askFirst(context, [`Unmute all ${mutes.length} of these?`, ...lines, ...rest], yes)
}

/** `press`: of a button beside the mute, which a moment after it was made undoes it. */
async function end(mutes: readonly Mute[], context: Context, press: Press | null): Promise<Reply> {
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
  const isUndo = press !== null && still.every(({ fromMs }) => nowMs - fromMs < undoMs)
  const back = isUndo ? still.flatMap((mute) => replacedOf(mute, scene) ?? []) : []
  const ids = still.map(({ id }) => id)
  const told = world.decide(() => {
    for (const id of ids) world.patch('mutes', id, { ended: { atMs: nowMs, by: ask.person.id } })
    for (const { id } of back) world.patch('mutes', id, { ended: null })
    const isOneServer = first.subject.startsWith('server:') && ids.length === 1
    const host = isOneServer ? { host: first.subject.slice('server:'.length) } : {}
    const subject = namesOfMutes(still)
    const act = record(scene, ask, { kind: 'unmute', subject, ...host, data: { mutes: ids } })
    // The message of a moment ago says it by itself.
    if (isUndo) return messageOf(world, first.act)?.id ?? null
    return tellAloud(scene, act, channelOf(scene, ask, world.posts.get(press?.post ?? '') ?? null))
  })
  const waitsFor = still.flatMap((mute) => switchOf(mute, scene) ?? [])
  const backIds = back.map(({ id }) => id)
  const mutesOf = (now: Scene) => ids.flatMap((id) => now.world.mutes.get(id) ?? [])
  const more = (now: Scene) => afterWords(mutesOf(now), backIds, now)
  const lines = (now: Scene) => [...muteLines(mutesOf(now), now), ...more(now)]
  return sayTold({ context, told, waitsFor }, (now) => viewOfBlocks([section(lines(now).join('\n'))]), more)
}

/** The mute that this one took the place of, if its time is not up. */
function replacedOf({ replaced }: Mute, { world, nowMs }: Scene): Mute | null {
  const before = world.mutes.get(replaced ?? '')
  if (before?.ended?.by !== 'replaced') return null
  return (before.untilMs ?? before.maxUntilMs) > nowMs ? before : null
}

/** What only they need to know who ended these: whether that is certain, and what is muted now. */
function afterWords(ended: readonly Mute[], back: readonly string[], scene: Scene): string[] {
  const restored = back.flatMap((id) => scene.world.activeMutes.get(id) ?? [])
  const now =
    restored.length > 0
      ? [`Back as it was: ${muteSentence(restored, scene)}`]
      : stillWords(stillHiding(ended, scene))
  return [...doubtWords(ended, scene), ...now]
}

/** The monitoring has not said yes yet; or an unclear call that muted may still arrive. */
function doubtWords(ended: readonly Mute[], scene: Scene): string[] {
  const off = wantedOff(scene)
  const ids = ended.map((mute) => switchOf(mute, scene) ?? '').filter((id) => !off.has(id))
  const switches = ids.flatMap((id) => scene.world.switches.get(id) ?? [])
  if (switches.some(({ told }) => told !== 'on')) return ["The monitoring hasn't confirmed it yet"]
  const mayArrive = switches.some(({ repeatsMs }) => repeatsMs.length > 0)
  return mayArrive ? ["I'll recheck for 30 min in case the mute arrives late"] : []
}

type Subject = Pick<Mute, 'subject' | 'alert'>

/** The running mutes that hide what these hid. */
function stillHiding(ended: readonly Subject[], { world, nowMs }: Scene): Mute[] {
  const running = [...world.activeMutes.values()].filter((mute) => isInForce(mute, nowMs))
  if (ended.some(({ subject }) => subject === 'account')) return running
  const subjects = new Set(ended.map(({ subject }) => subject))
  const own = new Set(ended.map(({ alert }) => alert))
  const alerts = [...world.open.values()].filter(
    ({ id, host }) => subjects.has(`server:${host}`) || own.has(id),
  )
  const ofAll = running.filter(({ subject }) => subject === 'account')
  return [...new Set([...ofAll, ...alerts.flatMap((alert) => hidingMutes(world, alert, nowMs))])]
}

function stillWords(hiding: readonly Mute[]): string[] {
  if (hiding.some(({ subject }) => subject === 'account')) return ['Still muted: the whole account is.']
  const names = [...new Set(hiding.map(({ name }) => `*${escaped(name, 80)}*`))]
  return names.length === 0 ? [] : [`Still muted: ${joined(names.slice(0, namedMax))}.`]
}
