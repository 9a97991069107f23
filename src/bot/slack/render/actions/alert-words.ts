/** The words for what people do to alerts. */
import type { Alert } from '../../../domain/alert/alert.ts'
import type { Verdict } from '../../../domain/alert/rule.ts'
import type { AlertChange, AlertDone } from '../../../domain/request/alert-actions.ts'
import { escaped } from '../../mrkdwn.ts'
import { counted, isMember, listed, name, person, serverOf, subjectWords } from '../text/phrases.ts'
import { doubts, type WordsOf } from './action-words.ts'
import { own, type ToldParts } from './entry-parts.ts'

const noteCharsMax = 200
const ownersShown = 4
const rulesShown = 3

export const verdictWords = {
  useful: { mark: '👍', word: 'useful' },
  noise: { mark: '👎', word: 'noise' },
} as const satisfies Readonly<Record<Verdict, object>>

export const alertWords: WordsOf<AlertChange> = {
  acknowledge: {
    may: 'acknowledge alerts',
    attempt: 'acknowledge the alert',
    doubt: doubts.again,
    told: ({ who, alert, isAlone }) => `👀 ${who} ${isAlone ? 'is on it' : `acknowledged ${alert}`}`,
    wanted: ({ alert }) => `acknowledge ${alert}`,
    timeline: () => 'acknowledged',
    done: ({ alert, isTheirs }) => [
      isTheirs === true ? "👀 It's already yours." : `👀 You acknowledged ${subjectOf(alert)}.`,
    ],
    isOnCard: () => true,
  },
  acknowledge_all: {
    may: 'acknowledge alerts',
    attempt: 'acknowledge the alerts',
    doubt: doubts.again,
    told: ({ who, many }) => `👀 ${who} acknowledged ${many || 'all storm alerts'}`,
    wanted: ({ detail }) =>
      detail.alerts === undefined
        ? 'acknowledge all storm alerts'
        : `acknowledge ${counted(detail.alerts, 'storm alert')}`,
    timeline: () => 'acknowledged',
    done: allAcknowledged,
    isOnCard: ({ count, later }) => count > 0 && later === 0,
  },
  take_over: {
    may: 'acknowledge alerts',
    attempt: 'take the alert over',
    doubt: doubts.again,
    told: (parts) => {
      const { who, owner } = parts
      return owner === null
        ? `👀 ${who} acknowledged ${whichOf(parts)}`
        : `👀 ${who} took ${whichOf(parts)} over from ${owner}`
    },
    wanted: ({ alert }) => `take over ${alert}`,
    timeline: () => 'taken over',
    done: ({ alerts: [alert, ...others], owner }) => [
      alert === undefined
        ? "👀 It's already yours."
        : `👀 You have ${heldWords(alert, others)} now${fromWords(owner)}.`,
    ],
    isOnCard: isAnyChanged,
  },
  unacknowledge: {
    may: 'acknowledge alerts',
    attempt: 'hand the alert back',
    doubt: doubts.again,
    told: (parts) => {
      const { who, owner, entry } = parts
      const from = owner === null || entry.userId === entry.detail.owner ? '' : ` for ${owner}`
      return `↩️ ${who} handed ${whichOf(parts)} back${from}: nobody is on it now`
    },
    wanted: ({ alert }) => `hand back ${alert}`,
    timeline: () => 'handed back',
    done: ({ alerts: [alert, ...others] }) => {
      const [are, them] = others.length === 0 ? ['is', 'it'] : ['are', 'them']
      const what = alert === undefined ? 'It' : heldWords(alert, others)
      return [`↩️ ${what} ${are} handed back: nobody is on ${them} now, and reminders start again.`]
    },
    isOnCard: isAnyChanged,
  },
  still_on_it: {
    may: 'acknowledge alerts',
    attempt: 'say that you are still on it',
    doubt: doubts.again,
    told: (parts) => `👀 ${parts.who} is still on ${whichOf(parts)}`,
    wanted: ({ alert }) => `be still on ${alert}`,
    done: () => ['👀 Everyone sees that you are still on it.'],
    isOnCard: isAnyChanged,
  },
  hand_to: {
    may: 'acknowledge alerts',
    attempt: 'hand the alert over',
    doubt: 'Look at the card before you try again.',
    told: (parts) => {
      const { who, owner, detail } = parts
      const from = owner === null || parts.entry.userId === detail.owner ? '' : ` from ${owner}`
      const note = detail.text === undefined ? '' : `: ${own(detail.text)}`
      return `👋 ${who} handed ${whichOf(parts)}${from} to ${person(detail.to ?? null)}${note}`
    },
    wanted: ({ alert, detail }) => `hand ${alert} to ${person(detail.to ?? null)}`,
    timeline: ({ detail }) => `handed to ${person(detail.to ?? null)}`,
    done: ({ alerts: [alert, ...others], to }) => [
      alert === undefined
        ? `👀 ${person(to)} has it already.`
        : `👋 ${person(to)} has ${heldWords(alert, others)} now, and gets a direct message. Nobody else is reminded or called.`,
    ],
    isOnCard: isAnyChanged,
  },
  add_note: {
    may: 'write notes',
    attempt: 'add the note',
    doubt: 'Look at the thread before you try again.',
    told: ({ who, alert, detail }) => `📝 ${who} wrote about ${alert}: ${own(detail.text)}`,
    wanted: ({ alert }) => `write about ${alert}`,
    done: ({ alert, text, isTold }) => {
      const written = escaped(text, noteCharsMax)
      return [
        isTold
          ? `📝 Note added to the thread of ${subjectOf(alert)}.`
          : `📝 Note saved, but nobody sees it: ${subjectOf(alert)} has no card. You wrote: ${written}`,
      ]
    },
    isOnCard: ({ isTold }) => isTold,
  },
  post_timeline: {
    may: 'post timelines',
    attempt: 'ask for the timeline',
    doubt: 'Look at the thread before you try again.',
    told: ({ who, alert }) => `📄 ${who} made a timeline of ${alert}`,
    wanted: ({ alert }) => `make a timeline of ${alert}`,
    done: ({ alert }) => [
      `📄 The timeline of ${alert === null ? 'these alerts' : subjectOf(alert)} comes in the thread, for everybody.`,
    ],
    isOnCard: () => false,
  },
  rate_alert: {
    may: 'say what you think of alerts',
    attempt: 'note what you think of the alert',
    doubt: doubts.again,
    told: (parts) => {
      const { mark, word } = verdictWords[verdictIn(parts)]
      return `${mark} ${parts.who} called ${whichOf(parts)} ${word}`
    },
    wanted: (parts) => `call ${parts.alert} ${verdictWords[verdictIn(parts)].word}`,
    done: ({ verdict, rules, isTheirs }) => {
      const { mark, word } = verdictWords[verdict]
      const what = listed(rules.map(name), rulesShown)
      return [
        isTheirs === true
          ? `${mark} You had said so already.`
          : `${mark} Noted as ${word}: ${what}. Press the other button to change your mind; \`/mon report\` counts both.`,
      ]
    },
    isOnCard: () => false,
  },
}

