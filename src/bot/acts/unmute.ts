/** What people do to mutes that are there: *Unmute*, which within a minute puts back what was replaced; *Extend 1 h*; *Skip once*; *Cancel the plan*. */
import { hour, minute } from '../clock.ts'
import { hidingMutes, isInForce, isPlanned, switchOf } from '../decide/hidden.ts'
import { messageOf } from '../decide/standing.ts'
import { tellAnew, wantedOff } from '../loops/switches.ts'
import { type ButtonValue, readValue, sections, viewOfBlocks } from '../view/blocks.ts'
import { lastEndMs, muteLines, muteSentence, mutesOfAct } from '../view/mutes.ts'
import { actSentence } from '../view/said.ts'
import type { Scene } from '../view/view.ts'
import { escaped, joined } from '../view/words.ts'
import type { Mute } from '../world/types.ts'
import { type Action, type Context, changed, type Press, pressedOnly, type Reply, refuse } from './action.ts'
import { readUnmute } from './grammar/mute-words.ts'
import { openInThread, type Target } from './grammar/targets.ts'
import { subjectsOf } from './mute.ts'
import { demand, isChanged, onPost } from './pressed.ts'
import { askFirst, channelOf, namesOfMutes, record, sayAct, sayTold, tellAloud } from './tell.ts'

const undoMs = minute
const extendMs = hour
const namedMax = 20
const unmuteAccount = 'unmute account'

export const unmute: Action = {
  names: ['unmute'],
  usage: 'unmute [host] <server|pattern|#alert|label=value|account>[,…]',
  example: 'unmute web-2',
  does: 'Ends mutes; asks first if there are several',
  isCommon: true,
  permission: 'mute_server',
  command: (words, context) =>
    words === '' && context.ask.threadPost !== null
      ? ofThread(context)
      : ofTarget(targetOf(words, context), words, context),
  presses: {
    unmute(press, context) {
      const mutes = mutesPressed(press, context.scene())
      if (mutes.length === 0) refuse(changed)
      const { act: _, ...value } = readValue(press.value) ?? {}
      // The mutes of one command are one.
      const isOne = new Set(mutes.map(({ act }) => act)).size === 1
      return isOne ? end(mutes, context, press) : askWhich(mutes, value, context)
    },
    confirm_unmute(press, context) {
      const { mutes, words } = readValue(press.value) ?? {}
      const scene = context.scene()
      const isByWords = mutes === undefined && words !== undefined
      return end(isByWords ? runningOf(targetOf(words, context), scene) : mutesPressed(press, scene), context)
    },
  },
}

function mutesPressed(press: Press, scene: Scene): Mute[] {
  const { world, nowMs } = scene
  const value: ButtonValue = readValue(press.value) ?? {}
  const alert = world.alerts.get(value.alert ?? '')
  if (alert !== undefined && isChanged(scene, alert, value.seen)) refuse(changed)
  const act = world.acts.get(value.act ?? '')
  const named = value.mutes?.flatMap((id) => world.activeMutes.get(id) ?? [])
  const onList = () => onPost(press, scene).flatMap((one) => hidingMutes(world, one, nowMs))
  const meant = named ?? (act === undefined ? onList() : mutesOfAct(act, world))
  return [...new Set(meant)].filter((mute) => isInForce(mute, nowMs))
}

/** Patterns mean what is muted. */
function targetOf(words: string, { ask, scene }: Context): Target {
  const now = scene()
  const muted = [...now.world.activeMutes.values()].filter(({ subject }) => subject.startsWith('server:'))
  const among = muted.map(({ subject, name }) => ({ host: subject.slice('server:'.length), name }))
  return readUnmute(words, now, ask, among)
}

function activeOf(target: Target, { world }: Scene): Mute[] {
  const subjects = new Set(subjectsOf(target).map(({ subject }) => subject))
  return [...world.activeMutes.values()].filter(({ subject }) => subjects.has(subject))
}

function runningOf(target: Target, scene: Scene): Mute[] {
  return activeOf(target, scene).filter((mute) => isInForce(mute, scene.nowMs))
}

