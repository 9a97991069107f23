/** What the doctor says of what Slack answers about its samples: taken, refused with its place, or not known. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { blocksFindings } from '../../../src/bot/doctor/blocks.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { neighbour } from '../../workspace/neighbour.ts'
import { doctorTown, serving } from './doctor-town.ts'

const town = doctorTown()

type Answer = (count: number) => {
  readonly status?: number
  readonly headers?: object
  readonly body: unknown
}

/** A Slack that answers every call so; and what it was asked. */
async function slackThat(answer: Answer) {
  const asked: { readonly authorization: string | undefined; readonly path: string }[] = []
  let underWay = 0
  let atOnce = 0
  const url = await serving(async (request: IncomingMessage, response: ServerResponse) => {
    underWay += 1
    atOnce = Math.max(atOnce, underWay)
    asked.push({ authorization: request.headers.authorization, path: String(request.url) })
    const { status = 200, headers = {}, body } = answer(asked.length)
    request.resume().on('end', () => {
      underWay -= 1
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  const findings = await blocksFindings(`${url}/api/`, realClock)
  return { findings, asked, atOnce }
}

const fault = {
  code: 'failed_constraint',
  message: 'must be less than 3001 characters',
  pointer: '/blocks/2/text/text',
}

test('the local workspace takes all of them, which says nothing of Slack itself, and nobody sees any', async () => {
  const { workspace } = town()
  const findings = await blocksFindings(workspace.apiUrl, realClock)
  expect(findings).toEqual([
    {
      check: 'Slack cards',
      state: 'skipped',
      said: expect.stringMatching(
        /^not known: Slack itself is not at 127\.0\.0\.1, which takes all \d+ samples/,
      ),
      todo: null,
    },
  ])
  for (const { id } of workspace.channels) expect(workspace.messages(id)).toEqual([])
})

test('it asks without a token, few at a time, and each once', async () => {
  const { asked, atOnce } = await slackThat(() => ({ body: { ok: true } }))
  expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/api/blocks.validate']))
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([undefined]))
  expect(asked.length).toBeLessThanOrEqual(120)
  expect(atOnce).toBeLessThanOrEqual(4)
})

test('a refusal is told with the card and its place, and is no failure', async () => {
  const { findings } = await slackThat((count) => ({
    body: count === 1 ? { ok: false, error: 'invalid_message', errors: [fault, fault] } : { ok: true },
  }))
  expect(findings).toEqual([
    {
      check: 'Slack cards',
      state: 'warning',
      said: 'refused: card alert: must be less than 3001 characters at /blocks/2/text/text (and 1 more)',
      todo: expect.stringMatching(/^Report this line/),
    },
  ])
})

test('of many refusals five are told, and the rest counted', async () => {
  const { findings, asked } = await slackThat(() => ({
    body: { ok: false, error: 'invalid_view', errors: [fault] },
  }))
  expect(findings).toHaveLength(6)
  expect(findings.at(-1)?.said).toBe(`refused: ${asked.length - 5} more of ${asked.length}`)
})

test('that the picture of a sample is none is no fault', async () => {
  const errors = [{ ...fault, message: 'invalid slack file', pointer: '/blocks/3/slack_file' }]
  const { findings } = await slackThat(() => ({ body: { ok: false, error: 'invalid_message', errors } }))
  expect(findings.map(({ state }) => state)).toEqual(['skipped'])
})

test.each<[string, Answer, RegExp]>([
  ['unknown_method', () => ({ body: { ok: false, error: 'unknown_method' } }), /unknown_method/],
  [
    'a limit',
    () => ({ status: 429, headers: { 'retry-after': '30' }, body: { ok: false, error: 'ratelimited' } }),
    /ratelimited/,
  ],
  ['a limit without a time', () => ({ status: 429, body: '' }), /ratelimited/],
  ['a page', () => ({ body: '<html>maintenance</html>' }), /not_json/],
  ['an error of the server', () => ({ status: 503, body: '' }), /http_503/],
  ['invalid_arguments', () => ({ body: { ok: false, error: 'invalid_arguments' } }), /invalid_arguments/],
])('with %s it is not known, which is no failure, and it asks no more', async (_, answer, why) => {
  const { findings, asked } = await slackThat(answer)
  expect(findings).toMatchObject([{ state: 'skipped', said: expect.stringMatching(why), todo: null }])
  expect(findings[0]?.said).toMatch(/^not known .*: 0 of \d+ were taken$/)
  expect(asked.length).toBeLessThanOrEqual(4)
})

test('where Slack cannot be reached it is not known', async () => {
  const findings = await blocksFindings(`http://127.0.0.1:${town().closedPort}/api/`, realClock)
  expect(findings).toMatchObject([{ state: 'skipped', said: expect.stringMatching(/ECONNREFUSED/) }])
})

test('what was refused before a limit came is told, and that the rest is not known', async () => {
  const { findings } = await slackThat((count) => ({
    ...(count > 8 ? { status: 429, headers: { 'retry-after': '30' } } : {}),
    body: count === 1 ? { ok: false, error: 'invalid_message', errors: [fault] } : { ok: true },
  }))
  expect(findings.map(({ state }) => state)).toEqual(['warning', 'skipped'])
  expect(findings[1]?.said).toMatch(/\(ratelimited\): 7 of \d+ were taken$/)
})

test('what a closed connection cut off is asked again', async () => {
  const { workspace } = await neighbour()
  await workspace.acts.fault({ method: 'blocks.validate', times: 2, effect: { kind: 'reset' } })
  const findings = await blocksFindings(workspace.apiUrl, realClock)
  expect(findings).toMatchObject([{ said: expect.stringMatching(/takes all \d+ samples/) }])
})

test('an answer that never comes is given up', async () => {
  const { workspace } = await neighbour()
  await workspace.acts.fault({ method: 'blocks.validate', times: null, effect: { kind: 'reset' } })
  const findings = await blocksFindings(workspace.apiUrl, realClock)
  expect(findings).toMatchObject([{ state: 'skipped' }])
})
