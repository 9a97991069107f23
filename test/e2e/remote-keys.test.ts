/** Names that an object has by itself, as names of roles, servers, plugins and metrics: they are names like any other. */
import { expect, test } from 'vitest'
import { openAlert, sharedTown, soon, threadOf, truthOf } from '../support/shared-town.ts'
import { called } from '../support/town.ts'

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
] as const

const town = sharedTown({ service: { fleet: 4 } })
const ana = () => town().person('ana')
const reads = (words: string | RegExp) => expect.poll(() => ana().sees().at(-1), soon).toMatch(words)

test('as roles: they are added, stand on the card, and are listed by role and by server', async () => {
  await ana().types(`/mon role add web-1 ${names.join(',')}`)
  await reads(/^🏷️ Added roles __proto__, constructor, prototype, toString/)
  expect(truthOf(town().service).server('web-1')?.roles).toEqual(expect.arrayContaining([...names]))
  for (const name of names) {
    await ana().types(`/mon roles ${name}`)
    await reads(new RegExp(`^Servers with role \`${name}\`\nweb-1`))
  }
  await ana().types('/mon roles web-1')
  await reads(/__proto__[\s\S]*constructor/)
  const alert = await openAlert(town(), 'web-1')
  await expect.poll(() => JSON.stringify(alert.card().blocks), soon).toMatch(/__proto__.*constructor/)
})

test.each(names)('as a server and in an alert: %s', async (name) => {
  const alertId = town().service.openAlert({
    server: name,
    plugin: name,
    metric: name,
    title: name,
    value: 1,
  })
  await expect
    .poll(
      () =>
        town()
          .cards()
          .some(({ text }) => text.includes(called(alertId)) && text.includes(name)),
      soon,
    )
    .toBe(true)
  await ana().types(`/mon alerts ${name}`)
  await reads(new RegExp(`${name}[\\s\\S]*${called(alertId)}`))
  await ana().types(`/mon ack ${name}`)
  await reads(/^👀 You acknowledged/)
  await ana().types(`/mon mute ${name} 1h ${name}`)
  await reads(/^(?:🔕|⚠️ The monitoring API says that it does not know)/)
  town().service.closeAlert(alertId)
  await expect
    .poll(
      () =>
        town()
          .cards()
          .find(({ text }) => text.includes(called(alertId)))?.text,
      soon,
    )
    .toMatch(/^🟢/)
})

test.each(names)('as anything that is asked for: %s', async (name) => {
  for (const asked of [
    name,
    `help ${name}`,
    `triggers ${name}`,
    `audit ${name}`,
    `chart web-1 ${name}`,
    `note ${name} x`,
  ]) {
    const before = ana().sees().length
    await ana().types(`/mon ${asked}`)
    await expect.poll(() => ana().sees().length, soon).toBeGreaterThan(before)
    const answer = ana().sees().at(-1) ?? ''
    expect(answer, asked).not.toMatch(/fault in monbot|undefined|\[object|function/)
    expect(answer, asked).not.toBe('')
  }
})

test('a note of one stands in the thread as it is', async () => {
  const alert = await openAlert(town(), 'web-2')
  await ana().types(`/mon note #${alert.alertId} __proto__`)
  await expect.poll(() => threadOf(town(), alert.card()).join('\n'), soon).toContain('__proto__')
})
