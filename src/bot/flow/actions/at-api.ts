/** One call that changes something at the API, with its audit row and its announcement. */
import type { OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  failed,
  failedRow,
  type Row,
  replyOnly,
  save,
} from './context.ts'

type AtApi = {
  readonly call: () => Promise<string>
  readonly reply: Reply
  /** The server that a 404 answer is about; null if a 404 means something else. */
  readonly server: string | null
  readonly detail?: Row['detail']
  /** Text of the marker that goes with it. */
  readonly marker?: string
  readonly also?: Partial<Plan>
}

/** The audit row is written before the API call: a crash in between leaves a row that says so. */
export async function doAtApi(ports: ActPorts, context: ActionContext, what: AtApi): Promise<Acted> {
  const { store, clock, ids } = ports
  const { auditId } = context
  const detail = what.detail ?? {}
  const write = (row: Row) => {
    const atMs = clock.nowMs()
    return save(store, { ...emptyPlan(atMs), audit: [entryOf(context, row, { auditId, atMs })] })
  }
  await write({ outcome: 'unknown', why: 'unanswered', detail })
  const answer = await attempt(what.call)
  if (!answer.ok) {
    const { failure } = answer
    const isUnknownServer = failure.kind === 'missing' && what.server !== null
    const { reply, row } = isUnknownServer
      ? { reply: await unknownServer(ports, what.server, failure), row: failedRow(failure, true) }
      : failed(context, failure)
    if (row !== null) await write({ ...row, detail: { ...detail, ...row.detail } })
    return replyOnly(reply)
  }
  const atMs = clock.nowMs()
  const done = { outcome: 'done', why: null, detail: { ...detail, answer: answer.value } } as const
  const entry = entryOf(context, done, { auditId, atMs })
  const card = changeNotice(entry, context.place)
  const markers =
    what.marker === undefined ? [] : [{ markerId: ids.make(), text: what.marker, cardId: card.cardId }]
  await save(store, { ...emptyPlan(atMs), ...what.also, audit: [entry], cards: [card], markers })
  return replyOnly(what.reply)
}

/** After a 404: one that monbot knows is not denied for that. */
export async function unknownServer(
  { servers }: Pick<ActPorts, 'servers'>,
  server: string,
  failure: OutsideFailure,
): Promise<Reply> {
  const isKnown = (await servers.book()).has(server)
  const [similar = []] = isKnown ? [] : await servers.similar([server])
  const answer = isKnown ? { answer: failure.message } : {}
  return { kind: 'refused', refusal: { why: 'unknown_server', server, similar, ...answer } }
}
