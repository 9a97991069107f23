/** The pieces that forms are made of. */
import type { InputBlock, KnownBlock, ModalView, PlainTextElement } from '@slack/types'
import type { AskedFromMoment } from '../../../domain/command/plan-text.ts'
import type { Form } from '../../../domain/request/reply.ts'
import { muteChoiceWords } from '../../inbound/mute-end.ts'
import { escapedWithin, printable } from '../../mrkdwn.ts'
import { actions, muteChoices } from '../../vocabulary.ts'
import { briefHeadline } from '../text/headline.ts'
import { hiddenLines } from '../text/health-words.ts'
import { section, sectionCharsMax } from '../text/message-parts.ts'
import { capital, counted, inBlocks, mutedThing, slackOnlyWords, termsWords } from '../text/phrases.ts'

/** The names of a form's fields: a field's block and its element have the same name. */
export const fields = {
  server: 'server',
  /** A select of `muteChoices`. */
  end: 'end',
  /** A different end, in words. */
  otherEnd: 'other_end',
  reason: 'reason',
  /** A day and a time. */
  start: 'start',
  /** A select of `repeats`. */
  repeat: 'repeat',
  /** What a mute of an alert matches, one a line. */
  matchers: 'matchers',
  /** An external select of existing roles. */
  roles: actions.roles,
  /** Names of new roles, joined by commas. */
  newRoles: 'new_roles',
  text: 'text',
  /** A choice of people. */
  person: 'person',
  /** The name typed again. */
  typed: 'typed',
} as const

/** Length limits of the fields, characters. */
export const charsMax = {
  server: 200,
  otherEnd: 40,
  reason: 200,
  matchers: 2_000,
  newRoles: 500,
  text: 3_000,
  /** As much as a line in the thread and a direct message have room for. */
  note: 1_000,
  typed: 3_000,
} as const

/** Slack's limit on a form's title and its buttons. */
const titleCharsMax = 24
const labelCharsMax = 200
/** For all names together after escaping: with the words around them they fit into one section. */
const namesLengthMax = 2_400

export function plain(text: string, charsMax = labelCharsMax): PlainTextElement {
  return { type: 'plain_text', text: printable(text, charsMax), emoji: true }
}

type Line = {
  readonly field: string
  readonly label: string
  readonly charsMax: number
  readonly isOptional?: boolean
  readonly isLong?: boolean
  readonly hint?: string
  readonly placeholder?: string
  readonly initial?: string
}

/** A text field. */
export function writing(line: Line): InputBlock {
  return {
    type: 'input',
    block_id: line.field,
    label: plain(line.label),
    optional: line.isOptional === true,
    ...(line.hint === undefined ? {} : { hint: plain(line.hint) }),
    element: {
      type: 'plain_text_input',
      action_id: line.field,
      multiline: line.isLong === true,
      max_length: line.charsMax,
      ...(line.placeholder === undefined ? {} : { placeholder: plain(line.placeholder, 150) }),
      ...(line.initial === undefined || line.initial === ''
        ? {}
        : { initial_value: visible(line.initial).slice(0, line.charsMax) }),
    },
  }
}

/** A field's initial text with everything visible, line by line: it may come from an alert, and is sent unchanged. */
function visible(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, Number.POSITIVE_INFINITY))
    .join('\n')
}

/** A modal; without `submit` it has no button to submit it. */
export function modal(view: {
  readonly title: string
  readonly submit?: string
  readonly close: string
  readonly callbackId?: string
  readonly metadata?: string
  readonly blocks: KnownBlock[]
}): ModalView {
  return {
    type: 'modal',
    title: plain(view.title, titleCharsMax),
    close: plain(view.close, titleCharsMax),
    ...(view.submit === undefined ? {} : { submit: plain(view.submit, titleCharsMax) }),
    ...(view.callbackId === undefined ? {} : { callback_id: view.callbackId }),
    ...(view.metadata === undefined ? {} : { private_metadata: view.metadata }),
    blocks: view.blocks,
  }
}

