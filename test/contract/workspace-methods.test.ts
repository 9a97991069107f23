/** The table of methods says what is there: held against the SDK's own list, and against what the workspace answers. */
import { WebClient } from '@slack/web-api'
import { describe, expect, test } from 'vitest'
import { methodRows, usualScopes } from '../../src/workspace/api/methods.ts'
import { absentMethods } from '../../src/workspace/api/methods-absent.ts'
import { neighbour } from '../workspace/neighbour.ts'

/** Every method that the SDK has a function for. `files.uploadV2` is none of Slack's: it makes three calls. */
function sdkMethods(): string[] {
  const names: string[] = []
  const walk = (node: object, path: readonly string[]): void => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'function') names.push([...path, key].join('.'))
      else if (typeof value === 'object' && value !== null) walk(value, [...path, key])
    }
  }
  for (const [key, value] of Object.entries(new WebClient())) {
    if (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
      walk(value, [key])
  }
  return names.filter((name) => name.includes('.') && name !== 'files.uploadV2')
}

describe('the table of methods', () => {
  test('names every method of the SDK once', () => {
    const named = [...methodRows.map(({ method }) => method), ...absentMethods]
    expect(sdkMethods().length).toBeGreaterThan(250)
    expect(new Set(named).size).toBe(named.length)
    expect(named.toSorted()).toEqual(sdkMethods().toSorted())
  })

  test('says where a method falls short, and only there', () => {
    for (const { support, note } of methodRows) expect(note === '').toBe(support === 'full')
  })

  test('tells the truth about what is not there', async () => {
    const { call } = await neighbour()
    for (const method of absentMethods)
      expect([method, (await call(method)).error]).toEqual([method, 'unknown_method'])
  })

  test.each(methodRows)('tells the truth about $method', async ({ method, scopes, token, tier }) => {
    const { call, raw, workspace } = await neighbour({
      scopes: [],
      limits: { tier1: 1, tier2: 1, tier3: 1, tier4: 1, special: 1, posts: 1 },
    })
    const own = token === 'app' ? workspace.appToken : workspace.botToken
    expect((await call(method, {}, '')).error === 'not_authed').toBe(token !== 'none')
    if (token === 'bot')
      expect((await call(method, {}, workspace.appToken)).error).toBe('not_allowed_token_type')
    const answer = await call(method, {}, own)
    expect(answer.error).not.toBe('unknown_method')
    expect(answer.error === 'missing_scope').toBe(scopes.length > 0)
    if (scopes.length > 0) expect(scopes).toContain(answer.needed)
    // What is refused for want of a scope does not count against the limit.
    else expect((await raw(method, {}, own)).status).toBe(tier === 'none' ? 200 : 429)
  })

  test('asks for no scope that a bot with the usual ones lacks, but for the two that it does without', () => {
    const lacking = methodRows.filter(
      ({ scopes }) => scopes.length > 0 && !scopes.some((one) => usualScopes.some((own) => own === one)),
    )
    expect(lacking.map(({ method }) => method)).toEqual(['conversations.join', 'conversations.open'])
  })
})
