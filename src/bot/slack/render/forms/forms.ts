/** Every form: its fields, texts and warnings, and the request that it sends. */
import type { KnownBlock, ModalView } from '@slack/types'
import { formatDuration } from '../../../domain/base/duration.ts'
import type { AskedFromMoment } from '../../../domain/command/plan-text.ts'
import { byName } from '../../../domain/request/action.ts'
import type { Change } from '../../../domain/request/actions.ts'
import { handGiven } from '../../../domain/request/alert-actions.ts'
import type { FormName, MuteEnd, OneServer } from '../../../domain/request/named.ts'
import type { Form } from '../../../domain/request/reply.ts'
import type { FormOrigin } from '../../inbound/form-origin.ts'
import { chosenEnd, endExpected, saidBefore, typedEnd } from '../../inbound/mute-end.ts'
import { printable } from '../../mrkdwn.ts'
import { context, section } from '../text/message-parts.ts'
import { person } from '../text/phrases.ts'
import {
  aloneWords,
  charsMax,
  endSelect,
  fields,
  hides,
  matchersField,
  modal,
  mutedAlready,
  named,
  personSelect,
  reason,
  repeats,
  roleSelect,
  startFields,
  subject,
  typedAgain,
  writing,
} from './form-parts.ts'

/** The values of the fields. */
export type Values = {
  text(field: string): string
  /** Epoch milliseconds. */
  momentMs(field: string): number | null
  chosen(field: string): string | null
  several(field: string): readonly string[]
  /** The user id of who was chosen. */
  person(field: string): string | null
}

/** Field → what is wrong with it, in plain words. */
export type FieldErrors = Readonly<Record<string, string>>

type FormWords = {
  readonly title: string
  readonly submit: string
  /** A field that is always there: it shows errors about the whole form. */
  readonly mainField: string
  readonly blocks: (form: Form) => KnownBlock[]
  readonly read: (origin: FormOrigin, values: Values) => Change | { readonly errors: FieldErrors }
}