/** The alert or server that it is about; a field for the server if neither is known yet. */
export function subject({ name, alert, given, serversOnCard, alertsOnCard }: Form): KnownBlock[] {
  if (serversOnCard !== undefined)
    return [section(`*${counted(serversOnCard, 'server')}* with open alerts; you confirm the list next.`)]
  if (alertsOnCard !== undefined) return [section(`*${counted(alertsOnCard, 'open alert')}* of this card.`)]
  if (alert !== null) {
    return [section(briefHeadline(alert, { isLinked: true }, sectionCharsMax))]
  }
  if (given !== null) return [section(name === 'add_note' ? `Alert ${named(given)}` : named(given))]
  return [writing({ field: fields.server, label: 'Server', charsMax: charsMax.server })]
}

export function named(given: string | null): string {
  return `*${escapedWithin(given ?? '', namesLengthMax)}*`
}

export function hides({ hidesNow, hidLastWeek, health }: Form): string {
  return hiddenLines({ open: hidesNow, lastWeek: hidLastWeek }, health).join('\n')
}

/** Of an alert: that nothing else is muted, and where. */
export function aloneWords({ alert }: Form): string {
  return alert?.details?.canMute === true
    ? 'Only this alert, also under a new number.'
    : `Only this alert. ${slackOnlyWords}.`
}

/** Where the service says them: edited, they widen or narrow the mute, and what they match is asked about first. */
export function matchersField({ matchers }: Form): KnownBlock[] {
  const text = (matchers ?? []).join('\n')
  if (text === '' || text.length > charsMax.matchers) return []
  return [
    writing({
      field: fields.matchers,
      label: 'Matchers',
      hint: 'One per line. With fewer, more alerts are muted: you confirm how many.',
      charsMax: charsMax.matchers,
      isLong: true,
      isOptional: true,
      initial: text,
    }),
  ]
}

/** Mutes of other people; the one of the same server, or of the account, is replaced. */
export function mutedAlready({ name, others }: Form): KnownBlock[] {
  const lines = others.map((mute) => {
    const isReplaced = (mute.subject === null) === (name === 'mute_account')
    const end = isReplaced ? ' This mute replaces it.' : ''
    return `⚠️ ${capital(mutedThing(mute))} is muted ${termsWords(mute, inBlocks)}.${end}`
  })
  return lines.map(section)
}

export function endSelect(): InputBlock {
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

/** How often a mute comes, by the day and the time of its beginning. */
export const repeats = {
  once: { words: 'Once', days: null },
  day: { words: 'Every day', days: [0, 1, 2, 3, 4, 5, 6] },
  weekday: { words: 'Every weekday', days: [1, 2, 3, 4, 5] },
  week: { words: 'Every week on that day', days: 'same' },
} as const satisfies Record<string, { readonly words: string; readonly days: AskedFromMoment['days'] }>

/** When a mute begins, if not at once, and how often. */
export function startFields(): InputBlock[] {
  const options = Object.entries(repeats).map(([value, { words }]) => ({ text: plain(words), value }))
  const [once] = options
  return [
    {
      type: 'input',
      block_id: fields.start,
      label: plain('Begins'),
      hint: plain('Leave it empty to begin now. A planned mute needs a duration or a time above.'),
      optional: true,
      element: { type: 'datetimepicker', action_id: fields.start },
    },
    {
      type: 'input',
      block_id: fields.repeat,
      label: plain('Repeats'),
      element: {
        type: 'static_select',
        action_id: fields.repeat,
        options,
        ...(once === undefined ? {} : { initial_option: once }),
      },
    },
  ]
}

export function roleSelect(): InputBlock {
  return {
    type: 'input',
    block_id: fields.roles,
    label: plain('Existing roles'),
    optional: true,
    element: {
      type: 'multi_external_select',
      action_id: fields.roles,
      min_query_length: 0,
      placeholder: plain('Type to search roles'),
    },
  }
}

export function personSelect(label: string): InputBlock {
  return {
    type: 'input',
    block_id: fields.person,
    label: plain(label),
    element: { type: 'users_select', action_id: fields.person, placeholder: plain('Choose a person') },
  }
}

export function reason(isOptional: boolean, initial: string): InputBlock {
  return writing({
    field: fields.reason,
    label: 'Why',
    placeholder: 'deploying 2.4',
    hint: 'Visible to everyone in the channel.',
    charsMax: charsMax.reason,
    isOptional,
    initial,
  })
}

export function typedAgain(label: string): InputBlock {
  return writing({ field: fields.typed, label, charsMax: charsMax.typed })
}
