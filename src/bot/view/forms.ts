/**
 * The forms. `callback_id` says which one; `private_metadata` is a `ButtonValue`; fields are read by their `action_id`: `subject`, `end`,
 * `end_text`, `servers`, `reason`, `text`, `roles`, `person`. A field's `block_id` is its `action_id`, so problems are told by it.
 */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types'
import type { Alert } from '../world/types.ts'
import {
  type ButtonValue,
  buttonValueOf,
  type Choice,
  context,
  option,
  plainText,
  section,
} from './blocks.ts'
import type { Scene } from './view.ts'
import { count, duration, escaped, headline, listed, naturally } from './words.ts'

const reasonCharsMax = 300
const textCharsMax = 1_000
const serversMax = 100

function modal(
  id: string,
  title: string,
  submit: string,
  value: ButtonValue,
  blocks: readonly KnownBlock[],
): ModalView {
  return {
    type: 'modal',
    callback_id: id,
    title: plainText(title, 24),
    submit: plainText(submit, 24),
    close: plainText('Cancel', 24),
    private_metadata: buttonValueOf(value),
    blocks: [...blocks],
  }
}

type Field = {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly isOptional?: boolean
}

function field({ id, label, hint, isOptional = false }: Field, element: InputBlock['element']): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plainText(label, 150),
    optional: isOptional,
    ...(hint === undefined ? {} : { hint: plainText(hint, 150) }),
    element,
  }
}

type TextField = Field & { readonly placeholder?: string; readonly charsMax?: number }

function textField({ placeholder, charsMax = reasonCharsMax, ...wish }: TextField): InputBlock {
  return field(wish, {
    type: 'plain_text_input',
    action_id: wish.id,
    max_length: charsMax,
    multiline: charsMax === textCharsMax,
    ...(placeholder === undefined ? {} : { placeholder: plainText(placeholder, 150) }),
  })
}

function selectField(wish: Field, choices: readonly Choice[]): InputBlock {
  const options = choices.slice(0, 100).map(([text, words]) => option(text, { words }))
  const [first] = options
  const initial = first === undefined ? {} : { initial_option: first }
  return field(wish, { type: 'static_select', action_id: wish.id, options, ...initial })
}

function personField(wish: Field): InputBlock {
  return field(wish, { type: 'users_select', action_id: wish.id })
}

const ends = [
  ['1 h', '1h'],
  ['30 min', '30m'],
  ['2 h', '2h'],
  ['4 h', '4h'],
  ['1 day', '1d'],
  ["Until it's fine", 'until fine'],
  ['Until someone unmutes it', 'until ended'],
] as const

function endFields(maxMs: number): InputBlock[] {
  return [
    selectField({ id: 'end', label: 'For how long' }, ends),
    textField({
      id: 'end_text',
      label: 'Or until',
      placeholder: '90m, until 15:00, until monday 9:00, from 22:00 for 2h',
      hint: `In your time zone. At most ${duration(maxMs)}.`,
      isOptional: true,
    }),
  ]
}

const reasonField = (isOptional: boolean) => textField({ id: 'reason', label: 'Reason', isOptional })

/** *Custom…* on a card: its server or the alert alone. */
export function muteForm(alert: Alert, value: ButtonValue, scene: Scene): ModalView {
  const slackOnly = scene.canMuteAlerts ? '' : ', in Slack only'
  return modal('mute_custom', 'Mute', 'Mute', value, [
    section(headline(alert)),
    selectField({ id: 'subject', label: 'What' }, [
      [`Server ${alert.server}`, 'server'],
      [`This alert${slackOnly}`, 'alert'],
    ]),
    ...endFields(scene.policy.limits.muteMaxMs),
    reasonField(true),
  ])
}

/** Confirms by itself: it says what it hides, and wants a reason. */
export function accountForm(value: ButtonValue, scene: Scene): ModalView {
  const hint = `In your time zone. At most ${duration(scene.policy.limits.accountMuteMaxMs)}.`
  const open = count(scene.world.open.size, 'open alert')
  return modal('mute_account', 'Mute everything', 'Mute everything', value, [
    section(`🔕 *This mutes every server for everybody.* It hides ${open} now`),
    textField({ id: 'end_text', label: 'For how long', placeholder: '1h, until 15:00', hint }),
    reasonField(false),
  ])
}

/** *Mute servers…* of a storm: all of them, or one. */
export function serversForm(alerts: readonly Alert[], value: ButtonValue, scene: Scene): ModalView {
  const servers = new Map(alerts.map(({ host, server }) => [host, server]))
  const names = [...servers.values()].map((name) => escaped(name, 60))
  const one = [...servers].sort(([, a], [, b]) => naturally(a, b)).slice(0, serversMax - 1)
  return modal('mute_servers', 'Mute servers', 'Mute', value, [
    section(`${count(servers.size, 'server')}: ${listed(names, 12)}`),
    selectField({ id: 'servers', label: 'Which' }, [
      [`All ${servers.size} servers`, 'all'],
      ...one.map(([host, name]) => [name, `host ${host}`] as const),
    ]),
    ...endFields(scene.policy.limits.muteMaxMs),
    reasonField(true),
    ...context(["This goes for the monitoring's own mail and pager too"]),
  ])
}

/** `about`: the alert's headline, or what a storm is. */
export function noteForm(about: string, value: ButtonValue): ModalView {
  const note = { id: 'text', label: 'Note', hint: 'In the thread, for everybody.', charsMax: textCharsMax }
  return modal('note', 'Add note', 'Add note', value, [section(about), textField(note)])
}

export function handForm(about: string, value: ButtonValue): ModalView {
  return modal('hand', 'Hand to', 'Hand over', value, [
    section(about),
    personField({ id: 'person', label: 'To', hint: 'They get a direct message.' }),
    textField({ id: 'text', label: 'Note', isOptional: true }),
  ])
}

/** *Page now…*: nobody chosen means whoever is on call. */
export function pageForm(about: string, value: ButtonValue): ModalView {
  const whom = { id: 'person', label: 'Whom', hint: 'Nobody chosen: whoever is on call.', isOptional: true }
  return modal('page', 'Page now', 'Page', value, [
    section(about),
    textField({ id: 'text', label: 'What they have to know', charsMax: 500 }),
    personField(whom),
  ])
}

export function rolesForm(server: string, known: readonly string[], value: ButtonValue): ModalView {
  const names = known.map((role) => escaped(role, 40))
  const hint = 'Only the monitoring can remove them.'
  return modal('add_roles', 'Add roles', 'Add roles', value, [
    section(`Server *${escaped(server, 80)}*`),
    textField({ id: 'roles', label: 'Roles', placeholder: 'web, app', hint }),
    ...context([names.length === 0 ? '' : `Roles there are: ${listed(names, 20)}`]),
  ])
}

export function markerForm(value: ButtonValue): ModalView {
  const text = { id: 'text', label: 'Text', placeholder: 'deploy 1.2.3', hint: 'It appears on every chart.' }
  return modal('marker', 'Drop marker', 'Drop marker', value, [textField(text)])
}
