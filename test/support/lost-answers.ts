/** Requests of one kind whose connection breaks off: before the service has done what they ask, or after it. */
import type { ServiceOptions } from '../../src/service/service.ts'

type Before = NonNullable<ServiceOptions['before']>

/** `before` goes to the service; `order` breaks off the next so many. */
export function lostAnswers(template: string) {
  let [left, isDone] = [0, false]
  const before: Before = async (asked, c) => {
    if (left === 0 || !asked.startsWith(template) || c.req.header('x-again') !== undefined) return null
    left -= 1
    if (isDone) {
      const headers = { 'content-type': c.req.header('content-type') ?? '', 'x-again': 'yes' }
      await fetch(c.req.url, { method: c.req.method, headers, body: await c.req.text() })
    }
    c.env.incoming.socket.destroy()
    return new Response()
  }
  return {
    before,
    order(times: number, isDoneFirst: boolean) {
      left = times
      isDone = isDoneFirst
    },
  }
}
