/** Each thing that can be pressed, chosen and opened on an alert's card, used by a person. */
import { beforeAll, expect, test } from 'vitest'
import { moreChoices, muteChoices } from '../../src/bot/slack/vocabulary.ts'
import type { StoriesAt } from '../support/pressed.ts'
import {
  type OpenAlert,
  openAlert,
  sharedTown,
  soon,
  threadOf,
  told,
  truthOf,
} from '../support/shared-town.ts'

const town = sharedTown({ service: { fleet: 24 } })
const api = () => truthOf(town().service)
/** They open together: one after the other, each would wait for its turn to be posted. At most three in a channel, or they are a storm. */
const servers = {
  acknowledge: 'web-1',
  unmuteServer: 'db-1',
  showChart: 'worker-1',
  '30m': 'cache-1',
  '1h': 'web-2',
  '4h': 'db-2',
  '24h': 'worker-2',
  healthy: 'cache-2',
  unmuted: 'web-3',
  drop_marker: 'worker-3',
  add_note: 'cache-3',
  timeline: 'db-3',
  takeOver: 'db-4',
  hand_to: 'cache-4',
  hand_back: 'worker-4',
} as const
const alerts = new Map<string, OpenAlert>()
beforeAll(async () => {
  const open = async (server: string) => alerts.set(server, await openAlert(town(), server))
  const all = Object.values(servers)
  for (const some of [all.slice(0, -3), all.slice(-3)]) await Promise.all(some.map(open))
})

function alertOf(story: keyof typeof servers): OpenAlert {
  const alert = alerts.get(servers[story])
  if (alert === undefined) throw new Error(`there is no alert for the story of ${story}`)
  return alert
}

const ana = () => town().person('ana')
const ben = () => town().person('ben')

async function cardSays({ card }: OpenAlert, words: RegExp): Promise<void> {
  await expect.poll(() => card().text, soon).toMatch(words)
}

/** What stands on a card, in its order. */
function elementsOf({ card }: OpenAlert): string[] {
  const [row] = card().blocks.filter(({ type }) => type === 'actions')
  return (row?.elements as { action_id: string }[] | undefined)?.map(({ action_id }) => action_id) ?? []
}

async function threadSays(alert: OpenAlert, words: RegExp): Promise<void> {
  await expect.poll(() => threadOf(town(), alert.card()), soon).toContainEqual(expect.stringMatching(words))
}

const presses: StoriesAt<'card'> = {
  acknowledge: async () => {
    const alert = alertOf('acknowledge')
    await ana().presses('Acknowledge', alert.card())
    await cardSays(alert, / · 👀 <@U0ANA00001> · /)
    expect(elementsOf(alert)).toEqual(['take_over', 'mute_server', 'show_chart', 'more'])
    await threadSays(alert, /^👀 <@U0ANA00001> is on it$/)
    town().service.closeAlert(alert.alertId)
    await cardSays(
      alert,
      /^🟢 web-1 Load Average: last minute closed after .* · acknowledged by <@U0ANA00001> after/,
    )
  },

  takeOver: async () => {
    const alert = alertOf('takeOver')
    await ana().presses('Acknowledge', alert.card())
    await cardSays(alert, / · 👀 <@U0ANA00001> · /)
    await ben().presses('Take over', alert.card())
    await cardSays(alert, / · 👀 <@U0BEN00001> · .*previously <@U0ANA00001>/)
    await threadSays(alert, /^👀 <@U0BEN00001> took it over from <@U0ANA00001>$/)
    await ben().presses('Take over', alert.card())
    await expect.poll(() => ben().sees().at(-1), soon).toBe("👀 It's already yours.")
  },

  unmuteServer: async () => {
    const alert = alertOf('unmuteServer')
    await ben().chooses('Mute…', 'db-1: 1 h', alert.card())
    await cardSays(alert, /🔕 Muted by <@U0BEN00001> until/)
    expect(elementsOf(alert)).toEqual(['acknowledge', 'unmute_server', 'show_chart', 'more'])
    await ana().presses('Unmute', alert.card())
    await threadSays(alert, /^🔔 <@U0ANA00001> unmuted db-1: notifications are on again$/)
    expect(api().server('db-1')?.notifications).toBe(true)
    await expect.poll(() => elementsOf(alert), soon).toContain('mute_server')
    expect(alert.card().text).not.toContain('Muted by')
  },

  showChart: async () => {
    const alert = alertOf('showChart')
    await ana().presses('Chart', alert.card())
    const drawn = () =>
      ana()
        .answers()
        .flatMap(({ blocks = [] }) => blocks.filter(({ type }) => type === 'image'))
    await expect
      .poll(() => drawn().map((image) => image.alt_text), soon)
      .toEqual([
        expect.stringMatching(
          /^Load Average: last minute on worker-1, .* Europe\/Lisbon: from .*: limit 3\b/,
        ),
      ])
    expect(threadOf(town(), alert.card())).toEqual([])
  },
}

test.for(Object.entries(presses))('the button %s', ([_, story], context) => story(context))

