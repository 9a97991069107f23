/** Which alert is meant by `#2874`, `web-2`, or *CPU busy on web-2*, or by the thread in which nothing is named. Several: buttons. */
import { nearest } from '../../../shared/nearest.ts'
import { alertOf, alertsOn } from '../../view/alert.ts'
import { numberWords } from '../../view/headline.ts'
import type { Scene } from '../../view/scene.ts'
import { escaped, headlineWords } from '../../view/words.ts'
import type { Alert } from '../../world/types.ts'
import { type Ask, refuse } from '../action.ts'
import { typed, type Word, wordsOf } from './words.ts'

const digitsMin = 3

/** `hasText`: a note or a person may follow. `mayBeClosed`: what closed within the world's memory can be meant too. */
type Rules = { readonly hasText?: true; readonly mayBeClosed?: true }

/**
 * `words` begin with the alert; `rest` is the text behind it. `command`: what a button runs for one of several, with the alert's number
 * in place of `{}`. Where nothing is named the thread's alert is meant.
 */
export function alertMeant(
  words: string,
  scene: Scene,
  ask: Ask,
  command: string,
  { hasText, mayBeClosed }: Rules = {},
): { readonly alert: Alert; readonly rest: string } {
  const open = [...scene.world.open.values()]
  const [first] = wordsOf(words)
  const commandFor = (name: string, rest: string) => command.replace('{}', () => `${name} ${rest}`.trim())
  const which = (alerts: readonly Alert[], why: string, rest: string) =>
    refuse(
      `${why} Which one?`,
      alerts.map((alert) => ({
        label: `${headlineWords(alert)} ${numberWords(alert)}`,
        command: commandFor(`#${alert.number}`, rest),
      })),
    )
  const named = first && (byNumber(first, scene) ?? byTitle(words, open) ?? byServer(first, open))
  if (named) {
    const { alerts, length, why } = named
    const rest = words.slice(length).trim()
    const [alert] = alerts
    if (alert === undefined || alerts.length > 1) return which(alerts, why, rest)
    if (alert.closedMs !== null && mayBeClosed !== true) refuse(`${escaped(headlineWords(alert))} is closed.`)
    if (rest === '' || hasText === true) return { alert, rest }
    return refuse(`I don't understand \`${escaped(rest, 60)}\`.`, [commandFor(words.slice(0, length), '')])
  }
  const isText = first === undefined || (hasText === true && !/^#\d/.test(first.text))
  const ofThread = isText ? inThread(scene, ask, mayBeClosed === true) : []
  if (ofThread.length > 1) return which(ofThread, 'Several alerts stand here.', words)
  if (ofThread[0] !== undefined) return { alert: ofThread[0], rest: words }
  if (first === undefined)
    return refuse(`Which alert? Name its number or its server: \`/mon ${commandFor('#2874', '')}\``)
  const names = open.flatMap(({ server, host }) => [server, host])
  const similar = nearest(first.text, names, 3)
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.map((name) => escaped(name)).join(', ')}?`
  const rest = hasText === true ? words.slice(first.text.length).trim() : ''
  return refuse(
    `No open alert \`${escaped(first.text, 60)}\`.${hint}`,
    similar.map((name) => commandFor(typed(name), rest)),
  )
}

/** At least one alert, how many characters name it, and why there may be several. */
type Named = { readonly alerts: readonly Alert[]; readonly length: number; readonly why: string }

function namedBy(alerts: readonly Alert[], length: number, why: string): Named | null {
  return alerts.length === 0 ? null : { alerts, length, why }
}

/** An ending of its number, with or without `#`; open ones before closed ones, the whole number before an ending. */
function byNumber({ text, isQuoted }: Word, { world }: Scene): Named | null {
  const [, digits] = /^#?…?(\d+)$/.exec(text) ?? []
  if (isQuoted || digits === undefined || (digits.length < digitsMin && !text.startsWith('#'))) return null
  const ending = [...world.alerts.values()].filter(({ number }) => number.endsWith(digits))
  const wholeFirst = (alerts: Alert[]) => {
    const whole = alerts.filter(({ number }) => number === digits)
    return whole.length > 0 ? whole : alerts
  }
  const open = wholeFirst(ending.filter(({ id }) => world.open.has(id)))
  const meant = open.length > 0 ? open : wholeFirst(ending).slice(-1)
  return namedBy(meant, text.length, `Several alerts end in ${digits}.`)
}

/** *Title on server*, as monbot itself writes it: the longest that fits. */
function byTitle(words: string, open: readonly Alert[]): Named | null {
  const lower = `${words.toLowerCase()} `
  const named = open.map((alert) => ({ alert, name: headlineWords(alert).toLowerCase() }))
  const fits = named.filter(({ name }) => lower.startsWith(`${name} `))
  const longest = Math.max(0, ...fits.map(({ name }) => name.length))
  const alerts = fits.filter(({ name }) => name.length === longest).map(({ alert }) => alert)
  return namedBy(alerts, longest, 'Several alerts have that name.')
}

function byServer({ text, isQuoted }: Word, open: readonly Alert[]): Named | null {
  const wanted = text.toLowerCase()
  const alerts = open.filter(({ host, server }) =>
    [host, server].some((name) => name.toLowerCase() === wanted),
  )
  const why = `${escaped(text)} has ${alerts.length} open alerts.`
  return namedBy(alerts, text.length + (isQuoted ? 2 : 0), why)
}

/** Of a card whose alert is closed that one, where it can be meant. */
function inThread(scene: Scene, ask: Ask, mayBeClosed: boolean): Alert[] {
  const open = openInThread(scene, ask)
  const post = scene.world.posts.get(ask.threadPost ?? '')
  const last = post?.kind === 'alert' && mayBeClosed ? alertOf(post, scene.world) : null
  return open.length > 0 || last === null ? open : [last]
}

/** Open alerts with whose *title on server* the words begin. */
export function openCalled(words: string, { world }: Scene): readonly Alert[] {
  return byTitle(words, [...world.open.values()])?.alerts ?? []
}

/** Open alerts of the card in whose thread it was asked. */
export function openInThread({ world }: Scene, { threadPost }: Ask): Alert[] {
  return alertsOn(world.posts.get(threadPost ?? ''), world).filter(({ id }) => world.open.has(id))
}
