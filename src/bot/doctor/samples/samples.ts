/**
 * All that monbot shows in Slack, each as long as it may be: what the doctor asks Slack about, made by the renderers themselves. The tables
 * that it is made of are completed by the compiler.
 */
import type { KnownBlock, View } from '@slack/types'
import { alertsPerPage } from '../../domain/card/card.ts'
import type { CardView } from '../../domain/card/kinds.ts'
import type { Answer } from '../../domain/request/answer.ts'
import type { FormName } from '../../domain/request/named.ts'
import type { Form, Reply } from '../../domain/request/reply.ts'
import { withPlainDays } from '../../slack/mrkdwn.ts'
import { homeWithoutMemory, renderHome } from '../../slack/render/cards/home.ts'
import { outcomeView, renderForm, workingView } from '../../slack/render/forms/forms.ts'
import { render } from '../../slack/render/render.ts'
import { renderAnswer } from '../../slack/render/replies/answer.ts'
import { renderReply } from '../../slack/render/replies/reply.ts'
import { cardSamples } from './cards.ts'
import { aMute, anAlert, longText, minuteMs, startedMs } from './made-up.ts'
import { answerSamples, homeSample, replySamples } from './replies.ts'

/** What it is, in a few words for whoever finds that Slack refuses it; and as Slack is asked about it. */
export type Sample = {
  readonly what: string
  readonly payload: { readonly message: { readonly blocks: KnownBlock[] } } | { readonly view: View }
}

/** Of one kind: the others differ from them in words alone. */
const samplesOfKindMax = 4
const metadataChars = 3_000

let made: readonly Sample[] | null = null

/** The longest of everything; always the same. */
export function everySample(): readonly Sample[] {
  made ??= makeSamples()
  return made
}

function makeSamples(): Sample[] {
  return [
    ...tableOf<CardView>('card', cardSamples(longText, alertsPerPage), (view) => render(view).blocks),
    ...tableOf<Reply>('reply', replySamples(longText), (reply) => renderReply(reply)?.blocks ?? []),
    ...tableOf<Answer>('answer', answerSamples(longText), (answer) => renderAnswer(answer).blocks),
    ...formSamples(longText).map(({ what, view }) => ({ what, payload: { view } })),
    ...[
      renderHome(homeSample(longText), () => 'https://monitor.example/', 'U0123ABC1'),
      homeWithoutMemory,
    ].map((blocks, at): Sample => {
      const view = { type: 'home' as const, blocks: withPlainDays([...blocks], startedMs) }
      return { what: numbered('Home', at), payload: { view } }
    }),
  ]
}

function tableOf<Thing>(
  name: string,
  table: Readonly<Record<string, readonly Thing[]>>,
  blocksOf: (thing: Thing) => KnownBlock[],
): Sample[] {
  return Object.entries(table).flatMap(([kind, things]) =>
    things.slice(0, samplesOfKindMax).map((thing, at) => ({
      what: numbered(`${name} ${kind}`, at),
      payload: { message: { blocks: withPlainDays(blocksOf(thing), startedMs) } },
    })),
  )
}

const numbered = (what: string, at: number) => (at === 0 ? what : `${what} (${at + 1})`)

/** What each form is about: an alert, or what a command gave. */
const formsAbout: Readonly<Record<FormName, 'alert' | 'given' | 'nothing'>> = {
  mute_server: 'alert',
  mute_alert: 'alert',
  mute_account: 'given',
  add_roles: 'alert',
  add_marker: 'given',
  add_note: 'alert',
  hand_to: 'alert',
  delete_server: 'given',
  delete_metrics: 'given',
}

function formSamples(text: string): { readonly what: string; readonly view: View }[] {
  const shown = Object.entries(formsAbout) as [FormName, (typeof formsAbout)[FormName]][]
  const { blocks } = renderAnswer({ kind: 'help', topic: null })
  return [
    ...shown.map(([name, about]) => ({
      what: `form ${name}`,
      view: renderForm(aForm(name, about, text), 'x'.repeat(metadataChars)),
    })),
    { what: 'form while it works', view: workingView('mute_alert') },
    { what: 'form with its outcome', view: outcomeView('mute_alert', blocks, text) },
  ]
}

function aForm(name: FormName, about: (typeof formsAbout)[FormName], text: string): Form {
  return {
    name,
    alert: about === 'alert' ? anAlert(text, 1) : null,
    given: about === 'given' ? text : null,
    matchers: Array.from({ length: 20 }, () => 'x'.repeat(99)),
    hidesNow: 123_456,
    hidLastWeek: 123_456,
    others: [aMute(text), aMute(text, { subject: null })],
    maxMs: 30 * 24 * 60 * minuteMs,
    prefill: name === 'add_marker' ? text : '',
  }
}
