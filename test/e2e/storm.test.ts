/** Thirty alerts at once, on the real process: one card in the channel, all of them in its thread, and one press for all. */
import { beforeAll, expect, test } from 'vitest'
import type { StoriesAt } from '../support/pressed.ts'
import { sharedTown, soon, threadOf, told, truthOf } from '../support/shared-town.ts'
import type { Card } from '../support/town.ts'

const town = sharedTown({ service: { fleet: 60 }, policy: [] })
const api = () => truthOf(town().service)
const ana = () => town().person('ana')
const ben = () => town().person('ben')

/** Each test has a storm of its own, in the channel for the alerts of these servers. */
const storms = {
  acknowledgeAll: { servers: 'web', channel: 'alerts' },
  muteAll: { servers: 'db', channel: 'db' },
  dropMarker: { servers: 'cache', channel: 'general' },
  muteAccount: { servers: 'worker', channel: 'private-ops' },
} as const
const count = 30
const opened = new Map<string, number[]>()

beforeAll(() => {
  for (const { servers } of Object.values(storms)) {
    const ids = Array.from({ length: count }, (_, n) =>
      town().service.openAlert({
        server: `${servers}-${(n % 10) + 1}`,
        plugin: `Disk ${n}`,
        metric: 'used',
        value: 91,
        title: 'It is nearly full',
      }),
    )
    opened.set(servers, ids)
  }
})

type Storm = { readonly ids: readonly number[]; readonly card: () => Card }

async function stormOf(story: keyof typeof storms): Promise<Storm> {
  const { servers, channel } = storms[story]
  const roots = () =>
    town()
      .cards(channel)
      .filter(({ ts, thread_ts }) => (thread_ts ?? ts) === ts)
      // What somebody did to all of them stands beside it.
      .filter(({ metadata }) => metadata?.event_payload.card.startsWith('told:') !== true)
  await expect.poll(() => roots()[0]?.text ?? '', soon).toMatch(/^🔴 30 × .* \(10 servers\)$/m)
  const card = () => {
    const [only, ...others] = roots()
    if (only === undefined || others.length > 0) throw new Error(`${roots().length} messages in ${channel}`)
    return only
  }
  return { ids: opened.get(servers) ?? [], card }
}

function labelsOf({ blocks }: Card): string[] {
  const [row] = blocks.filter(({ type }) => type === 'actions')
  return (row?.elements as { action_id: string }[] | undefined)?.map(({ action_id }) => action_id) ?? []
}

const threadSays = ({ card }: Storm, words: RegExp) =>
  expect.poll(() => threadOf(town(), card()), soon).toContainEqual(expect.stringMatching(words))

/** What concerns everybody stands in no thread. */
const channelSays = (words: RegExp) =>
  expect.poll(() => told(town()), soon).toContainEqual(expect.stringMatching(words))

const stories: StoriesAt<'storm'> = {
  acknowledgeAll: async () => {
    const storm = await stormOf('acknowledgeAll')
    // Every alert is listed, once: a line has no number, but the link to its alert.
    const listed = () =>
      town()
        .thread(storm.card().ts)
        .flatMap(({ blocks }) => [...JSON.stringify(blocks).matchAll(/<[^<|]*\/a\/(\d+)\?[^<|]*\|/g)])
        .map(([, id]) => Number(id))
    await expect.poll(() => listed().toSorted((a, b) => a - b), soon).toEqual(storm.ids)
    await ana().presses('Acknowledge all', storm.card())
    await expect.poll(() => storm.card().text, soon).toContain('👀 All acknowledged: <@U0ANA00001>')
    await threadSays(storm, /^👀 <@U0ANA00001> acknowledged 30 alerts$/)
    expect(labelsOf(storm.card())).toEqual([
      'take_over',
      'hand_back',
      'mute_all',
      'hand_to',
      'drop_marker',
      'mute_account',
    ])

    for (const id of storm.ids) town().service.closeAlert(id)
    await expect
      .poll(() => storm.card().text, soon)
      .toMatch(/^🟢 Storm over: 30 alerts, .*\) · <@U0ANA00001> had all · median time to close /)
    expect(storm.card().blocks).toHaveLength(2)
  },

  handTo: async () => {
    const storm = await stormOf('dropMarker')
    await ana().presses('Hand to…', storm.card())
    await expect.poll(() => ana().modal()?.words, soon).toMatch(/^\*30 open alerts\* of this card\./)
    await ana().fills({ 'To whom': 'cleo', Note: 'all yours' })
    await ana().submits()
    await expect.poll(() => storm.card().text, soon).toContain('👀 All acknowledged: <@U0CLEO0001>')
    await threadSays(storm, /^👋 <@U0ANA00001> handed 30 alerts to <@U0CLEO0001>: all yours$/)
    // One message, not thirty.
    const cleo = town().person('cleo')
    await expect
      .poll(() => cleo.inbox(), soon)
      .toEqual([expect.stringMatching(/^👋 <@U0ANA00001> handed you 30 alerts\n“all yours”\nOpen \(30\):/)])
  },

  muteAll: async () => {
    const storm = await stormOf('muteAll')
    const servers = Array.from({ length: 10 }, (_, n) => `db-${n + 1}`).toSorted()
    await ben().chooses('Mute servers…', '1 h', storm.card())
    await expect
      .poll(() => ben().sees().at(-1), soon)
      .toMatch(/^Mute 10 servers until .*\n(?:.|\n)*Hides 30 open alerts/)
    expect(api().muted()).toEqual([])
    await ben().presses('Mute 10 servers')
    await expect.poll(() => api().muted(), soon).toEqual(servers)
    await expect
      .poll(() => storm.card().text, soon)
      .toMatch(/🔕 All 10 servers are muted until .* by <@U0BEN00001>/)
    await channelSays(/^🔕 <@U0BEN00001> muted 10 servers \(/)
    await ben().presses('Undo all (within 1 min)')
    await expect.poll(() => api().muted(), soon).toEqual([])
    await channelSays(/^🔔 <@U0BEN00001> undid the mutes of 10 servers/)
  },

  dropMarker: async () => {
    const storm = await stormOf('dropMarker')
    await ana().presses('Drop marker…', storm.card())
    await expect.poll(() => ana().modal()?.title, soon).toBe('Drop a marker')
    await ana().submits()
    await threadSays(storm, /^📍 <@U0ANA00001> dropped a marker: 30 alerts at once since /)
    expect(api().markers()).toContainEqual(expect.stringMatching(/^30 alerts at once since .*most on cache-/))
  },

  muteAccount: async () => {
    const storm = await stormOf('muteAccount')
    await ana().presses('Mute account…', storm.card())
    await ana().fills({ 'For how long (at most 4 h)': '30m', Why: 'the whole rack is down' })
    await ana().submits()
    await expect.poll(() => api().isAccountOn(), soon).toBe(false)
    await channelSays(/^🔕 <@U0ANA00001> muted the whole account: .* — the whole rack is down$/)
    await expect.poll(() => storm.card().text, soon).toContain('🔕 The whole account is muted until')
    await ana().types('/mon unmute account')
    await expect.poll(() => api().isAccountOn(), soon).toBe(true)
  },
}

test.for(Object.entries(stories))('the button %s', ([_, story], context) => story(context))
