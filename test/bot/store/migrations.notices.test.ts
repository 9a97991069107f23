/** Five kinds of cards became one, `notice`: what was said, what was being said and what was to be said stays so. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { flapReminder, reminderCard } from '../../../src/bot/domain/card/thread-cards.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { earlierDatabase } from '../../support/earlier-database.ts'

const nowMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** One of each kind that there was: posted, being posted as the process ended, or waiting. */
const rows = [
  ['alert:1:C1', 'alert', 'shown'],
  ['reminder:1:C1', 'reminder', 'shown'],
  ['again:1:C1', 'again', 'sending'],
  ['worsened:1:C1', 'worsened', 'wanted'],
  ['forgotten:alert:1:C1:U1:1', 'forgotten', 'wanted'],
  ['told:a1:C1', 'told', 'wanted'],
  ['handback:m1:5', 'handback', 'shown'],
  ['blind:b1:C1', 'blind', 'shown'],
] as const

async function before(isDone = (name: string) => name < '0010_notices'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-notices-'))
  folders.push(folder)
  const path = join(folder, 'monbot.db')
  const subjects: Partial<Record<string, string>> = {
    forgotten: 'U1',
    told: 'a1',
    handback: 'm1',
    blind: 'b1',
  }
  const cards = rows.map(
    (
      [cardId, kind, state],
      n,
    ) => `insert into cards (card_id, kind, channel, parent_id, mention, subject_id, created_ms,
      state, wanted, shown, moved, ts, not_before_ms, sending_ms, first_sending_ms, attempts, plain, tidies) values ('${cardId}', '${kind}', 'C1',
      ${n === 0 ? 'null' : "'alert:1:C1'"}, '<!here>', ${subjects[kind] === undefined ? 'null' : `'${subjects[kind]}'`}, ${nowMs + n},
      '${state}', 1, ${state === 'shown' ? 1 : 0}, 0, ${state === 'shown' ? `'1.${n}'` : 'null'}, 0,
      ${state === 'sending' ? `${nowMs}, ${nowMs}` : 'null, null'}, 0, 0, 0);
      insert into card_alerts values ('${cardId}', '1', 0);`,
  )
  await earlierDatabase(
    path,
    isDone,
    `insert into alerts (alert_id, number, hostname, server_name, title, plugin, url, state, started_ms, absences, roles,
      severity, version, first_seen_ms) values ('1', '1', 'web-1', 'web-1', 'full', 'Disk /', '', 'open', 1, 0, '[]', 'critical', 1, 1);
    insert into audit (audit_id, at_ms, user_id, via, act, outcome, detail) values ('a1', 1, 'U1', 'slash', 'acknowledge', 'done', '{}');
    ${cards.join('\n')}`,
  )
  return path
}

test('what was said as a card of its own kind is a notice after the upgrade, and is not said again', async () => {
  const store = await openStore(await before())
  const places = await Promise.all(rows.map(([cardId]) => store.cardById(cardId)))
  expect(places.map((place) => [place?.cardId, place?.kind, place?.topic])).toEqual([
    ['alert:1:C1', 'alert', null],
    ['reminder:1:C1', 'notice', 'unacknowledged'],
    ['again:1:C1', 'notice', 'flap_reminder'],
    ['worsened:1:C1', 'notice', 'became_critical'],
    ['forgotten:alert:1:C1:U1:1', 'notice', 'stale_ack'],
    ['told:a1:C1', 'notice', 'change_notice'],
    ['handback:m1:5', 'mute_expiring', null],
    ['blind:b1:C1', 'outage', null],
  ])
  const alert = anAlert('1', { hostname: 'web-1' })
  const root = { cardId: 'alert:1:C1', channel: 'C1' }
  const again = [reminderCard('1:C1', [alert], { root, mention: null }), flapReminder(alert, root, null)]
  await store.commit({ ...emptyPlan(nowMs), cards: again })
  expect(await store.noticesOf('unacknowledged')).toHaveLength(1)
  expect(await store.noticesOf('flap_reminder')).toHaveLength(1)
  await store.close()
})

test('what waited or was being said as the upgrade came is said once, by the key that Slack may know', async () => {
  const store = await openStore(await before())
  expect(await store.recoverSending()).toBe(1)
  const said: string[] = []
  const tasks = ['post', 'check'] as const
  for (let job = await store.nextJob('C1', nowMs + 60_000, tasks); job !== null; ) {
    said.push(`${job.task} ${job.cardId} ${job.view.kind === 'notice' ? job.view.topic : job.view.kind}`)
    await store.settle(job.cardId, { state: 'shown', ts: `2.${said.length}`, shown: job.wanted })
    job = await store.nextJob('C1', nowMs + 60_000, tasks)
  }
  expect(said).toEqual([
    'post worsened:1:C1 became_critical',
    'check again:1:C1 flap_reminder',
    'post forgotten:alert:1:C1:U1:1 stale_ack',
    'post told:a1:C1 change_notice',
  ])
  await store.close()
})

test('an upgrade that is broken off in its last step leaves the database as it was, for the next start', async () => {
  const path = await before()
  const sqlite = new SQLite(path)
  const kinds = sqlite.prepare('select card_id, kind from cards order by created_ms').raw()
  sqlite.exec(`create trigger in_the_way before update on cards when new.kind = 'outage'
    begin select raise(abort, 'no power'); end`)
  await expect(openStore(path)).rejects.toThrow(/cannot be migrated: no power/)
  expect(kinds.all()).toEqual(rows.map(([cardId, kind]) => [cardId, kind]))
  sqlite.exec('drop trigger in_the_way')
  sqlite.close()
  const store = await openStore(path)
  expect(await store.noticesOf('change_notice')).toHaveLength(1)
  await store.close()
})

test('a database that already has a later migration gets this one all the same', async () => {
  const store = await openStore(await before((name) => name !== '0010_notices'))
  expect(await store.noticesOf('became_critical')).toHaveLength(1)
  await store.close()
})
