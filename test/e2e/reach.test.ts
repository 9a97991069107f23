/** What reaches people once more, on the real process with short times: reminders, a flap that stays, an alert that somebody forgot. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, type TestContext, test } from 'vitest'
import type { StoriesAt } from '../support/pressed.ts'
import { type OpenAlert, openAlert, soon, threadOf } from '../support/shared-town.ts'
import { type Card, called, openTown, type Town } from '../support/town.ts'

type Message = Card & { readonly subtype?: string }

const policyOf = (leads: string) => `
images: off
board: off
reminders: [{ after: 2s }, { after: 4s, mention: "<!subteam^S1>", channel: ${leads} }]
flap_settle: 2s
forgotten_after: 3s
`

let town: Town
beforeAll(async () => {
  const closers: (() => Promise<void>)[] = []
  town = await openTown({ service: { fleet: 24 }, closeLater: (close) => closers.push(close) })
  const policy = join(town.folder, 'policy.yml')
  writeFileSync(policy, policyOf(town.workspace.channel('general').id))
  await town.bot({ MONBOT_CONFIG: policy })
  return async () => {
    town.expectQuiet()
    for (const close of closers) await close()
  }
})

const ana = () => town.person('ana')
const ben = () => town.person('ben')

/** What stands in the channel as well, of this alert's thread. */
function broadcasts({ card }: OpenAlert): Message[] {
  const { ts, channel } = card()
  return town
    .cards(channel)
    .map((one): Message => one)
    .filter(({ thread_ts: of, subtype }) => of === ts && subtype === 'thread_broadcast')
}

async function broadcast(alert: OpenAlert, words: RegExp): Promise<Message> {
  const find = () => broadcasts(alert).findLast(({ text }) => words.test(text))
  await expect.poll(find, soon).toBeDefined()
  const found = find()
  if (found === undefined) throw new Error('it was just there')
  return found
}

const threadSays = (alert: OpenAlert, words: RegExp) =>
  expect.poll(() => threadOf(town, alert.card()), soon).toContainEqual(expect.stringMatching(words))

test('an alert that nobody takes is told in its channel, then in another one, and is taken from there', async () => {
  const alert = await openAlert(town, 'web-1')
  const reminder = await broadcast(alert, /^⏰ Still unacknowledged: .*web-1/)
  const inLeads = () =>
    town.cards('general').find(({ text }) => /^⏰ Still unacknowledged: .*web-1.*<!subteam\^S1>/.test(text))
  await expect.poll(inLeads, soon).toBeDefined()
  const other = inLeads()
  if (other === undefined) throw new Error('it was just there')
  const link = `archives/${alert.card().channel}/p${alert.card().ts.replace('.', '')}`
  expect(JSON.stringify(other.blocks)).toContain(link)
  await ana().presses('Acknowledge', other)
  await expect.poll(() => alert.card().text, soon).toContain('<@U0ANA00001>')
  await threadSays(alert, /^👀 <@U0ANA00001> is on it$/)
  const now = ({ ts, channel }: Card) => town.cards(channel).find((one) => one.ts === ts)?.text
  const over = /^👀 <@U0ANA00001> has this alert, since /
  await expect.poll(() => now(reminder), soon).toMatch(over)
  const leads = town.workspace.channel('general').id
  await expect.poll(() => now({ ...other, channel: leads }), soon).toMatch(over)
  town.service.closeAlert(alert.alertId)
})

test('a flap that stays open is told once in the channel', async () => {
  const subject = { server: 'web-2', plugin: 'CPU', metric: 'busy', value: 97, title: 'It is hot' }
  const cardsOf = () =>
    town
      .cards()
      .filter(({ text, thread_ts: of, ts }) => (of === undefined || of === ts) && /web-2/.test(text))
  for (let n = 0; n < 2; n += 1) {
    const alertId = town.service.openAlert(subject)
    await expect.poll(() => cardsOf().some(({ text }) => text.includes(called(alertId))), soon).toBe(true)
    town.service.closeAlert(alertId)
    await expect.poll(() => cardsOf().every(({ text }) => text.startsWith('🟢')), soon).toBe(true)
  }
  const third = town.service.openAlert(subject)
  const card = () => {
    const found = cardsOf().find(({ text }) => text.includes(called(third)))
    if (found === undefined) throw new Error('the third is on no card')
    return found
  }
  await expect.poll(() => cardsOf().some(({ text }) => text.includes(called(third))), soon).toBe(true)
  expect(cardsOf()).toHaveLength(2)
  const alert = { alertId: third, card }
  const again = await broadcast(alert, /^🔁 Open again: .*web-2.*reopened once/)
  await ana().presses('Acknowledge', again)
  await expect.poll(() => card().text, soon).toContain('<@U0ANA00001>')
  const keys = broadcasts(alert).map(({ metadata }) => metadata?.event_payload.card ?? '')
  expect(keys.filter((key) => key.startsWith('again:'))).toHaveLength(1)
  town.service.closeAlert(third)
})

const forgotten = /^👀 <@U0ANA00001>, you have had this alert since .*Still on it\?/

async function forgottenAlert(server: string): Promise<OpenAlert> {
  const alert = await openAlert(town, server)
  await ana().presses('Acknowledge', alert.card())
  await expect.poll(() => alert.card().text, soon).toContain('<@U0ANA00001>')
  return alert
}

const stories: StoriesAt<'reminder'> = {
  stillOnIt: async () => {
    const alert = await forgottenAlert('web-3')
    const asked = await broadcast(alert, forgotten)
    await ana().presses('Still on it', asked)
    await threadSays(alert, /^👀 <@U0ANA00001> is still on it$/)
    // The clock began again.
    const later = () => broadcasts(alert).filter(({ ts, text }) => ts > asked.ts && forgotten.test(text))
    await expect.poll(() => later().length, soon).toBe(1)
    town.service.closeAlert(alert.alertId)
  },

  release: async () => {
    const alert = await forgottenAlert('web-4')
    await ben().presses('Hand back', await broadcast(alert, forgotten))
    await threadSays(alert, /^↩️ <@U0BEN00001> handed it back for <@U0ANA00001>: nobody is on it now$/)
    // Nobody is on it, so it is escalated from then on.
    await broadcast(alert, /^⏰ Nobody is on it any more: .*web-4/)
    town.service.closeAlert(alert.alertId)
  },
}

test.for(Object.entries(stories))('the button %s', ([_, story], context: TestContext) => story(context))
