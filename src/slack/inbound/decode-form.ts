/** Turns a sent form into a request, or says what is wrong with which of its fields. */
import { z } from 'zod'
import { fields } from '../render/forms/form-parts.ts'
import { type FieldErrors, forms, type Values } from '../render/forms/forms.ts'
import { type Asked, type Asker, word } from './asked.ts'
import { type FormOrigin, parseMetadata } from './form-origin.ts'

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

export type SentForm = {
  readonly asked: Asked | { readonly kind: 'errors'; readonly errors: FieldErrors }
  readonly origin: FormOrigin
  readonly asker: Asker
  readonly viewId: string
  /** The free text, so that it is not lost with the form; empty if there is none. */
  readonly written: string
}

type Entry = z.output<typeof entry>
/** Null if it is not a form of this bot. */
export function decodeForm(body: unknown): SentForm | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { user, view, trigger_id: triggerId } = read.data
  const origin = parseMetadata(view.private_metadata)
  if (origin === null) return null
  const { channel, threadTs, responseUrl, card } = origin
  const asker: Asker = { userId: user.id, channel, threadTs, responseUrl, triggerId, replaces: 'never' }
  const values = valuesOf(view.state.values)
  const meaning = forms[origin.form].read(origin, values)
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
