/** What people do to an alert within the bot: acknowledge it, write a note. The API knows neither. */
import type { Alert } from '../alert/alert.ts'
import type { ActionsOf } from './action.ts'

export type AlertChange =
  /** `alert` is an alert's id (with or without `#`) or a server with exactly one open alert. */
  | { readonly kind: 'acknowledge'; readonly alert: string }
  /**
   * Every unacknowledged open alert among the first `shown` of a summary's or storm's card: the person has not seen those
   * that joined later. Null: all of them.
   */
  | { readonly kind: 'acknowledge_all'; readonly cardId: string; readonly shown: number | null }
  | { readonly kind: 'add_note'; readonly alert: string; readonly text: string }

export type AlertDone =
  | { readonly act: 'acknowledge'; readonly alert: Alert }
  /**
   * Everything that a card showed: `count` acknowledged now, `others` by somebody else before; `count` 0: none was left to
   * acknowledge. `later` joined the card since then, and are still unacknowledged.
   */
  | {
      readonly act: 'acknowledge_all'
      readonly count: number
      readonly others: number
      readonly later: number
    }
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
      summary: 'Acknowledges an alert: its card says that you are on it',
      examples: ['ack #123', 'ack web-1'],
      group: 'act',
      read: (words) => {
        const alert = words.name()
        return alert === null || !words.isAtEnd() ? null : { kind: 'acknowledge', alert }
      },
    },
  },
  acknowledge_all: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: ({ cardId }) => ({ of: 'card', cardId }),
  },
  add_note: {
    guard: 'add_note',
    isHarmlessTwice: false,
    target: ({ alert }) => ({ of: 'alert', alert }),
    detail: ({ text }) => ({ text }),
    command: {
      name: 'note',
      usage: '<alert or server> <text>',
      summary: 'Writes a note into the thread of an alert',
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
