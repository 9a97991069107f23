/** A service that is killed, or cut off, between each step and the next, at a real Alertmanager. */
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { openAlertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import type { Scope } from '../../../src/service/prometheus/silence-book.ts'
import { exporter } from '../scrape/exporters.ts'
import { type Alertmanager, isAlertmanagerMissing, openAlertmanager } from './alertmanager.ts'
import {
  muteOf,
  newProcess,
  openKeptLedger,
  openTownSilences,
  type Process,
  serverOf,
} from './memory-alertmanager.ts'

type Cut = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly isDone: boolean
  /** Whether who asks is killed, or lives and hears that the connection is gone. */
  readonly isKill: boolean
}

/** Between the service and the Alertmanager: lets through all but one request. */
async function openProxy(real: Alertmanager) {
  let coming: { readonly cut: Cut; readonly process: Process } | null = null
  const address = await exporter(async (asked, response) => {
    const parts: Uint8Array[] = []
    for await (const part of asked) parts.push(part)
    const cut = coming !== null && coming.cut.method === asked.method ? coming : null
    if (cut !== null) coming = null
    if (cut?.cut.isKill) cut.process.isDead = true
    if (cut !== null && !cut.cut.isDone) return void response.destroy()
    const { statusCode, body } = await request(`${real.url}${asked.url}`, {
      method: asked.method ?? 'GET',
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      headers: { 'content-type': 'application/json' },
    })
    const text = await body.text()
    if (cut !== null) return void response.destroy()
    response.statusCode = statusCode
    response.end(text)
  })
  return {
    endpoint: { url: new URL(address).origin, authorization: null },
    cutNext(cut: Cut, process: Process) {
      coming = { cut, process }
    },
  }
}

async function open(real: Alertmanager) {
  const proxy = await openProxy(real)
  const ledger = openKeptLedger()
  const limits = { timeoutMs: 2_000, nowMs: Date.now, report() {} }
  const alertmanagers = openAlertmanagers([proxy.endpoint], limits)
  onTestFinished(alertmanagers.close)
  return {
    proxy,
    start() {
      const process = newProcess()
      return { process, ...openTownSilences({ alertmanagers, ledger: ledger.ledgerOf(process) }) }
    },
  }
}

const count = async (real: Alertmanager): Promise<number> =>
  JSON.parse(await real.amtool('silence', 'query', '-o', 'json')).length

const inAnHourMs = Date.now() + 3_600_000
const cuts = [serverOf('web-1'), muteOf('alert-1', 'DiskFull', inAnHourMs)].flatMap((scope) =>
  [true, false].flatMap((isKill) =>
    [true, false].map((isDone) => ({
      scope,
      isKill,
      isDone,
      what: `of ${scope.subject.kind === 'mute' ? 'a mute' : 'a server'}, ${isKill ? 'killed' : 'cut off'} ${isDone ? 'after' : 'before'} it is done`,
    })),
  ),
)
const when = test.skipIf(isAlertmanagerMissing)
/** As `found` tells of it. */
const offOf = ({ subject, ways }: Scope): Scope => ({ subject, ways })

when.each(cuts)('$what, a silence that was asked for and never answered does not stay', async (cut) => {
  const real = await openAlertmanager()
  const { proxy, start } = await open(real)
  const first = start()
  proxy.cutNext({ method: 'POST', ...cut }, first.process)
  await expect(first.set(cut.scope, false)).rejects.toMatchObject({ status: 503 })
  expect(await count(real)).toBe(cut.isDone ? 1 : 0)
  const next = cut.isKill ? start() : first
  expect(next.found()).toEqual([])
  await next.tend()
  expect(await count(real)).toBe(0)
  await next.set(cut.scope, false)
  await next.tend()
  expect([await count(real), next.found()]).toEqual([1, [offOf(cut.scope)]])
})

when.each(cuts)('$what, a silence that was to end ends, and is told of', async (cut) => {
  const real = await openAlertmanager()
  const { proxy, start } = await open(real)
  const first = start()
  await first.set(cut.scope, false)
  proxy.cutNext({ method: 'DELETE', ...cut }, first.process)
  await expect(first.set(cut.scope, true)).rejects.toMatchObject({ status: 503 })
  const next = cut.isKill ? start() : first
  expect(next.found()).toEqual([offOf(cut.scope)])
  await next.tend()
  expect([await count(real), next.found(), next.ended]).toEqual([0, [], [cut.scope.subject]])
})

when.each(cuts.filter(({ scope }) => scope.subject.kind === 'mute'))(
  '$what, a mute that was to change stays as it was, and changes when asked for again',
  async (cut) => {
    const real = await openAlertmanager()
    const { proxy, start } = await open(real)
    const first = start()
    await first.set(cut.scope, false)
    const other = muteOf('alert-1', 'Down', inAnHourMs)
    proxy.cutNext({ method: 'POST', ...cut }, first.process)
    await expect(first.set(other, false)).rejects.toMatchObject({ status: 503 })
    const next = cut.isKill ? start() : first
    expect(next.found()).toEqual([offOf(cut.scope)])
    await next.tend()
    expect([await count(real), next.found()]).toEqual([1, [offOf(cut.scope)]])

    // What it replaces is ended; if that was not answered, a little later.
    proxy.cutNext({ method: 'DELETE', ...cut }, next.process)
    await next.set(other, false)
    expect(await count(real)).toBe(cut.isDone ? 1 : 2)
    const last = cut.isKill ? start() : next
    await last.tend()
    expect([await count(real), last.found()]).toEqual([1, [offOf(other)]])
    expect(JSON.parse(await real.amtool('silence', 'query', '-o', 'json'))).toMatchObject([
      { matchers: [{ name: 'alertname', value: 'Down' }] },
    ])
  },
)

when('killed while it is off, the next one goes on with the same silence', async () => {
  const real = await openAlertmanager()
  const { start } = await open(real)
  const first = start()
  await first.set(serverOf('web-1'), false)
  first.process.isDead = true
  const next = start()
  expect(next.found()).toEqual([serverOf('web-1')])
  await next.tend()
  expect(await count(real)).toBe(1)
  await next.set(serverOf('web-1'), true)
  expect(await count(real)).toBe(0)
})

test.each([
  ['an error', 500, '"out of memory"', 502, /answered 500: out of memory$/],
  ['a page', 200, '<html>', 502, /expected JSON/],
  ['no id', 200, '{}', 502, /expected the id of a silence/],
  ['no answer', 0, '', 504, /did not answer within 2 s$/],
] as const)(
  '%s to a silence is a sentence, and nothing is off',
  async (_, status, text, refused, sentence) => {
    const address = await exporter((asked, response) => {
      if (asked.method === 'GET') return void response.end('[]')
      if (status === 0) return
      response.statusCode = status
      response.end(text)
    })
    const endpoint = { url: new URL(address).origin, authorization: null }
    const alertmanagers = openAlertmanagers([endpoint], { timeoutMs: 2_000, nowMs: Date.now, report() {} })
    onTestFinished(alertmanagers.close)
    const silences = openTownSilences({ alertmanagers, ledger: openKeptLedger().ledgerOf(newProcess()) })
    await expect(silences.set(serverOf('web-1'), false)).rejects.toMatchObject({
      status: refused,
      message: expect.stringMatching(sentence),
    })
    expect(silences.found()).toEqual([])
  },
)
