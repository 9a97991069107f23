/** Answers that are ordered to be wrong in their content, their size or their pace. */
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { faultOrder } from '../../src/service/control/faults.ts'
import { wrongs } from '../../src/service/control/wrong-lists.ts'
import { key, openTown, type Town } from './open-service.ts'

const order = (town: Town, fault: object) =>
  town.ask('/control/faults', { method: 'POST', body: JSON.stringify(fault) })

async function withAlerts(count = 2): Promise<Town> {
  const town = await openTown({ fleet: true })
  for (let n = 0; n < count; n += 1) town.service.openAlert({ server: `web-${n + 1}`, plugin: 'CPU' })
  return town
}

/** As text: some of it is no JSON, or holds numbers that JavaScript cannot. */
async function alertsText(town: Town): Promise<string> {
  const { body, statusCode } = await request(`${town.service.url}/api/v2/${key}/alerts.json`)
  expect(statusCode).toBe(200)
  return body.text()
}

describe('a list that is ordered to be wrong', () => {
  const parts: Record<(typeof wrongs)[number], RegExp> = {
    no_results: /^\{"message":"[^"]*"\}$/,
    null_results: /"results":null\}$/,
    object_results: /"results":\{"0":\{"id":/,
    text_results: /"results":"none"/,
    number_results: /"results":\[0,1,1,2,3\]/,
    list: /^\[\{"id":/,
    fields: /"results":\[null,7,"text",.*"metric_value":1e999/,
    no_ids: /"results":\[\{"id":null,/,
    ids: /"id":900719925474099301,.*"id":900719925474099303,/,
    duplicates: /, again"/,
    unordered: /"results":\[\{"id":/,
    nested: /\[{100000}\]{100000}/,
    proto: /"__proto__":\{/,
  }
  test.each(wrongs)('%s', async (wrong) => {
    const town = await withAlerts()
    await order(town, { wrong, path: 'alerts.json' })
    const text = await alertsText(town)
    expect(parts[wrong].test(text)).toBe(true)
    expect(JSON.parse(await alertsText(town))).toMatchObject({ results: [{}, {}] })
  })

  test('an order without sense holds the same records', async () => {
    const town = await withAlerts(12)
    const ids = (text: string) =>
      (JSON.parse(text) as { results: { id: number }[] }).results.map(({ id }) => id)
    const good = ids(await alertsText(town))
    await order(town, { wrong: 'unordered' })
    const bad = ids(await alertsText(town))
    expect(bad).not.toEqual(good)
    expect(bad.sort()).toEqual(good.sort())
  })

  test('times are moved, and nothing else', async () => {
    const town = await withAlerts()
    type Record = { time: string }
    const records = async () => (JSON.parse(await alertsText(town)) as { results: Record[] }).results
    const good = await records()
    await order(town, { shiftSeconds: 86_400 })
    const later = (time: string) => new Date(Date.parse(time) + 86_400_000).toISOString()
    expect(await records()).toEqual(good.map((record) => ({ ...record, time: later(record.time) })))
  })

  test('what holds no list of records is left as it is', async () => {
    const town = await withAlerts()
    await order(town, { wrong: 'null_results' })
    expect((await town.api('/roles.json')).body).toMatchObject({ result: { web: expect.any(Array) } })
  })
})

test('a gigabyte is poured no faster than it is read, and no further than somebody listens', async () => {
  const town = await withAlerts()
  await order(town, { status: 200, body: 'gigabyte' })
  const { body, headers } = await request(`${town.service.url}/api/v2/${key}/alerts.json`)
  expect(headers['content-length']).toBe(String(1024 ** 3))
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > 1_000_000) break
  }
  expect(bytes).toBeLessThan(2_000_000)
  expect((await town.api('/alerts.json')).status).toBe(200)
})

test('a drip is a byte a second; a hang is none, until one side gives up', async () => {
  const town = await withAlerts()
  await order(town, { drip: true })
  const { body } = await request(`${town.service.url}/api/v2/${key}/alerts.json`)
  const pieces: string[] = []
  for await (const chunk of body) {
    pieces.push(String(chunk))
    if (pieces.length === 2) break
  }
  expect(pieces).toEqual(['{', '"'])
  await order(town, { hang: true })
  const { promise: gone, resolve } = Promise.withResolvers<unknown>()
  const asked = request(`${town.service.url}/api/v2/${key}/alerts.json`).catch(resolve)
  await expect.poll(async () => (await town.ask('/control/faults')).body).toEqual({ faults: [] })
  await town.service.close()
  expect(await gone).toBeInstanceOf(Error)
  await asked
})

test('an order of unknown wrongs, or of a time beyond a hundred years, is refused', () => {
  expect(faultOrder.safeParse({ wrong: 'everything' }).success).toBe(false)
  expect(faultOrder.safeParse({ shiftSeconds: 4e9 }).success).toBe(false)
  expect(faultOrder.safeParse({ hang: true }).success).toBe(true)
})
