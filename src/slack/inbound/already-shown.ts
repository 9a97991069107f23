/** Whether the pressed card itself says what came of it: then an answer would only repeat it. */
import type { Request } from '../../domain/request/intent.ts'
import type { Done, Reply } from '../../domain/request/reply.ts'

/** Never for a typed command, nor for what was not done, or only in part. */
export function isAlreadyShown({ card, via }: Pick<Request, 'card' | 'via'>, reply: Reply): boolean {
  if (card === null || via === 'command') return false
  switch (reply.kind) {
    case 'done':
      return isDoneOnCard(reply)
    case 'unmuted':
      return reply.isSure && reply.wasMuted !== false
    case 'extended':
      return true
    default:
      return false
  }
}

function isDoneOnCard(done: Done): boolean {
  switch (done.act) {
    case 'acknowledge':
    case 'add_marker':
      return true
    case 'acknowledge_all':
      return done.count > 0 && done.later === 0
    case 'take_over':
    case 'unacknowledge':
    case 'still_on_it':
      return done.alerts.length > 0
    case 'add_note':
      return done.isTold
    case 'add_roles':
      // A new role may be a slip, and what was there already was not added.
      return done.created.length + done.already.length === 0
    case 'set_no_data':
    case 'delete_server':
    case 'delete_metrics':
      return false
  }
}
