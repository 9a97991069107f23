/**
 * A person submits or closes their modal, and the bot's answer takes effect (docs/slack.md#forms). The bot never asks to hear of
 * a modal that was closed (`notify_on_close`), so it does not.
 */

import { z } from 'zod'
import { answerOf, type Reply, yes } from '../api/reply.ts'
import { readView } from '../api/views.ts'
import { isFields } from '../state/fields.ts'
import type { Person } from '../state/people.ts'
import type { View } from '../state/views.ts'
import { wireView } from '../state/wire.ts'
import { keep } from './click.ts'
import { choiceShape, choose, elementsIn, isUnset, valuesOf } from './elements.ts'
import { basePayload, interact, name, personOf, refuseAct, type Stage } from './stage.ts'

export const submitShape = z.strictObject({
  user: name,
  viewId: name,
  /** `block_id` → `action_id` → what is chosen or typed. */
  values: z.record(z.string(), z.record(z.string(), choiceShape)).optional(),
})
export const closeShape = z.strictObject({ user: name, viewId: name })

export async function submit(stage: Stage, ask: z.output<typeof submitShape>): Promise<Reply> {
  const { view, person } = modalOf(stage, ask.user, ask.viewId)
  const { state } = stage
  fillIn(state, view, ask.values ?? {})
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
  closed(stage, modalOf(stage, ask.user, ask.viewId).view)
  return yes()
}

function closed({ state }: Stage, { userId, id }: View): void {
  state.views.close(userId)
  state.events.emit({ type: 'view_closed', user: userId, viewId: id })
}

function modalOf(
  stage: Stage,
  user: string,
  viewId: string,
): { readonly view: View; readonly person: Person } {
  const person = personOf(stage, user)
  const view = stage.state.views.modal(person.id)
  if (view !== undefined && view.id === viewId) return { view, person }
  const instead = view === undefined ? 'no modal is open' : `${view.id} is`
  return refuseAct('view_not_found', `${viewId} is not the modal in front of this person: ${instead}`)
}

/** What Slack's own clients check before they send anything. */
function fillIn(
  state: Stage['state'],
  view: View,
  values: NonNullable<z.output<typeof submitShape>['values']>,
): void {
  const elements = elementsIn(view.ask.blocks)
  const there = JSON.stringify(elements.map((one) => `${one.blockId}.${one.actionId}`))
  const given = Object.entries(values).flatMap(([blockId, actions]) =>
    Object.entries(actions).map(([actionId, choice]) => ({ blockId, actionId, choice })),
  )
  for (const { blockId, actionId, choice } of given) {
    const element =
      elements.find((one) => one.blockId === blockId && one.actionId === actionId) ??
      refuseAct('unknown_input', `expected one of ${there}, got ${blockId}.${actionId}`)
    const chosen = choose(element, choice)
    if (element.type === 'users_select' && choice !== null && !state.people.has(String(choice)))
      refuseAct('invalid_choice', `${actionId}: nobody here has the id ${JSON.stringify(choice)}`)
    const { max_length: max } = element.fields
    const length = typeof choice === 'string' ? choice.length : 0
    if (typeof max === 'number' && length > max)
      refuseAct('too_long', `${actionId}: at most ${max} characters, got ${length}`)
    keep(view, element, chosen)
  }
  const now = valuesOf(view.ask.blocks, view.values)
  const empty = elements.find(
    (one) => one.input?.optional === false && isUnset(now[one.blockId]?.[one.actionId] ?? {}),
  )
  if (empty !== undefined) refuseAct('missing_input', `${empty.blockId}.${empty.actionId} must be filled in`)
}

function takeEffect(stage: Stage, view: View, answer: unknown): Reply {
  const { response_action: action, errors: named, view: asked } = isFields(answer) ? answer : {}
  const trouble = (why: string): never => refuseAct('invalid_response_action', why)
  switch (action) {
    case undefined:
      closed(stage, view)
      return yes()
    case 'errors': {
      const errors = isFields(named) ? named : {}
      const inputs = elementsIn(view.ask.blocks)
        .filter((one) => one.input !== undefined)
        .map((one) => one.blockId)
      const stray = Object.keys(errors).find((blockId) => !inputs.includes(blockId))
      if (Object.keys(errors).length === 0) trouble('errors must name at least one input block')
      if (stray !== undefined)
        trouble(`expected block ids of input blocks (${inputs.join(', ')}), got ${stray}`)
      return yes({ response_action: action, errors })
    }
    case 'update': {
      const { state } = stage
      const read = answerOf(() => ({ ask: readView(state, asked, 'modal') }))
      if ('error' in read) return { ...read, detail: `the view in the answer: ${read.error}` }
      state.views.change(view, read.ask)
      state.events.emit({ type: 'view_updated', user: view.userId, viewId: view.id })
      return yes({ response_action: action, view_id: view.id })
    }
    default:
      return trouble(`expected errors or update, got ${JSON.stringify(action)}`)
  }
}
