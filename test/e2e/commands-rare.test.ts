/** The commands for the account and for what is seldom needed: always asked once more, and told to everyone. */
import { expect, test } from 'vitest'
import { commands } from '../../src/bot/domain/command/commands.ts'
import type { Person } from '../support/person.ts'
import { openAlert, sharedTown, soon, told, truthOf } from '../support/shared-town.ts'
import { apiKey } from '../support/town.ts'

const town = sharedTown({
  service: { fleet: 24 },
  policy: ['permissions: { delete_server: [U0ANA00001], delete_metric: [U0ANA00001] }'],
})
const api = () => truthOf(town().service)

async function reads(person: Person, words: RegExp): Promise<void> {
  await expect.poll(() => person.sees().at(-1), soon).toMatch(words)
}

async function isTold(line: string | RegExp): Promise<void> {
  await expect.poll(() => told(town()), soon).toContainEqual(expect.stringMatching(line))
}

/** Whether the API answers a question about a custom metric. */
async function hasMetric(name: string): Promise<boolean> {
  const question = new URLSearchParams({
    metric_name: name,
    metric_type: 'custom_metric',
    metric_source_name: name,
    duration: '5 hours',
  })
  const answer = await fetch(`${town().service.url}/api/v2/${apiKey}/metrics.json?${question}`)
  return answer.ok
}

const stories: Readonly<Record<string, () => Promise<void>>> = {
  'mute account': async () => {
    const ana = town().person('ana')
    const { card } = await openAlert(town(), 'worker-1')
    await ana.types('/mon mute account 30m network maintenance')
    await expect.poll(() => ana.modal()?.title, soon).toBe('Mute the whole account')
    expect(api().isAccountOn()).toBe(true)
    await ana.submits()
    await reads(ana, /^🔕 The whole account is muted until .* — network maintenance/)
    expect(api().isAccountOn()).toBe(false)
    await isTold(/^🔕 <@U0ANA00001> muted the whole account: .* until .* UTC — network maintenance$/)
    await expect
      .poll(() => card().text, soon)
      .toMatch(/🔕 Whole account muted by <@U0ANA00001> until .* — network maintenance/)
  },

  'unmute account': async () => {
    const [ana, ben] = [town().person('ana'), town().person('ben')]
    await ben.types('/mon mute cache-2 4h')
    await reads(ben, /^🔕 cache-2 is muted/)
    await ana.types('/mon unmute account')
    await reads(ana, /^🔔 The whole account is unmuted\. Individually muted servers stay muted\.$/)
    expect(api().isAccountOn()).toBe(true)
    expect(api().muted()).toContain('cache-2')
    await isTold('🔔 <@U0ANA00001> unmuted the whole account: notifications are on again')
  },

  nodata: async () => {
    const cleo = town().person('cleo')
    await cleo.types('/mon nodata web-1 on-call')
    await reads(cleo, /^📨 `on-call` is now notified when web-1 sends no data\.$/)
    expect(api().server('web-1')?.no_data_notification_group).toBe('on-call')
    await isTold(/^📨 <@U0CLEO0001> changed who is notified when web-1 sends no data: on-call$/)
  },

  'server delete': async () => {
    const ana = town().person('ana')
    await ana.types('/mon server delete web-2')
    await expect.poll(() => ana.modal()?.words, soon).toContain('This cannot be undone.')
    await ana.fills({ 'Type the name of the server again': 'web-1' })
    await ana.submits()
    expect(ana.modal()?.errors['Type the name of the server again']).toMatch(
      /^You typed web-1, which is not web-2\./,
    )
    expect(api().server('web-2')).toBeDefined()
    await ana.fills({ 'Type the name of the server again': 'web-2' })
    await ana.submits()
    await reads(ana, /^🗑️ Deleted the server web-2\.$/)
    expect(api().server('web-2')).toBeUndefined()
    await isTold('🗑️ <@U0ANA00001> deleted the server web-2')
  },

  'metric delete': async () => {
    const ana = town().person('ana')
    expect(await hasMetric('signups')).toBe(true)
    await ana.types('/mon metric delete signups,jobs_waiting')
    await ana.fills({ 'Type the names again, separated by commas': 'signups, jobs_waiting' })
    await ana.submits()
    await reads(ana, /^🗑️ Deleted 2 custom metrics: signups, jobs_waiting\.$/)
    expect([await hasMetric('signups'), await hasMetric('jobs_waiting')]).toEqual([false, false])
    await isTold('🗑️ <@U0ANA00001> deleted 2 custom metrics: signups, jobs_waiting')
  },
}

test('every rare command has its story', () => {
  const rare = commands.filter(({ group }) => group === 'rare')
  expect(Object.keys(stories).sort()).toEqual(rare.map(({ name }) => name).sort())
})

test.each(Object.entries(stories))('/mon %s', (_, story) => story())
