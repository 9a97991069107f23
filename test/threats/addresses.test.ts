/**
 * Addresses that come from outside: links to show, redirects, Slack's own for an answer. The bot connects to nobody but the
 * monitoring's own origin, which the operator chose and which may be private, and to Slack; other names are not even looked up.
 */
import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, onTestFinished, test } from 'vitest'
import { openResponseUrls } from '../../src/bot/slack/inbound/response-url.ts'
import { link } from '../../src/bot/slack/mrkdwn.ts'
import { connect, handClock, openApi } from '../bot/monitor/local-api.ts'

/** What the process does towards others while the test runs: each name that is looked up, each connection that is begun. */
function watched(): string[] {
  const begun: string[] = []
  const onSocket = () => begun.push('a connection')
  subscribe('net.client.socket', onSocket)
  const lookups = createHook({
    init: (_id, type) => {
      if (/^(?:GETADDRINFO|QUERY)/.test(type)) begun.push('a name')
    },
  }).enable()
  onTestFinished(() => {
    unsubscribe('net.client.socket', onSocket)
    lookups.disable()
  })
  return begun
}

test.each(['http://169.254.169.254/', 'http://[::1]/', 'file:///etc/passwd', '//attacker.example/a.png'])(
  'a redirect to %s is not followed',
  async (location) => {
    const own = await openApi((_request, response) => response.writeHead(302, { location }).end())
    const begun = watched()
    const monitor = connect(own.url)
    await expect(monitor.roles()).rejects.toThrow('a redirect, which is not followed')
    expect(begun).toEqual(['a connection'])
  },
)

test.each([
  'ws://127.0.0.1/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'data:image/png;base64,iVBORw0KGgo=',
  'javascript:alert(1)',
  '//127.0.0.1/',
  '',
])('%j is no link', (address) => {
  expect(link(address, 'here')).toBe('here')
})

test.each([
  ['https://bank.example@evil.example/', 'here'],
  ['https://user:word@evil.example/', 'here'],
  ['https://monitor.example/a|b>c<d e', '<https://monitor.example/a%7Cb%3Ec%3Cd%20e|here>'],
])('a link to %s cannot pretend to lead elsewhere', (address, shown) => {
  expect(link(address, 'here')).toBe(shown)
})

test.each([
  'https://slack.com.attacker.example/response/1',
  'https://hooks-slack.com/response/1',
  'https://hooks.slack.com@attacker.example/response/1',
  'http://hooks.slack.com/response/1',
  'http://127.0.0.1:1/response/1',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'not an address',
])('an answer is not sent to %s, which is not Slack', async (address) => {
  const begun = watched()
  const urls = openResponseUrls({ apiUrl: 'https://slack.com/api/', clock: handClock() })
  expect(await urls.send(address, { text: 'x', blocks: [], replace: false })).toBe('over')
  expect(begun).toEqual([])
})
