/** HTTP mode going wrong on command: bad signatures, clocks that differ, requests that come twice, URLs that prove nothing. */
import { describe, expect, test } from 'vitest'
import { signingSecret, withHttpBot } from './http-bot.ts'
import { eventually, neighbour } from './neighbour.ts'

const mon = { user: 'ana', channel: '#alerts', command: '/mon' }

describe('on command', () => {
  test('signatures are forged or missing, once each, and then good again', async () => {
    const { workspace, taken } = await withHttpBot()
    await workspace.acts.requestFault({ kind: 'forged_signature' })
    await workspace.acts.requestFault({ kind: 'no_signature' })
    for (let n = 0; n < 3; n += 1) await workspace.acts.command(mon)
    expect(taken.map(({ isSigned }) => isSigned)).toEqual([false, false, true])
    expect(taken[0]?.headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/)
    expect(taken[1]?.headers).not.toHaveProperty('x-slack-signature')
  })

  test('requests were made ten minutes ago, until that is cleared', async () => {
    const { workspace, taken, clock } = await withHttpBot()
    await workspace.acts.requestFault({ kind: 'shifted_timestamp', seconds: -600, times: null })
    await workspace.acts.command(mon)
    await workspace.acts.command(mon)
    await workspace.acts.clearFaults({})
    await workspace.acts.command(mon)
    const ages = taken.map(
      ({ headers }) => clock.nowMs / 1_000 - Number(headers['x-slack-request-timestamp']),
    )
    expect(ages).toEqual([600, 600, 0])
    expect(taken.every(({ isSigned }) => isSigned)).toBe(true)
  })

  test('a request comes twice, the same to the byte', async () => {
    const { workspace, taken, clock } = await withHttpBot()
    await workspace.acts.redeliver({ afterMs: 10_000 })
    await workspace.acts.command(mon)
    clock.nowMs += 10_000
    await eventually('the repeat', () => taken.length === 2)
    const proof = ({ body, headers }: (typeof taken)[number]) => ({
      body,
      signature: headers['x-slack-signature'],
      timestamp: headers['x-slack-request-timestamp'],
    })
    expect(taken.map(proof)[1]).toEqual(taken.map(proof)[0])
    await eventually('the answer to it', () =>
      workspace.events
        .since(0)
        .some(({ event }) => event.type === 'request_answered' && event.isRepeat && event.answer === '200'),
    )
  })

  test('the bot proves itself at a new URL, and only then everything goes there', async () => {
    const other = await withHttpBot(({ payload }) => ({
      body: JSON.stringify({ challenge: payload.challenge }),
    }))
    const silent = await withHttpBot()
    const { acts } = silent.workspace
    expect(await acts.requestUrl({})).toMatchObject({ ok: false, error: 'url_not_verified' })
    expect(await acts.requestUrl({ url: other.requestUrl })).toEqual({ ok: true })
    expect(other.taken[0]).toMatchObject({ isSigned: true, payload: { type: 'url_verification' } })
    await acts.command(mon)
    expect(other.taken[1]?.payload).toMatchObject({ command: '/mon' })
    expect(silent.taken).toHaveLength(1)
  })

  test('its certificate is looked at, without a signature', async () => {
    const { workspace, taken } = await withHttpBot()
    expect(await workspace.acts.sslCheck({})).toEqual({ ok: true })
    expect(taken[0]).toMatchObject({ isSigned: false, body: 'ssl_check=1' })
  })

  test('nothing of that is there in Socket Mode', async () => {
    const { workspace } = await neighbour()
    const replies = [
      await workspace.acts.requestFault({ kind: 'no_signature' }),
      await workspace.acts.requestUrl({}),
      await workspace.acts.sslCheck({}),
    ]
    expect(replies.map((reply) => (reply.ok ? '' : reply.error))).toEqual(Array(3).fill('not_http_mode'))
  })
})

test('the signing secret stands in no event and no state', async () => {
  const { workspace } = await withHttpBot(() => ({ status: 500 }))
  await workspace.acts.requestFault({ kind: 'forged_signature' })
  const reply = await workspace.acts.command(mon)
  const state = await (await fetch(`${workspace.url}control/state`)).text()
  expect(JSON.stringify([reply, workspace.events.since(0)]) + state).not.toContain(signingSecret)
})
