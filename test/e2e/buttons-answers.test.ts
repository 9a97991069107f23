/** What can be pressed on an answer, in a message's menu and on the Home tab. */
import { expect, test } from 'vitest'
import { shortcuts } from '../../src/bot/slack/vocabulary.ts'
import type { StoriesAt } from '../support/pressed.ts'
import { openAlert, sharedTown, soon, threadOf, told, truthOf } from '../support/shared-town.ts'
import { called } from '../support/town.ts'

const town = sharedTown({ service: { fleet: 24 } })
const api = () => truthOf(town().service)
const ana = () => town().person('ana')
const ben = () => town().person('ben')

async function anaReads(words: RegExp): Promise<void> {
  await expect.poll(() => ana().sees().at(-1), soon).toMatch(words)
}

const answers: StoriesAt<'answer'> = {
  undoMute: async () => {
    await ana().types('/mon mute web-1 2h')
    await anaReads(/^🔕 web-1 is muted/)
    await ana().presses('Undo (within 1 min)')
    await anaReads(/^↩️ Undone: web-1 is unmuted\.$/)
    expect(api().server('web-1')?.notifications).toBe(true)
    // The answer with the button is gone: nobody presses it again.
    expect(ana().sees().join('\n')).not.toContain('web-1 is muted')
    await expect
      .poll(() => told(town()), soon)
      .toContain('🔔 <@U0ANA00001> undid the mute of web-1: notifications are on again')
  },

  confirm: async () => {
    const servers = ['db-1', 'db-2', 'db-3', 'db-4']
    const areOff = () => servers.map((server) => api().server(server)?.notifications === false)
    await ana().types('/mon mute db-* 1h moving the databases')
    await anaReads(/^Mute 4 servers until .*\? — moving the databases\ndb-1, db-2, db-3, db-4\nHides/)
    expect(areOff()).toEqual([false, false, false, false])
    await ana().presses('Mute 4 servers')
    await anaReads(/^🔕 4 servers are muted until .* — moving the databases/)
    expect(areOff()).toEqual([true, true, true, true])
    // Everyone is told once, and not four times.
    const line = /^🔕 <@U0ANA00001> muted 4 servers \(db-1, db-2, db-3, db-4\) until/
    await expect.poll(() => told(town()).filter((text) => line.test(text)), soon).toHaveLength(1)
  },

  cancel: async () => {
    await ana().types('/mon mute web-3 3d')
    await anaReads(/^Mute web-3 until .*\?/)
    await ana().presses('Cancel')
    await anaReads(/^Cancelled\. Nothing changed\.$/)
    expect(ana().sees().join('\n')).not.toContain('Mute web-3')
    expect(api().server('web-3')?.notifications).toBe(true)
  },

  ask: async () => {
    await ana().types('/mon status')
    await anaReads(/monitoring OK/)
    await ana().presses('Mutes')
    await anaReads(/^Muted now\n|^Nothing is muted/)
    for (let n = 1; n <= 12; n += 1) {
      await ana().types(`/mon marker part ${n}`)
      await anaReads(new RegExp(`part ${n}$`))
    }
    await ana().types('/mon audit')
    await anaReads(/page 1 of 2/)
    await ana().presses('Older')
    await anaReads(/page 2 of 2/)
    await ana().presses('Newer')
    await anaReads(/page 1 of 2/)
    // The pages took each other's place.
    expect(
      ana()
        .sees()
        .filter((text) => text.includes('Who did what')),
    ).toHaveLength(1)
  },
}

test.for(Object.entries(answers))('%s', ([_, story], context) => story(context))

