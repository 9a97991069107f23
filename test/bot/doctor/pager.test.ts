/** The pager is checked without calling anybody; a test call is made only where it is asked for, and taken back. */
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../src/bot/config/secret.ts'
import { pagerFinding, testPage } from '../../../src/bot/doctor/pager.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { openPagerDutyLike, openWebhookLike, pagerSecret, routingKey } from '../../support/pagers.ts'

const paging = {
  steps: [{ afterMs: 0, mention: null, channel: null, page: true }],
  flapSettleMs: null,
  staleAckAfterMs: null,
} as const

async function pagers() {
  const duty = await openPagerDutyLike(onTestFinished)
  const hook = await openWebhookLike(onTestFinished)
  return {
    duty,
    hook,
    settings: [
      { kind: 'pagerduty', url: duty.url, routingKey: new Secret(routingKey) },
      { kind: 'webhook', url: new Secret(hook.settings.PAGER_URL), secret: new Secret(pagerSecret) },
    ] as const,
  }
}

test('a pager that can be reached is well, and hears nothing', async () => {
  const { duty, hook, settings } = await pagers()
  for (const pager of settings) {
    expect(await pagerFinding(pager, paging)).toMatchObject({
      state: 'ok',
      said: expect.stringContaining('nobody was called'),
    })
  }
  expect([duty.asked(), hook.asked()]).toEqual([0, 0])
})

test('a pager that no reminder asks is a warning', async () => {
  const { settings } = await pagers()
  const found = await pagerFinding(settings[0], { ...paging, steps: [] })
  expect(found).toMatchObject({ state: 'warning', said: expect.stringContaining('no reminder pages') })
})

test('one that cannot be reached is named by its setting, without its address', async () => {
  const away = {
    kind: 'webhook',
    url: new Secret('http://127.0.0.1:9/hunter2'),
    secret: new Secret(pagerSecret),
  } as const
  const found = await pagerFinding(away, paging)
  expect(found).toMatchObject({ state: 'failed', todo: expect.stringContaining('PAGER_URL') })
  expect(JSON.stringify(found)).not.toContain('hunter2')
})

test('a test page calls once, and is taken back', async () => {
  const { duty, hook, settings } = await pagers()
  for (const pager of settings) expect(await testPage({ pager }, realClock)).toMatchObject({ state: 'ok' })
  expect(duty.incidents()).toMatchObject([{ status: 'resolved', triggers: 1 }])
  expect(hook.types()).toEqual(['alert.triggered', 'alert.resolved'])
  hook.orders({ status: 400 })
  expect(await testPage({ pager: settings[1] }, realClock)).toMatchObject({ state: 'failed' })
  expect(await testPage({ pager: null }, realClock)).toMatchObject({ state: 'failed' })
})
