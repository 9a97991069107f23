/** A person submits or closes their modal, and the bot's answer takes effect (docs/slack.md#forms). */
import { z } from 'zod'
import { answerOf, type Reply, yes } from '../api/reply.ts'
import { readView } from '../api/views.ts'
import { isFields } from '../state/fields.ts'
import type { View } from '../state/views.ts'
import { wireView } from '../state/wire.ts'
import { keep } from './click.ts'
import { choiceShape, choose, elementsIn, isUnset, valuesOf } from './elements.ts'
import { basePayload, interact, name, personOf, refuseAct, type Stage } from './stage.ts'

export const submitShape = z.strictObject({
  user: name,
  viewId: name,
  values: z.record(z.string(), z.record(z.string(), choiceShape)).default({}),
})
export const closeShape = z.strictObject({ user: name, viewId: name })

export async function submit(stage: Stage, ask: z.output<typeof submitShape>): Promise<Reply> {
  const { view, person } = modalOf(stage, ask)
  const { state } = stage
  fillIn(stage, view, ask.values)
  const answer = await interact(stage, 'view_submission', person.id, 'interactive', {
    type: 'view_submission',
    ...basePayload(stage, person),
    trigger_id: state.triggers.issue(person.id),
    view: wireView(state, view, valuesOf(view.ask.blocks, view.values)),
    response_urls: [],
  })
  return takeEffect(stage, view, answer)
}

export function closeView(stage: Stage, ask: z.output<typeof closeShape>): Reply {
  return closed(stage, modalOf(stage, ask).view)
}

function closed({ state }: Stage, { userId, id }: View): Reply {
  state.views.close(userId)
  state.events.emit({ type: 'view_closed', user: userId, viewId: id })
  return yes()
}

function modalOf(stage: Stage, { user, viewId }: { user: string; viewId: string }) {
  const person = personOf(stage, user)
  const view = stage.state.views.modal(person.id)
  if (view !== undefined && view.id === viewId) return { view, person }
  const instead = view === undefined ? 'no modal is open' : `${view.id} is`
  return refuseAct('view_not_found', `${viewId} is not the modal in front of this person: ${instead}`)
}

/** What Slack's own clients check before they send anything. */
function fillIn({ state }: Stage, view: View, values: z.output<typeof submitShape>['values']): void {
  const elements = elementsIn(view.ask.blocks)
  const there = JSON.stringify(elements.map((one) => `${one.blockId}.${one.actionId}`))
  const given = Object.entries(values).flatMap(([blockId, actions]) =>
    Object.entries(actions).map(([actionId, choice]) => ({ blockId, actionId, choice })),
  )
  for (const { blockId, actionId, choice } of given) {
    const element =
      elements.find((one) => one.blockId === blockId && one.actionId === actionId) ??
      refuseAct('unknown_input', `expected one of ${there}, got ${blockId}.${actionId}`)
    if (element.type === 'users_select' && choice !== null && !state.people.has(choice))
      refuseAct('invalid_choice', `${actionId}: nobody here has the id ${JSON.stringify(choice)}`)
    const { max_length: max } = element.fields
    if (typeof max === 'number' && choice !== null && choice.length > max)
      refuseAct('too_long', `${actionId}: at most ${max} characters, got ${choice.length}`)
    keep(view, element, choose(element, choice))
  }
  const now = valuesOf(view.ask.blocks, view.values)
  const empty = elements.find(
    (one) => one.input?.optional === false && isUnset(now[one.blockId]?.[one.actionId] ?? {}),
  )
  if (empty !== undefined) refuseAct('missing_input', `${empty.blockId}.${empty.actionId} must be filled in`)
}

function takeEffect(stage: Stage, view: View, answer: unknown): Reply {
  const { state } = stage
  const { response_action: action, errors, view: asked } = isFields(answer) ? answer : {}
  const trouble = (why: string): never => refuseAct('invalid_response_action', why)
  if (action === undefined) return closed(stage, view)
  if (action === 'errors') {
    const inputs = elementsIn(view.ask.blocks).filter((one) => one.input !== undefined)
    const named = isFields(errors) ? Object.keys(errors) : []
    const stray = named.find((blockId) => !inputs.some((one) => one.blockId === blockId))
    if (named.length === 0) trouble('errors must name at least one input block')
    if (stray !== undefined) trouble(`expected block ids of input blocks, got ${stray}`)
    return yes({ response_action: action, errors })
  }
  if (action !== 'update') return trouble(`expected errors or update, got ${JSON.stringify(action)}`)
  const read = answerOf(() => ({ ask: readView(state, asked, 'modal') }))
  if ('error' in read) return { ...read, detail: `the view in the answer: ${read.error}` }
  state.views.change(view, read.ask)
  state.events.emit({ type: 'view_updated', user: view.userId, viewId: view.id })
  return yes({ response_action: action, view_id: view.id })
}