function ofThread(context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const { world, nowMs } = scene
  const told = world.acts.get(world.posts.get(context.ask.threadPost ?? '')?.data.act ?? '')
  const ofMessage = told === undefined ? [] : mutesOfAct(told, world).filter((mute) => isInForce(mute, nowMs))
  const alerts = openInThread(scene, context.ask)
  const hiding = [...new Set([...ofMessage, ...alerts.flatMap((alert) => hidingMutes(world, alert, nowMs))])]
  const narrow = hiding.filter(({ subject }) => subject !== 'account')
  if (narrow.length === 1) return end(narrow, context)
  if (narrow.length > 1) return askWhich(narrow, {}, context)
  if (hiding.length > 0) refuse('Only the account is muted.', [unmuteAccount])
  return refuse("It isn't muted.")
}

function ofTarget(target: Target, words: string, context: Context): Reply | Promise<Reply> {
  const scene = context.scene()
  const running = runningOf(target, scene)
  if (running.length > 1) return askWhich(running, { words }, context)
  if (running.length === 1) return end(running, context)
  const planned = activeOf(target, scene).filter((mute) => isPlanned(mute, scene.nowMs))
  if (planned.length > 0) return refuse('Nothing is muted now, only planned.', ['mutes'])
  const subjects = subjectsOf(target)
  const named = subjects.slice(0, namedMax).map(({ name }) => escaped(name, 80))
  const names = target.kind === 'account' ? 'The account' : joined(named)
  const hiding = stillHiding(subjects, scene)
  const isAll = hiding.some(({ subject }) => subject === 'account')
  const isnt = subjects.length === 1 ? "isn't" : "aren't"
  const elsewhere = scene.canMuteAlerts ? ['Silences of others: `/mon mutes`.'] : []
  const text = [`${names} ${isnt} muted.`, ...stillWords(hiding), ...elsewhere].join(' ')
  const [one] = subjects
  const isOneServer = target.kind === 'servers' && !target.isAsked && one !== undefined
  return isOneServer && !isAll ? tellOn(one.subject, text, scene) : refuse(text, isAll ? [unmuteAccount] : [])
}

