/** `fetch` for the SDK, from the undici that its sockets use: Node's own is a second copy, loaded with the first call. */
import type { FetchFunction } from '@slack/web-api'
import { Agent, fetch, type RequestInit } from 'undici'

// Like Node's own; this undici would choose HTTP/2 if it is offered.
const dispatcher = new Agent({ allowH2: false })

/** For text only: pictures go another way (`chat.ts`), and this undici does not accept Node's `FormData`. */
export const fetchOnce: FetchFunction = (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
