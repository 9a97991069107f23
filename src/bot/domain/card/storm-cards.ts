/** Makes the cards of many alerts at once: a storm or a summary in the channel, and in its thread the pages that list them. */
import type { Alert } from '../alert/alert.ts'
import { worstFirst } from '../alert/severity.ts'
import { troubleOf } from '../alert/trouble.ts'
import type { Plan } from '../plan.ts'
import { alertsPerPage, type NewCard, newCard } from './card.ts'
import { emptyTally, linesIn, type StormCard, type Tally, tallied } from './storm.ts'

/** An alert to be announced in a channel, and who is mentioned for it. */
export type News = { readonly alert: Alert; readonly mention: string | null }

type Destination = { readonly channel: string; readonly mention: string | null }

/**
 * A summary and the pages of its thread; critical alerts come first, then the newest. `summaryId` distinguishes it from other
 * summaries.
 */
export function summaryCards(
  alerts: readonly Alert[],
  to: Destination,
  summaryId: string | number,
): NewCard[] {
  return listing('summary', `${summaryId}:${to.channel}`, alerts, to)
}

/** A storm and the pages of its thread; critical alerts come first, then the newest. `part`: which of several of one moment. */
export function stormCards(alerts: readonly Alert[], to: Destination, atMs: number, part = 0): NewCard[] {
  return listing('storm', `${atMs}${part === 0 ? '' : `-${part}`}:${to.channel}`, alerts, to)
}

function listing(
  kind: 'summary' | 'storm',
  of: string,
  alerts: readonly Alert[],
  { channel, mention }: Destination,
): NewCard[] {
  const pages = openPages([])
  const ordered = inOrder(alerts)
  for (const alert of ordered) pages.take(alert)
  const alertIds = ordered.map(({ alertId }) => alertId)
  const card = newCard(kind, of, { channel, mention, alertIds })
  return [card, ...pages.taken().map((page) => pageCard(page, card))]
}

/**
 * News that joins a storm or a summary, critical ones first, then the newest: on its card, and on its last page or new ones.
 * People who were not mentioned yet are mentioned by a page that begins with their alerts, because a reply notifies and an edit
 * does not.
 */
export function joinStorm(
  storm: StormCard,
  channel: string,
  news: readonly News[],
): Pick<Plan, 'cards' | 'joins'> {
  const told = storm.pages.filter(({ isDead }) => !isDead)
  const called = new Set([storm, ...told].flatMap(({ mention }) => namesIn(mention)))
  const isCalled = ({ mention }: News) => namesIn(mention).every((name) => called.has(name))
  const uncalled = news.filter((one) => !isCalled(one))
  const calling = inOrder(uncalled.map(({ alert }) => alert))
  const others = inOrder(news.filter(isCalled).map(({ alert }) => alert))
  const pages = openPages(pagesOf(storm))
  if (calling.length > 0) pages.begin(mentionOf(uncalled, called))
  // Not on an earlier page, not even a flap: the new one would be empty, and would call nobody.
  for (const alert of calling) pages.add(alert)
  for (const alert of others) pages.take(alert)
  const joining = [...calling, ...others]
  const taken = pages.taken()
  return {
    cards: taken
      .filter(({ isNew }) => isNew)
      .map((page) => pageCard(page, { cardId: storm.cardId, channel })),
    joins: [
      {
        cardId: storm.cardId,
        alertIds: joining.map(({ alertId }) => alertId),
        after: storm.alerts.length,
      },
      ...taken.flatMap(({ cardId, alertIds }) => (cardId === null ? [] : [{ cardId, alertIds }])),
    ],
  }
}

/** Everybody to be mentioned for these, each once; null for nobody. */
export function mentionOf(news: readonly News[], called: ReadonlySet<string> = new Set()): string | null {
  return namesOnce(
    news.map(({ mention }) => mention),
    called,
  )
}

