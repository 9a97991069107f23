/** Links of the policy: which addresses are taken, and what names from outside can make of them. */
import { expect, test } from 'vitest'
import { linkProblem, linksOf } from '../../src/domain/card/links.ts'
import { anAlert } from '../support/delivery-world.ts'

const alert = anAlert('42~2', { hostname: 'web-1', plugin: 'Disk /', metric: 'used percent' })

const urlOf = (url: string, over: Parameters<typeof anAlert>[1] = {}) =>
  linksOf({ ...alert, ...over }, [{ match: {}, text: 'Runbook', url }])[0]?.url ?? null

test.each([
  ['https://wiki.example/cpu?host={server}', 'https://wiki.example/cpu?host=web-1'],
  ['http://grafana:3000/d/{plugin}/{metric}#{alert}', 'http://grafana:3000/d/Disk%20%2F/used%20percent#42'],
  ['https://wiki.example/{server}/{server}', 'https://wiki.example/web-1/web-1'],
  ['https://wiki.example/', 'https://wiki.example/'],
])('%s becomes %s', (url, filled) => {
  expect(linkProblem(url)).toBeNull()
  expect(urlOf(url)).toBe(filled)
})

test.each([
  ['https://wiki.example/{host}', 'no other braces than {server}, {plugin}, {metric}, {alert}'],
  ['https://wiki.example/{server', 'no other braces'],
  ['https://wiki.example/{}', 'no other braces'],
  ['https://{server}.example/', 'host is fixed'],
  ['https://wiki.example:{alert}/', 'https:// or http://'],
  ['https://wiki{server}?a', 'host is fixed'],
  ['javascript:alert(1)', 'https:// or http://'],
  ['wiki.example/cpu', 'https:// or http://'],
  ['https:wiki.example', 'https:// or http://'],
  ['{server}', 'https:// or http://'],
  ['https://ana:secret@wiki.example/', 'without a user'],
  ['https://wiki.example/a/../{server}', 'without the steps'],
])('%s is refused: %s', (url, words) => {
  expect(linkProblem(url)).toContain(words)
})

const hostile = [
  '..',
  '.',
  '../../admin',
  '..\\admin',
  '//evil.example',
  '@evil.example',
  'https://evil.example',
  'a?b=c#d',
  'a&admin=1',
  '%2e%2e',
  '%2F..',
  '|click>',
  '\'"<script>',
  'a\nb\tc',
  '\u202egnp',
  '\ud800',
]

test.each(hostile)('a server called %j changes neither the host nor the shape of the address', (hostname) => {
  const filled = urlOf('https://wiki.example/of/{server}/cpu?host={server}&x=1#{server}', { hostname })
  if (filled === null) return expect(['.', '..']).toContain(hostname)
  const { origin, pathname, searchParams } = new URL(filled)
  expect(origin).toBe('https://wiki.example')
  expect(pathname.split('/').length).toBe(4)
  expect(pathname).toMatch(/^\/of\/[^/]+\/cpu$/)
  expect([...searchParams.keys()]).toEqual(['host', 'x'])
  expect(searchParams.get('host')).toBe(hostname.toWellFormed())
  expect(filled).not.toMatch(/[|<>\s]/)
})

test('at the end of a path, too, a server called .. takes no step up', () => {
  expect(urlOf('https://wiki.example/of/{server}', { hostname: '..' })).toBeNull()
  expect(urlOf('https://wiki.example/{server}', { hostname: '..' })).toBeNull()
  expect(urlOf('https://wiki.example/of/{server}', { hostname: '.' })).toBeNull()
  expect(urlOf('https://wiki.example/of/host-{server}', { hostname: '..' })).not.toBeNull()
})

test('a link that needs what the alert does not have is left out, and so is one that is too long', () => {
  expect(urlOf('https://wiki.example/{metric}', { metric: null })).toBeNull()
  expect(urlOf('https://wiki.example/{plugin}', { plugin: '' })).toBeNull()
  expect(urlOf('https://wiki.example/{server}', { hostname: 'x'.repeat(10_000) })).toBeNull()
})

test('all links that match stand in the order of the policy', () => {
  const url = 'https://wiki.example/'
  const rules = [
    { match: { plugin: 'disk *' }, text: 'Disks', url },
    { match: { plugin: 'CPU' }, text: 'CPUs', url },
    { match: { severity: 'critical' }, text: 'Criticals', url },
    { match: {}, text: 'Everything', url },
  ] as const
  const textsOf = (severity: 'critical' | 'warning') =>
    linksOf({ ...alert, severity }, rules).map(({ text }) => text)
  expect(textsOf('warning')).toEqual(['Disks', 'Everything'])
  expect(textsOf('critical')).toEqual(['Disks', 'Criticals', 'Everything'])
})