/** The words of the option, what the card says then, and whether it is asked once more. */
const mutes: Record<(typeof muteChoices)[number], { words: string; says: RegExp; isAsked?: true }> = {
  '30m': { words: '30 min', says: /🔕 Muted by <@U0ANA00001> until \d/ },
  '1h': { words: '1 h', says: /🔕 Muted by <@U0ANA00001> until \d/ },
  '4h': { words: '4 h', says: /🔕 Muted by <@U0ANA00001> until \d/ },
  '24h': { words: '24 h', says: /🔕 Muted by <@U0ANA00001> until \d/ },
  healthy: {
    words: 'until healthy',
    says: /🔕 Muted by <@U0ANA00001> until healthy for 15 min \(max /,
  },
  unmuted: {
    words: 'until unmuted',
    says: /🔕 Muted by <@U0ANA00001> until somebody unmutes it/,
    isAsked: true,
  },
}

test.each(muteChoices)('the option %s of the mute select', async (choice) => {
  const { words, says, isAsked } = mutes[choice]
  const alert = alertOf(choice)
  const server = servers[choice]
  await ana().chooses('Mute…', `${server}: ${words}`, alert.card())
  if (isAsked) {
    await ana().presses('Mute it')
    expect(api().server(server)?.notifications).toBe(true)
  }
  await cardSays(alert, says)
  // The card says what is decided; the API is told of it then.
  await expect.poll(() => api().server(server)?.notifications, soon).toBe(false)
  await threadSays(alert, new RegExp(`^🔕 <@U0ANA00001> muted ${server} until`))
})

const more: Record<(typeof moreChoices)[number], () => Promise<void>> = {
  hand_to: async () => {
    const alert = alertOf('hand_to')
    await ana().picks('More', 'Hand to…', alert.card())
    await ana().fills({ 'To whom': 'ben', Note: 'I am off to bed' })
    await ana().submits()
    await cardSays(alert, / · 👀 <@U0BEN00001> · /)
    await threadSays(alert, /^👋 <@U0ANA00001> handed it to <@U0BEN00001>: I am off to bed$/)
    const sent = () => ben().inbox()
    await expect
      .poll(sent, soon)
      .toEqual([
        expect.stringMatching(
          /^👋 <@U0ANA00001> handed you this alert\n“I am off to bed”\n.*cache-4 .*👀 <@U0BEN00001>/,
        ),
      ])
    town().service.closeAlert(alert.alertId)
    await expect.poll(sent, soon).toEqual([expect.stringMatching(/^🟢 cache-4 .* closed after /)])
  },

  drop_marker: async () => {
    const alert = alertOf('drop_marker')
    await ben().picks('More', 'Drop marker…', alert.card())
    // The form knows what it is about.
    await ben().submits()
    await threadSays(
      alert,
      /^📍 <@U0BEN00001> dropped a marker: Load Average: last minute on worker-3: It is slow/,
    )
    expect(api().markers()).toContain(`Load Average: last minute on worker-3: It is slow (#${alert.alertId})`)
  },

  add_note: async () => {
    const alert = alertOf('add_note')
    await ben().picks('More', 'Add note…', alert.card())
    await ben().fills({ Note: 'vacuum is running' })
    await ben().submits()
    await threadSays(alert, /^📝 Note by <@U0BEN00001>: vacuum is running$/)
    await cardSays(alert, /1 note in the thread/)
  },

  timeline: async () => {
    const alert = alertOf('timeline')
    await ana().picks('More', 'Timeline', alert.card())
    await threadSays(alert, /^📄 Timeline of #…?\d+, as <@U0ANA00001> asked\n<?http\S+\/files\/\S+\.md/)
  },

  hand_back: async () => {
    const alert = alertOf('hand_back')
    await ben().presses('Acknowledge', alert.card())
    await cardSays(alert, / · 👀 <@U0BEN00001> · /)
    await ana().picks('More', 'Hand back', alert.card())
    await threadSays(alert, /^↩️ <@U0ANA00001> handed it back for <@U0BEN00001>: nobody is on it now$/)
    await cardSays(alert, /previously <@U0BEN00001>/)
    expect(elementsOf(alert)).toContain('acknowledge')
  },
}

test.each(moreChoices)('more: %s', (choice) => more[choice]())

/** What is seldom needed, and for which a card's menu has no room. */
const rare: StoriesAt<'home'> & { muteAccount: () => Promise<void> } = {
  addRoles: async () => {
    await ana().opensHome()
    await ana().presses('Add roles…', 'home')
    await ana().fills({ Server: 'db-3', 'Existing roles': ['lb'], 'New roles': 'primary' })
    await ana().submits()
    const line = /^🏷️ <@U0ANA00001> added roles lb, primary to db-3$/
    await expect.poll(() => told(town()), soon).toContainEqual(expect.stringMatching(line))
    expect(api().server('db-3')?.roles).toEqual(expect.arrayContaining(['lb', 'primary']))
  },

  muteAccount: async () => {
    await ana().opensHome()
    await ana().presses('Mute account…', 'home')
    await expect.poll(() => ana().modal()?.words, soon).toMatch(/Hides \d+ open alerts \(/)
    await ana().fills({ 'For how long (at most 4 h)': '5h', Why: 'power cut' })
    await ana().submits()
    expect(Object.values(ana().modal()?.errors ?? {})).toEqual([
      'That is too long: at most 4 h. Nothing changed. Ask for a shorter time; a mute can be extended before it ends.',
    ])
    expect(api().isAccountOn()).toBe(true)
    await ana().fills({ 'For how long (at most 4 h)': '30m' })
    await ana().submits()
    const line = /^🔕 <@U0ANA00001> muted the whole account: .* — power cut$/
    await expect.poll(() => told(town()), soon).toContainEqual(expect.stringMatching(line))
    expect(api().isAccountOn()).toBe(false)
  },
}

test.for(Object.entries(rare))('the button %s of the Home tab', ([_, story], context) => story(context))
