/**
 * Handles a submitted form: it becomes a request, or shows which field is wrong. The answer is shown in the form itself, which
 * never closes before the work is done.
 */
import type { ViewResponseAction } from '@slack/bolt'
import type { WebClient } from '@slack/web-api'
import { z } from 'zod'
import type { FormName } from '../../domain/request/named.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { within } from '../../flow/concurrency/within.ts'
import { failureOf } from '../errors.ts'
import { plainWords } from '../mrkdwn.ts'
import { fields } from '../render/forms/form-parts.ts'
import { type FieldErrors, forms, outcomeView, type Values, workingView } from '../render/forms/forms.ts'
import { renderReply } from '../render/replies/reply.ts'
import { type Asked, type Asker, word } from './asked.ts'
import { type FormOrigin, parseMetadata } from './form-origin.ts'
import type { InboundPorts, Talk } from './inbound-ports.ts'
import { isAlreadyShown, unwell } from './respond.ts'

const option = z.object({ value: z.string().max(150) })
const entry = z.object({
  value: z.string().nullish(),
  selected_option: option.nullish(),
  selected_user: z.string().max(100).nullish(),
  selected_date_time: z.int().nullish(),
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

type SentForm = {
  readonly asked: Asked | { readonly kind: 'errors'; readonly errors: FieldErrors }
  readonly origin: FormOrigin
  readonly asker: Asker
  readonly viewId: string
  /** The free text, so that it is not lost with the form; empty if there is none. */
  readonly written: string
}

type Entry = z.output<typeof entry>
/** Null if it is not a form of this bot. */
function decodeForm(body: unknown): SentForm | null {
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
    person: (field) => entries.get(field)?.selected_user ?? null,
    momentMs: (field) => {
      const seconds = entries.get(field)?.selected_date_time ?? null
      return seconds === null ? null : seconds * 1_000
    },
    chosen: (field) => entries.get(field)?.selected_option?.value ?? null,
    several: (field) => entries.get(field)?.selected_options?.map(({ value }) => value) ?? [],
  }
}

/** Slack waits 3 s for an answer, and part of that is spent on the way. */
const patienceMs = 2_000
/** Time for the acknowledgement to arrive, because later messages must not overtake it. */
const ackTravelMs = 200
const errorCharsMax = 300

/** Null closes the form. */
type AnswerForm = (response: ViewResponseAction | null) => Promise<void>

/** Handles one form; `answer` is called exactly once. */
export function openSubmissions(
  client: WebClient,
  { handle }: Pick<InboundPorts, 'handle'>,
  { respond, clock, logger }: Talk,
): (body: unknown, answer: AnswerForm) => Promise<void> {
  return async (body, answer) => {
    const sent = decodeForm(body)
    if (sent === null) {
      logger.warn('request:unknown', { what: 'view_submission' })
      return answer(null)
    }
    const { asked, asker, origin } = sent
    if (asked.kind === 'errors') return answer({ response_action: 'errors', errors: { ...asked.errors } })
    if (asked.kind !== 'request') return answer(null)

    const handling = handle(asked.request)
    const reply = await within(clock, patienceMs, handling)
    if (reply === 'late') {
      await answer({ response_action: 'update', view: workingView(origin.form) })
      const [late] = await Promise.all([handling, clock.wait(ackTravelMs)])
      return tellLate(sent, late)
    }
    const errors = errorsOf(origin.form, reply)
    if (errors !== null) return answer({ response_action: 'errors', errors: { ...errors } })
    const staying = isUnwell(reply) ? outcomeOf(sent, reply) : null
    if (staying !== null) return answer({ response_action: 'update', view: staying })
    await answer(null)
    if (!isAlreadyShown(asked.request, reply)) await respond.answer(asker, reply)
  }

  async function tellLate(sent: SentForm, reply: Reply): Promise<void> {
    const view = outcomeOf(sent, reply)
    if (view === null) return
    try {
      await client.views.update({ view_id: sent.viewId, view })
    } catch (error) {
      // It was closed meanwhile: the sender still gets the answer.
      logger.info('form:closed', { why: failureOf(error, 'update a form').code })
      await respond.answer(sent.asker, reply)
    }
  }
}

function outcomeOf({ origin, written }: SentForm, reply: Reply) {
  const rendered = renderReply(reply)
  if (rendered === null) return null
  return outcomeView(origin.form, rendered.blocks, isUnwell(reply) ? written : '')
}

function isUnwell({ kind }: Reply): boolean {
  return unwell.has(kind)
}

/**
 * A refusal or failure for the form field that it is about, so that the input is kept. Null if it succeeded, or if other input
 * cannot help.
 */
function errorsOf(form: FormName, reply: Reply): FieldErrors | null {
  const rendered = renderReply(reply)
  if (rendered === null || !isUnwell(reply) || reply.kind === 'stale') return null
  const why = reply.kind === 'refused' ? reply.refusal.why : null
  // The list of permitted people cannot be shown at a field.
  if (why === 'not_permitted') return null
  const field = why === 'reason_missing' ? fields.reason : forms[form].mainField
  return { [field]: plainWords(rendered.text).slice(0, errorCharsMax) }
}
