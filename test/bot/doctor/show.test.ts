/** The card that the doctor shows to somebody: posted, edited, looked at and deleted, whatever fails in between. */
import { WebClient } from '@slack/web-api'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../../../src/bot/doctor/finding.ts'
import { showCard } from '../../../src/bot/doctor/show.ts'
import { silent } from '../../../src/bot/doctor/silent.ts'
import { clientOptions } from '../../../src/bot/slack/fetch.ts'
import { scopesNeeded } from '../../../src/bot/slack/vocabulary.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { openWorkspace, type WorkspaceOptions } from '../../../src/workspace/workspace.ts'

async function shownIn(
  options: WorkspaceOptions = {},
  before: (
    workspace: Awaited<ReturnType<typeof openWorkspace>>,
    leaving: AbortController,
  ) => Promise<unknown> = async () => {},
) {
  const workspace = await openWorkspace({ limits: 'off', fileReadyMs: 0, ...options })
  onTestFinished(() => workspace.close())
  const leaving = new AbortController()
  const calls: string[] = []
  workspace.events.listen(({ event }) => {
    if (event.type === 'api_call') calls.push(event.method)
  })
  await before(workspace, leaving)
  const client = new WebClient(workspace.botToken, { ...clientOptions(workspace.apiUrl), logger: silent })
  const { id: person } = workspace.person('ana')
  const findings: Finding[] = []
  const to = { client, botId: workspace.botId, person, clock: realClock, leaving: leaving.signal }
  for await (const finding of showCard(to)) findings.push(finding)
  const sent = calls.filter((method) => method === 'chat.postMessage').length
  return { findings, calls, sent, workspace, person }
}
const told = (findings: readonly Finding[]) => findings.map(({ state, said }) => `${state}: ${said}`)
const only = 'only people can tell whether they do: docs/real-slack.md'

test('it is posted, edited and deleted, with its pictures, and it says what Slack says about them', async () => {
  const { findings, calls, person } = await shownIn()
  expect(told(findings)).toEqual([
    `ok: shown to ${person} in direct messages, edited and deleted; by Slack's word people see a picture that was posted, but not one that an edit added; ${only}`,
  ])
  const steps = ['chat.postMessage', 'files.info', 'chat.update', 'files.info', 'chat.delete']
  expect(calls.filter((method) => steps.includes(method))).toEqual(steps)
  expect(calls.slice(-2)).toEqual(['files.delete', 'files.delete'])
})

test('where edits give access to a picture it says so', async () => {
  const { findings } = await shownIn({ doEditsShare: true })
  expect(told(findings)[0]).toMatch(/people see a picture that was posted, and one that an edit added/)
})

test('without files:read it is not known whether people see its picture', async () => {
  const { findings } = await shownIn({ scopes: scopesNeeded })
  expect(told(findings)[0]).toMatch(/^ok: .*not known whether people see its picture, without files:read/)
})

test('a picture that Slack takes in later is waited for', async () => {
  const { findings, sent } = await shownIn({ fileReadyMs: 1_500 })
  expect(told(findings)[0]).toMatch(/^ok: shown/)
  expect(sent).toBeGreaterThan(1)
})

test.each([
  ['chat.postMessage', 'not posted (fatal_error: look whether it is there, and delete it)', 1],
  ['files.info', 'not looked up (fatal_error)', 1],
  ['chat.update', 'not edited (fatal_error)', 2],
])('if %s fails, the rest is taken back', async (method, said, files) => {
  const { findings, calls } = await shownIn({}, (workspace) =>
    workspace.acts.fault({ method, times: null, effect: { kind: 'error', error: 'fatal_error' } }),
  )
  expect(told(findings)).toEqual([`failed: ${said}`])
  expect(calls.filter((one) => one === 'files.delete')).toHaveLength(files)
  expect(calls.filter((one) => one === 'chat.delete')).toHaveLength(method === 'chat.postMessage' ? 0 : 1)
})

test('what cannot be deleted is named', async () => {
  const { findings } = await shownIn({}, (workspace) =>
    workspace.acts.fault({
      method: 'chat.delete',
      times: null,
      effect: { kind: 'error', error: 'fatal_error' },
    }),
  )
  expect(told(findings)[0]).toBe('warning: not deleted: the card in direct messages (fatal_error)')
})

test('interrupted after it was posted, it is taken back', async () => {
  const { findings, calls } = await shownIn({}, async (workspace, leaving) => {
    workspace.events.listen(({ event }) => {
      if (event.type === 'api_call' && event.method === 'chat.postMessage') leaving.abort()
    })
  })
  expect(told(findings)).toEqual(['skipped: interrupted, and taken back'])
  expect(calls).toEqual(expect.arrayContaining(['chat.delete', 'files.delete']))
  expect(calls).not.toContain('chat.update')
})
