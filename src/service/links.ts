/** The addresses of an alert's page and picture: without a key, but with a token that nobody guesses. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Db, metaOf, setMeta } from './store.ts'

export type Links = {
  page(id: number): string
  picture(id: number): string
  /** The picture as the page names it: it may be served below a path. */
  pictureFromPage(id: number): string
  isToken(id: number, token: string): boolean
}

/** Several times the longest list that is promised. */
const keptMax = 20_000

export function openLinks(db: Db, bases: { pages(): string; pictures(): string }): Links {
  const secret = metaOf(db, 'link secret') ?? randomBytes(32).toString('hex')
  setMeta(db, 'link secret', secret)
  // A list of 5,000 alerts is read again and again: making its tokens took a third of the work.
  const made = new Map<number, string>()
  const tokenOf = (id: number): string => {
    const token =
      made.get(id) ?? createHmac('sha256', secret).update(String(id)).digest('base64url').slice(0, 24)
    if (made.size >= keptMax) made.clear()
    made.set(id, token)
    return token
  }
  const picture = (id: number) => `/account/alerts/${id}/sparkline.png?t=${tokenOf(id)}`
  return {
    page: (id) => `${bases.pages()}/a/${id}?t=${tokenOf(id)}`,
    picture: (id) => bases.pictures() + picture(id),
    pictureFromPage: (id) => `..${picture(id)}`,
    isToken: (id, token) => {
      const [wanted, came] = [Buffer.from(tokenOf(id)), Buffer.from(token)]
      return wanted.length === came.length && timingSafeEqual(wanted, came)
    },
  }
}
