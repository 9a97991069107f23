/** The forms: what each one asks for, says and warns of. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { FormName } from '../../../domain/request/named.ts'
import type { Form } from '../../../domain/request/reply.ts'
import { charsMax, fields } from '../../inbound/form-fields.ts'
import { muteChoiceWords, saidBefore } from '../../inbound/mute-end.ts'
import { escaped, escapedWithin } from '../../mrkdwn.ts'
import { muteChoices } from '../../vocabulary.ts'
import { context, section } from '../text/message-parts.ts'
import { serverOf } from '../text/phrases.ts'
import { modal, plain, writing } from './form-parts.ts'

const nameCharsMax = 200
/** Of all names together once they are escaped: with the words around them they fit into one section. */
const namesLengthMax = 2_400

const frames: Readonly<Record<FormName, { readonly title: string; readonly submit: string }>> = {
  mute_server: { title: 'Mute a server', submit: 'Mute' },
  mute_account: { title: 'Mute the whole account', submit: 'Mute everything' },
  add_roles: { title: 'Add roles', submit: 'Add' },
  add_marker: { title: 'Drop a marker', submit: 'Drop' },
  add_note: { title: 'Write a note', submit: 'Save' },
  delete_server: { title: 'Delete a server', submit: 'Delete for good' },
  delete_metrics: { title: 'Delete custom metrics', submit: 'Delete for good' },
}

/** `metadata` comes back with the form when it is sent. */
export function renderForm(form: Form, metadata: string): ModalView {
  const { title, submit } = frames[form.name]
  return modal({
    title,
    submit,
    close: 'Cancel',
    callbackId: form.name,
    metadata,
    blocks: blocksOf(form),
  })
}

/** What the form is called while it is open, and after it was sent. */
export function titleOf(form: FormName): string {
  return frames[form].title
}

function blocksOf(form: Form): KnownBlock[] {
  switch (form.name) {
    case 'mute_server':
      return [
        ...subject(form),
        context(`${hides(form)} At most ${formatDuration(form.maxMs)}.`),
        endSelect(),
        writing({
          field: fields.otherEnd,
          label: 'Or another end',
          placeholder: '90m, 2h30m, until 15:00',
          hint: 'Counts instead of what is chosen above. A time is one of your own time zone.',
          charsMax: charsMax.otherEnd,
          isOptional: true,
        }),
        reason(true, ''),
      ]
    case 'mute_account': {
      const said = saidBefore(form.given ?? '')
      return [
        section(
          ':warning: *No alert of any server will be told until this ends.* Alerts that close are still told, and servers that are muted by themselves stay so.',
        ),
        context(hides(form)),
        writing({
          field: fields.otherEnd,
          label: `For how long (at most ${formatDuration(form.maxMs)})`,
          placeholder: '30m, 1h30m, until 15:00',
          charsMax: charsMax.otherEnd,
          initial: said.end,
        }),
        reason(false, said.reason),
      ]
    }
    case 'add_roles':
      return [
        ...subject(form),
        roleSelect(),
        writing({
          field: fields.newRoles,
          label: 'New roles',
          placeholder: 'db-replica, canary',
          hint: 'Names that do not exist yet, with commas between them.',
          charsMax: charsMax.newRoles,
          isOptional: true,
        }),
        context('Roles are never taken away here: that is done in the monitoring service.'),
      ]
    case 'add_marker':
      return [
        writing({
          field: fields.text,
          label: 'What happened',
          hint: 'A line with these words stands on every chart of the account from now on.',
          charsMax: charsMax.text,
          isLong: true,
          initial: form.prefill === '' ? (form.given ?? '') : form.prefill,
        }),
      ]
    case 'add_note':
      return [
        ...subject(form),
        writing({
          field: fields.text,
          label: 'Note',
          hint: "It stands in the alert's thread, with your name.",
          charsMax: charsMax.text,
          isLong: true,
        }),
      ]
    case 'delete_server':
      return [
        section(
          `:warning: *This cannot be undone.* The server ${named(form.given)} goes, with all that was measured on it.`,
        ),
        typedAgain('Type the name of the server again'),
      ]
    case 'delete_metrics':
      return [
        section(
          `:warning: *This cannot be undone.* These custom metrics go, with all their values: ${named(form.given)}.`,
        ),
        typedAgain('Type the names again, with commas between them'),
      ]
  }
}

/** The alert or server that it is about; a field for the server where neither is known yet. */
function subject({ name, alert, given }: Form): KnownBlock[] {
  if (alert !== null) {
    return [
      section(`*${escaped(serverOf(alert), nameCharsMax)}* · ${escaped(alert.title, nameCharsMax)}`),
      ...(alert.state === 'open' ? [] : [context('This alert is not open any more.')]),
    ]
  }
  if (given !== null) return [section(name === 'add_note' ? `Alert ${named(given)}` : named(given))]
  return [writing({ field: fields.server, label: 'Server', charsMax: charsMax.server })]
}

function named(given: string | null): string {
  return `*${escapedWithin(given ?? '', namesLengthMax)}*`
}

function hides({ hidesNow, hidLastWeek }: Form): string {
  const now = hidesNow === 0 ? 'no open alert' : `${hidesNow} open ${hidesNow === 1 ? 'alert' : 'alerts'}`
  return `It hides ${now} now; it would have hidden ${hidLastWeek} in the last 7 days.`
}

function endSelect(): InputBlock {
  const options = muteChoices.map((value) => ({ text: plain(muteChoiceWords[value]), value }))
  const usual = options.find(({ value }) => value === '1h')
  return {
    type: 'input',
    block_id: fields.end,
    label: plain('For how long'),
    element: {
      type: 'static_select',
      action_id: fields.end,
      options,
      ...(usual === undefined ? {} : { initial_option: usual }),
    },
  }
}

function roleSelect(): InputBlock {
  return {
    type: 'input',
    block_id: fields.roles,
    label: plain('Roles that exist'),
    optional: true,
    element: {
      type: 'multi_external_select',
      action_id: fields.roles,
      min_query_length: 0,
      placeholder: plain('Write the beginning of a role'),
    },
  }
}

function reason(isOptional: boolean, initial: string): InputBlock {
  return writing({
    field: fields.reason,
    label: 'Why',
    placeholder: 'deploying 2.4',
    hint: 'Everyone reads it in the channel.',
    charsMax: charsMax.reason,
    isOptional,
    initial,
  })
}

function typedAgain(label: string): InputBlock {
  return writing({ field: fields.typed, label, charsMax: charsMax.typed })
}
