/** Each command that acts on alerts, typed by a person: what they are told, what the API holds then, and what everyone reads. */
import { expect, test } from 'vitest'
import { commands } from '../../src/bot/domain/command/commands.ts'
import { openAlert, sharedTown, soon, threadOf, told, truthOf } from '../support/shared-town.ts'

const town = sharedTown({ service: { fleet: 24 } })

const stories: Readonly<Record<string, () => Promise<void>>> = {
  mute: async () => {
    const ana = town().person('ana')
    const api = truthOf(town().service)
    await ana.types('/mon mute web-1 2h deploying 2.4')
    await expect
      .poll(() => ana.sees().at(-1), soon)
      .toMatch(/^🔕 web-1 is muted until .* UTC — deploying 2\.4\nHides no open alerts \(/)
    expect(api.server('web-1')?.notifications).toBe(false)
    const line = /^🔕 <@U0ANA00001> muted web-1 until .* UTC — deploying 2\.4$/
    await expect.poll(() => told(town()), soon).toContainEqual(expect.stringMatching(line))
    // The marker tells whoever looks at a chart, and leads to the message that told of it.
    await expect
      .poll(() => api.markers(), soon)
      .toContainEqual(
        expect.stringMatching(/^muted web-1 until .* UTC by U0ANA00001 — deploying 2\.4 https?:/),
      )
  },

  unmute: async () => {
    const [ana, ben] = [town().person('ana'), town().person('ben')]
    const api = truthOf(town().service)
    await ana.types('/mon mute host web-2 for 45m')
    await expect.poll(() => api.server('web-2')?.notifications, soon).toBe(false)
    await ben.types('/mon unmute web-2')
    await expect.poll(() => ben.sees().at(-1), soon).toBe('🔔 web-2 is unmuted: notifications are on again.')
    expect(api.server('web-2')?.notifications).toBe(true)
    await expect
      .poll(() => told(town()), soon)
      .toContain('🔔 <@U0BEN00001> unmuted web-2: notifications are on again')
  },

  ack: async () => {
    const cleo = town().person('cleo')
    const { alertId, card } = await openAlert(town(), 'db-1')
    await cleo.types(`/mon ack #${alertId}`)
    await expect.poll(() => cleo.sees().at(-1), soon).toBe('👀 You acknowledged Load Average on db-1.')
    await expect.poll(() => card().text, soon).toMatch(/ · 👀 <@U0CLEO0001> · /)
    expect(JSON.stringify(card().blocks)).not.toContain('"acknowledge"')
  },

  take: async () => {
    const [ana, cleo] = [town().person('ana'), town().person('cleo')]
    const { alertId, card } = await openAlert(town(), 'db-3')
    await cleo.types(`/mon ack #${alertId}`)
    await expect.poll(() => card().text, soon).toMatch(/ · 👀 <@U0CLEO0001> · /)
    await ana.types('/mon take db-3')
    await expect.poll(() => ana.sees().at(-1), soon).toMatch(/^👀 You have .*db-3.* now, and .* was told\.$/)
    await expect.poll(() => card().text, soon).toMatch(/ · 👀 <@U0ANA00001> · /)
    await expect
      .poll(() => threadOf(town(), card()), soon)
      .toEqual(['👀 <@U0CLEO0001> is on it', '👀 <@U0ANA00001> took it over from <@U0CLEO0001>'])
  },

  unack: async () => {
    const cleo = town().person('cleo')
    const { alertId, card } = await openAlert(town(), 'db-4')
    await cleo.types(`/mon ack #${alertId}`)
    await expect.poll(() => card().text, soon).toMatch(/ · 👀 <@U0CLEO0001> · /)
    await cleo.types('/mon unack db-4')
    await expect
      .poll(() => cleo.sees().at(-1), soon)
      .toMatch(/^↩️ .*db-4.* is handed back: nobody is on it now, and reminders start again\.$/)
    await expect.poll(() => card().text, soon).toContain(' · unacknowledged')
  },

  hand: async () => {
    const ana = town().person('ana')
    const { card } = await openAlert(town(), 'db-5')
    await ana.types('/mon hand db-5 <@U0BEN00001> off to bed')
    await expect.poll(() => card().text, soon).toMatch(/ · 👀 <@U0BEN00001> · /)
    await expect
      .poll(() => threadOf(town(), card()), soon)
      .toContainEqual(expect.stringMatching(/^👋 <@U0ANA00001> handed .* to <@U0BEN00001>: off to bed$/))
  },

  timeline: async () => {
    const ben = town().person('ben')
    const { card } = await openAlert(town(), 'db-6')
    await ben.types('/mon timeline db-6')
    await expect
      .poll(() => threadOf(town(), card()), soon)
      .toContainEqual(
        expect.stringMatching(/^📄 Timeline of #…?\d+, as <@U0BEN00001> asked\n<?http\S+\/files\/\S+\.md/),
      )
  },

  note: async () => {
    const ben = town().person('ben')
    const { card } = await openAlert(town(), 'db-2')
    await ben.types('/mon note db-2 the disk is being replaced & grows')
    await expect
      .poll(() => ben.sees().at(-1), soon)
      .toMatch(/^📝 Note added to the thread of Load Average on db-2\./)
    await expect
      .poll(() => threadOf(town(), card()), soon)
      .toEqual(['📝 Note by <@U0BEN00001>: the disk is being replaced &amp; grows'])
    await expect.poll(() => card().text, soon).toContain('1 note in the thread')
  },

  marker: async () => {
    const ana = town().person('ana')
    await ana.types('/mon marker release 42 is out')
    await expect.poll(() => ana.sees().at(-1), soon).toBe('📍 Marker dropped: release 42 is out')
    expect(truthOf(town().service).markers()).toContain('release 42 is out')
    await expect
      .poll(() => told(town()), soon)
      .toContain('📍 <@U0ANA00001> dropped a marker: release 42 is out')
  },

  'role add': async () => {
    const ana = town().person('ana')
    const api = truthOf(town().service)
    await ana.types('/mon role add cache-1 web,canary')
    await expect
      .poll(() => ana.sees().at(-1), soon)
      .toBe(
        '🏷️ Added roles web, canary to cache-1.\nNew role canary: check the spelling; roles can only be removed in the monitoring service.',
      )
    expect(api.server('cache-1')?.roles).toEqual(expect.arrayContaining(['web', 'canary']))
    await expect
      .poll(() => told(town()), soon)
      .toContain('🏷️ <@U0ANA00001> added roles web, canary to cache-1')
    await expect
      .poll(() => api.markers(), soon)
      .toContainEqual(expect.stringMatching(/^added cache-1 to roles web, canary by U0ANA00001 https?:/))
  },
}

test('every command that acts has its story, and the table has no other kinds', () => {
  const acting = commands.filter(({ group }) => group === 'act')
  expect(Object.keys(stories).sort()).toEqual(acting.map(({ name }) => name).sort())
  expect(new Set(commands.map(({ group }) => group))).toEqual(new Set(['act', 'ask', 'rare']))
})

test.each(Object.entries(stories))('/mon %s', (_, story) => story())
