/**
 * Decodes a click on a button, select or overflow into a request: its action says what is wanted, its block which card it is on.
 */
import { z } from 'zod'
import type { Verdict } from '../../domain/alert/rule.ts'
import { parseCommand } from '../../domain/command/commands.ts'
import type { Intent, Via } from '../../domain/request/intent.ts'
import type { FormName } from '../../domain/request/named.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import {
  actions,
  customMute,
  type formerChoices,
  isAction,
  type moreChoices,
  parseStamp,
  readMuteChoice,
  type Stamp,
} from '../vocabulary.ts'
import { type Asked, type Asker, address, threadOf, word } from './asked.ts'
import { chosenEnd } from './mute-end.ts'

/** How much the button on the notice of a mute that ends soon adds. */
const extensionMs = 3_600_000

const option = z.object({ value: z.string().max(150) })
const shape = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: word }),
  trigger_id: word.optional(),
  container: z.object({
    is_ephemeral: z.boolean().optional(),
    message_ts: word.optional(),
    thread_ts: word.optional(),
  }),
  channel: z.object({ id: word }).optional(),
  response_url: address.optional(),
  // Bolt, too, reads only the first one.
  actions: z.tuple(
    [
      z.object({
        action_id: word,
        block_id: z.string().max(255),
        action_ts: word,
        value: z.string().max(2_000).optional(),
        selected_option: option.nullish(),
      }),
    ],
    z.unknown(),
  ),
})

type Press = { readonly stamp: Stamp | null; readonly value: string | null; readonly chosen: string | null }
type Meaning = Intent | { readonly kind: 'unread'; readonly refusal: Refusal } | 'nothing' | null
type Row = {
  readonly via: Via
  readonly replaces: Asker['replaces']
  /** Null for a click that names nothing it could be about. */
  readonly meaning: (press: Press) => Meaning
}

const button = { via: 'button', replaces: 'never' } as const
const select = { via: 'select', replaces: 'never' } as const

const rows: Readonly<Record<keyof typeof actions, Row>> = {
  acknowledge: {
    ...button,
    meaning: (press) => withAlert(press, (alert) => ({ kind: 'acknowledge', alert })),
  },
  takeOver: { ...button, meaning: (press) => withHeld(press, 'take_over') },
  release: { ...button, meaning: (press) => withHeld(press, 'unacknowledge') },
  stillOnIt: { ...button, meaning: (press) => withHeld(press, 'still_on_it') },
  muteServer: { ...select, meaning: muteServer },
  unmuteServer: { ...button, meaning: unmute },
  acknowledgeAll: {
    ...button,
    meaning: (press) =>
      withCard(press, (cardId) => ({ kind: 'acknowledge_all', cardId, shown: countIn(press.value) })),
  },
  muteAll: { ...select, meaning: muteAll },
  handTo: { ...button, meaning: ({ stamp }) => (stamp === null ? null : formOf('hand_to', stamp)) },
  dropMarker: { ...button, meaning: ({ stamp }) => formOf('add_marker', stamp) },
  muteAccount: { ...button, meaning: ({ stamp }) => formOf('mute_account', stamp) },
  addRoles: { ...button, meaning: ({ stamp }) => formOf('add_roles', stamp) },
  showChart: {
    ...button,
    meaning: (press) => withAlert(press, (alertId) => ({ kind: 'alert_chart', alertId })),
  },
  more: { ...select, meaning: openForm },
  extendMute: {
    ...button,
    meaning: (press) => withValue(press, (muteId) => ({ kind: 'extend_mute', muteId, ms: extensionMs })),
  },
  unmuteNow: { ...button, meaning: unmute },
  skipPlanned: { ...button, meaning: (press) => withValue(press, skip) },
  cancelPlanned: {
    ...button,
    meaning: (press) => withValue(press, (plannedId) => ({ kind: 'cancel_planned', plannedId })),
  },
  endSilence: {
    ...button,
    meaning: (press) => withValue(press, (id) => ({ kind: 'end_silence', id, shown: null })),
  },
  undoMute: {
    ...button,
    replaces: 'when_done',
    meaning: (press) => withValue(press, undo),
  },
  // The question is answered in any case, so its buttons go too.
  confirm: {
    ...button,
    replaces: 'always',
    meaning: (press) => withValue(press, (pendingId) => ({ kind: 'confirm', pendingId })),
  },
  cancel: {
    ...button,
    replaces: 'always',
    meaning: (press) => withValue(press, (pendingId) => ({ kind: 'cancel', pendingId })),
  },
  // Like a typed command: a mute of many servers must be confirmed.
  ask: { via: 'command', replaces: 'when_done', meaning: ask },
  timeline: { ...button, meaning: (press) => withHeld(press, 'post_timeline') },
  useful: { ...button, meaning: (press) => withVerdict(press, 'useful') },
  noise: { ...button, meaning: (press) => withVerdict(press, 'noise') },
  // A select in a form is read when the form is sent.
  roles: { ...select, meaning: () => 'nothing' },
  open: { ...button, meaning: () => 'nothing' },
}