/** Nobody muted it here, but somebody may have elsewhere, or before a backup was brought back: the monitoring notifies of it now. */
function tellOn(id: string, text: string, scene: Scene): Reply {
  tellAnew(scene, id)
  const render = ({ world }: Scene) => {
    const isOn = world.switches.get(id)?.told === 'on'
    const doubt = "The monitoring hasn't confirmed that it was told to notify of it."
    return viewOfBlocks(sections([`⚠️ ${text} ${isOn ? 'The monitoring was told to notify of it.' : doubt}`]))
  }
  return { kind: 'say', waitsFor: [id], render }
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

/** Whoever may change a mute of the account. Where nobody decided who that is, anybody may end it. */
async function demandFor(mutes: readonly Mute[], what: string, context: Context, isEnd = false) {
  const isAccount = mutes.some(({ subject }) => subject === 'account')
  if (isAccount && !(isEnd && context.scene().policy.isAccountMuteUnset))
    await demand('mute_account', what, context)
}

/** `press`: of a button beside the mute, which a moment after it was made undoes it. */
async function end(mutes: readonly Mute[], context: Context, press: Press | null = null): Promise<Reply> {
  await demandFor(mutes, 'unmute account', context, true)
  const scene = context.scene()
  const { world, nowMs } = scene
  const still = mutes.filter(({ id }) => world.activeMutes.has(id))
  if (still.length === 0) return refuse(changed)
  const isUndo = press !== null && still.every(({ fromMs }) => nowMs - fromMs < undoMs)
  const back = isUndo ? still.flatMap((mute) => replacedOf(mute, scene) ?? []) : []
  const ids = still.map(({ id }) => id)
  const told = world.decide(() => {
    for (const id of ids) world.patch('mutes', id, { ended: { atMs: nowMs, by: context.ask.person.id } })
    for (const { id } of back) world.patch('mutes', id, { ended: null })
    const act = record(context, { kind: 'unmute', subject: namesOfMutes(still), data: { mutes: ids } })
    // The messages that told them are edited: there is one truth about each.
    const channel = channelOf(scene, context.ask, world.posts.get(press?.post ?? '') ?? null)
    const isTold = still.every((mute) => isToldIn(channel, mute, scene))
    return isTold ? (press?.post ?? null) : tellAloud(scene, act, channel)
  })
  const waitsFor = still.flatMap((mute) => switchOf(mute, scene) ?? [])
  const backIds = back.map(({ id }) => id)
  const mutesOf = (now: Scene) => ids.flatMap((id) => now.world.mutes.get(id) ?? [])
  const more = (now: Scene) => afterWords(mutesOf(now), backIds, now)
  const lines = (now: Scene) => [...muteLines(mutesOf(now), now), ...more(now)]
  return sayTold({ context, told, waitsFor }, (now) => viewOfBlocks(sections(lines(now))), more)
}

function isToldIn(channel: string, { act }: Mute, { world }: Scene): boolean {
  const post = messageOf(world, act)
  return post?.channel === channel && post.state !== 'dead'
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

export const extend = pressedOnly('mute_server', {
  async extend(press, context): Promise<Reply> {
    await demandFor(mutesPressed(press, context.scene()), 'mute account', context)
    const scene = context.scene()
    const { world, nowMs } = scene
    const timed = mutesPressed(press, scene).filter(({ untilMs }) => untilMs !== null)
    const { untilMs: shownMs } = readValue(press.value) ?? {}
    if (timed.length === 0 || lastEndMs(timed) !== (shownMs ?? lastEndMs(timed))) refuse(changed)
    const longer = timed.filter(({ untilMs, maxUntilMs }) => (untilMs ?? 0) < maxUntilMs)
    if (longer.length === 0) refuse('It lasts as long as it may already (maximum).')
    const ids = longer.map(({ id }) => id)
    const waitsFor = longer.flatMap((mute) => switchOf(mute, scene) ?? [])
    return world.decide(() => {
      const ends = longer.map((mute) => Math.min((mute.untilMs ?? nowMs) + extendMs, mute.maxUntilMs))
      for (const [at, id] of ids.entries())
        world.patch('mutes', id, { untilMs: ends[at] ?? nowMs, extendedBy: context.ask.person.id })
      const data = { mutes: ids, untilMs: Math.max(...ends) }
      record(context, { kind: 'extend', subject: namesOfMutes(longer), data })
      return sayTold({ context, told: press.post, waitsFor }, (now) => {
        const mutes = ids.flatMap((id) => now.world.mutes.get(id) ?? [])
        return viewOfBlocks(sections(muteLines(mutes, now)))
      })
    })
  },
})

/** What runs already goes on to its end, and is the last of a plan that is canceled. */
export const plans = pressedOnly('mute_server', {
  skip: (press, context) =>
    change('skip', press, context, (mute, nowMs) =>
      isPlanned(mute, nowMs) && !mute.isSkipped ? { ...mute, isSkipped: true } : null,
    ),
  cancel_plan: (press, context) =>
    change('cancel_plan', press, context, ({ every, ...mute }, nowMs) => {
      if (mute.policyEntry !== undefined) return null
      if (isPlanned(mute, nowMs))
        return { ...mute, ...(every && { every }), ended: { atMs: nowMs, by: 'cancelled' } }
      return every === undefined ? null : mute
    }),
})

async function change(
  kind: 'skip' | 'cancel_plan',
  press: Press,
  context: Context,
  changedOf: (mute: Mute, nowMs: number) => Mute | null,
): Promise<Reply> {
  const { mutes: ids = [], act } = readValue(press.value) ?? {}
  const changes = () => {
    const { world, nowMs } = context.scene()
    const meant = (mute: Mute) => (ids.length > 0 ? ids.includes(mute.id) : mute.act === act)
    return [...world.activeMutes.values()].filter(meant).flatMap((mute) => changedOf(mute, nowMs) ?? [])
  }
  await demandFor(changes(), 'change a plan of the account', context)
  const scene = context.scene()
  const { world } = scene
  const mutes = changes()
  if (mutes.length === 0) refuse('That plan has started, ended or been canceled.')
  return world.decide(() => {
    for (const mute of mutes) world.put('mutes', mute)
    const data = { mutes: mutes.map(({ id }) => id) }
    const one = record(context, { kind, subject: namesOfMutes(mutes), data })
    const channel = channelOf(scene, context.ask, world.posts.get(press.post ?? '') ?? null)
    return sayAct(one.id, { context, told: tellAloud(scene, one, channel) }, actSentence)
  })
}