function allAcknowledged({
  count,
  others,
  owners,
  mine,
  later,
}: Extract<AlertDone, { act: 'acknowledge_all' }>): string[] {
  const missed =
    later === 0
      ? []
      : [
          `${counted(later, 'newer alert')} ${later === 1 ? 'is' : 'are'} unacknowledged: press again to include ${later === 1 ? 'it' : 'them'}.`,
        ]
  const who = listed(owners.map(person), ownersShown)
  if (count > 0) {
    const rest = others === 0 ? '' : ` ${who} already had ${others}.`
    return [`👀 You acknowledged ${counted(count, 'alert')}.${rest}`, ...missed]
  }
  if (others > 0) {
    const what = mine === 0 && later === 0 ? `all ${others}` : counted(others, 'alert')
    return [`👀 ${who} acknowledged ${what}${mine === 0 ? '' : `, you ${mine}`}.`, ...missed]
  }
  if (later > 0) return ['👀 What you saw is acknowledged or closed.', ...missed]
  return [mine === 1 ? "👀 It's already yours." : `👀 All ${mine} are already yours.`]
}

function isAnyChanged({ alerts }: { readonly alerts: readonly Alert[] }): boolean {
  return alerts.length > 0
}

function verdictIn({ detail }: Pick<ToldParts, 'detail'>): Verdict {
  return detail.verdict ?? 'useful'
}

function whichOf({ alert, many }: ToldParts): string {
  return many || alert
}

function heldWords(alert: Alert, others: readonly Alert[]): string {
  return others.length === 0 ? subjectOf(alert) : `${others.length + 1} alerts`
}

function subjectOf(alert: Alert): string {
  return subjectWords(alert.plugin, serverOf(alert))
}

/** A member had a message; whoever has a name in the pager only cannot have one. */
function fromWords(owner: string | null): string {
  if (owner === null) return ''
  return isMember(owner) ? `, and ${person(owner)} was told` : `, instead of ${person(owner)}`
}
