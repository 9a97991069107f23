/** What people do to an alert within the bot: acknowledge it, write a note. The API knows neither. */
import type { Alert } from '../alert/alert.ts'
import type { Words } from '../command/words.ts'
import type { ActionsOf, Target } from './action.ts'

export type AlertChange =
  /** `alert` is an alert's id (with or without `#`) or a server with exactly one open alert. */
  | { readonly kind: 'acknowledge'; readonly alert: string }
  /**
   * Every unacknowledged open alert among the first `shown` of a summary's or storm's card: the person has not seen those
   * that joined later. Null: all of them.
   */
  | { readonly kind: 'acknowledge_all'; readonly cardId: string; readonly shown: number | null }
  /** Also an alert that nobody has: it is acknowledged then. */
  | { readonly kind: 'take_over'; readonly of: Held }
  /** Releases the alert, whoever asks: nobody has it any more, and its reminders start again. */
  | { readonly kind: 'unacknowledge'; readonly of: Held }
  /** Its owner has not forgotten it. */
  | { readonly kind: 'still_on_it'; readonly of: Held }
  | { readonly kind: 'add_note'; readonly alert: string; readonly text: string }

/** One alert (see `acknowledge`), or all that a card asks about. */
export type Held =
  | { readonly by: 'alert'; readonly alert: string }
  | { readonly by: 'card'; readonly cardId: string }

type HeldDone<Act> = {
  readonly act: Act
  /** Those that it changed something about; none: the person had them all. */
  readonly alerts: readonly Alert[]
  /** Who had them before; null if nobody, or several. */
  readonly owner: string | null
}

export type AlertDone =
  /** `isTheirs`: it was so before. */
  | { readonly act: 'acknowledge'; readonly alert: Alert; readonly isTheirs?: true }
  /**
   * Everything that a card showed: `count` acknowledged now, `others` by somebody else before (`owners`, who has the most first),
   * `mine` by the same person before; `count` 0: none was left to acknowledge. `later` joined the card since then, and are still
   * unacknowledged.
   */
  | {
      readonly act: 'acknowledge_all'
      readonly count: number
      readonly others: number
      readonly owners: readonly string[]
      readonly mine: number
      readonly later: number
    }
  | HeldDone<'take_over'>
  | HeldDone<'unacknowledge'>
  | HeldDone<'still_on_it'>
  /** `isTold`: it is posted in a thread; an alert that a mute hides has none. */
  | { readonly act: 'add_note'; readonly alert: Alert; readonly text: string; readonly isTold: boolean }

export const alertActions: ActionsOf<AlertChange> = {
  acknowledge: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: ({ alert }) => ({ of: 'alert', alert }),
    command: {
      name: 'ack',
      usage: '<alert or server>',
      summary: 'Acknowledges an alert: its card shows that you are on it',
      examples: ['ack #123', 'ack web-1'],
      group: 'act',
      read: (words) => {
        const alert = words.name()
        return alert === null ? null : { kind: 'acknowledge', alert }
      },
    },
  },
  acknowledge_all: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: ({ cardId }) => ({ of: 'card', cardId }),
  },
  take_over: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: heldTarget,
    command: {
      name: 'take',
      usage: '<alert or server>',
      summary: 'Takes an alert over from whoever acknowledged it',
      examples: ['take #123', 'take web-1'],
      group: 'act',
      read: (words) => readHeld(words, 'take_over'),
    },
  },
  unacknowledge: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: heldTarget,
    command: {
      name: 'unack',
      usage: '<alert or server>',
      summary: 'Hands an alert back: nobody is on it, and reminders start again',
      examples: ['unack #123', 'unack web-1'],
      group: 'act',
      read: (words) => readHeld(words, 'unacknowledge'),
    },
  },
  still_on_it: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: heldTarget,
  },
  add_note: {
    guard: 'add_note',
    isHarmlessTwice: false,
    target: ({ alert }) => ({ of: 'alert', alert }),
    detail: ({ text }) => ({ text }),
    command: {
      name: 'note',
      usage: '<alert or server> <text>',
      summary: 'Adds a note to the thread of an alert',
      examples: ['note #123 the disk is being replaced'],
      group: 'act',
      read: (words) => {
        const alert = words.name()
        const text = words.text()
        return alert === null || text === '' ? null : { kind: 'add_note', alert, text }
      },
    },
  },
}

function heldTarget({ of }: { readonly of: Held }): Target {
  return of.by === 'alert' ? { of: 'alert', alert: of.alert } : { of: 'card', cardId: of.cardId }
}

function readHeld<Kind extends 'take_over' | 'unacknowledge'>(words: Words, kind: Kind) {
  const alert = words.name()
  return alert === null ? null : { kind, of: { by: 'alert', alert } as const }
}
