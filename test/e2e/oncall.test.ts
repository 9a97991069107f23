/**
 * The bundled bot as a process, with a calendar over real HTTP that it reads in a thread: killed at a change of shift, and started again
 * while the calendar cannot be read, it tells of the change and hands over once.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { test } from 'vitest'
import { event, google } from '../bot/oncall/calendars.ts'
import { clockAhead } from '../support/settings.ts'
import { soon } from '../support/shared-town.ts'
import { openTown } from '../support/town.ts'

const hourMs = 3_600_000

const at = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')

const shift = (who: string, fromMs: number, toMs: number) =>
  event(`DTSTART:${at(fromMs)}\nDTEND:${at(toMs)}\nSUMMARY:On call: ${who}@example.com`)

test('killed at a change of shift while the calendar is away, it tells of it once', async ({
  expect,
  onTestFinished,
}) => {
  const town = await openTown({ closeLater: onTestFinished })
  const nowMs = Date.now()
  const calendar = google([
    shift('ana', nowMs - 8 * hourMs, nowMs + hourMs),
    shift('ben', nowMs + hourMs, nowMs + 9 * hourMs),
  ])
  let isAway = false
  let refused = 0
  const server = createServer((_, response) => {
    if (isAway) refused += 1
    response.writeHead(isAway ? 500 : 200).end(isAway ? '' : calendar)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const policy = join(town.folder, 'policy.yml')
  writeFileSync(policy, 'images: off\nboard: off\noncall: { handoff: true }\n')
  const settings = {
    MONBOT_CONFIG: policy,
    ONCALL_ICAL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hunter2.ics`,
  }
  const memory = <Row>(sql: string): Row[] => {
    const db = new SQLite(join(town.folder, 'monbot.db'), { readonly: true })
    const rows = db.prepare<[], Row>(sql).all()
    db.close()
    return rows
  }
  const told = () => memory<{ value: string }>("select value from facts where name = 'oncall told'")
  const changes = () => memory<{ n: number }>("select count(*) n from audit where act = 'shift_change'")[0]?.n

  const first = await town.bot(settings)
  await expect.poll(() => told()[0]?.value, soon).toContain('U0ANA00001')
  expect(first.logged('oncall:read')).toMatchObject([{ duties: 2, skipped: 0 }])
  await first.kill('SIGKILL')

  isAway = true
  const later = { ...settings, ...clockAhead(hourMs + 60_000) }
  const second = await town.bot(later)
  await expect.poll(changes, { ...soon, interval: 1 }).toBe(1)
  await second.kill('SIGKILL')

  refused = 0
  const third = await town.bot(later)
  await expect.poll(() => town.cards().map(({ text }) => text.split('\n')[0]), soon).toHaveLength(2)
  await expect.poll(() => refused, soon).toBeGreaterThan(0)
  // Killed while it was posted, the line is looked for first, and the other may overtake it.
  const [handoff, line] = town
    .cards()
    .map(({ text }) => text)
    .sort()
  expect(line).toMatch(/^📟 <@U0BEN00001> is on call until .* · before: <@U0ANA00001>/)
  expect(handoff).toMatch(/^Handoff · [\s\S]*in the last 9 h/)
  await third.kill('SIGTERM')
  expect([changes(), town.cards().length]).toEqual([1, 2])
  expect(first.output() + second.output() + third.output()).not.toContain('hunter2')
})
