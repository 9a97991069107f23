/** What somebody did to several servers at once stands once in the audit and in the handoff, and with each of the servers. */
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/domain/request/audit.ts'
import { tellHandoff } from '../../src/flow/queries/overviews.ts'
import { well } from '../slack/answers.ts'
import { actingWorld, muting, showing, undoing } from '../support/acting-world.ts'

type World = Awaited<ReturnType<typeof actingWorld>>

const listed = ({ act, hostname, outcome, detail }: AuditEntry) =>
  `${act} ${hostname ?? detail.names?.join(',') ?? ''} ${outcome}`

async function done({ store, clock }: World): Promise<readonly string[]> {
  const reply = await tellHandoff({ store, clock, health: () => well() })
  if (reply.kind !== 'answer' || reply.answer.kind !== 'handoff') throw new Error('a handoff was asked for')
  return reply.answer.handoff.done.map(listed).toReversed()
}

async function auditOf({ store }: World, hostname: string): Promise<readonly string[]> {
  const { entries } = await store.audit({ hostname, sinceMs: 0, offset: 0, limit: 10 })
  return entries.map(listed).toReversed()
}

const three = ['web-1', 'web-2', 'web-3']
const mute = muting(three, { shown: showing(...three) })

test('A mute of several servers, its undo, and their unmute are counted once each', async () => {
  const world = await actingWorld()
  const came = await world.does(mute)
  if (came.kind !== 'muted') throw new Error('they are muted')
  await world.does({ ...undoing(came.results[0]?.mute), auditId: came.auditId ?? '' })
  await world.does(mute)
  const [server, ...others] = three.map((name) => ({ by: 'name', name }) as const)
  if (server === undefined) throw new Error('there are three')
  await world.does({ kind: 'unmute_server', server, servers: [server, ...others] })
  const names = 'web-1,web-2,web-3 done'
  const rows = ['mute_server', 'undo_mute', 'mute_server', 'unmute_server'].map((act) => `${act} ${names}`)
  expect(await done(world)).toEqual(rows)
  expect((await world.audit()).map(listed)).toEqual(rows)
  expect((await world.store.audit({ hostname: null, sinceMs: 0, offset: 1, limit: 2 })).total).toBe(4)
  for (const name of three) {
    expect(await auditOf(world, name)).toEqual(rows.map((row) => row.replace(/ .* /, ` ${name} `)))
  }
})

test('One of several that failed stands for itself beside those that were muted', async () => {
  const world = await actingWorld()
  world.script.answerTo = (call) => (call.includes('web-2') ? 422 : 200)
  await world.does(mute)
  expect((await world.audit()).map(listed).toSorted()).toEqual([
    'mute_server web-1,web-3 done',
    'mute_server web-2 failed',
  ])
})
