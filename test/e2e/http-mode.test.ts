/** The use cases in HTTP mode, with signed requests instead of a socket. */
import { expect, test } from 'vitest'
import { openAlert, sharedTown, soon, told, truthOf } from '../support/shared-town.ts'

const town = sharedTown({ http: true, service: { fleet: 24 }, except: [/request:refused/] })
const api = () => truthOf(town().service)

test('a command is answered, and does what it says', async () => {
  const ana = town().person('ana')
  await ana.types('/mon mute web-1 1h deploying')
  await expect.poll(() => ana.sees().at(-1), soon).toMatch(/^🔕 web-1 is muted until .* — deploying/)
  expect(api().muted()).toEqual(['web-1'])
})

test('a button and a select of a card', async () => {
  const ben = town().person('ben')
  const alert = await openAlert(town(), 'cache-1')
  await ben.presses('Acknowledge', alert.card())
  await expect.poll(() => alert.card().text, soon).toContain('👀 <@U0BEN00001>')
  await ben.chooses('Mute…', 'cache-1: 30 min', alert.card())
  await expect.poll(() => alert.card().text, soon).toContain('Muted by <@U0BEN00001> until')
  expect(api().server('cache-1')?.notifications).toBe(false)
})

test('a modal with suggestions, refused once and sent then', async () => {
  const cleo = town().person('cleo')
  await cleo.opensHome()
  await cleo.presses('Add roles…', 'home')
  await cleo.fills({ Server: 'db-1' })
  await cleo.submits()
  expect(Object.values(cleo.modal()?.errors ?? {})).toEqual(['Choose a role above, or enter a new one here.'])
  await cleo.fills({ 'Existing roles': ['lb'] })
  await cleo.submits()
  await expect.poll(() => told(town()), soon).toContain('🏷️ <@U0CLEO0001> added role lb to db-1')
  expect(api().server('db-1')?.roles).toContain('lb')
})

test('the Home tab, and its button', async () => {
  const ana = town().person('ana')
  await ana.types('/mon mute lb-1 1h')
  await expect.poll(() => ana.sees().at(-1), soon).toMatch(/^🔕 lb-1 is muted/)
  await ana.opensHome()
  await ana.presses('Unmute', 'home', { beside: 'lb-1' })
  await expect.poll(() => api().server('lb-1')?.notifications, soon).toBe(true)
})
