/** What may be deleted in front of a Prometheus, and what a deletion hides: the server that was named, and nothing else. */
import { test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { openFront, openShop } from './front.ts'
import { lacks, run } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

const soon = { timeout: patienceMs, interval: 200 }
const story = lacks('prometheus', 'prometheus-alertmanager', 'amtool') ? test.skip : test.concurrent

story('what is no server was deleted, and hid each later alert that names none', async (t) => {
  const [manager] = await openAlertmanagers(t, { count: 1 })
  const shop = await openShop(t)
  const prometheus = await openPrometheus(t, {
    jobs: [{ job: 'shop', targets: [shop.url], instance: 'shop-1:9100' }],
    rules: [],
    alertmanagers: [],
  })
  const at = { prometheus: prometheus.url, alertmanagers: [manager?.url ?? ''] }
  const front = await openFront(t, at)
  const fire = (labels: Record<string, string>) =>
    run('amtool', [
      `--alertmanager.url=${manager?.url}`,
      'alert',
      'add',
      ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ])
  await fire({ alertname: 'CertExpires' })
  await fire({ alertname: 'QueueGrows', job: 'shop-jobs' })
  await t.expect.poll(front.open, soon).toEqual(['CertExpires on global', 'QueueGrows on shop-jobs'])
  await front.ask('/servers/global', { notifications: 'false' })
  for (const name of ['global', 'shop-jobs']) {
    t.expect(await front.ask(`/servers/${name}`, undefined, 'DELETE')).toMatchObject({
      status: 422,
      body: {
        message: `"${name}" is no server and cannot be deleted: alerts that name no server are listed under it`,
      },
    })
  }
  // Refused as a whole: the mute that was there is there.
  const state = front.service.state() as { servers: { hostname: string; notifications: boolean }[] }
  t.expect(state.servers).toContainEqual(
    t.expect.objectContaining({ hostname: 'global', notifications: false }),
  )
  await fire({ alertname: 'BackupFailed' })
  await t.expect
    .poll(front.open, soon)
    .toEqual(['BackupFailed on global', 'CertExpires on global', 'QueueGrows on shop-jobs'])
  const deletion = async () => (await front.ask('/servers/shop-1', undefined, 'DELETE')).status
  await t.expect.poll(deletion, soon).toBe(200)
})