/** The request that a click means; null if it is not a click on something that this bot made. */
export function decodePress(body: unknown): Asked | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { user, container, channel, trigger_id: triggerId, response_url: responseUrl } = read.data
  const [action] = read.data.actions
  const row = rowOf(action.action_id)
  if (row === null) return null
  const stamp = parseStamp(action.block_id)
  const meaning = row.meaning({
    stamp,
    value: action.value ?? null,
    chosen: action.selected_option?.value ?? null,
  })
  if (meaning === 'nothing') return { kind: 'nothing' }
  const asker: Asker = {
    userId: user.id,
    channel: channel?.id ?? null,
    threadTs: threadOf(container.thread_ts, container.message_ts),
    responseUrl: responseUrl ?? null,
    triggerId: triggerId ?? null,
    // The response URL of a card's button would replace the card itself.
    replaces: container.is_ephemeral === true ? row.replaces : 'never',
  }
  // One of our buttons, in a message that names nothing it could be about.
  if (meaning === null) return { kind: 'refused', refusal: { why: 'unknown_card' }, asker }
  if (meaning.kind === 'unread') return { kind: 'refused', refusal: meaning.refusal, asker }
  return {
    kind: 'request',
    request: {
      intent: meaning,
      userId: user.id,
      via: row.via,
      keys: [`action:${user.id}:${action.action_ts}:${action.action_id}`],
      channel: asker.channel,
      card: stamp === null ? null : { cardId: stamp.cardId, version: stamp.version },
    },
    asker,
  }
}

function rowOf(actionId: string): Row | null {
  for (const [key, row] of Object.entries(rows)) {
    const name = actions[key as keyof typeof actions]
    if (isAction(actionId, name)) return row
  }
  return null
}

function withValue({ value }: Press, make: (value: string) => Intent | null): Meaning {
  return value === null || value === '' ? null : make(value)
}

function skip(value: string): Intent | null {
  const [, startMs, plannedId] = /^(\d{1,15})\|(.{1,200})$/.exec(value) ?? []
  return plannedId === undefined ? null : { kind: 'skip_planned', plannedId, startMs: Number(startMs) }
}

/** Value of an undo button: a mute, when its terms were set and, for several, the audit row of all. */
const undoable = /^([^|]{1,2000})(?:\|(\d{1,15}))?(?:\|([^|]{1,100}))?$/

function undo(value: string): Intent | null {
  // A button of an older version contains no terms, and undoes none.
  const [, muteId, termsMs = '0', auditId] = undoable.exec(value) ?? []
  if (muteId === undefined) return null
  const one = { kind: 'undo_mute', muteId, termsMs: Number(termsMs) } as const
  return auditId === undefined ? one : { ...one, auditId }
}

/** Null on a card from an older version. */
function countIn(value: string | null): number | null {
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null
}

function withCard({ stamp }: Press, make: (cardId: string) => Intent): Meaning {
  return stamp === null ? null : make(stamp.cardId)
}

