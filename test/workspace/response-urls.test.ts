/** Response URLs: five uses, thirty minutes, and what can be done with them. */
import { describe, expect, test } from 'vitest'
import { button, respond, withBot } from './answering-bot.ts'
import { section } from './neighbour.ts'

describe('a response URL', () => {
  async function asked() {
    const it = await withBot()
    await it.workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon' })
    return { ...it, url: it.last().response_url }
  }

  test('serves five times', async () => {
    const { url, workspace } = await asked()
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) statuses.push((await respond(url, { text: `n${n}` })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404])
    expect(workspace.ephemerals('ana')).toHaveLength(5)
  })

  test('serves for thirty minutes', async () => {
    const { url, clock } = await asked()
    clock.nowMs += 30 * 60_000 - 1
    expect((await respond(url, { text: 'x' })).status).toBe(200)
    clock.nowMs += 1
    const late = await respond(url, { text: 'x' })
    expect(late.status).toBe(404)
    expect(await late.json()).toEqual({ ok: false, error: 'expired_url' })
  })

  test('refuses with 404 what could not be posted', async () => {
    const { url, workspace } = await asked()
    expect(await (await respond(url, { blocks: [section('')] })).json()).toMatchObject({
      error: 'invalid_blocks',
    })
    expect(await (await respond(url, {})).json()).toMatchObject({ error: 'no_text' })
    expect(
      await (await respond(`${workspace.url}respond/commands/T0LOCAL001/none`, { text: 'x' })).json(),
    ).toMatchObject({ error: 'unknown_url' })
  })

  test('can answer in the channel, and replace the message it came from', async () => {
    const { workspace, card, last } = await withBot()
    const ts = await card([button('acknowledge')])
    await workspace.acts.click({ user: 'ana', channel: '#alerts', ts, actionId: 'acknowledge' })
    const url = last().response_url
    await respond(url, { text: 'for all', response_type: 'in_channel' })
    await respond(url, { text: 'taken', replace_original: true })
    expect(workspace.messages('alerts')).toMatchObject([{ ts, text: 'taken' }, { text: 'for all' }])
    expect(workspace.messages('alerts')[0]).not.toHaveProperty('blocks')
  })

  test('goes wrong when it is told to', async () => {
    const { url, workspace } = await asked()
    await workspace.acts.fault({ method: 'response_url', effect: { kind: 'status', status: 500 } })
    expect((await respond(url, { text: 'x' })).status).toBe(500)
    expect((await respond(url, { text: 'x' })).status).toBe(200)
  })
})
