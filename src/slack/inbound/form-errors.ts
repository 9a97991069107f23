/** A refusal or a failure on the field of the form that it is about, where there is one: what was written stays there. */
import type { FormName } from '../../domain/request/named.ts'
import type { Refusal, Reply } from '../../domain/request/reply.ts'
import { type FieldErrors, forms } from '../render/forms/forms.ts'
import { renderReply } from '../render/replies/reply.ts'
import { plainWords } from '../render/text/plain-words.ts'
import { fields } from './form-fields.ts'

const errorCharsMax = 300

/** Null where it went well, or where trying again with other words cannot help. */
export function errorsOf(form: FormName, reply: Reply): FieldErrors | null {
  const field = fieldOf(form, reply)
  const rendered = field === null ? null : renderReply(reply)
  if (field === null || rendered === null) return null
  return { [field]: plainWords(rendered.text).slice(0, errorCharsMax) }
}

function fieldOf(form: FormName, reply: Reply): string | null {
  switch (reply.kind) {
    case 'failed':
    case 'broken':
      return forms[form].mainField
    case 'refused':
      return fieldOfRefusal(form, reply.refusal)
    default:
      return null
  }
}

function fieldOfRefusal(form: FormName, refusal: Refusal): string | null {
  switch (refusal.why) {
    // Who may is a list of people, which a field cannot show.
    case 'not_permitted':
      return null
    case 'reason_missing':
      return fields.reason
    default:
      return forms[form].mainField
  }
}