function withAlert({ stamp, value }: Press, make: (alertId: string) => Intent): Meaning {
  const alertId = stamp?.alertId ?? value
  return alertId === null || alertId === '' ? null : make(alertId)
}

type HeldKind = 'take_over' | 'unacknowledge' | 'still_on_it' | 'post_timeline'

/** On a card of one alert it is about that one, else about all that the card lists. */
function withHeld(press: Press, kind: HeldKind): Meaning {
  if (press.stamp?.alertId != null) return withAlert(press, (alert) => ({ kind, of: { by: 'alert', alert } }))
  return withCard(press, (cardId) => ({ kind, of: { by: 'card', cardId } }))
}

function withVerdict(press: Press, verdict: Verdict): Meaning {
  const { stamp } = press
  if (stamp?.alertId != null) {
    return withAlert(press, (alert) => ({ kind: 'rate_alert', of: { by: 'alert', alert }, verdict }))
  }
  return withCard(press, (cardId) => ({ kind: 'rate_alert', of: { by: 'card', cardId }, verdict }))
}

function muteServer({ stamp, chosen }: Press): Meaning {
  const { isOfAlert, choice } = readMuteChoice(chosen)
  if (choice === customMute && stamp?.alertId != null)
    return formOf(isOfAlert ? 'mute_alert' : 'mute_server', stamp)
  const end = chosenEnd(choice)
  const alertId = stamp?.alertId ?? null
  if (end === null || alertId === null) return null
  if (isOfAlert) return { kind: 'mute_alert', alert: alertId, end, reason: '', shown: null }
  return { kind: 'mute_server', servers: [{ by: 'alert', alertId }], end, reason: '', shown: null }
}

function muteAll(press: Press): Meaning {
  if (press.chosen === customMute) return press.stamp === null ? null : formOf('mute_server', press.stamp)
  const end = chosenEnd(press.chosen)
  if (end === null) return null
  return withCard(press, (cardId) => ({
    kind: 'mute_server',
    servers: [{ by: 'card', cardId }],
    end,
    reason: '',
    shown: null,
  }))
}

/** What `unmuteValue` wrote: the mute that was shown, and what is muted if the card is not about one alert. */
const unmutable = /^(?:mute:([^|]+)\|)?(?:(account)|server:(.+)|alert:(.+)|.*)$/s

function unmute({ stamp, value }: Press): Meaning {
  const [, mark, account, name, muteId] = unmutable.exec(value ?? '') ?? []
  const shown = mark === undefined ? {} : { shown: mark }
  if (account !== undefined) return { kind: 'unmute_account', ...shown }
  if (muteId !== undefined) return { kind: 'unmute_alert', alert: null, muteId, ...shown }
  if (name !== undefined) return { kind: 'unmute_server', server: { by: 'name', name }, ...shown }
  const alertId = stamp?.alertId ?? null
  return alertId === null ? null : { kind: 'unmute_server', server: { by: 'alert', alertId }, ...shown }
}

const forms: ReadonlyMap<string, FormName> = new Map<
  (typeof moreChoices)[number] | (typeof formerChoices)[number],
  FormName
>([
  ['hand_to', 'hand_to'],
  ['drop_marker', 'add_marker'],
  ['add_note', 'add_note'],
  ['add_roles', 'add_roles'],
  ['mute_account', 'mute_account'],
])

function openForm(press: Press): Meaning {
  const { stamp, chosen } = press
  if (chosen === 'hand_back') return withHeld(press, 'unacknowledge')
  if (chosen === 'timeline') return withHeld(press, 'post_timeline')
  const form = forms.get(chosen ?? '')
  return form === undefined ? null : formOf(form, stamp)
}

function formOf(form: FormName, stamp: Stamp | null): Intent {
  return { kind: 'open_form', form, alertId: stamp?.alertId ?? null, given: null }
}

function ask({ value }: Press): Meaning {
  if (value === null) return null
  const parsed = parseCommand(value)
  return parsed.ok ? parsed.intent : { kind: 'unread', refusal: parsed.refusal }
}
