/** `fetch` for the SDK, by the undici that its sockets use: Node's own is a second copy, loaded with the first call. */
import type { FetchFunction } from '@slack/web-api'
import { Agent, fetch, type RequestInit } from 'undici'

// As Node's own does; this undici would choose HTTP/2 where it is offered.
const dispatcher = new Agent({ allowH2: false })

/** Of text only: pictures go another way (`chat.ts`), and a form of Node's is none for this undici. */
export const fetchOnce: FetchFunction = (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
