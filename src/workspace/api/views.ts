/** `views.*`: modals on a trigger, updates with a hash, Home tabs (slack-facts 2.6). */
import type { State } from '../state/state.ts'
import { tellView } from '../state/tell-view.ts'
import type { Triggered } from '../state/triggers.ts'
import { stackMax, type View } from '../state/views.ts'
import type { Args } from './args.ts'
import type { Method } from './call.ts'
import { badArguments, missing, type No, no, type Reply, yes } from './reply.ts'
import { readView, type ViewVerdict } from './view-ask.ts'

export const openView: Method = ({ state, args }) => {
  const read = viewOf(state, args, 'modal')
  if (!read.ok) return read.reply
  const spent = spendTrigger(state, args)
  if (!spent.ok) return spent.reply
  const view = state.views.open(spent.triggered.userId, read.ask)
  state.events.tell({ type: 'view_opened', user: view.userId, viewId: view.id })
  return told(state, view)
}

/** Needs a trigger that was born in a modal that is still open. */
export const pushView: Method = ({ state, args }) => {
  const read = viewOf(state, args, 'modal')
  if (!read.ok) return read.reply
  const spent = spendTrigger(state, args, ({ userId, viewId }) => {
    if (viewId === undefined) return no('invalid_trigger_id')
    if (!state.views.stack(userId).some((view) => view.id === viewId)) return no('not_found')
    return state.views.stack(userId).length >= stackMax ? no('push_limit_reached') : undefined
  })
  if (!spent.ok) return spent.reply
  const view = state.views.push(spent.triggered.userId, read.ask)
  if (view === undefined) return no('push_limit_reached')
  state.events.tell({ type: 'view_opened', user: view.userId, viewId: view.id })
  return told(state, view)
}

export const updateView: Method = ({ state, args }) => {
  const id = args.text('view_id')
  const externalId = args.text('external_id')
  if ((id === undefined) === (externalId === undefined)) {
    return badArguments('expected exactly one of view_id and external_id')
  }
  const view = id === undefined ? state.views.byExternalId(externalId ?? '') : state.views.find(id)
  if (view === undefined) return no('not_found')
  const read = viewOf(state, args, view.ask.type, view)
  if (!read.ok) return read.reply
  if (isStale(args, view)) return no('hash_conflict')
  state.views.change(view, read.ask)
  state.events.tell({ type: 'view_updated', user: view.userId, viewId: view.id })
  return told(state, view)
}

export const publishView: Method = ({ state, args }) => {
  const user = args.text('user_id')
  if (user === undefined || user === '') return missing('user_id')
  if (!state.people.has(user)) return badArguments('invalid `user_id`')
  if (!state.homeEnabled) return no('not_enabled')
  const known = state.views.home(user)
  const read = viewOf(state, args, 'home', known)
  if (!read.ok) return read.reply
  if (known !== undefined && isStale(args, known)) return no('hash_conflict')
  const view = state.views.publish(user, read.ask)
  state.events.tell({ type: 'home_published', user, viewId: view.id })
  return told(state, view)
}

function told(state: State, view: View): Reply {
  return yes({ view: tellView(state, view, view.values) })
}

function isStale(args: Args, view: View): boolean {
  const hash = args.text('hash')
  return hash !== undefined && hash !== '' && hash !== view.hash
}

function viewOf(state: State, args: Args, type: 'modal' | 'home', replaces?: View): ViewVerdict {
  const asked = args.json('view')
  if (!asked.given) return { ok: false, reply: missing('view') }
  if (!asked.ok) return { ok: false, reply: badArguments('view must be JSON [json-pointer:/view]') }
  return readView(state, asked.value, type, replaces)
}

type Spent = { readonly ok: true; readonly triggered: Triggered } | { readonly ok: false; readonly reply: No }

/** A call that is refused for another reason leaves the trigger as it was. */
function spendTrigger(state: State, args: Args, objection?: (triggered: Triggered) => No | undefined): Spent {
  const triggerId = args.text('trigger_id')
  if (triggerId === undefined || triggerId === '') return { ok: false, reply: missing('trigger_id') }
  const verdict = state.triggers.look(triggerId)
  if (!verdict.ok) return { ok: false, reply: no(verdict.why) }
  const objected = objection?.(verdict.triggered)
  if (objected !== undefined) return { ok: false, reply: objected }
  state.triggers.spend(triggerId)
  return { ok: true, triggered: verdict.triggered }
}
