/**
 * A person uses an element of a message or a view: `block_actions` (slack-facts 4.3). The element is the real one that
 * stands there; what it does not offer cannot be chosen.
 */
import { type Reply, yes } from '../api/reply.ts'
import { type Fields, present } from '../state/fields.ts'
import { type Choice, choose, type Element, elementsIn } from './elements.ts'
import { type Place, placeOf } from './place.ts'
import { basePayload, interact, personOf, refuseAct, type Stage } from './stage.ts'

export type ClickAsk = {
  readonly user: string
  readonly actionId: string
  readonly blockId?: string | undefined
  /** For selects and inputs: what is chosen or typed. */
  readonly choice?: Choice | undefined
} & Place

export async function click(stage: Stage, ask: ClickAsk): Promise<Reply> {
  const person = personOf(stage, ask.user)
  const place = placeOf(stage, ask, person)
  const elements = elementsIn(place.blocks)
  const element = elements.find(
    (one) => one.actionId === ask.actionId && (ask.blockId === undefined || one.blockId === ask.blockId),
  )
  if (element === undefined) {
    const there = JSON.stringify(elements.map((one) => one.actionId))
    return refuseAct('unknown_action', `expected one of ${there}, got ${JSON.stringify(ask.actionId)}`)
  }
  if (element.input !== undefined)
    refuseAct('no_dispatch', `${ask.actionId} stands in an input block: submit the view`)
  const chosen = choose(element, ask.choice ?? null)
  const values = place.choose(element, chosen)
  const { state } = stage
  await interact(stage, 'block_actions', person.id, 'interactive', {
    type: 'block_actions',
    ...basePayload(stage, person),
    trigger_id: state.triggers.issue(person.id),
    ...place.payload(),
    ...place.answerAt(),
    state: { values },
    actions: [toAction(element, chosen, state.messages.nextTs())],
  })
  return yes()
}

function toAction({ actionId, blockId, type, fields }: Element, chosen: Fields, ts: string): Fields {
  const { text, value, style } = type === 'button' ? fields : {}
  return present({
    action_id: actionId,
    block_id: blockId,
    text,
    value,
    style,
    ...chosen,
    type,
    action_ts: ts,
  })
}
