/** Which alert is meant by `#2874`, `web-2`, or *CPU busy on web-2*, or by the thread in which nothing is named. Several: buttons. */
import { nearest } from '../../../shared/nearest.ts'
import { numberWords } from '../../view/headline.ts'
import type { Scene } from '../../view/scene.ts'
import { escaped, headlineWords } from '../../view/words.ts'
import type { Alert } from '../../world/types.ts'
import type { Ask, Reply } from '../act.ts'
import { typed, type Word, wordsOf } from './plain.ts'

export type Meant =
  | { readonly kind: 'one'; readonly alert: Alert; readonly rest: string }
  | { readonly kind: 'no'; readonly reply: Reply }

const offersMax = 5
const digitsMin = 3

/** `hasText`: a note or a person may follow. `mayBeClosed`: what closed within the world's memory can be meant too. */
export type RefRules = { readonly hasText?: true; readonly mayBeClosed?: true }

/**
 * `words` begin with the alert; `rest` is the text behind it. `command`: what a button runs for one of several, with the alert's number
 * in place of `{}`. Where nothing is named the thread's alert is meant.
 */
export function alertMeant(
  words: string,
  scene: Scene,
  ask: Ask,
  command: string,
  { hasText, mayBeClosed }: RefRules = {},
): Meant {
  const open = [...scene.world.open.values()]
  const [first] = wordsOf(words)
  const named =
    first === undefined ? null : (byNumber(first, scene) ?? byTitle(words, open) ?? byServer(first, open))
  const commandFor = (name: string, rest: string) => command.replace('{}', () => `${name} ${rest}`.trim())
  if (named !== null) {
    const rest = words.slice(named.length).trim()
    if (named.alerts.length !== 1) return several(named.alerts, named.why, (name) => commandFor(name, rest))
    const [alert] = named.alerts as [Alert]
    if (alert.closedMs !== null && mayBeClosed !== true)
      return no(`${escaped(headlineWords(alert))} is closed.`)
    if (rest === '' || hasText === true) return { kind: 'one', alert, rest }
    const only = commandFor(words.slice(0, named.length), '')
    return no(`I don't understand \`${escaped(rest, 60)}\`.`, [{ label: only, command: only }])
  }
  const isText = first === undefined || (hasText === true && !/^#\d/.test(first.text))
  const ofThread = isText ? openInThread(scene, ask) : []
  if (ofThread.length === 1 && ofThread[0] !== undefined)
    return { kind: 'one', alert: ofThread[0], rest: words }
  if (ofThread.length > 1)
    return several(ofThread, 'Several alerts stand here. Which one?', (name) => commandFor(name, words))
  if (first === undefined)
    return no(`Which alert? Name its number or its server: \`/mon ${commandFor('#2874', '')}\``)
  const names = open.flatMap(({ server, host }) => [server, host])
  const similar = [...new Set(nearest(first.text, names, 3))]
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.map((name) => escaped(name)).join(', ')}?`
  const rest = hasText === true ? words.slice(first.text.length).trim() : ''
  const commands = similar.map((name) => commandFor(typed(name), rest))
  return no(
    `No open alert \`${escaped(first.text, 60)}\`.${hint}`,
    commands.map((one) => ({ label: one, command: one })),
  )
}

type Named = { readonly alerts: readonly Alert[]; readonly length: number; readonly why: string }

/** An ending of its number, with or without `#`; open ones before closed ones, the whole number before an ending. */
function byNumber({ text, isQuoted }: Word, { world }: Scene): Named | null {
  const [, digits] = /^#?…?(\d+)$/.exec(text) ?? []
  if (isQuoted || digits === undefined || (digits.length < digitsMin && !text.startsWith('#'))) return null
  const fits = [...world.alerts.values()].filter(({ number }) => number.endsWith(digits))
  const isWhole = (alert: Alert) => alert.number === digits
  const open = fits.filter(({ id }) => world.open.has(id))
  const closed = (fits.some(isWhole) ? fits.filter(isWhole) : fits).slice(-1)
  const meant = open.some(isWhole) ? open.filter(isWhole) : open
  const alerts = meant.length > 0 ? meant : closed
  const why = `Several alerts end in ${digits}. Which one?`
  return alerts.length === 0 ? null : { alerts, length: text.length, why }
}

/** *Title on server*, as monbot itself writes it. */
function byTitle(words: string, open: readonly Alert[]): Named | null {
  const lower = words.toLowerCase()
  const fits = open
    .map((alert) => ({ alert, name: headlineWords(alert).toLowerCase() }))
    .filter(({ name }) => lower === name || lower.startsWith(`${name} `))
  const longest = Math.max(0, ...fits.map(({ name }) => name.length))
  const alerts = fits.filter(({ name }) => name.length === longest).map(({ alert }) => alert)
  return alerts.length === 0
    ? null
    : { alerts, length: longest, why: 'Several alerts have that name. Which one?' }
}

function byServer({ text, isQuoted }: Word, open: readonly Alert[]): Named | null {
  const wanted = text.toLowerCase()
  const alerts = open.filter(({ host, server }) =>
    [host, server].some((name) => name.toLowerCase() === wanted),
  )
  const length = text.length + (isQuoted ? 2 : 0)
  return alerts.length === 0
    ? null
    : { alerts, length, why: `${escaped(text)} has ${alerts.length} open alerts. Which one?` }
}

/** Open alerts of the card in whose thread it was asked. */
export function openInThread({ world }: Scene, { threadPost }: Ask): Alert[] {
  const post = world.posts.get(threadPost ?? '')
  return [...new Set(post?.shows.map(({ alert }) => alert))].flatMap((id) => world.open.get(id) ?? [])
}

function several(alerts: readonly Alert[], why: string, commandFor: (name: string) => string): Meant {
  const offers = alerts.slice(0, offersMax).map((alert) => ({
    label: `${headlineWords(alert)} ${numberWords(alert)}`.slice(0, 75),
    command: commandFor(`#${alert.number}`),
  }))
  return no(why, offers)
}

function no(text: string, offers: readonly { label: string; command: string }[] = []): Meant {
  return { kind: 'no', reply: { kind: 'refuse', text, offers } }
}
