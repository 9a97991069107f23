/** What a database of before says of alerts that something elsewhere mutes: nothing is lost, and nothing counts as just unmuted. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { earlierDatabase } from '../../support/earlier-database.ts'

test('alerts of before are open as they were, muted or not, and go on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-elsewhere-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'monbot.db')
  const silence = { kind: 'silence', id: 's1', by: 'ana', untilMs: 5, why: 'x', isOurs: false }
  const row = (alertId: string, mutedBy: string) =>
    `insert into alerts (alert_id, number, hostname, server_name, title, plugin, url, state, started_ms, absences, roles,
      severity, version, first_seen_ms, muted_by) values ('${alertId}', '${alertId}', 'web-1', 'web-1', 'full', 'Disk', '', 'open', 1, 0,
      '[]', 'warning', 1, 1, ${mutedBy});`
  const rows = [row('1', 'null'), row('2', `'${JSON.stringify([silence])}'`)]
  await earlierDatabase(path, (name) => name < '0013_elsewhere', rows.join('\n'))
  const store = await openStore(path)
  onTestFinished(() => store.close())
  const alerts = (await store.openAlerts(null)).toSorted((a, b) => Number(a.alertId) - Number(b.alertId))
  expect(alerts.map(({ mutedBy, unmutedMs }) => [mutedBy, unmutedMs])).toEqual([
    [undefined, null],
    [[silence], null],
  ])
  const next = alerts.map((alert) => ({ alert: { ...alert, unmutedMs: 7, version: 2 }, was: 1 }))
  expect(await store.commit({ ...emptyPlan(9), alerts: next })).toBe('saved')
  expect((await store.openAlerts(null)).map(({ unmutedMs }) => unmutedMs)).toEqual([7, 7])
})