/** Everybody whom these mention, each once, without those who were `called` already; null for nobody. */
export function namesOnce(
  mentions: readonly (string | null)[],
  called: ReadonlySet<string> = new Set(),
): string | null {
  const fresh = [...new Set(mentions.flatMap(namesIn))].filter((name) => !called.has(name))
  return fresh.length > 0 ? fresh.join(' ') : null
}

function namesIn(mention: string | null): string[] {
  return mention === null ? [] : mention.split(' ')
}

function inOrder(alerts: readonly Alert[]): Alert[] {
  return worstFirst(alerts.toSorted((a, b) => b.startedMs - a.startedMs))
}

/** A page that is being filled. */
type Page = {
  readonly cardId: string | null
  readonly page: number
  readonly mention: string | null
  readonly isDead: boolean
  readonly byTrouble: Map<string, Tally>
  lines: number
  /** What it has taken now. */
  readonly added: string[]
}

type Taken = Pick<Page, 'cardId' | 'page' | 'mention'> & {
  readonly isNew: boolean
  readonly alertIds: readonly string[]
}

function openPages(pages: Page[]) {
  const placesOf = new Map<string, Set<Page>>()
  for (const page of pages) for (const trouble of page.byTrouble.keys()) note(trouble, page)

  function note(trouble: string, page: Page): void {
    const places = placesOf.get(trouble)
    if (places === undefined) placesOf.set(trouble, new Set([page]))
    else places.add(page)
  }

  function begin(mention: string | null): Page {
    const page = emptyPage((pages.at(-1)?.page ?? 0) + 1, { mention })
    pages.push(page)
    return page
  }

  function lastWithRoom(): Page {
    const last = pages.at(-1)
    return last === undefined || last.isDead || last.lines >= alertsPerPage ? begin(null) : last
  }

  function add(alert: Alert, trouble = troubleOf(alert), page = lastWithRoom()): void {
    put(page, alert, trouble)
    page.added.push(alert.alertId)
    note(trouble, page)
  }

  /** A flap goes where its trouble stands already and makes no new line; the rest goes on the last page. */
  function take(alert: Alert): void {
    const trouble = troubleOf(alert)
    const places = [...(placesOf.get(trouble) ?? [])]
    add(
      alert,
      trouble,
      places.findLast((page) => !page.isDead && isFold(page, alert, trouble)),
    )
  }

  return {
    begin,
    add,
    take,
    taken: (): Taken[] =>
      pages
        .filter(({ added }) => added.length > 0)
        .map(({ cardId, page, mention, added }) => ({
          cardId,
          page,
          mention,
          isNew: cardId === null,
          alertIds: added,
        })),
  }
}

function isFold({ byTrouble }: Page, alert: Alert, trouble: string): boolean {
  const tally = byTrouble.get(trouble) ?? emptyTally
  return linesIn(tallied(tally, alert)) <= linesIn(tally)
}

function put(page: Page, alert: Alert, trouble: string): void {
  const before = page.byTrouble.get(trouble) ?? emptyTally
  const after = tallied(before, alert)
  page.lines += linesIn(after) - linesIn(before)
  page.byTrouble.set(trouble, after)
}

function emptyPage(page: number, over: Partial<Pick<Page, 'cardId' | 'mention' | 'isDead'>>): Page {
  return {
    cardId: null,
    page,
    mention: null,
    isDead: false,
    ...over,
    byTrouble: new Map(),
    lines: 0,
    added: [],
  }
}

function pagesOf({ alerts, pages }: StormCard): Page[] {
  const known = new Map(alerts.map((alert) => [alert.alertId, alert]))
  const filled: Page[] = []
  for (const { alertIds, page: at, ...card } of pages) {
    const page = emptyPage(at, card)
    for (const alertId of alertIds) {
      const alert = known.get(alertId)
      if (alert !== undefined) put(page, alert, troubleOf(alert))
    }
    filled.push(page)
  }
  return filled
}

function pageCard(
  { page, mention, alertIds }: Taken,
  { cardId: parentId, channel }: Pick<NewCard, 'cardId' | 'channel'>,
): NewCard {
  return newCard('page', '', { cardId: `${parentId}/${page}`, parentId, channel, page, mention, alertIds })
}
