/** A backup of a database in use is whole, is one file, and can be started from. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { emptyPlan } from '../../src/domain/plan.ts'
import { backUp } from '../../src/store/open/backup.ts'
import { openStore } from '../../src/store/open/open-store.ts'
import { StoreError } from '../../src/store/open/store-error.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-backup-'))
  folders.push(folder)
  return folder
}

const note = (store: Awaited<ReturnType<typeof openStore>>, polledMs: number) =>
  store.commit({ ...emptyPlan(polledMs), facts: { polledMs } })

test('a copy made while it is written is what was committed, in one file, and opens as a database of its own', async () => {
  const folder = newFolder()
  const store = await openStore(join(folder, 'monbot.db'))
  await note(store, 1_000)
  const writing = Array.from({ length: 50 }, (_, n) => note(store, 2_000 + n))
  const made = await backUp(join(folder, 'monbot.db'), join(folder, 'copy.db'))
  await Promise.all(writing)
  expect(made).toMatchObject({ alerts: 0, mutes: 0 })
  // It goes on as if nothing had been.
  await note(store, 3_000)
  await store.close()
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db'])
  const restored = await openStore(join(folder, 'copy.db'))
  const { facts } = await restored.recall()
  expect(facts.polledMs).toBeGreaterThanOrEqual(1_000)
  expect(facts.polledMs).toBeLessThan(3_000)
  await restored.close()
})

test('no file is overwritten, and a failed backup leaves none', async () => {
  const folder = newFolder()
  const there = join(folder, 'there.db')
  writeFileSync(there, 'precious')
  const store = await openStore(join(folder, 'monbot.db'))
  await expect(backUp(join(folder, 'monbot.db'), there)).rejects.toThrow(/there already/)
  await store.close()
  await expect(backUp(join(folder, 'none.db'), join(folder, 'x.db'))).rejects.toThrow(/There is no database/)
  await expect(backUp(there, join(folder, 'x.db'))).rejects.toThrow(StoreError)
  await expect(backUp(join(folder, 'monbot.db'), join(folder, 'no', 'x.db'))).rejects.toThrow(StoreError)
  expect(existsSync(join(folder, 'x.db'))).toBe(false)
  expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([])
})
