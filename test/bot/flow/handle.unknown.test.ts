/** A server that only one of the two knows, monbot or the API, and the name that a deletion asks for: each test is named for what went wrong. */
import { describe, expect, test } from 'vitest'
import { actingOn, actingWorld, answers, muting, unmuting } from '../../support/acting-world.ts'
import { anAlert } from '../../support/delivery-world.ts'

const nothing = { reason: '' }

const shop = anAlert('1', { hostname: 'ip-10-0-0-7', serverName: 'Web shop' })

describe('a 404 made monbot deny a server that it knows, and suggest the very name that was typed', () => {
  const server = { by: 'name', name: 'web-1' } as const
  test.each([
    ['mute', muting('web-1', nothing)],
    ['unmute', unmuting('web-1')],
    ['role add', { kind: 'add_roles', server, roles: ['db'] }],
    ['server delete', { kind: 'delete_server', server: 'web-1', typed: 'web-1' }],
  ] as const)('%s: the API is said not to know it', async (_, change) => {
    const world = await actingOn(anAlert('1', { hostname: 'web-1', serverName: 'web-1' }))
    world.script.next = 404
    const answer = answers[404].message
    expect(await world.does(change)).toMatchObject({
      kind: 'refused',
      refusal: { why: 'unknown_server', server: 'web-1', similar: [], answer },
    })
  })

  test('nodata: its path is a guess, so a 404 says nothing of the server', async () => {
    const world = await actingWorld()
    world.script.next = 404
    const asks = (name: string) => world.does({ kind: 'set_no_data', server: name, group: 'ops' })
    expect(await asks('web-1')).toMatchObject({ kind: 'failed', words: answers[404].message })
    expect(await asks('wbe-1')).toMatchObject({ refusal: { why: 'unknown_server', server: 'wbe-1' } })
  })
})

describe('the form of a deletion', () => {
  const deleting = (given: string) =>
    ({ kind: 'open_form', form: 'delete_server', alertId: null, given }) as const

  test('asked to type a name in another case than the server has, which nobody knows', async () => {
    const world = await actingOn(shop)
    for (const [given, server] of [
      ['WEB-2', 'web-2'],
      ['web SHOP', 'ip-10-0-0-7'],
      ['nosuch', 'nosuch'],
    ] as const)
      expect(await world.does(deleting(given))).toMatchObject({ kind: 'form', form: { given: server } })
  })

  test('took a glob as a name, which could never be typed as shown', async () => {
    const world = await actingWorld()
    for (const came of ['web-*', 'web-?'])
      expect(await world.does(deleting(came))).toMatchObject({
        kind: 'refused',
        refusal: { why: 'invalid', expected: 'the name of one server', came },
      })
  })
})
