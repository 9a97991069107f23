/** The manifest: what Slack accepts, and no scope more than the calls need. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { methodsUsed, scopesNeeded } from '../../src/slack/vocabulary.ts'

// The limits are those of slack-facts.md 6; Slack refuses unknown keys, so the parts that we use are strict too.
const manifestShape = z.strictObject({
  _metadata: z.strictObject({ major_version: z.union([z.literal(1), z.literal(2)]) }),
  display_information: z.strictObject({
    name: z.string().min(1).max(35),
    description: z.string().max(140).optional(),
    long_description: z.string().min(175).max(4000).optional(),
    background_color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i)
      .optional(),
  }),
  features: z.strictObject({
    bot_user: z.strictObject({ display_name: z.string().min(1).max(80), always_online: z.boolean() }),
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.string()) }) }),
  settings: z.strictObject({
    interactivity: z.strictObject({ is_enabled: z.boolean() }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
})

const source = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8')
const manifest = manifestShape.parse(parse(source))

test('the scopes are exactly those that the calls need', () => {
  expect(manifest.oauth_config.scopes.bot).toEqual(scopesNeeded)
  expect(new Set(scopesNeeded).size).toBe(scopesNeeded.length)
  expect(scopesNeeded).toEqual(expect.arrayContaining([...methodsUsed['conversations.history']]))
})

test('it says what the bot does today: Socket Mode with a static token, and nothing to press', () => {
  expect(manifest.settings).toEqual({
    interactivity: { is_enabled: false },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  })
})

test.each([
  ['an unknown key', (text: string) => text.replace('settings:', 'settings:\n  unknown_key: true')],
  ['a name that is too long', (text: string) => text.replace('name: monbot', `name: ${'m'.repeat(36)}`)],
  ['a colour that is none', (text: string) => text.replace('#1d1c1d', 'black')],
])('the check refuses %s', (_, spoil) => {
  const spoiled = spoil(source)
  expect(spoiled).not.toBe(source)
  expect(manifestShape.safeParse(parse(spoiled)).success).toBe(false)
})
