/** What an alert's links lead to: a real picture of its metric, and a page that runs nothing. */
import { createHash } from 'node:crypto'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { openAlertLog } from '../../src/service/alerts/alert-log.ts'
import { memoryLedger } from '../../src/service/store/ledger.ts'
import { alertPage } from '../../src/service/web/alert-page.ts'
import { escaped } from '../../src/service/web/chart-svg.ts'
import { form, openTown, type Town } from './open-service.ts'
import { readPng } from './png.ts'
import { alertsOf } from './records.ts'

const [line, limit, episode, marker] = ['#2563eb', '#dc2626', '#fee2e2', '#7c3aed']

async function linksOf(town: Town, id: number) {
  const alert = (await alertsOf(town)).find((one) => one.id === id)
  if (alert === undefined) throw new Error(`no alert ${id}`)
  return alert
}

async function pictureOf(town: Town, id: number) {
  const { statusCode, headers, body } = await request((await linksOf(town, id)).sparkline_url)
  const bytes = Buffer.from(await body.arrayBuffer())
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/png'])
  expect(bytes.length).toBeLessThan(60_000)
  return readPng(bytes)
}

describe('a sparkline', () => {
  test('is a PNG with the line, the limit and the time of the alert', async () => {
    const town = await openTown({ fleet: true })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'Queue', metric: 'waiting', value: 70 })
    town.clock.pass(300_000)
    const { width, height, colors } = await pictureOf(town, id)
    expect([width, height]).toEqual([640, 180])
    for (const color of [line, limit, episode]) expect(colors.get(color) ?? 0).toBeGreaterThan(200)
    expect(colors.get(marker)).toBeUndefined()
  })

  test('shows markers of its time, and words: without a font there would be none', async () => {
    const town = await openTown({ fleet: true })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'Queue', metric: 'waiting', value: 70 })
    town.clock.pass(60_000)
    await town.api('/markers', form({ notes: 'deploy' }))
    town.clock.pass(60_000)
    const { colors } = await pictureOf(town, id)
    expect(colors.get(marker) ?? 0).toBeGreaterThan(30)
    // The darkest text; the anti-aliased edges have other colours.
    expect(colors.get('#1f2937') ?? 0).toBeGreaterThan(50)
  })

  test('of a closed alert stays what it was', async () => {
    const town = await openTown({ fleet: true })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'Queue', metric: 'waiting', value: 70 })
    town.clock.pass(300_000)
    town.service.closeAlert(id)
    town.clock.pass(600_000)
    const early = await pictureOf(town, id)
    town.clock.pass(20 * 24 * 60 * 60_000)
    expect(await pictureOf(town, id)).toEqual(early)
  })

  test('of a one-off has no line, of a flood of markup no harm', async () => {
    const town = await openTown({ fleet: true })
    const oneoff = town.service.oneoff({ server: 'web-1', plugin: 'Log', title: 'x' })
    expect((await pictureOf(town, oneoff)).colors.get(line)).toBeUndefined()
    const odd = town.service.openAlert({ server: '<&"\'>', plugin: '</svg><script>', metric: '\u202e]]>' })
    expect((await pictureOf(town, odd)).colors.get(line) ?? 0).toBeGreaterThan(100)
  })
})

