/** The file of a fleet is read again as often as it must be, and no more; its roles may be called anew with each deployment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FleetConfig, readConfig } from '../../../src/service/config/read-config.ts'
import { watchConfig } from '../../../src/service/config/watch-config.ts'
import { rolesOf } from '../records.ts'
import { configOf, targetOf } from './exporters.ts'
import { nothingHere, openFleetTown } from './fleet-town.ts'

const fileOf = (name: string): string =>
  `scrape: { targets: [{ url: "http://127.0.0.1:1/metrics", server: ${name} }] }\n`

async function openWatched() {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'fleet.yml')
  writeFileSync(file, fileOf('web-1'))
  const used: FleetConfig[] = []
  const watch = watchConfig({
    file,
    first: await readConfig(file),
    use: (config) => used.push(config),
    report: () => {},
  })
  onTestFinished(() => watch.stop())
  const servers = () => used.map(({ scrape }) => scrape?.targets.map(({ server }) => server).join())
  return { file, watch, servers }
}

test('a thousand hangups at once were a thousand readings, one after the other', async () => {
  const { file, watch, servers } = await openWatched()
  const asked = Array.from({ length: 500 }, () => watch.reload())
  writeFileSync(file, fileOf('web-2'))
  asked.push(...Array.from({ length: 500 }, () => watch.reload()))
  await Promise.all(asked)
  expect(servers().length).toBeLessThanOrEqual(2)
  expect(servers().at(-1)).toBe('web-2')
})

test('one that is asked for while another one is read sees what there is then', async () => {
  const { file, watch, servers } = await openWatched()
  const first = watch.reload()
  await Promise.resolve()
  await Promise.resolve()
  writeFileSync(file, fileOf('web-3'))
  await Promise.all([first, watch.reload()])
  expect(servers().at(-1)).toBe('web-3')
})

test('a file that is being read when the service stops was taken up after its end', async () => {
  const { watch, servers } = await openWatched()
  const asked = watch.reload()
  watch.stop()
  await asked
  expect(servers()).toEqual([])
})

/** A thousand roles, as many as an account may have. */
const targetsOf = (deployment: string) =>
  Array.from({ length: 20 }, (_, n) =>
    targetOf(`web-${n}`, nothingHere, {
      roles: Array.from({ length: 50 }, (_, at) => `${deployment}-${n}-${at}`),
    }),
  )

test('roles that nobody is in any more kept new ones of the file out', async () => {
  const town = await openFleetTown(configOf(targetsOf('blue')))
  town.service.useConfig(configOf(targetsOf('green')))
  const roles = await rolesOf(town)
  expect(Object.keys(roles)).toHaveLength(1_000)
  expect(roles['green-19-49']).toEqual(['web-19'])
  expect(town.lines).toEqual([])
  // What somebody is in stays: then it is said that there is no room.
  const more = targetOf('db-1', nothingHere, { roles: ['data'] })
  town.service.useConfig(configOf([...targetsOf('green'), more]))
  expect(town.lines).toEqual([
    '"db-1" of the file cannot be taken up as it is: expected at most 1000 roles; there are that many',
  ])
})
