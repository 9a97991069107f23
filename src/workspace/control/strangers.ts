/**
 * Protects servers without a password: only programs and pages of this server may call them. Other web pages could call a server
 * of this machine by a name of their own (DNS rebinding) or with a plain form; both are refused.
 */
import { hostname } from 'node:os'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { isOfThisMachine } from '../../shared/this-machine.ts'

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(listensOn: string): boolean {
  return listensOn === 'localhost' || listensOn === '::1' || /^127\.\d+\.\d+\.\d+$/.test(listensOn)
}

/**
 * Answers 403 to what is not of this machine, by the address it listens on; where `HOST` opens it to others, to names that are not its
 * own and to other servers' pages. And 415 to a POST that is not JSON.
 */
export function refuseStrangers(listensOn: string): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const isAllowed = isLoopback(listensOn) ? isOfThisMachine(c.env.incoming) : isForUs(c.req.header())
    if (!isAllowed) {
      const detail = 'this workspace is for programs and pages of this machine; HOST opens it to others'
      return c.json({ ok: false, error: 'stranger', detail }, 403)
    }
    const isJson = (c.req.header('content-type') ?? '').startsWith('application/json')
    if (c.req.method === 'POST' && !isJson)
      return c.json({ ok: false, error: 'not_json', detail: 'expected content-type application/json' }, 415)
    return next()
  }
}

/** Rebinding needs a name, and an address is none. */
function isForUs({ host = '', origin, 'sec-fetch-site': site }: Record<string, string>): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const isOwn =
    /^[\d.]+$|^\[[\da-f:]+\]$/.test(name) || ['localhost', hostname().toLowerCase()].includes(name)
  const isOwnPage = site === undefined || site === 'same-origin' || site === 'none'
  return isOwn && isOwnPage && (origin === undefined || origin.replace(/^https?:\/\//, '') === host)
}
