/** Requests: once each, only by those who may, and with an answer in seconds whatever is away. */
import { describe, expect, test } from 'vitest'
import { second } from '../../../src/bot/clock.ts'
import type { Policy } from '../../../src/bot/config/policy.ts'
import { LostLead } from '../../../src/bot/world/store.ts'
import { policyOf } from '../worlds/builders.ts'
import { openDesk } from './desk.ts'

const permissions = (over: Partial<Policy['permissions']>) => ({ ...policyOf().permissions, ...over })

describe('a repeat', () => {
  test('gets the same answer, and does nothing again', async () => {
    const desk = openDesk()
    const first = await desk.type('UANA', 'marker deploy', { key: 'same' })
    const second = await desk.type('UANA', 'marker deploy', { key: 'same' })
    expect([second.said, desk.world.effects.size]).toEqual([first.said, 1])
  })

  test('while the first one still runs is answered by nothing', async () => {
    const desk = openDesk({ api: 'is silent' })
    const asked = [1, 2].map(() => desk.type('UANA', 'marker deploy', { key: 'same' }))
    const [first, repeat] = await Promise.all(asked)
    expect([first?.count, repeat?.count, desk.world.effects.size]).toEqual([1, 0, 1])
  })

  test('of what the card itself answers is silent', async () => {
    const desk = openDesk()
    const blocks = desk.cardBlocks(desk.open('8398', 'web-2'))
    await desk.press('UANA', blocks, 'acknowledge', { key: 'same' })
    expect((await desk.press('UANA', blocks, 'acknowledge', { key: 'same' })).count).toBe(0)
  })
})

describe('who may', () => {
  const rows: readonly (readonly [string, Partial<Policy['permissions']>, string | null])[] = [
    ['everyone', {}, null],
    ['a member who is named', { acknowledge: ['UANA'] }, null],
    ['somebody of a group', { acknowledge: ['S1'] }, null],
    ['nobody', { acknowledge: 'nobody' }, 'Nobody may do this (`acknowledge`'],
    ['somebody else', { acknowledge: ['UBEN'] }, 'You may not do this'],
    ['somebody of a group that Slack says nothing about', { acknowledge: ['S2'] }, "Slack didn't answer"],
  ]
  test.each(rows)('%s', async (_, over, why) => {
    const isInGroup = async (_id: string, group: string) => (group === 'S1' ? true : null)
    const desk = openDesk({ policy: { permissions: permissions(over) }, reads: { isInGroup } })
    const alert = desk.open('8398', 'web-2')
    const { said } = await desk.type('UANA', 'ack web-2')
    expect(said).toContain(why ?? "You're on")
    expect(desk.world.alerts.get(alert.id)?.holder).toBe(why === null ? 'UANA' : null)
  })

  test('holds for buttons and forms as well, and the audit has it', async () => {
    const desk = openDesk()
    const blocks = desk.cardBlocks(desk.open('8398', 'web-2'))
    const { form } = await desk.press('UANA', blocks, 'more', { option: 'note' })
    desk.usePolicy({ permissions: permissions({ acknowledge: 'nobody', add_note: 'nobody' }) })
    await desk.press('UANA', blocks, 'acknowledge')
    await desk.fill('UANA', form, { text: 'rotating logs' })
    const refused = [...desk.world.acts.values()].map(({ kind, subject, by }) => [kind, subject, by])
    expect(refused).toEqual([
      ['refused', 'ack (acknowledge)', 'UANA'],
      ['refused', 'note (add_note)', 'UANA'],
    ])
  })

  test('nobody mutes an account in front of an Alertmanager until the policy says who', async () => {
    const desk = openDesk({ canMuteAlerts: true })
    const { said } = await desk.type('UANA', 'mute account 1h moving')
    expect(said).toContain('Nobody may do this until `mute_account` in the policy file says who.')
  })
})

describe('the database', () => {
  test('away for over a second: refused, and nothing was changed', async () => {
    const desk = openDesk({ awaySinceMs: () => 0 })
    const { said } = await desk.type('UANA', 'marker deploy')
    expect(said).toBe("⚠️ I can't reach my database; nothing was changed.")
    expect([desk.world.acts.size, desk.world.effects.size]).toEqual([0, 0])
  })

  test('away from the decision on: the answer says within three seconds that it is not certain', async () => {
    let awaySinceMs: number | null = null
    const never = new Promise<never>(() => {})
    const outside = () => {
      awaySinceMs = 0
      return never
    }
    const desk = openDesk({ awaySinceMs: () => awaySinceMs, outside })
    const beganMs = desk.clock.nowMs()
    const { said } = await desk.type('UANA', 'ack')
    expect(said).toContain("this isn't certain yet")
    expect(desk.clock.nowMs() - beganMs).toBeLessThan(3 * second)
  })

  test('away: what is only asked is answered from memory, once, and says so', async () => {
    const desk = openDesk({ awaySinceMs: () => 0, outside: () => new Promise<never>(() => {}) })
    desk.open('8398', 'web-2')
    const { said, count } = await desk.type('UANA', 'alerts')
    expect(said).toMatch(/^⚠️ I can't reach my database: what is newest here isn't certain\.\n.*web-2/s)
    expect(count).toBe(1)
  })

  test('away while the monitoring is silent too: an answer within three seconds', async () => {
    let awaySinceMs: number | null = null
    const outside = () => {
      awaySinceMs = 0
      return new Promise<never>(() => {})
    }
    const desk = openDesk({ awaySinceMs: () => awaySinceMs, outside, api: 'is silent' })
    const beganMs = desk.clock.nowMs()
    expect((await desk.type('UANA', 'mute web-2 1h')).said).toContain("this isn't certain yet")
    expect(desk.clock.nowMs() - beganMs).toBeLessThan(3 * second)
  })

  test('of another leader: nothing is answered', async () => {
    const outside = async () => {
      throw new LostLead('another one leads')
    }
    const desk = openDesk({ outside })
    await expect(desk.type('UANA', 'ack')).rejects.toThrow(LostLead)
  })
})

describe('what is not understood', () => {
  test.each([
    ['silence web-2 1h', 'mute web-2 1h'],
    ['mtue web-2 1h', 'mute web-2 1h'],
    ['unmtue web-2', 'unmute web-2'],
    ['frobnicate', undefined],
  ])('%s', async (typed, offer) => {
    const desk = openDesk()
    const answer = await desk.type('UANA', typed)
    expect(answer.said).toContain('No command')
    expect(desk.offers(answer)[0]).toBe(offer)
    expect(desk.world.activeMutes.size).toBe(0)
  })

  test('an offered button runs its whole command', async () => {
    const desk = openDesk()
    desk.open('8398', 'web-2')
    const { blocks } = await desk.type('UANA', 'mute web2 1h')
    await desk.press('UANA', blocks, 'offer_1')
    expect([...desk.world.activeMutes.values()].map(({ name }) => name)).toEqual(['web-2'])
  })

  test('a button of a message that is older than this bot', async () => {
    const desk = openDesk()
    const button = {
      type: 'button',
      action_id: 'verdict',
      text: { type: 'plain_text', text: 'x' },
      value: '{}',
    } as const
    const { said } = await desk.press('UANA', [{ type: 'actions', elements: [button] }], 'verdict')
    expect(said).toBe('⚠️ This message is too old to act on.')
  })
})
