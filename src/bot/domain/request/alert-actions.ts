/** What people do to an alert within the bot: acknowledge it, write a note. The API knows neither. */
import type { Alert } from '../alert/alert.ts'
import type { Verdict } from '../alert/rule.ts'
import { openWords, quotedName, type Words } from '../command/words.ts'
import type { ActionsOf, Target } from './action.ts'
import type { OpenForm } from './named.ts'

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
  /**
   * Makes another person the holder, who gets a direct message. `shownMs`: when the person saw who had it, epoch milliseconds; null:
   * they did not look.
   */
  | {
      readonly kind: 'hand_to'
      readonly of: Held
      readonly to: string
      readonly note: string
      readonly shownMs: number | null
    }
  /** A file for everybody with all that happened about an alert, or the alerts of a list. */
  | { readonly kind: 'post_timeline'; readonly of: Held }
  /** What somebody thinks of an alert that is over, or of each rule of a list; the last verdict counts. */
  | { readonly kind: 'rate_alert'; readonly of: Held; readonly verdict: Verdict }

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
  | (HeldDone<'hand_to'> & { readonly to: string })
  /** `isTold`: it is posted in a thread; an alert that a mute hides has none. */
  | { readonly act: 'add_note'; readonly alert: Alert; readonly text: string; readonly isTold: boolean }
  /** It is being made. `alert` null: of a list. */
  | { readonly act: 'post_timeline'; readonly alert: Alert | null }
  /** `rules`: by name. `isTheirs`: they had said so before. */
  | {
      readonly act: 'rate_alert'
      readonly verdict: Verdict
      readonly rules: readonly string[]
      readonly isTheirs?: true
    }

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
  hand_to: {
    guard: 'acknowledge',
    isHarmlessTwice: false,
    target: heldTarget,
    detail: ({ to, note }) => ({ to, ...(note === '' ? {} : { text: note }) }),
    command: {
      name: 'hand',
      usage: '<alert or server> [@person] [note]',
      summary: 'Hands an alert to somebody, who gets a direct message; asks to whom if Slack does not say',
      examples: ['hand #123', 'hand web-1 @ben the disk is being replaced'],
      group: 'act',
      read: readHand,
    },
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
  post_timeline: {
    guard: 'add_note',
    isHarmlessTwice: false,
    target: heldTarget,
    command: {
      name: 'timeline',
      usage: '<alert or server>',
      summary: 'Posts a file with all that happened about an alert, in its thread',
      examples: ['timeline #123'],
      group: 'act',
      read: (words) => readHeld(words, 'post_timeline'),
    },
  },
  rate_alert: {
    guard: 'acknowledge',
    isHarmlessTwice: true,
    target: heldTarget,
    detail: ({ verdict }) => ({ verdict }),
  },
}

function heldTarget({ of }: { readonly of: Held }): Target {
  return of.by === 'alert' ? { of: 'alert', alert: of.alert } : { of: 'card', cardId: of.cardId }
}

function readHeld<Kind extends 'take_over' | 'unacknowledge' | 'post_timeline'>(words: Words, kind: Kind) {
  const alert = words.name()
  return alert === null ? null : { kind, of: { by: 'alert', alert } as const }
}

const personShape = /^(?:<@([UW][A-Z0-9]{2,20})(?:\|[^>]*)?>|([UW][A-Z0-9]{7,20}))$/

/**
 * Slack passes `@ben` on as it was typed, and only it knows who that is: without an id the form asks, with the note kept.
 */
function readHand(words: Words): Extract<AlertChange, { kind: 'hand_to' }> | OpenForm | null {
  const alert = words.name()
  if (alert === null) return null
  const [, mentioned, id] = personShape.exec(words.left().split(/\s/)[0] ?? '') ?? []
  const to = mentioned ?? id
  if (to === undefined) {
    const note = words.text().replace(/^@\S+\s*/, '')
    const given = `${quotedName(alert)} ${note}`.trim()
    return { kind: 'open_form', form: 'hand_to', alertId: null, given }
  }
  const note = words.text().replace(/^\S+\s*/, '')
  return { kind: 'hand_to', of: { by: 'alert', alert }, to, note, shownMs: null }
}

/** What `readHand` left to the form: the alert, and the note so far. */
export function handGiven(given: string): { readonly alert: string; readonly note: string } {
  const words = openWords(given)
  return { alert: words.name() ?? '', note: words.text() }
}