export const forms: Readonly<Record<FormName, FormWords>> = {
  mute_server: {
    title: 'Mute a server',
    submit: 'Mute',
    mainField: fields.otherEnd,
    blocks: (form) => [
      ...subject(form),
      ...mutedAlready(form),
      context(`${hides(form)} At most ${formatDuration(form.maxMs)}.`),
      endSelect(),
      writing({
        field: fields.otherEnd,
        label: 'Custom end',
        placeholder: '90m, 2h30m, until 15:00',
        hint: 'Overrides the choice above. Times use your time zone.',
        charsMax: charsMax.otherEnd,
        isOptional: true,
      }),
      reason(true, ''),
      // What is wanted at night comes first.
      ...startFields(),
    ],
    read: (origin, values) => {
      const { card } = origin
      const typed = values.text(fields.otherEnd)
      const end = typed === '' ? chosenEnd(values.chosen(fields.end)) : typedEnd(typed)
      const server = serverOf(origin, values)
      const why = values.text(fields.reason)
      if (end === null) return wrong(fields.otherEnd, `Enter ${endExpected}.`)
      const plan = planIn(values, end)
      if (plan !== null && 'errors' in plan) return plan
      if (plan !== null && (server !== null || card !== null)) {
        const servers = [server ?? ({ by: 'card', cardId: card?.cardId ?? '' } as const)]
        return { kind: 'plan_mute', of: { of: 'servers', servers }, plan, reason: why }
      }
      if (server === null) {
        if (card === null) return noServer
        const servers = [{ by: 'card', cardId: card.cardId }] as const
        return { kind: 'mute_server', servers, end, reason: why, shown: null }
      }
      // No receipt is needed: the form showed what the mute hides, and how long it may last.
      const { shown } = origin
      return { kind: 'mute_server', servers: [server], end, reason: why, shown }
    },
  },
  mute_alert: {
    title: 'Mute this alert',
    submit: 'Mute',
    mainField: fields.otherEnd,
    blocks: (form) => [
      ...subject(form),
      ...mutedAlready(form),
      context(`${hides(form)} ${aloneWords(form)} At most ${formatDuration(form.maxMs)}.`),
      endSelect(),
      writing({
        field: fields.otherEnd,
        label: 'Custom end',
        placeholder: '90m, 2h30m, until 15:00',
        hint: 'Overrides the choice above. Times use your time zone.',
        charsMax: charsMax.otherEnd,
        isOptional: true,
      }),
      reason(true, ''),
      ...startFields(),
      ...matchersField(form),
    ],
    read: ({ alertId, given, shown }, values) => {
      const typed = values.text(fields.otherEnd)
      const end = typed === '' ? chosenEnd(values.chosen(fields.end)) : typedEnd(typed)
      if (end === null) return wrong(fields.otherEnd, `Enter ${endExpected}.`)
      if (alertId === null) return wrong(fields.otherEnd, 'Open this form from the card of an alert.')
      const matchers = linesIn(values.text(fields.matchers))
      // Left as they were, or not shown at all, they are the alert's own.
      const isOwn = matchers.length === 0 || matchers.join('\n') === linesIn(given ?? '').join('\n')
      const plan = planIn(values, end)
      if (plan !== null && 'errors' in plan) return plan
      if (plan !== null) {
        const of = { of: 'alert', alert: alertId, ...(isOwn ? {} : { matchers }) } as const
        return { kind: 'plan_mute', of, plan, reason: values.text(fields.reason) }
      }
      const asked = { kind: 'mute_alert', alert: alertId, end, reason: values.text(fields.reason) } as const
      return isOwn ? { ...asked, shown } : { ...asked, matchers, shown: null }
    },
  },
  mute_account: {
    title: 'Mute the whole account',
    submit: 'Mute everything',
    mainField: fields.otherEnd,
    blocks: (form) => {
      const said = saidBefore(form.given ?? '')
      return [
        section(
          ':warning: *No new alerts will be posted until this ends.* Closures are still posted; individually muted servers stay muted.',
        ),
        ...mutedAlready(form),
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
    },
    read: ({ shown }, values) => {
      const end = typedEnd(values.text(fields.otherEnd))
      const why = values.text(fields.reason)
      // The account has no health of its own to wait for.
      if (end === null || end.kind === 'unmuted' || end.kind === 'healthy') {
        return wrong(fields.otherEnd, `Enter ${endExpected}.`)
      }
      if (why === '') return wrong(fields.reason, 'Enter a reason: it is visible to everyone.')
      return { kind: 'mute_account', end, reason: why, shown }
    },
  },
  add_roles: {
    title: 'Add roles',
    submit: 'Add',
    mainField: fields.newRoles,
    blocks: (form) => [
      ...subject(form),
      roleSelect(),
      writing({
        field: fields.newRoles,
        label: 'New roles',
        placeholder: 'db-replica, canary',
        hint: 'Separate names with commas.',
        charsMax: charsMax.newRoles,
        isOptional: true,
      }),
      context('Roles can only be removed in the monitoring service.'),
    ],
    read: (origin, values) => {
      const server = serverOf(origin, values)
      const existing = values.several(fields.roles)
      const roles = [...new Set([...existing, ...namesIn(values.text(fields.newRoles))])]
      if (server === null) return noServer
      if (roles.length === 0) return wrong(fields.newRoles, 'Choose a role above, or enter a new one here.')
      return { kind: 'add_roles', server, roles, existing }
    },
  },
  add_marker: {
    title: 'Drop a marker',
    submit: 'Drop',
    mainField: fields.text,
    blocks: (form) => [
      writing({
        field: fields.text,
        label: 'What happened',
        hint: 'Appears on every chart in the account.',
        charsMax: charsMax.text,
        isLong: true,
        initial: form.prefill === '' ? (form.given ?? '') : form.prefill,
      }),
    ],
    read: (_, values) => {
      const text = values.text(fields.text)
      return text === ''
        ? wrong(fields.text, 'Enter what the marker should say.')
        : { kind: 'add_marker', text }
    },
  },
  add_note: {
    title: 'Add a note',
    submit: 'Save',
    mainField: fields.text,
    blocks: (form) => [
      ...subject(form),
      writing({
        field: fields.text,
        label: 'Note',
        hint: "Goes into the alert's thread, with your name.",
        charsMax: charsMax.text,
        isLong: true,
      }),
    ],
    read: ({ alertId, given }, values) => {
      const text = values.text(fields.text)
      const alert = alertId ?? given
      if (text === '' || alert === null) return wrong(fields.text, 'Enter what the note should say.')
      return { kind: 'add_note', alert, text }
    },
  },
  hand_to: {
    title: 'Hand to',
    submit: 'Hand over',
    mainField: fields.person,
    blocks: (form) => [
      ...subject(form),
      ...(form.alert?.ackedBy == null ? [] : [context(`Now: 👀 ${person(form.alert.ackedBy)}`)]),
      personSelect('To whom'),
      writing({
        field: fields.text,
        label: 'Note',
        placeholder: 'the disk is being replaced',
        hint: 'Goes into the direct message and the thread.',
        charsMax: charsMax.note,
        isOptional: true,
        isLong: true,
        initial: form.given === null ? '' : handGiven(form.given).note,
      }),
    ],
    read: ({ alertId, card, openedMs: shownMs }, values) => {
      const to = values.person(fields.person)
      const note = values.text(fields.text)
      if (to === null) return wrong(fields.person, 'Choose a person.')
      if (alertId !== null) return { kind: 'hand_to', of: { by: 'alert', alert: alertId }, to, note, shownMs }
      if (card === null) return wrong(fields.person, 'Open this form from the card of an alert.')
      return { kind: 'hand_to', of: { by: 'card', cardId: card.cardId }, to, note, shownMs }
    },
  },
  delete_server: {
    title: 'Delete a server',
    submit: 'Delete for good',
    mainField: fields.typed,
    blocks: ({ given }) => [
      section(
        `:warning: *This cannot be undone.* Deletes the server ${named(given)} and everything measured on it.`,
      ),
      typedAgain('Type the name of the server again'),
    ],
    read: ({ given, openedMs: shownMs }, values) => {
      return { kind: 'delete_server', server: given ?? '', typed: values.text(fields.typed), shownMs }
    },
  },
  delete_metrics: {
    title: 'Delete custom metrics',
    submit: 'Delete for good',
    mainField: fields.typed,
    blocks: ({ given }) => [
      section(
        `:warning: *This cannot be undone.* Deletes these custom metrics and all their values: ${named(given)}.`,
      ),
      typedAgain('Type the names again, separated by commas'),
    ],
    read: ({ given, openedMs: shownMs }, values) => {
      return {
        kind: 'delete_metrics',
        names: namesIn(given ?? ''),
        typed: values.text(fields.typed),
        shownMs,
      }
    },
  },
}

/** Null: it is to begin at once. */
function planIn(values: Values, end: MuteEnd): AskedFromMoment | { readonly errors: FieldErrors } | null {
  const startMs = values.momentMs(fields.start)
  const repeat = values.chosen(fields.repeat) ?? 'once'
  const { days } = Object.hasOwn(repeats, repeat) ? repeats[repeat as keyof typeof repeats] : repeats.once
  if (startMs === null)
    return days === null ? null : wrong(fields.start, 'Choose when it begins the first time.')
  if (end.kind === 'for') return { is: 'moment', startMs, days, length: { ms: end.ms } }
  if (end.kind !== 'at')
    return wrong(fields.otherEnd, 'A planned mute ends after a time, such as 2h, or until 15:00.')
  return { is: 'moment', startMs, days, length: { untilMinute: end.hour * 60 + end.minute } }
}

function serverOf({ alertId, given }: FormOrigin, values: Values): OneServer | null {
  if (alertId !== null) return { by: 'alert', alertId }
  const name = given ?? values.text(fields.server)
  return name === '' ? null : byName(name)
}

function linesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function wrong(field: string, why: string): { readonly errors: FieldErrors } {
  return { errors: { [field]: why } }
}

const noServer = wrong(fields.server, 'Enter the name of a server.')

const writtenCharsMax = 3_000

/** The view of a form. `metadata` comes back when it is submitted. */
export function renderForm(form: Form, metadata: string): ModalView {
  const { title, submit, blocks } = forms[form.name]
  return modal({ title, submit, close: 'Cancel', callbackId: form.name, metadata, blocks: blocks(form) })
}

export function workingView(form: FormName): ModalView {
  return modal({
    title: forms[form].title,
    close: 'Close',
    blocks: [section('Working on it… You may close this: the outcome then comes as a message.')],
  })
}

/**
 * The view that shows the outcome in the form. `written`: the person's text, for another try; empty if it is not needed any more.
 */
export function outcomeView(form: FormName, blocks: readonly KnownBlock[], written: string): ModalView {
  const lines = written.split('\n').map((line) => printable(line, writtenCharsMax))
  const shown = lines.join('\n').slice(0, writtenCharsMax)
  const kept: KnownBlock[] =
    shown.trim() === ''
      ? []
      : [
          section('What you wrote, for another try:'),
          { type: 'section', text: { type: 'plain_text', text: shown, emoji: false } },
        ]
  return modal({ title: forms[form].title, close: 'Close', blocks: [...blocks, ...kept] })
}
