/** The names of a form's fields: a field's block and its element have the same name. */
import { actions } from '../vocabulary.ts'

export const fields = {
  server: 'server',
  /** A select of `muteChoices`. */
  end: 'end',
  /** A different end, in words. */
  otherEnd: 'other_end',
  reason: 'reason',
  /** An external select of existing roles. */
  roles: actions.roles,
  /** Names of new roles, joined by commas. */
  newRoles: 'new_roles',
  text: 'text',
  /** The name typed again. */
  typed: 'typed',
} as const

/** Length limits of the fields, characters. */
export const charsMax = {
  server: 200,
  otherEnd: 40,
  reason: 200,
  newRoles: 500,
  text: 3_000,
  typed: 3_000,
} as const
