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

/** Ends a call or an act with this reply, however deep it is in its arguments; whoever answers catches it. */
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

/** `invalid_arguments` with what was expected, as Slack words it. */
export function refuseArguments(...reasons: readonly string[]): never {
  refuse('invalid_arguments', {
    response_metadata: { messages: reasons.map((reason) => `[ERROR] ${reason}`) },
  })
}

/** Reasons with their places, in the shape of `chat.*` (docs/slack.md#errors); nothing where there is none. */
export function refuseBlocks(reasons: readonly { message: string; pointer: string }[]): void {
  if (reasons.length === 0) return
  const lines = reasons.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`)
  refuse('invalid_blocks', {
    errors: lines,
    response_metadata: { messages: lines.map((line) => `[ERROR] ${line}`) },
  })
}

/** What `run` gives, or the reply that it was refused with. */
export function answerOf<Answer>(run: () => Answer): Answer | No {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}
