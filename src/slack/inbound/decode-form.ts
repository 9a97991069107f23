/** A form that was sent becomes a request, or says what is wrong with which of its fields. */
import { z } from 'zod'
import type { Intent } from '../../domain/request/intent.ts'
import type { OneServer } from '../../domain/request/named.ts'
import { type Asked, type Asker, word } from './asked.ts'
import { fields } from './form-fields.ts'
import { type FormOrigin, parseMetadata } from './form-origin.ts'
import { chosenEnd, endExpected, typedEnd } from './mute-end.ts'

const option = z.object({ value: z.string().max(150) })
const entry = z.object({
  value: z.string().nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).max(100).nullish(),
})
const shape = z.object({
  type: z.literal('view_submission'),
  trigger_id: word,
  user: z.object({ id: word }),
  view: z.object({
    id: word,
    private_metadata: z.string().max(3_000),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), entry)) }),
  }),
})

/** Field → what is wrong with it, in plain words. */
export type FieldErrors = Readonly<Record<string, string>>

export type SentForm = {
  readonly asked: Asked | { readonly kind: 'errors'; readonly errors: FieldErrors }
  readonly origin: FormOrigin
  readonly asker: Asker
  readonly viewId: string
  /** What was written freely, so that it is not lost when the form is: empty where there was nothing. */
  readonly written: string
}

type Entry = z.output<typeof entry>
type Values = {
  text(field: string): string
  chosen(field: string): string | null
  several(field: string): readonly string[]
}

/** Null for what is no form of this bot. */
export function decodeForm(body: unknown): SentForm | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { user, view, trigger_id: triggerId } = read.data
  const origin = parseMetadata(view.private_metadata)
  if (origin === null) return null
  const { channel, threadTs, responseUrl, card } = origin
  const asker: Asker = { userId: user.id, channel, threadTs, responseUrl, triggerId, replaces: 'never' }
  const values = valuesOf(view.state.values)
  const meaning = intentOf(origin, values)
  const keys = [`trigger:${triggerId}`]
  const asked: SentForm['asked'] =
    'errors' in meaning
      ? { kind: 'errors', errors: meaning.errors }
      : {
          kind: 'request',
          request: { intent: meaning, userId: user.id, via: 'modal', keys, channel, card },
          asker,
        }
  const written = [values.text(fields.text), values.text(fields.reason)].find((text) => text !== '') ?? ''
  return { asked, origin, asker, viewId: view.id, written }
}

function valuesOf(state: Readonly<Record<string, Readonly<Record<string, Entry>>>>): Values {
  const entries = new Map(
    Object.values(state).flatMap((block) => Object.entries(block).map(([action, value]) => [action, value])),
  )
  return {
    text: (field) => entries.get(field)?.value?.trim() ?? '',
    chosen: (field) => entries.get(field)?.selected_option?.value ?? null,
    several: (field) => entries.get(field)?.selected_options?.map(({ value }) => value) ?? [],
  }
}

function intentOf(origin: FormOrigin, values: Values): Intent | { readonly errors: FieldErrors } {
  const { form, alertId, given, openedMs: shownMs } = origin
  switch (form) {
    case 'mute_server': {
      const server = serverOf(origin, values)
      const typed = values.text(fields.otherEnd)
      const end = typed === '' ? chosenEnd(values.chosen(fields.end)) : typedEnd(typed)
      if (server === null) return wrong(fields.server, 'Write the name of a server.')
      if (end === null) return wrong(fields.otherEnd, `Write ${endExpected}.`)
      // The form has shown what a receipt would: what the mute hides, and how long it may be.
      const reason = values.text(fields.reason)
      return { kind: 'mute_server', servers: [server], end, reason, shown: origin.shown }
    }
    case 'mute_account': {
      const end = typedEnd(values.text(fields.otherEnd))
      const reason = values.text(fields.reason)
      // The account has no health of its own to wait for.
      if (end === null || end.kind === 'unmuted' || end.kind === 'healthy') {
        return wrong(fields.otherEnd, `Write ${endExpected}.`)
      }
      if (reason === '') return wrong(fields.reason, 'Say why: everyone will read it.')
      return { kind: 'mute_account', end, reason, shown: origin.shown }
    }
    case 'add_roles': {
      const server = serverOf(origin, values)
      const typed = values.text(fields.newRoles).split(',')
      const existing = values.several(fields.roles)
      const roles = [...existing, ...typed.map((role) => role.trim())]
      const named = [...new Set(roles.filter((role) => role !== ''))]
      if (server === null) return wrong(fields.server, 'Write the name of a server.')
      if (named.length === 0) return wrong(fields.newRoles, 'Choose a role above, or write a new one here.')
      return { kind: 'add_roles', server, roles: named, existing }
    }
    case 'add_marker': {
      const text = values.text(fields.text)
      return text === '' ? wrong(fields.text, 'Write what the marker should say.') : { kind: form, text }
    }
    case 'add_note': {
      const text = values.text(fields.text)
      const alert = alertId ?? given
      if (text === '' || alert === null) return wrong(fields.text, 'Write what the note should say.')
      return { kind: form, alert, text }
    }
    case 'delete_server':
      return { kind: form, server: given ?? '', typed: values.text(fields.typed), shownMs }
    case 'delete_metrics': {
      const names = (given ?? '').split(',').map((name) => name.trim())
      const typed = values.text(fields.typed)
      return { kind: form, names: names.filter((name) => name !== ''), typed, shownMs }
    }
  }
}

function serverOf({ alertId, given }: FormOrigin, values: Values): OneServer | null {
  if (alertId !== null) return { by: 'alert', alertId }
  const name = given ?? values.text(fields.server)
  return name === '' ? null : { by: 'name', name }
}

function wrong(field: string, why: string): { readonly errors: FieldErrors } {
  return { errors: { [field]: why } }
}
