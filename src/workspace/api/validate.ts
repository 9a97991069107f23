/** `blocks.validate`: says what is wrong with blocks, a message or a view, and shows it to nobody (docs/slack.md#asking-slack-about-blocks). */
import { validate } from '../blocks/check.ts'
import type { Method } from './call.ts'
import { no, refuse, yes } from './reply.ts'

const errors = { blocks: 'invalid_blocks', message: 'invalid_message', view: 'invalid_view' } as const
const whats = Object.keys(errors) as (keyof typeof errors)[]

/** Takes exactly one of the three, and no token. */
export const validateBlocks: Method = ({ args }) => {
  const given = whats.flatMap((what) => {
    const value = args.json(what, 'invalid_arguments')
    return value === undefined ? [] : [{ what, value }]
  })
  const [one] = given
  if (one === undefined || given.length > 1) {
    const messages = ['must provide exactly one of `blocks`, `view`, or `message`']
    return refuse('invalid_arguments', { response_metadata: { messages } })
  }
  const faults = validate(one.what, one.value)
  if (faults.length === 0) return yes()
  return no(errors[one.what], { errors: faults.map((fault) => ({ code: 'failed_constraint', ...fault })) })
}
