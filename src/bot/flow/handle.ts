/**
 * Handles one request: claims its keys, checks the permission, runs the action with its audit row, and returns the answer. Every
 * change leaves one audit row, even a refused one.
 */

import { Deposed, MemoryAway, StoreFailure } from '../domain/base/failure.ts'
import type { Limits } from '../domain/mute/until.ts'
import { tooManyNames } from '../domain/mute/wide.ts'
import { emptyPlan } from '../domain/plan.ts'
import { actions, type Change, type ChangeKind, guardOf, isChange } from '../domain/request/actions.ts'
import type { Health } from '../domain/request/answer.ts'
import type { GuardedAct, Permissions } from '../domain/request/authorise.ts'
import type { Intent, Request } from '../domain/request/intent.ts'
import { answerKeys, freedKeys, keysOf } from '../domain/request/keys.ts'
import type { FormName } from '../domain/request/named.ts'
import type { Ask } from '../domain/request/queries.ts'
import type { Refusal, Reply } from '../domain/request/reply.ts'
import { act } from './actions/act.ts'
import { type ActionContext, type ActPorts, entryOf, type Row, refused, save } from './actions/context.ts'
import { openForm } from './actions/form.ts'
import { openPermit, type Permit } from './actions/permit.ts'
import {
  askedBy,
  type Channels,
  formSubject,
  subjectOf,
  tellingPlace,
  withHostnames,
} from './actions/target.ts'
import type { StoreAccess } from './concurrency/store-access.ts'
import type { Leadership } from './ports/leadership.ts'
import type { Logger } from './ports/ports.ts'
import type { Store } from './ports/store.ts'

/** A receipt that nobody answered within this time has expired. */
const pendingMaxMs = 10 * 60_000

export type Handle = (request: Request) => Promise<Reply>

type HandlePorts = Omit<ActPorts, 'store'> & {
  readonly access: Pick<StoreAccess, 'forRequest'>
  readonly leadership: Pick<Leadership, 'isTrusted'>
  readonly logger: Logger
  readonly health: () => Health
  /** Read-only queries. */
  readonly answer: (ask: Ask, request: Request) => Promise<Reply>
  /** Called when something may have been written that others show or continue. */
  readonly onChanged: () => void
}

type HandleOptions = {
  readonly permissions: Permissions
  /** As in the policy. */
  readonly isAccountMuteUnset?: boolean | undefined
  readonly limits: Limits
  readonly channels: Channels
}

type Of<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>
type Told = Pick<ActionContext, 'request' | 'act' | 'subject' | 'auditId'>
type RequestStore = Pick<Store, 'claim' | 'keepPending' | 'release' | 'takePending'>
type OnePorts = HandlePorts & { readonly store: ActPorts['store'] & RequestStore }
type Pending = Parameters<RequestStore['keepPending']>[0]

/**
 * When the request came, and the change under way that has no audit row yet, in case it breaks; the reply once it is known, and
 * the question that it answers.
 */
type Trace = { readonly atMs: number; told: Told | null; reply: Reply | null; answered: Pending | null }

/** What the memory may have taken of requests that it then did not answer: until it answers again, this process knows better. */
type Owed = {
  /** Keys that are free. */
  readonly keys: Set<string>
  /** Questions that nobody has answered, by their id. */
  readonly questions: Map<string, Pending>
}

/**
 * Opens the handler. It never throws: an unexpected error is answered with an id that is in the log. Nothing is done while
 * another bot may lead.
 */
export function openHandle(ports: HandlePorts, options: HandleOptions): Handle {
  const permit = openPermit(ports.directory, options.permissions)
  const owed: Owed = { keys: new Set(), questions: new Map() }
  return async (request) => {
    if (!ports.leadership.isTrusted()) return unreached(ports, request, false)
    const trace: Trace = { atMs: ports.clock.nowMs(), told: null, reply: null, answered: null }
    const access = ports.access.forRequest()
    const own = { ...ports, store: access.store }
    try {
      return await access.orAway(openOne(own, options, permit, owed)(request, trace))
    } catch (error) {
      const isAway = error instanceof MemoryAway || error instanceof Deposed
      if (!isAway) return broken(own, request, error, trace)
      const mayBeDone = access.mayBeDone()
      const reply = trace.reply ?? unreached(ports, request, mayBeDone)
      for (const key of freedKeys(reply, request, trace.atMs)) owed.keys.add(key)
      if (!mayBeDone && trace.answered !== null) owed.questions.set(trace.answered.pendingId, trace.answered)
      return reply
    }
  }
}

function unreached({ logger }: HandlePorts, { intent, userId }: Request, mayBeDone: boolean): Reply {
  logger.warn('request:away', { intent: intent.kind, userId, mayBeDone })
  return { kind: 'away', mayBeDone }
}