describe('the page', () => {
  const evil = '<script>alert(1)</script>"\'&<!--'

  test('shows the alert, escapes all of it, and its policy allows its own style and pictures only', async () => {
    const town = await openTown()
    const id = town.service.openAlert({
      server: 'web-1',
      plugin: evil,
      title: evil,
      role: evil,
      metric: evil,
    })
    await town.api('/markers', form({ notes: evil }))
    const { statusCode, headers, body } = await request((await linksOf(town, id)).url)
    const html = await body.text()
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8'])
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<!--')
    expect(html.split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;!--').length).toBeGreaterThan(
      5,
    )
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|script|https?:|\*/)
    const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  test('shows what a Prometheus knows of an alert, whole, and escapes all of it', () => {
    const log = openAlertLog({ ledger: memoryLedger(), form: 'flip', order: 'newest', nowMs: Date.now })
    const key = { type: 'plugin', source: 'Disk', metric: 'used' } as const
    const opened = {
      hostname: 'db-1',
      serverName: 'db-1',
      title: 'Disk full',
      plugin: 'Disk',
      metric: 'used',
      key,
    }
    const record = log.open({
      ...opened,
      value: 96.123456,
      limit: 90,
      limitSide: 'high',
      triggerId: null,
      closesAtMs: null,
    })
    const page = alertPage(
      {
        ...record,
        upstream: {
          fingerprint: 'f',
          rule: null,
          units: '%',
          labels: { [evil]: evil, b: 'x' },
          description: `${evil}\n${'y'.repeat(400)}`,
          links: [{ text: evil, url: 'https://runbooks.example/?a=1&b="2"' }],
          mutedBy: [{ kind: 'silence', id: 's', by: 'ana', untilMs: 0, why: evil, isOurs: false }],
        },
      },
      { picture: 'p', markers: [], roles: [] },
    )
    for (const words of ['y'.repeat(400), '96.1235%', 'silenced by ana until 1970-01-01 00:00:00 UTC: '])
      expect(page).toContain(words)
    expect(page.split(escaped(evil))).toHaveLength(6)
    expect(page).not.toContain(evil)
    expect(page).toContain('href="https://runbooks.example/?a=1&amp;b=&quot;2&quot;"')
  })

  test('shows the picture, found from the page wherever it is served', async () => {
    const town = await openTown()
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    const { url, sparkline_url } = await linksOf(town, id)
    const html = await (await request(url)).body.text()
    const source = /<img src="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(new URL(source, url).href).toBe(sparkline_url)
    expect(new URL(source, 'https://monitor.example/below/a/1').pathname).toMatch(
      /^\/below\/account\/alerts\//,
    )
  })

  test('says when it was closed', async () => {
    const town = await openTown({ form: 'pair' })
    const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
    const page = async () => (await request((await linksOf(town, id)).url)).body.text()
    expect(await page()).toContain('<span class="state start">open</span>')
    town.clock.pass(60_000)
    town.service.closeAlert(id)
    const closed = await page()
    expect(closed).toContain('<span class="state end">closed</span>')
    expect(closed).toContain('<dt>Ended</dt><dd>2026-03-01 12:01:00 UTC</dd>')
  })
})

test.each([
  ['no token', (url: string) => url.replace(/\?.*/, '')],
  ['a token cut short', (url: string) => url.slice(0, -1)],
  ['another token', (url: string) => url.replace(/\?t=.{4}/, '?t=AAAA')],
  ['the token of another alert', (url: string) => url.replace(/\d{6,}/, (id) => `${Number(id) + 1}`)],
  ['an id that is none', (url: string) => url.replace(/\d{6,}/, 'x')],
])('with %s there is nothing to see', async (_, change) => {
  const town = await openTown()
  const id = town.service.openAlert({ server: 'web-1', plugin: 'CPU' })
  town.service.openAlert({ server: 'web-2', plugin: 'CPU' })
  const { url, sparkline_url } = await linksOf(town, id)
  for (const link of [url, sparkline_url]) {
    const { statusCode, body } = await request(change(link))
    await body.dump()
    expect(statusCode).toBe(404)
  }
})

test.each([
  ['<a href="x">&\'', '&lt;a href=&quot;x&quot;&gt;&amp;&#39;'],
  ['tab\tline\nreturn\rnul\0bell\u0007del\u007f', 'tab\tline\nreturn\rnulbelldel'],
  ['half \ud800 \ufffe\uffff whole 😀', 'half \ufffd  whole 😀'],
])('%j is escaped', (text, expected) => {
  expect(escaped(text)).toBe(expected)
})
