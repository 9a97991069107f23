/** The workspace has the methods that the bot calls, each with its token, its scopes and its limit, and no other. */
import { WebClient } from '@slack/web-api'
import { describe, expect, test } from 'vitest'
import { methodsUsed, scopesNeeded, scopesOptional } from '../../src/bot/slack/vocabulary.ts'
import { methods } from '../../src/workspace/api/methods.ts'
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
  test('names what the bot calls, and what opens its socket', () => {
    expect([...methods.keys()].toSorted()).toEqual(
      [...Object.keys(methodsUsed), 'apps.connections.open'].toSorted(),
    )
    expect(sdkMethods()).toEqual(expect.arrayContaining([...methods.keys()]))
  })

  test('is all that there is: every other method of the SDK is unknown_method', async () => {
    const { call } = await neighbour()
    const others = sdkMethods().filter((method) => !methods.has(method))
    expect(others.length).toBeGreaterThan(250)
    for (const method of others)
      expect([method, (await call(method)).error]).toEqual([method, 'unknown_method'])
  })

  test.each([...methods])('tells the truth about %s', async (method, { scopes = [], token = 'bot' }) => {
    const { call, raw, workspace } = await neighbour({
      scopes: [],
      limits: { tier1: 1, tier2: 1, tier3: 1, tier4: 1, special: 1, posts: 1 },
    })
    const own = token === 'app' ? workspace.appToken : workspace.botToken
    const isPublic = token === 'none'
    expect((await call(method, {}, '')).error).toBe(isPublic ? 'invalid_arguments' : 'not_authed')
    if (isPublic) return expect((await raw(method, {}, own)).status).toBe(429)
    if (token === 'bot')
      expect((await call(method, {}, workspace.appToken)).error).toBe('not_allowed_token_type')
    const answer = await call(method, {}, own)
    expect(answer.error).not.toBe('unknown_method')
    expect(answer.error === 'missing_scope').toBe(scopes.length > 0)
    if (scopes.length > 0) expect(scopes).toContain(answer.needed)
    // What is refused for want of a scope does not count against the limit.
    else expect((await raw(method, {}, own)).status).toBe(429)
  })

  test('asks for no scope that the bot lacks', () => {
    for (const { scopes = [] } of methods.values()) {
      if (scopes.length > 0)
        expect([...scopesNeeded, ...Object.keys(scopesOptional)].some((own) => scopes.includes(own))).toBe(
          true,
        )
    }
  })
})
