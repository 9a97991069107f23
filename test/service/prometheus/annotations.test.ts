/** What the author of a rule wrote, as title, description and links. */
import { expect, test } from 'vitest'
import { oneLine, wordsOf } from '../../../src/service/prometheus/annotations.ts'

test.each([
  [{ summary: 'Disk  full\n', description: 'of db-1' }, 'Disk full', 'of db-1'],
  [{ description: 'Disk full' }, 'Disk full', 'Disk full'],
  [{ message: 'Disk full' }, 'Disk full', ''],
  [{ summary: 'Disk full', message: 'of db-1' }, 'Disk full', 'of db-1'],
  [{ summary: ' ', description: '\t', message: 'Disk full' }, 'Disk full', ''],
  [{ summary: 'Same', description: 'Same' }, 'Same', 'Same'],
  [{}, '', ''],
])('%j has the title %j and the description %j', (annotations, title, description) => {
  expect(wordsOf(annotations)).toEqual({ title, description, links: [] })
})

test('a description keeps its lines, and loses what no page can show', () => {
  const text = '\r\nfirst\r\n\u0000\u001bsecond\n  VALUE = 5 \ud800 \n'
  expect(wordsOf({ description: text }).description).toBe('first\nsecond\n  VALUE = 5 \ufffd')
})

test.each([
  [9, 'abcdefghi'],
  [10, 'abcdefghij'],
  [11, 'abcdefghi…'],
])('of ten characters at most, %i are %j', (count, told) => {
  expect(oneLine('abcdefghijkl'.slice(0, count), 10)).toBe(told)
})

test('a cut leaves no half character', () => {
  expect(oneLine(`abcdefgh😀x`, 10)).toBe('abcdefgh…')
  expect(oneLine(`abcdefgh😀`, 10)).toBe('abcdefgh😀')
})

const urlsOf = (annotations: Record<string, string>) =>
  wordsOf(annotations).links.map(({ text, url }) => `${text} ${url}`)

test('links are the usual annotations first, then any other that is one address', () => {
  expect(
    urlsOf({
      summary: 'see https://x.example/a',
      wiki_page: 'http://wiki.example/Disk%20full?x=1#y',
      dashboard_url: ' https://grafana.example/d/1 ',
      ' logs-link ': 'HTTPS://logs.example/',
      runbook_url: 'https://runbooks.example/DiskFull',
      same: 'https://runbooks.example/DiskFull',
    }),
  ).toEqual([
    'Runbook https://runbooks.example/DiskFull',
    'Dashboard https://grafana.example/d/1',
    'Logs HTTPS://logs.example/',
    'Wiki page http://wiki.example/Disk%20full?x=1#y',
  ])
})

test.each([
  'ftp://files.example/a',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://',
  'https:///a',
  'https://two.example/ https://addresses.example/',
  'https://user@runbooks.example/',
  'https://grafana.example:pass@evil.example/',
  'https://a.example/\u0007',
  '//a.example/',
  'runbooks/DiskFull',
  `https://a.example/${'x'.repeat(1_983)}`,
])('%j is no link', (url) => {
  expect(urlsOf({ runbook_url: url })).toEqual([])
})

test('five links at most, of 2,000 characters at most', () => {
  const urls = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, `https://a.example/${at}`]))
  expect([4, 5, 6].map((count) => urlsOf(urls(count)).length)).toEqual([4, 5, 5])
  expect(urlsOf({ x: `https://a.example/${'x'.repeat(1_982)}` })).toHaveLength(1)
  const [long = ''] = urlsOf({ ['n'.repeat(200)]: 'https://a.example/' })
  expect(long.length).toBe(75 + ' https://a.example/'.length)
})
