/** Which servers may keep the memory, by what they say of themselves: also those that no test can start. */
import { expect, test } from 'vitest'
import { assertServer } from '../../../../src/bot/store/postgres/server.ts'

const good = {
  version: '18.1',
  number: 180_001,
  encoding: 'UTF8',
  fsync: 'on',
  commit: 'on',
  inRecovery: false,
  schema: 'public',
  tellsHistory: true,
}

const judged = (said: Partial<typeof good>) =>
  assertServer(async () => [{ ...good, ...said }], 'db.internal:5432/monbot')

test.each([
  ['9.6.24', 90_624],
  ['13.22 (Debian 13.22-1.pgdg12+1)', 130_022],
])('Postgres %s is too old', async (version, number) => {
  await expect(judged({ version, number })).rejects.toMatchObject({
    name: 'StoreError',
    isSetting: true,
    message: `The Postgres at db.internal:5432/monbot is version ${version}: monbot needs 14 or newer.`,
  })
})

test.each([
  ['14.0', 140_000],
  ['18.4', 180_004],
])('Postgres %s is new enough', async (version, number) => {
  expect(await judged({ version, number })).toBe(version)
})

test.each(['on', 'local', 'remote_write', 'remote_apply'])(
  'synchronous_commit = %s survives a power cut',
  async (commit) => {
    expect(await judged({ commit })).toBe('18.1')
  },
)

test('a standby server may be promoted in a moment, so it is no wrong setting', async () => {
  await expect(judged({ inRecovery: true })).rejects.toMatchObject({ isSetting: false })
})