function openOne(ports: OnePorts, options: HandleOptions, permit: Permit, owed: Owed) {
  const { store, clock, ids } = ports
  const change = openChange(ports, options, permit)

  async function once(request: Request, trace: Trace): Promise<Reply> {
    const keys = keysOf(request, trace.atMs)
    if (owed.keys.size > 0) {
      await store.release([...owed.keys])
      owed.keys.clear()
    }
    if (keys.length > 0 && (await store.claim(keys, trace.atMs)) === 'repeat') return { kind: 'repeat' }
    // From before it is decided: what is read meanwhile may not be in it.
    const health = ports.health()
    const reply = withHealth(await decide(request, trace), health)
    trace.reply = reply
    await clearChoice(ports, request, reply)
    const freed = freedKeys(reply, request, trace.atMs)
    if (freed.length > 0) await store.release(freed)
    return reply
  }

  async function decide(request: Request, trace: Trace): Promise<Reply> {
    const { intent } = request
    switch (intent.kind) {
      case 'confirm':
        return confirm(request, intent.pendingId, trace)
      case 'cancel':
        return cancel(store, request, intent.pendingId, owed)
      case 'open_form':
        return form(request, intent)
      default: {
        if (!isChange(intent)) return ports.answer(intent, request)
        const atMs = clock.nowMs()
        const reply = await change(request, intent, atMs, trace)
        const pending = { pendingId: ids.make(), userId: request.userId, change: intent, atMs }
        return offeredAgain(store, reply, pending)
      }
    }
  }

  /** Does what the receipt showed, if the person who asked for it still may. */
  async function confirm(request: Request, pendingId: string, trace: Trace): Promise<Reply> {
    const pending = await taken(store, request, pendingId, owed)
    trace.answered = pending === null ? null : { ...pending, pendingId }
    const keys = answerKeys(request.userId, pendingId, trace.atMs)
    const isSecond = (await store.claim(keys, trace.atMs)) === 'repeat'
    if (pending === null && isSecond) return { kind: 'repeat' }
    // In either direction: if the clock was set back since, the request may be of any age.
    const isLate = pending !== null && Math.abs(clock.nowMs() - pending.atMs) > pendingMaxMs
    if (pending === null || isLate) {
      const subject =
        pending === null
          ? { hostname: null, alertId: null, detail: {} }
          : await subjectOf(await askedBy(request, pending.change, store), ports)
      const wanted = pending?.change.kind ?? 'mute_server'
      return refuse(ports, { request, act: wanted, subject, auditId: ids.make() }, { why: 'pending_gone' })
    }
    const reply = await change(request, pending.change, pending.atMs, trace)
    return offeredAgain(store, reply, { ...pending, pendingId })
  }

  async function form(request: Request, asked: Of<'open_form'>): Promise<Reply> {
    const refusal =
      (await permit(request.userId, asked.form, guardOf(asked.form))) ??
      (await accountUnset(asked.form, options, store))
    const cardId = request.card?.cardId ?? null
    if (refusal === null) return openForm(ports, { ...asked, userId: request.userId, cardId }, options.limits)
    const subject = await formSubject(asked, ports)
    return refuse(ports, { request, act: asked.form, subject, auditId: ids.make() }, refusal)
  }

  return once
}

/**
 * Slack goes on showing what was chosen in a menu, and lets nobody choose it again, until the menu comes anew in a block with
 * another id. A mute that was made does that by itself; a question, a form or a refusal may be left, and needs the menu back.
 */
async function clearChoice(
  { store, clock, onChanged }: OnePorts,
  { intent, via, card }: Request,
  reply: Reply,
): Promise<void> {
  const asked = intent.kind === 'open_form' ? intent.form : intent.kind
  const isMute = asked === 'mute_server' || asked === 'mute_alert'
  if (!isMute || via !== 'select' || card === null || reply.kind === 'muted') return
  await save(store, { ...emptyPlan(clock.nowMs()), dirtyCards: [card.cardId] })
  onChanged()
}

/** Does a change, with its audit row and announcements; refuses it if the person may not ask for it. */
type DoChange = (request: Request, typed: Change, askedMs: number, trace: Trace) => Promise<Reply>

