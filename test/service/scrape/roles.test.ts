/** Roles of a file that changes its names with each deployment. */
import { expect, test } from 'vitest'
import { rolesOf } from '../records.ts'
import { configOf, targetOf } from './exporters.ts'
import { nothingHere, openFleetTown } from './fleet-town.ts'

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
