/**
 * The bundled bot as a process, with a report at its time: killed while it is made, written down or posted, and started again, the report
 * stands there once, with the night's alerts in its file.
 */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { type TestContext, test, vi } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import { clockAhead } from '../support/settings.ts'
import { policyFile, soon } from '../support/shared-town.ts'
import { openTown, type Town } from '../support/town.ts'

const minuteMs = 60_000
const busy = { plugin: 'CPU', metric: 'busy', value: 97, title: 'It is slow' }
const dueInMs = 120 * minuteMs

/** A town whose clocks a test sets ahead, and a bot that is to report in two hours. */
async function openReportTown({ onTestFinished }: TestContext) {
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const town = await openTown({ service: { nowMs }, workspace: { nowMs }, closeLater: onTestFinished })
  const dueMs = Math.floor((nowMs() + dueInMs) / minuteMs) * minuteMs
  const at = new Date(dueMs).toISOString().slice(11, 16)
  const { id } = town.workspace.channel('db')
  const report = `report: { at: every day ${at}, channel: ${id} }`
  const settings = { MONBOT_CONFIG: policyFile(town, [report]) }
  return {
    town,
    dueMs,
    start: () => town.bot({ ...settings, ...clockAhead(aheadMs) }),
    pass: (ms: number) => {
      aheadMs += ms
    },
    reports: () => town.cards('db').filter(({ text }) => text.startsWith('Report')),
  }
}

/** For which time a report is on disk; 0 before the setting is known. */
function reported({ folder }: Town): number {
  const db = new SQLite(join(folder, 'monbot.db'), { readonly: true })
  const row = db.prepare<[], { value: string }>("select value from facts where name = 'report'").get()
  db.close()
  return row === undefined ? 0 : JSON.parse(row.value).atMs
}

type ReportTown = Awaited<ReturnType<typeof openReportTown>>

const moments: Readonly<Record<string, (of: ReportTown, happened: ReadonlySet<string>) => boolean>> = {
  'while its file goes up': (_, happened) => happened.has('file_completed'),
  'when it is on disk': ({ town, dueMs }) => reported(town) === dueMs,
  'when it has been posted': ({ reports }) => reports().length > 0,
}

test.concurrent.for(Object.entries(moments))('killed %s, it is there once', async ([, when], context) => {
  const { expect } = context
  const of = await openReportTown(context)
  const { town, dueMs, start, pass, reports } = of
  const first = await start()
  town.service.openAlert({ ...busy, server: 'web-1' })
  await expect.poll(() => town.cards().length, soon).toBe(1)
  await expect.poll(() => reported(town), soon).toBeGreaterThan(0)
  await first.kill('SIGKILL')

  pass(dueInMs)
  const happened = new Set<string>()
  town.workspace.events.listen(({ event }) => void happened.add(event.type))
  const second = await start()
  await vi.waitUntil(() => when(of, happened), { timeout: patienceMs, interval: 1 })
  await second.kill('SIGKILL')

  const third = await start()
  await expect.poll(reports, soon).toHaveLength(1)
  // What comes after it has come, and no second one with it.
  town.service.openAlert({ ...busy, server: 'web-2' })
  await expect.poll(() => town.cards().length, soon).toBe(2)
  expect(await third.kill('SIGTERM')).toBe(0)
  const [report, ...others] = reports()
  expect([others, reported(town)]).toEqual([[], dueMs])
  expect(report?.text).toMatch(/\n1 alert opened, 0 closed; 1 open now, 0 at the start\.\n/)
  expect(report?.files).toHaveLength(1)
  const headers = { authorization: `Bearer ${town.workspace.botToken}` }
  const csv = await (await fetch(String(report?.files?.[0]?.url_private), { headers })).text()
  expect(csv).toMatch(/^alert,rule,server,.*\r\n\d+,CPU: busy,web-1,[^\n]*\r\n$/)
})
