/** The two shapes of every Web API answer: HTTP 200 with `ok: true`, or with `ok: false` and an error code. */
import type { Fields } from '../state/fields.ts'

export type Yes = Fields & { readonly ok: true }
export type No = Fields & { readonly ok: false; readonly error: string }
export type Reply = Yes | No

export function yes(fields: Fields = {}): Yes {
  return { ok: true, ...fields }
}

export function no(error: string, more: Fields = {}): No {
  return { ok: false, error, ...more }
}

/** Thrown to end a call or an act with this reply; caught where the answer is sent. */
export class Refused extends Error {
  readonly reply: No

  constructor(reply: No) {
    super(reply.error)
    this.reply = reply
  }
}

export function refuse(error: string, more: Fields = {}): never {
  throw new Refused(no(error, more))
}

/** Refuses with `invalid_arguments` and what was expected, in Slack's words. */
export function refuseArguments(...reasons: readonly string[]): never {
  refuse('invalid_arguments', {
    response_metadata: { messages: reasons.map((reason) => `[ERROR] ${reason}`) },
  })
}

/** Refuses blocks, with reasons and their places as `chat.*` gives them (docs/slack.md#errors); does nothing without a reason. */
export function refuseBlocks(reasons: readonly { message: string; pointer: string }[]): void {
  if (reasons.length === 0) return
  const lines = reasons.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`)
  refuse('invalid_blocks', {
    errors: lines,
    response_metadata: { messages: lines.map((line) => `[ERROR] ${line}`) },
  })
}

/** The result of `run`, or the reply that it was refused with. */
export function answerOf<Answer>(run: () => Answer): Answer | No {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}
