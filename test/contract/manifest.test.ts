/** The manifest: what Slack accepts, what the code uses, and no right more than its calls need. */
import { readFileSync } from 'node:fs'
import type { AppsManifestValidateArguments } from '@slack/web-api'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { usageHint } from '../../src/bot/domain/command/commands.ts'
import {
  command,
  eventsUsed,
  methodsUsed,
  scopesNeeded,
  scopesOptional,
  scopesRefusable,
  shortcuts,
} from '../../src/bot/slack/vocabulary.ts'
import { manifestRules } from './manifest-rules.ts'

const source = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8')
const manifest = manifestRules.parse(parse(source))

/** Slack's own lists of scopes and events, by the types of its SDK. */
type SlackManifest = Exclude<AppsManifestValidateArguments['manifest'], string>
type SlackScope = NonNullable<
  NonNullable<NonNullable<SlackManifest['oauth_config']>['scopes']>['bot']
>[number]
type SlackEvent = NonNullable<
  NonNullable<NonNullable<SlackManifest['settings']>['event_subscriptions']>['bot_events']
>[number]

describe('least privilege', () => {
  test('the scopes are exactly those that the calls and the command need, and Slack knows them', () => {
    const ofCalls: readonly SlackScope[] = Object.values(methodsUsed).flat()
    const optional: readonly SlackScope[] = Object.keys(scopesOptional) as SlackScope[]
    const bot = [...scopesNeeded, ...optional].sort()
    expect(manifest.oauth_config).toEqual({ scopes: { bot, bot_optional: scopesRefusable } })
    expect(
      ofCalls
        .filter((scope) => !optional.includes(scope))
        .concat('commands')
        .toSorted(),
    ).toEqual(expect.arrayContaining([...scopesNeeded]))
    expect(
      scopesNeeded.filter((scope) => scope !== 'commands' && !ofCalls.includes(scope as SlackScope)),
    ).toEqual([])
  })

  test('the events are exactly those that the code listens to, and Slack knows them', () => {
    const events: readonly SlackEvent[] = eventsUsed
    expect(manifest.settings?.event_subscriptions).toEqual({ bot_events: events })
  })
})

describe('what people find', () => {
  test('is the one command that the code answers, as it was typed', () => {
    const commands = manifest.features?.slash_commands ?? []
    expect(commands.map((one) => one.command)).toEqual([command])
    // The parser undoes the escaping of three characters, and knows nothing of mentions.
    expect(commands[0]?.should_escape).toBe(false)
    expect(commands[0]?.usage_hint).toBe(`[${usageHint}]`)
  })

  test('are the shortcuts that the code answers, on messages', () => {
    const found = manifest.features?.shortcuts ?? []
    expect(found.map((one) => one.callback_id).sort()).toEqual(Object.values(shortcuts).sort())
    expect(new Set(found.map((one) => one.type))).toEqual(new Set(['message']))
  })

  test('is a Home tab, and a tab for messages in which people can write to monbot', () => {
    expect(manifest.features?.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    })
  })
})

test('it is for Socket Mode with a static token, and everything can be pressed', () => {
  expect(manifest.settings).toMatchObject({
    interactivity: { is_enabled: true },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  })
})

test('for HTTP mode, the places that its comment names take the address', () => {
  const named = [...source.matchAll(/^# {3}(\S+)$/gm)].map(([, path = '']) => path)
  expect(named).toHaveLength(4)
  const http = parse(source)
  http.settings.socket_mode_enabled = false
  for (const path of named) {
    const steps = path.split(/[.[\]]+/)
    const last = steps.pop() ?? ''
    const holder = steps.reduce((node, step) => node[step], http)
    expect(holder[last], path).toBeUndefined()
    holder[last] = 'https://monbot.example/slack/events'
  }
  expect(manifestRules.safeParse(http).error).toBeUndefined()
  expect(JSON.stringify(manifestRules.parse(http)).match(/slack\/events/g)).toHaveLength(4)
})

test.each([
  ['an unknown key', (text: string) => text.replace('settings:', 'settings:\n  unknown_key: true')],
  ['a name that is too long', (text: string) => text.replace('name: monbot', `name: ${'m'.repeat(36)}`)],
  ['a colour that is none', (text: string) => text.replace('#1d1c1d', 'black')],
  ['a command without its slash', (text: string) => text.replace('command: /mon', 'command: mon')],
  ['a shortcut without words', (text: string) => text.replace(/ {6}description: Mute.*\n/, '')],
  ['a long name of a shortcut', (text: string) => text.replace('Add a note', `Add ${'a'.repeat(21)}`)],
  ['a shortcut of an unknown kind', (text: string) => text.replace('type: message', 'type: channel')],
  ['an event twice', (text: string) => text.replace(/( +)- app_home_opened/, '$&\n$1- app_home_opened')],
  ['an optional scope that is not asked for', (text: string) => text.replace(/^ +- files:read\n/m, '')],
  ['interactivity without a yes or no', (text: string) => text.replace('    is_enabled: true\n', '    {}\n')],
  ['an app-level scope as a setting', (text: string) => `${text}  app_level_tokens: []\n`],
])('the rules refuse %s', (_, spoil) => {
  const spoiled = spoil(source)
  expect(spoiled).not.toBe(source)
  expect(manifestRules.safeParse(parse(spoiled)).success).toBe(false)
})
