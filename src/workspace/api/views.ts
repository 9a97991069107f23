/** `views.*`: modals on a trigger, updates with a hash, Home tabs (docs/slack.md#forms); and `blocks.validate`. */
import { checkBlocks, checkView } from '../blocks/check.ts'
import { isFields, itemsOf } from '../state/fields.ts'
import { tidyBlocks } from '../state/sanitize.ts'
import type { State } from '../state/state.ts'
import type { View, ViewAsk } from '../state/views.ts'
import { wireView } from '../state/wire.ts'
import type { Args, Method } from './call.ts'
import { checkPictures } from './content.ts'
import { no, type Reply, refuse, refuseArguments, yes } from './reply.ts'

const viewBytesMax = 250_000

export const openView: Method = ({ state, args }) => {
  const ask = viewOf(state, args, 'modal')
  const use = state.triggers.use(args.need('trigger_id'))
  if (!use.ok) return refuse(triggerRefusals[use.why])
  return answer(state, 'view_opened', state.views.open(use.thing, ask))
}

const triggerRefusals = {
  unknown: 'invalid_trigger_id',
  expired: 'expired_trigger_id',
  used: 'exchanged_trigger_id',
} as const

export const updateView: Method = ({ state, args }) => {
  const view = state.views.find(args.need('view_id')) ?? refuse('not_found')
  const ask = viewOf(state, args, view.ask.type)
  refuseStale(args, view)
  return answer(state, 'view_updated', state.views.change(view, ask))
}

export const publishView: Method = ({ state, args }) => {
  const user = args.need('user_id')
  if (!state.people.has(user)) refuseArguments('invalid `user_id`')
  if (!state.homeEnabled) refuse('not_enabled')
  const ask = viewOf(state, args, 'home')
  refuseStale(args, state.views.home(user))
  return answer(state, 'home_published', state.views.publish(user, ask))
}

export function readView(state: State, value: unknown, type: 'modal' | 'home'): ViewAsk {
  if (!isFields(value)) return refuseArguments('view must be an object [json-pointer:/view]')
  if (Buffer.byteLength(JSON.stringify(value)) > viewBytesMax) refuse('view_too_large')
  const shapes = checkView(value)
  const faults = shapes.length > 0 ? shapes : checkPictures(state, itemsOf(value.blocks))
  if (faults.length > 0)
    refuseArguments(...faults.map(({ message, pointer }) => `${message} [json-pointer:/view${pointer}]`))
  if (value.type !== type) {
    const got = JSON.stringify(value.type)
    refuseArguments(`expected a view of type ${type}, got ${got} [json-pointer:/view/type]`)
  }
  return { ...value, type, blocks: tidyBlocks(itemsOf(value.blocks).filter(isFields), state.ids.blockId) }
}

function viewOf(state: State, args: Args, type: 'modal' | 'home'): ViewAsk {
  const view = args.json('view', 'invalid_arguments') ?? refuseArguments('missing required field: view')
  return readView(state, view, type)
}

function answer(state: State, type: 'view_opened' | 'view_updated' | 'home_published', view: View): Reply {
  state.events.emit({ type, user: view.userId, viewId: view.id })
  return yes({ view: wireView(state, view, view.values) })
}

function refuseStale(args: Args, view: View | undefined): void {
  const hash = args.text('hash')
  if (view !== undefined && hash !== undefined && hash !== '' && hash !== view.hash) refuse('hash_conflict')
}

/** Says what is wrong with blocks, of which the bot asks, and takes no token (docs/slack.md#asking-slack-about-blocks). */
export const validateBlocks: Method = ({ args }) => {
  const blocks = args.json('blocks', 'invalid_arguments') ?? refuseArguments('must provide `blocks`')
  const code = 'failed_constraint'
  const faults = checkBlocks(blocks).map(({ message, pointer }) => {
    return { code, message, pointer: pointer.slice('/blocks'.length) }
  })
  return faults.length === 0 ? yes() : no('invalid_blocks', { errors: faults })
}
