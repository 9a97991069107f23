/** What a mute asks before it is done, what it says it replaced, and how several are taken back. */
import { expect, test } from 'vitest'
import { muteFingerprint } from '../../../src/bot/domain/mute/shown.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { openPermit } from '../../../src/bot/flow/actions/permit.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import {
  actingOn,
  actingWorld,
  hourMs,
  muting,
  mutingAccount,
  showing,
  undoing,
} from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { anAlert } from '../../support/delivery-world.ts'

const said = (reply: Reply) => renderReply(reply)?.text ?? ''
type World = Awaited<ReturnType<typeof actingWorld>>

async function confirmed(w: World, reply: Reply, userId = 'U0ANA'): Promise<Reply> {
  return w.confirms(reply, { via: 'button', userId })
}

const told = async (w: World) => {
  const entry = (await w.audit()).at(-1)
  return entry === undefined ? '' : render({ kind: 'notice', topic: 'change_notice', entry }).text
}

test("A mute that shortens a colleague's asks first, and both the answer and the channel say what was there", async () => {
  const w = await actingWorld()
  const rma = muting('web-1', {
    end: { kind: 'unmuted' },
    reason: 'RMA, do not page',
    shown: showing('web-1'),
  })
  await w.does(rma)
  const asked = await w.does(muting('web-1', { reason: '' }), { userId: 'U0BEN' })
  expect(said(asked)).toMatch(/web-1 is muted until somebody unmutes it by <@U0ANA> — RMA, do not page/)
  const before = "Replaces <@U0ANA>'s mute until somebody unmutes it — RMA, do not page"
  expect(said(await confirmed(w, asked, 'U0BEN'))).toContain(before)
  expect(await told(w)).toContain(before)
})

test("A form that shortens a colleague's mute asks as well", async () => {
  const w = await actingWorld()
  await w.does(muting('web-1', { end: { kind: 'for', ms: 4 * hourMs } }))
  const asked = await w.does(muting('web-1', { shown: showing('web-1') }), { userId: 'U0BEN', via: 'modal' })
  expect(await confirmed(w, asked, 'U0BEN')).toMatchObject({ kind: 'muted' })
})

test("A longer mute, and one's own, are replaced without a question", async () => {
  const w = await actingWorld()
  await w.does(muting('web-1'))
  const longer = muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } })
  expect(await w.does(longer, { userId: 'U0BEN' })).toMatchObject({ kind: 'muted' })
  expect(await w.does(muting('web-1'), { userId: 'U0BEN' })).toMatchObject({ kind: 'muted' })
})

test('A mute of several servers is taken back by one Undo, and told once', async () => {
  const w = await actingWorld()
  w.script.roles = new Map([['web', ['web-1', 'web-2', 'web-3']]])
  await w.does(muting('web-1', { reason: 'mine' }))
  const muted = await confirmed(
    w,
    await w.does(muting(['web-1', 'web-2', 'web-3'], { end: { kind: 'for', ms: 2 * hourMs } })),
  )
  const value = /"action_id":"undo_mute[^}]*"value":"([^"]+)"|"value":"([^"]+)"/.exec(
    JSON.stringify(renderReply(muted)?.blocks),
  )
  const [muteId = '', termsMs, auditId = ''] = (value?.[1] ?? value?.[2] ?? '').split('|')
  const rows = (await w.store.noticesOf('change_notice')).length
  const undone = await w.does(
    { kind: 'undo_mute', muteId, termsMs: Number(termsMs), auditId },
    { via: 'button' },
  )
  expect(said(undone)).toBe('↩️ Undone: 3 mutes taken back: web-1, web-2, web-3.')
  expect(await w.mutes()).toMatchObject([{ subject: 'web-1', reason: 'mine' }])
  expect(w.calls.slice(-2)).toEqual(['server web-2 on', 'server web-3 on'])
  expect((await w.store.noticesOf('change_notice')).length).toBe(rows + 1)
  expect(await told(w)).toMatch(
    /undid the mutes of 3 servers .*holds again\nMuted again: web-1 until .* — mine$/,
  )
})

test('An Undo of several goes on without the API, and says so', async () => {
  const w = await actingWorld()
  const names = [1, 2, 3, 4, 5, 6].map((n) => `web-${n}`)
  const muted = await w.does(muting(names, { shown: showing(...names) }))
  if (muted.kind !== 'muted') throw new Error('all were muted')
  const undo = { ...undoing(muted.results[0]?.mute), auditId: muted.auditId ?? '' }
  w.script.next = 503
  const undone = await w.does(undo, { via: 'button' })
  expect(said(undone)).toMatch(/^↩️ Undoing: 6 mutes taken back: web-1, .*\.\nCouldn't confirm it yet/)
  expect(await w.mutes()).toMatchObject(names.map(() => ({ state: 'ended', confirmation: 'waiting' })))
  expect(w.calls.filter((call) => call.endsWith(' on')).length).toBeLessThan(5)
})

test('The receipt names every server that it mutes', async () => {
  const w = await actingWorld()
  const names = Array.from({ length: 40 }, (_, at) => `web-${at}`)
  w.script.roles = new Map([['all', names]])
  const asked = await w.does(muting('web-*'))
  for (const name of names) expect(said(asked)).toMatch(new RegExp(`\\b${name}\\b`))
})

test('Nobody is told that no server matches while the list of servers cannot be read', async () => {
  const w = await actingWorld()
  w.script.rolesFail = true
  expect(said(await w.does(muting('web-*')))).toMatch(/the list of servers cannot be read now\..*503: away/)
})

test('User groups are asked together, and the first that the person is in is enough', async () => {
  const asked: string[] = []
  const never = new Promise<ReadonlySet<string>>(() => {})
  const membersOf = (groupId: string) => {
    asked.push(groupId)
    return groupId === 'S2' ? Promise.resolve(new Set(['U1'])) : never
  }
  const directory = {
    zoneOf: async () => 'Etc/UTC',
    nameOf: async () => 'Ana',
    membersOf,
    personIs: async () => 'person' as const,
  }
  const permit = openPermit(directory, { ...everyone, mute_account: ['S1', 'S2', 'S3'] })
  expect(await permit('U1', 'mute_account', 'mute_account')).toBeNull()
  expect(asked).toEqual(['S1', 'S2', 'S3'])
})

test.each([
  ['the account', mutingAccount, { form: 'mute_account', alertId: null }],
  ['a server', muting('web-1'), { form: 'mute_server', alertId: '1' }],
] as const)(
  'the form of a mute named no mute in force of %s, and was asked about it once more',
  async (_, mute, form) => {
    const world = await actingOn(
      ...(mute.kind === 'mute_account' ? [] : [anAlert('1', { hostname: 'web-1' })]),
    )
    await world.does(mute, { userId: 'U0BEN' })
    const opened = await world.does({ kind: 'open_form', given: null, ...form })
    const others = opened.kind === 'form' ? opened.form.others : []
    expect(others).toMatchObject([{ userId: 'U0BEN' }])
    const open = opened.kind === 'form' ? opened.form.hidesNow : 0
    const servers = mute.kind === 'mute_account' ? [] : ['web-1']
    const asked = { ...mute, shown: { servers, open, mutes: others.map(muteFingerprint) } }
    expect(await world.does(asked, { via: 'modal' })).toMatchObject({ kind: expect.stringMatching(/muted$/) })
    expect(await world.mutes()).toMatchObject([{ userId: 'U0ANA', previous: { userId: 'U0BEN' } }])
  },
)
