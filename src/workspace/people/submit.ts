/** A person submits or closes the modal on top of theirs, and the bot's answer takes effect (slack-facts 4.3). */

import { type Reply, yes } from '../api/reply.ts'
import { readView } from '../api/view-ask.ts'
import { type Fields, isFields } from '../state/fields.ts'
import { tellView } from '../state/tell-view.ts'
import type { View } from '../state/views.ts'
import { keep } from './click.ts'
import { type Choice, choose, elementsIn, isUnset, valuesOf } from './elements.ts'
import { basePayload, interact, personOf, refused, type Stage, userPayload } from './stage.ts'

export type SubmitAsk = {
  readonly user: string
  readonly viewId: string
  /** `block_id` → `action_id` → what is chosen or typed. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, Choice>>>> | undefined
}

export async function submit(stage: Stage, ask: SubmitAsk): Promise<Reply> {
  const found = topView(stage, ask.user, ask.viewId)
  if (!found.ok) return found.reply
  const { view, person } = found
  const filled = fillIn(view, ask.values ?? {})
  if (filled !== undefined) return filled

  const { state } = stage
  const answered = await interact(stage, 'view_submission', person.id, 'interactive', {
    type: 'view_submission',
    ...basePayload(stage),
    user: userPayload(stage, person),
    trigger_id: state.triggers.issue({ userId: person.id, viewId: view.id }),
    view: tellView(state, view, valuesOf(view.ask.blocks, view.values)),
    response_urls: [],
  })
  return answered.ok ? takeEffect(stage, view, answered.payload) : answered.reply
}

/** Closes the modal on top, or with `all` the whole stack; the bot hears of it only where the view asks for that. */
export async function closeView(
  stage: Stage,
  ask: { readonly user: string; readonly viewId: string; readonly all?: boolean | undefined },
): Promise<Reply> {
  const found = topView(stage, ask.user, ask.viewId)
  if (!found.ok) return found.reply
  const { view, person } = found
  const { state } = stage
  const clears = ask.all === true || view.ask.clear_on_close === true
  const gone = clears ? state.views.stack(person.id).toReversed() : [view]
  if (clears) state.views.clear(person.id)
  else state.views.pop(person.id)
  for (const one of gone) {
    state.events.tell({ type: 'view_closed', user: person.id, viewId: one.id })
    if (one.ask.notify_on_close !== true) continue
    // Nobody sees whether the bot heard of it: a view that is closed is closed.
    await interact(stage, 'view_closed', person.id, 'interactive', {
      type: 'view_closed',
      ...basePayload(stage),
      user: userPayload(stage, person),
      view: tellView(state, one, valuesOf(one.ask.blocks, one.values)),
      is_cleared: clears,
    })
  }
  return yes()
}

type Top =
  | {
      readonly ok: true
      readonly view: View
      readonly person: { readonly id: string; readonly name: string }
    }
  | { readonly ok: false; readonly reply: Reply }

function topView(stage: Stage, user: string, viewId: string): Top {
  const person = personOf(stage, user)
  if (!person.ok) return person
  const top = stage.state.views.stack(person.id).at(-1)
  if (top === undefined || top.id !== viewId) {
    const lies = top === undefined ? 'no modal is open' : `${top.id} lies on top`
    return {
      ok: false,
      reply: refused('view_not_found', `${viewId} is not the modal in front of this person: ${lies}`),
    }
  }
  return { ok: true, view: top, person }
}

/** What Slack's own clients check before they send anything. */
function fillIn(view: View, values: NonNullable<SubmitAsk['values']>): Reply | undefined {
  const elements = elementsIn(view.ask.blocks)
  for (const [blockId, actions] of Object.entries(values)) {
    for (const [actionId, choice] of Object.entries(actions)) {
      const element = elements.find((one) => one.blockId === blockId && one.actionId === actionId)
      if (element === undefined) {
        const there = elements.map((one) => `${one.blockId}.${one.actionId}`)
        return refused(
          'unknown_input',
          `expected one of ${JSON.stringify(there)}, got ${blockId}.${actionId}`,
        )
      }
      const verdict = choose(element, choice)
      if (!verdict.ok) return refused('invalid_choice', verdict.why)
      const { min_length: min, max_length: max } = element.fields
      const length = typeof choice === 'string' ? choice.length : 0
      if (typeof max === 'number' && length > max)
        return refused('too_long', `${actionId}: at most ${max} characters, got ${length}`)
      if (typeof min === 'number' && length > 0 && length < min) {
        return refused('too_short', `${actionId}: at least ${min} characters, got ${length}`)
      }
      keep(view, element, verdict.state)
    }
  }
  const now = valuesOf(view.ask.blocks, view.values)
  const empty = elements.find(
    (one) => one.input?.optional === false && isUnset(now[one.blockId]?.[one.actionId] ?? {}),
  )
  if (empty === undefined) return undefined
  return refused('missing_input', `${empty.blockId}.${empty.actionId} must be filled in`)
}

function takeEffect({ state }: Stage, view: View, payload: unknown): Reply {
  const { userId: user } = view
  const answer: Fields = isFields(payload) ? payload : {}
  if (answer.response_action === undefined) {
    state.views.pop(user)
    state.events.tell({ type: 'view_closed', user, viewId: view.id })
    return yes()
  }
  const action = answer.response_action
  const trouble = (why: string): Reply => refused('invalid_response_action', why)
  if (action === 'clear') {
    for (const one of state.views.stack(user))
      state.events.tell({ type: 'view_closed', user, viewId: one.id })
    state.views.clear(user)
    return yes({ response_action: 'clear' })
  }
  if (action === 'errors') {
    const errors = isFields(answer.errors) ? answer.errors : {}
    const inputs = elementsIn(view.ask.blocks)
      .filter((one) => one.input !== undefined)
      .map((one) => one.blockId)
    const stray = Object.keys(errors).find((blockId) => !inputs.includes(blockId))
    if (Object.keys(errors).length === 0) return trouble('errors must name at least one input block')
    if (stray !== undefined)
      return trouble(`expected block ids of input blocks (${inputs.join(', ')}), got ${stray}`)
    return yes({ response_action: 'errors', errors })
  }
  if (action !== 'update' && action !== 'push') {
    return trouble(`expected errors, update, push or clear, got ${JSON.stringify(action)}`)
  }
  const read = readView(state, answer.view, 'modal', action === 'update' ? view : undefined)
  if (!read.ok) return { ...read.reply, detail: `the view in the answer: ${read.reply.error}` }
  if (action === 'update') {
    state.views.change(view, read.ask)
    state.events.tell({ type: 'view_updated', user, viewId: view.id })
    return yes({ response_action: 'update', view_id: view.id })
  }
  const pushed = state.views.push(user, read.ask)
  if (pushed === undefined) return refused('push_limit_reached', 'three modals lie on the stack already')
  state.events.tell({ type: 'view_opened', user, viewId: pushed.id })
  return yes({ response_action: 'push', view_id: pushed.id })
}
