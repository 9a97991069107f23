/** Opens the form that a request leads to, with all in its metadata that its submission needs. */
import type { App } from '@slack/bolt'
import { markOf, type Shown } from '../../domain/mute/shown.ts'
import type { Form, Reply } from '../../domain/request/reply.ts'
import { failureOf } from '../errors.ts'
import { renderForm } from '../render/forms/forms.ts'
import { command } from '../vocabulary.ts'
import type { Answerable } from './asked.ts'
import { metadataText } from './form-origin.ts'
import type { Talk } from './inbound-ports.ts'

/** Opens the form; returns null once it is open, otherwise what to say instead. */
export async function openForm(
  client: App['client'],
  form: Form,
  asked: Answerable,
  { clock, logger }: Talk,
): Promise<Reply | null> {
  const { triggerId, channel, threadTs, responseUrl } = asked.asker
  if (triggerId === null) {
    return {
      kind: 'refused',
      refusal: { why: 'invalid', expected: `${command} …: a form opens from it`, came: '' },
    }
  }
  const intent = asked.kind === 'request' ? asked.request.intent : null
  const metadata = metadataText({
    form: form.name,
    alertId: form.alert?.alertId ?? (intent?.kind === 'open_form' ? intent.alertId : null),
    given: form.given,
    openedMs: clock.nowMs(),
    shown: shownBy(form),
    card: asked.kind === 'request' ? asked.request.card : null,
    channel,
    threadTs,
    responseUrl,
  })
  if (metadata === null) {
    const came = `${form.given?.length ?? 0} characters`
    return {
      kind: 'refused',
      refusal: { why: 'invalid', expected: 'shorter names, or fewer at once', came },
    }
  }
  try {
    await client.views.open({ trigger_id: triggerId, view: renderForm(form, metadata) })
    return null
  } catch (error) {
    const { message } = failureOf(error, 'open the form')
    logger.warn('form:not_opened', { form: form.name, why: message })
    return { kind: 'failed', doing: form.name, words: message, isUnknown: false }
  }
}

/** What the form of a mute showed. */
function shownBy({ name, alert, given, hidesNow, others }: Form): Shown {
  const server = name === 'mute_server' ? (alert?.hostname ?? given) : null
  return { servers: server === null ? [] : [server], open: hidesNow, mutes: others.map(markOf) }
}
