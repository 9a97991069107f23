/** A server's own mute ends while the whole account is muted: nobody is told that it is heard again. */
import { describe, expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { Mute } from '../../../src/bot/domain/mute/mute.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { actingWorld, hourMs, muting, mutingAccount, undoing, unmuting } from '../../support/acting-world.ts'
import { expiryWorld, minuteMs, runningWorld } from '../../support/expiry-world.ts'
import { cards } from '../../support/poll-world.ts'
import { manyAlerts, storming } from '../../support/storm-rows.ts'

/** The account is muted for an hour, then these servers are. */
async function bothMuted(...names: readonly string[]) {
  const world = await actingWorld()
  await world.does(mutingAccount, { userId: 'U0CLEO' })
  const [account] = await world.mutes()
  const asked = await world.does(muting(names, { end: { kind: 'for', ms: hourMs / 2 } }))
  const reply = asked.kind === 'confirm' ? await world.confirms(asked) : asked
  if (reply.kind !== 'muted') throw new Error('they are muted')
  const [one] = reply.results
  const untilMs = account?.untilMs ?? 0
  const until = new Date(untilMs).toISOString().slice(0, 16).replace('T', ' ')
  /** What the last change was told as. */
  const told = async () => {
    const entries = await world.audit()
    const entry = entries.findLast(({ partOf }) => partOf === undefined)
    if (entry === undefined) throw new Error('something was done')
    return render({ kind: 'notice', topic: 'change_notice', entry }).text
  }
  const silent = `silent, as the whole account is muted until ${until} UTC`
  return { ...world, mute: one?.mute, auditId: reply.auditId, untilMs, silent, told }
}

const textOf = (reply: Reply) => renderReply(reply)?.text

describe('notifications were told to be on again while the whole account was muted', () => {
  test('by an unmute', async () => {
    const { does, told, silent, untilMs } = await bothMuted('web-3')
    const reply = await does(unmuting('web-3'), { userId: 'U0BEN' })
    expect(reply).toMatchObject({ kind: 'unmuted', isSure: true, accountMuted: { untilMs } })
    expect(textOf(reply)).toBe(`🔔 web-3 is unmuted: it stays ${silent}.`)
    expect(await told()).toBe(`🔔 <@U0BEN> unmuted web-3: it stays ${silent}`)
  })

  test('by an unmute of several', async () => {
    const { does, told, silent } = await bothMuted('web-1', 'web-2')
    const reply = await does(unmuting('web-*'))
    expect(textOf(reply)).toBe(`🔔 Unmuted 2 servers: web-1, web-2.\nThey stay ${silent}.`)
    expect(await told()).toBe(`🔔 <@U0ANA> unmuted 2 servers (web-1, web-2): they stay ${silent}`)
  })

  test('by an undo', async () => {
    const { does, told, mute, silent } = await bothMuted('web-2')
    const reply = await does(undoing(mute))
    expect(textOf(reply)).toBe(`↩️ Undone: web-2 is unmuted.\nIt stays ${silent}.`)
    expect(await told()).toBe(`🔔 <@U0ANA> undid the mute of web-2: it stays ${silent}`)
  })

  test('by an undo of several', async () => {
    const { does, told, mute, auditId = '', silent } = await bothMuted('web-1', 'web-2')
    const reply = await does({ ...undoing(mute), auditId })
    expect(textOf(reply)).toBe(`↩️ Undone: 2 mutes taken back: web-1, web-2.\nThey stay ${silent}.`)
    expect(await told()).toBe(`🔔 <@U0ANA> undid the mutes of 2 servers (web-1, web-2): they stay ${silent}`)
  })

  const silent = ' silent, as the whole account is muted until '

  test('by the deadline, and on the hand-back', async () => {
    const town = await runningWorld()
    await town.mute('web-1', 25)
    await town.mute(null, 60)
    await town.pass(16)
    expect(await town.said()).toEqual(['post mute_expiring'])
    await town.pass(10)
    const texts = (await cards(town)).map(({ view }) => render(view as CardView).text)
    expect(texts).toHaveLength(2)
    for (const text of texts) expect(text).toContain(`The mute of web-1 has ended: it stays${silent}`)
  })

  test('by the deadline of a storm', async () => {
    const town = await expiryWorld()
    await town.poll()
    const nowMs = town.clock.nowMs()
    const { plan, cardId } = storming(manyAlerts(5), 'C1', nowMs)
    await town.store.commit(plan)
    const ofStorm: Partial<Mute> = { mode: 'timed', untilMs: nowMs + 15 * minuteMs, cardId }
    for (let n = 1; n <= 5; n += 1) await town.mute(`web-${n}`, null, ofStorm)
    await town.mute(null, 60)
    town.start()
    await town.pass(16)
    const views = (await cards(town)).flatMap(({ view }) =>
      view.kind === 'notice' && view.topic === 'change_notice' ? [view] : [],
    )
    const texts = views.map((view) => render(view).text)
    expect(texts).toEqual([expect.stringContaining(`have ended: they stay${silent}`)])
  })
})

test('once the account is unmuted, the end of a server’s own mute is told as before', async () => {
  const { does, told } = await bothMuted('web-3')
  await does({ kind: 'unmute_account' })
  expect(await told()).toBe('🔔 <@U0ANA> unmuted the whole account: notifications are on again')
  expect(textOf(await does(unmuting('web-3')))).toBe('🔔 web-3 is unmuted: notifications are on again.')
  expect(await told()).toBe('🔔 <@U0ANA> unmuted web-3: notifications are on again')
})
