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

export function refuseArguments(...reasons: readonly string[]): never {
  refuse('invalid_arguments', {
    response_metadata: { messages: reasons.map((reason) => `[ERROR] ${reason}`) },
  })
}

export function refuseBlocks(reasons: readonly { message: string; pointer: string }[]): void {
  if (reasons.length === 0) return
  const lines = reasons.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`)
  refuse('invalid_blocks', {
    errors: lines,
    response_metadata: { messages: lines.map((line) => `[ERROR] ${line}`) },
  })
}

export function answerOf<Answer>(run: () => Answer): Answer | No {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refused) return error.reply
    throw error
  }
}
