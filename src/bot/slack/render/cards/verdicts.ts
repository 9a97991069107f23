/** The buttons on what is over: was it worth being called for, and what happened? Who said what stands beside them, as a button looks the same to all. */
import type { ActionsBlock } from '@slack/types'
import type { Verdict, Verdicts } from '../../../domain/alert/rule.ts'
import { actions, type Stamp, stampText } from '../../vocabulary.ts'
import { verdictWords as words } from '../actions/alert-words.ts'
import { actionsBlock, button } from '../text/message-parts.ts'
import { listed, person } from '../text/phrases.ts'

const peopleShown = 4
const labels: Readonly<Record<Verdict, string>> = { useful: 'Useful', noise: 'Noise' }
const verdicts = ['useful', 'noise'] as const

/** `about`: what a screen reader says, not escaped. */
export function overActions(stamp: Stamp, given: Verdicts | undefined, about: string): ActionsBlock {
  const value = stamp.alertId ?? stamp.cardId
  const opinions = verdicts.map((verdict) => {
    const count = given?.[verdict].length ?? 0
    const label = `${words[verdict].mark} ${labels[verdict]}${count === 0 ? '' : ` · ${count}`}`
    return button({ actionId: actions[verdict], label, value, says: `${label}: ${about}` })
  })
  const timeline = { actionId: actions.timeline, label: 'Timeline', value, says: `Timeline of ${about}` }
  return actionsBlock([...opinions, button(timeline)], stampText(stamp))
}

/** `👍 <@U1> and 2 more`, `👎 <@U2>`; nothing where nobody said anything. */
export function verdictWords(given: Verdicts | undefined): string[] {
  return verdicts.flatMap((verdict) => {
    const who = given?.[verdict] ?? []
    return who.length === 0
      ? []
      : [`${words[verdict].mark} ${words[verdict].word}: ${listed(who.map(person), peopleShown)}`]
  })
}
