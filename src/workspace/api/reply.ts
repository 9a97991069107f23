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

/** `invalid_arguments` with what was expected, as Slack words it. */
export function badArguments(...reasons: readonly string[]): No {
  return no('invalid_arguments', {
    response_metadata: { messages: reasons.map((reason) => `[ERROR] ${reason}`) },
  })
}

export function missing(field: string): No {
  return badArguments(`missing required field: ${field}`)
}

/** A reason with its place, in the shape of `chat.*` (slack-facts 2.1). */
export function blockReasons(error: string, reasons: readonly { message: string; pointer: string }[]): No {
  const lines = reasons.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`)
  return no(error, { errors: lines, response_metadata: { messages: lines.map((line) => `[ERROR] ${line}`) } })
}