function openChange(ports: OnePorts, options: HandleOptions, permit: Permit): DoChange {
  const { store, ids, onChanged } = ports
  return async (request, typed, askedMs, trace) => {
    const base = { request, act: typed.kind, auditId: ids.make() }
    const asked = await askedBy(request, typed, store)
    const isAccountPlanned = typed.kind === 'plan_mute' && typed.of.of === 'account'
    const guard = isAccountPlanned ? 'mute_account' : guardOf(typed.kind, asked.mute)
    const refusal =
      tooManyNames(typed) ??
      (await permit(request.userId, typed.kind, guard)) ??
      (await accountUnset(isAccountPlanned ? 'mute_account' : typed.kind, options, store))
    if (refusal !== null) return refuse(ports, { ...base, subject: await subjectOf(asked, ports) }, refusal)
    // Names are looked up last, so that nothing is looked up for a request that is refused.
    const change = await withHostnames(typed, ports.servers)
    const meant = { ...asked, change }
    const told: Told = { ...base, subject: await subjectOf(meant, ports) }
    trace.told = told
    const place = await tellingPlace(meant, store, options.channels)
    try {
      const { reply, row } = await act(
        ports,
        { ...told, place, askedMs, may: (also) => mayAlso(permit, request.userId, typed.kind, also) },
        { kind: change.kind, change },
        options.limits,
      )
      if (row !== null) await write(ports, told, row)
      return reply
    } finally {
      onChanged()
    }
  }
}

async function mayAlso(permit: Permit, userId: string, kind: ChangeKind, guard: GuardedAct) {
  const refusal = await permit(userId, kind, guard)
  return refusal?.why === 'not_permitted' ? { ...refusal, needs: guard } : refusal
}

/**
 * Before an Alertmanager a mute of the account silences what others rely on, so nobody may who is not named. Ending one is no
 * harm, and left to whoever may by the permission alone.
 */
async function accountUnset(
  kind: ChangeKind | FormName,
  { isAccountMuteUnset = false }: HandleOptions,
  store: Pick<Store, 'canMuteAlerts'>,
): Promise<Refusal | null> {
  if (kind !== 'mute_account' || !isAccountMuteUnset || !(await store.canMuteAlerts())) return null
  return { why: 'not_permitted', act: 'mute_account', audience: 'nobody', isUnset: true }
}

/** Can it be repeated with one click? It was certainly not done, or is harmless if done twice. */
async function offeredAgain(store: RequestStore, reply: Reply, pending: Pending): Promise<Reply> {
  if (reply.kind !== 'failed' || (reply.isUnknown && !actions[pending.change.kind].isHarmlessTwice))
    return reply
  await store.keepPending(pending)
  return { ...reply, pendingId: pending.pendingId }
}

async function cancel(store: RequestStore, request: Request, pendingId: string, owed: Owed): Promise<Reply> {
  const pending = await taken(store, request, pendingId, owed)
  if (pending === null) return { kind: 'refused', refusal: { why: 'pending_gone' } }
  return { kind: 'cancelled' }
}

/** Only the person who was asked can answer a receipt. */
async function taken(store: RequestStore, { userId }: Request, pendingId: string, { questions }: Owed) {
  const pending = questions.get(pendingId) ?? (await store.takePending(pendingId))
  questions.delete(pendingId)
  if (pending === null || pending.userId === userId) return pending
  await store.keepPending({ ...pending, pendingId })
  return null
}

/** These say what was found among the remembered alerts, and what was not. */
const foundInAlerts: ReadonlySet<Refusal['why']> = new Set([
  'unknown_alert',
  'many_alerts',
  'none_open',
  'unknown_server',
  'unknown_servers',
  'no_match',
])

function withHealth(reply: Reply, health: Health): Reply {
  switch (reply.kind) {
    case 'muted':
    case 'account_muted':
    case 'confirm':
      return { ...reply, health }
    case 'form':
      return { ...reply, form: { ...reply.form, health } }
    case 'refused':
      return foundInAlerts.has(reply.refusal.why) ? { ...reply, health } : reply
    default:
      return reply
  }
}

async function refuse(ports: ActPorts, told: Told, refusal: Refusal): Promise<Reply> {
  const { reply, row } = refused(refusal)
  if (row !== null) await write(ports, told, row)
  return reply
}

function write({ store, clock }: ActPorts, told: Told, row: Row): Promise<void> {
  const atMs = clock.nowMs()
  const { auditId } = told
  return save(store, { ...emptyPlan(atMs), audit: [entryOf(told, row, { auditId, atMs })] })
}

async function broken(
  ports: OnePorts,
  request: Request,
  error: unknown,
  { told, atMs }: Trace,
): Promise<Reply> {
  const { store, ids, logger } = ports
  // One id for the answer, the log and the audit.
  const errorId = told?.auditId ?? ids.make()
  const isDatabaseError = error instanceof StoreFailure
  const reply: Reply = { kind: 'broken', errorId, mayBeDone: told !== null, isDatabaseError }
  logger.error('request:broken', { errorId, intent: request.intent.kind, userId: request.userId, error })
  try {
    if (told !== null) await write(ports, told, { outcome: 'unknown', why: 'broken' })
    await store.release(freedKeys(reply, request, atMs))
  } catch (second) {
    // The store itself does not work: the person is answered anyway.
    logger.error('request:untraced', { errorId, error: second })
  }
  return reply
}
