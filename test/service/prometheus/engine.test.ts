/** What engines that are not Debian's Prometheus answer, by a stand-in that says it word for word. */
import { expect, test } from 'vitest'
import { openEngine } from '../../../src/service/prometheus/engine.ts'
import { exporter } from '../scrape/exporters.ts'

/** The rules of an engine that says this. */
async function rulesOf(status: number, answer: object) {
  const url = new URL(
    await exporter((_, response) => {
      response.statusCode = status
      response.end(JSON.stringify(answer))
    }),
  ).origin
  return openEngine({ url, authorization: null }, 5_000).rules()
}

const listing = (groups: unknown) => rulesOf(200, { status: 'success', data: { groups } })

test('lists that are null are empty, as engines in Go mean them', async () => {
  expect(await listing(null)).toEqual([])
  expect(await listing([{ name: 'town', rules: null }])).toEqual([])
  const bare = {
    type: 'alerting',
    name: 'Down',
    query: 'up == 0',
    alerts: null,
    labels: null,
    annotations: null,
  }
  expect(await listing([{ rules: [bare] }])).toMatchObject([
    { name: 'Down', alerts: [], labels: {}, health: 'ok' },
  ])
})

test.each([
  [500, { status: 'error', error: 'Get "http://reader:s3cr3t@store-1/": away' }],
  [422, { status: 'error', error: 'not with Authorization: Bearer s3cr3t' }],
  [200, { status: 'success', data: {}, warnings: ['https://reader:s3c/r3t:s3cr3t@store-1/ is away'] }],
])('what an engine says with a %d is told without user, password and token', async (status, answer) => {
  const told = await rulesOf(status, answer).catch((error: Error) => error.message)
  expect(told).toContain('[secret]')
  expect(told).not.toMatch(/s3c|reader/)
})
