/**
 * Protects servers without a password: only programs and pages of this server may call them. Other web pages could call a server
 * of this machine by a name of their own (DNS rebinding) or with a plain form; both are refused.
 */
import { hostname } from 'node:os'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { isPassedOn } from '../../shared/this-machine.ts'

const passedOn = {
  ok: false,
  error: 'passed_on',
  detail:
    'this workspace is for this machine only, and a proxy passed the request on; HOST opens it to others',
}

/** Whether a `Host` header names this server, which listens on `listensOn`. */
export function isOwnHost(header: string | undefined, listensOn: string): boolean {
  const host = (header ?? '').replace(/:\d+$/, '').toLowerCase()
  if (['127.0.0.1', 'localhost', '[::1]', listensOn.toLowerCase()].includes(host)) return true
  if (isLoopback(listensOn)) return false
  // Rebinding needs a name, and an address is none.
  return /^[\d.]+$|^\[[\da-f:]+\]$/.test(host) || hostname().toLowerCase() === host
}

/** Whether only this machine reaches a server that listens there. */
export function isLoopback(listensOn: string): boolean {
  return listensOn === 'localhost' || listensOn === '::1' || /^127\.\d+\.\d+\.\d+$/.test(listensOn)
}

/**
 * Whether a browser sends the request for a page of another server; programs send neither header. The `Origin` is compared
 * with the `Host`, which was checked (https://fetch.spec.whatwg.org/#origin-header, https://w3c.github.io/webappsec-fetch-metadata/).
 */
export function isOfAnotherPage(header: (name: string) => string | undefined): boolean {
  const origin = header('origin')
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== header('host')
}

/** Answers 403 to what a proxy passes on to a server that is for this machine, to another host's name and to a page of another server, and 415 to a POST that is not JSON. */
export function refuseStrangers(listensOn: string): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    if (isLoopback(listensOn) && isPassedOn(c.env.incoming)) return c.json(passedOn, 403)
    if (!isOwnHost(c.req.header('host'), listensOn)) return c.json({ ok: false, error: 'wrong_host' }, 403)
    if (isOfAnotherPage((name) => c.req.header(name)))
      return c.json({ ok: false, error: 'wrong_origin' }, 403)
    const isJson = (c.req.header('content-type') ?? '').startsWith('application/json')
    if (c.req.method === 'POST' && !isJson) {
      return c.json({ ok: false, error: 'not_json', detail: 'expected content-type application/json' }, 415)
    }
    return next()
  }
}
