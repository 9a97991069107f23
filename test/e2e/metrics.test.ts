/** The numbers of the real process: they rise with what it does, and name nobody. */
import { expect, test } from 'vitest'
import { apiKey, openTown } from '../support/town.ts'

const load = { server: 'canary-host', title: 'canary title', plugin: 'CanaryPlugin' }

test('polls, cards, requests and API calls are counted, and no label names a server, a title, a person or a key', async () => {
  const town = await openTown()
  const bot = await town.bot()
  const page = async () => {
    const answer = await fetch(`http://127.0.0.1:${bot.port}/metrics`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/plain')
    return answer.text()
  }
  const value = async (series: string) =>
    Number(
      (await page())
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    )

  town.service.openAlert({ ...load, role: 'canary-role' })
  await expect.poll(() => town.cards().length).toBe(1)
  expect(await value('monbot_open_alerts')).toBe(1)
  await expect
    .poll(() => value('monbot_card_calls_total{task="post",outcome="shown"}'))
    .toBeGreaterThanOrEqual(1)
  expect(await value('monbot_polls_total{outcome="done"}')).toBeGreaterThanOrEqual(2)
  await expect.poll(() => value('monbot_poll_lag_seconds')).toBeLessThan(5)
  expect(await value('monbot_slack_sockets')).toBe(1)
  expect(await value('monbot_api_requests_total{operation="alerts",outcome="ok"}')).toBeGreaterThanOrEqual(4)

  const { ok } = await town.workspace.acts.command({
    user: 'ana',
    channel: '#alerts',
    command: '/mon',
    text: 'mute canary-host 1h canary-reason',
  })
  expect(ok).toBe(true)
  await expect.poll(() => value('monbot_requests_total{act="mute_server",outcome="done"}')).toBe(1)
  expect(await value('monbot_live_mutes{state="active"}')).toBe(1)
  expect(await value('monbot_answer_seconds_count')).toBe(1)

  await town.workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'canary-word' })
  await expect.poll(() => value('monbot_requests_total{act="unknown",outcome="refused"}')).toBe(1)

  town.service.orderFault({ status: 503, times: 8 })
  await expect.poll(() => value('monbot_retries_total{what="api",reason="unreachable"}')).toBeGreaterThan(0)

  const text = await page()
  for (const name of [
    'canary',
    apiKey,
    town.workspace.person('ana').id,
    town.workspace.channel('alerts').id,
  ]) {
    expect(text).not.toContain(name)
  }
  expect(text).toContain('process_resident_memory_bytes')
})