const fromTheMenu: Record<keyof typeof shortcuts, () => Promise<void>> = {
  muteServer: async () => {
    const alert = await openAlert(town(), 'cache-1')
    await ben().shortcuts('Mute this server', alert.card())
    await ben().fills({ 'For how long': '4 h', Why: 'new memory' })
    await ben().submits()
    await expect
      .poll(() => threadOf(town(), alert.card()), soon)
      .toEqual([expect.stringMatching(/^🔕 <@U0BEN00001> muted cache-1 until .* — new memory$/)])
    expect(api().server('cache-1')?.notifications).toBe(false)
  },

  addNote: async () => {
    const alert = await openAlert(town(), 'cache-2')
    await ben().shortcuts('Add a note', alert.card())
    await ben().fills({ Note: 'It was the cron job.\nIt is stopped.' })
    await ben().submits()
    await expect
      .poll(() => threadOf(town(), alert.card()), soon)
      .toEqual(['📝 Note by <@U0BEN00001>: It was the cron job.\nIt is stopped.'])
    // A reply belongs to the card above it.
    const [reply] = town().thread(alert.card().ts, alert.card().channel)
    if (reply === undefined) throw new Error('the note has gone')
    await ana().shortcuts('Add a note', reply)
    await ana().fills({ Note: 'Thanks.' })
    await ana().submits()
    await expect
      .poll(() => threadOf(town(), alert.card()), soon)
      .toContain('📝 Note by <@U0ANA00001>: Thanks.')
  },
}

test.each(Object.entries(fromTheMenu))('the shortcut %s', (_, story) => story())

test('every shortcut of the manifest can be used', () => {
  const known = town().workspace.shortcuts.map(({ callbackId }) => callbackId)
  expect(known.sort()).toEqual(Object.values(shortcuts).sort())
})

test('a shortcut on what is no card says so, and opens nothing', async () => {
  await ana().types('lunch?', 'alerts')
  const lunch = town()
    .workspace.messages('alerts')
    .find(({ text }) => text === 'lunch?')
  await ana().shortcuts('Add a note', { ts: String(lunch?.ts) })
  await anaReads(/^Works only on the card of one alert\.$/)
  expect(ana().modal()).toBeNull()
})

test('the Home tab shows what is open and muted, and unmutes', async () => {
  const cleo = town().person('cleo')
  const { alertId } = await openAlert(town(), 'worker-1')
  await cleo.types('/mon mute lb-1 1h reload')
  await expect.poll(() => cleo.sees().at(-1), soon).toMatch(/^🔕 lb-1 is muted/)
  await cleo.opensHome()
  await expect.poll(() => cleo.home(), soon).toMatch(/lb-1\* muted by <@U0CLEO0001>/)
  expect(cleo.home()).toContain('|worker-1>* Load Average')
  expect(cleo.home()).toContain(called(alertId))
  await cleo.presses('Unmute', 'home', { beside: 'lb-1' })
  await expect.poll(() => api().server('lb-1')?.notifications, soon).toBe(true)
  await expect.poll(() => cleo.inbox(), soon).toEqual(['🔔 lb-1 is unmuted: notifications are on again.'])
  await cleo.opensHome()
  await expect.poll(() => cleo.home(), soon).not.toContain('lb-1')
})

test('what an answer would have somebody type is a button: minutes, and taking over', async () => {
  const alert = await openAlert(town(), 'cache-3')
  await ana().types('/mon mute web-5 90 deploying')
  await anaReads(/^90 needs a unit: 90m\? Nothing changed\.$/)
  expect(api().server('web-5')?.notifications).toBe(true)
  await ana().presses('90m')
  await anaReads(/^🔕 web-5 is muted until .* — deploying/)
  expect(ana().sees().join('\n')).not.toContain('needs a unit')

  await ana().types(`/mon ack #${alert.alertId}`)
  await anaReads(/^👀 You acknowledged /)
  await ana().types(`/mon ack #${alert.alertId}`)
  await anaReads(/^👀 It's already yours\.$/)
  const benReads = (words: RegExp) => expect.poll(() => ben().sees().at(-1), soon).toMatch(words)
  await ben().types(`/mon ack #${alert.alertId}`)
  await benReads(/^👀 <@U0ANA00001> just acknowledged this\.$/)
  await ben().presses('Take over')
  await benReads(/^👀 You have .* now, and <@U0ANA00001> was told\.$/)
  await expect.poll(() => alert.card().text, soon).toContain('👀 <@U0BEN00001>')
})
