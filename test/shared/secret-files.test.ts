/** Secrets from files, for the bot and the service, with real files: what is read, and that nothing of it is ever said. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig, secretSettings } from '../../src/bot/config/config.ts'
import { ConfigError } from '../../src/bot/config/config-error.ts'
import { readEnvironment, secretNames } from '../../src/service/environment.ts'
import { readLimited } from '../../src/shared/limited-file.ts'
import { fileSetting, readSecretFiles } from '../../src/shared/secret-files.ts'

const good: Record<string, string> = {
  MONITOR_URL: 'https://monitor.example',
  MONITOR_API_KEY: 'key-of-the-monitoring',
  SLACK_BOT_TOKEN: 'xoxb-a-token-of-the-bot',
  SLACK_APP_TOKEN: 'xapp-a-token-of-the-app',
  SLACK_CHANNEL: 'C0ALERTS',
}

function filesIn(): (name: string, content: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (name, content) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
}

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env, readLimited)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('expected a problem; came none')
}

/** The settings without one, which a file gives instead. */
function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(good).filter(([other]) => other !== name))
}

const values: Record<string, string> = {
  ...good,
  SLACK_SIGNING_SECRET: 'a-signing-secret',
  DATABASE_URL: 'postgres://monbot:hunter2-hunter2@db.example/monbot',
  HEARTBEAT_URL: 'https://beat.example/a-secret-path',
}

/** All that a configuration holds, secrets too; or what is wrong, by the settings' own names. */
function outcomeOf(env: Record<string, string>): unknown {
  try {
    const open = (value: unknown): unknown => {
      if (typeof Object(value).reveal === 'function') return Object(value).reveal()
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, open(part)]))
    }
    return open(readConfig(env, readLimited))
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll('_FILE', '')
    throw error
  }
}

test.each(secretSettings)(
  '%s comes from a file as from the environment, with its line end left out',
  (name) => {
    const value = values[name] ?? 'https://somebody:a-pass-word@host.example:8080'
    const file = filesIn()
    // Only a schedule at PagerDuty reads the token.
    const policy =
      name === 'PAGERDUTY_API_TOKEN'
        ? { MONBOT_CONFIG: file('policy.yml', 'oncall: { pagerduty: PSCHED1 }') }
        : {}
    const rest = {
      ...(name === 'SLACK_SIGNING_SECRET' ? without('SLACK_APP_TOKEN') : without(name)),
      ...policy,
    }
    const path = file('secret', `\uFEFF${value}\r\n`)
    const taken = outcomeOf({ ...rest, [fileSetting(name)]: ` ${path} ` })
    expect(taken).toEqual(outcomeOf({ ...rest, [name]: value }))
    expect(taken).not.toEqual(outcomeOf(rest))
  },
)

test('both at once, no file, a folder, an empty one and one of the wrong content are told by name, and nothing of a value', () => {
  const file = filesIn()
  const folder = file('x', 'x').slice(0, -2)
  mkdirSync(join(folder, 'folder'))
  const { MONITOR_URL = '', SLACK_CHANNEL = '' } = good
  const message = messageOf({
    MONITOR_URL,
    SLACK_CHANNEL,
    MONITOR_API_KEY: 'key-of-the-monitoring',
    MONITOR_API_KEY_FILE: file('key', 'key-in-the-file'),
    SLACK_BOT_TOKEN_FILE: file('empty', ' \n'),
    SLACK_APP_TOKEN_FILE: join(folder, 'folder'),
    HEARTBEAT_URL_FILE: join(folder, 'none'),
    DATABASE_URL_FILE: file('database', 'mysql://monbot:hunter2@db\n'),
  })
  expect(message.split('\n').slice(1)).toEqual([
    '  MONITOR_API_KEY_FILE: expected nothing beside MONITOR_API_KEY, or MONITOR_API_KEY left empty; came both',
    `  SLACK_BOT_TOKEN_FILE: expected the path of a file that holds the secret; came "${folder}/empty", which is empty`,
    `  SLACK_APP_TOKEN_FILE: expected the path of a file that holds the secret; came "${folder}/folder", which cannot be read (EISDIR)`,
    `  HEARTBEAT_URL_FILE: expected the path of a file that holds the secret; came "${folder}/none", which cannot be read (ENOENT)`,
    expect.stringMatching(
      /^ {2}DATABASE_URL_FILE: expected sqlite:PATH.*; came mysql: and something after it$/,
    ),
  ])
  expect(message).not.toMatch(/key-in-the-file|key-of-the|hunter2/)
})

test('a secret that stands where its file should be named is not shown', () => {
  for (const [name, value] of Object.entries(values)) {
    if (!secretSettings.some((one) => one === name)) continue
    const message = messageOf({ ...without(name), [fileSetting(name)]: value })
    expect(message).toContain(`came a value of ${value.length} characters, which cannot be read (ENOENT)`)
    expect(message).not.toContain(value)
  }
})

test('a value of several lines is no secret, and none of its lines is shown', () => {
  const file = filesIn()
  const { MONITOR_API_KEY: _, ...rest } = good
  const message = messageOf({ ...rest, MONITOR_API_KEY_FILE: file('key', 'first-line-1\nsecond-line-2\n') })
  expect(message).toMatch(
    /MONITOR_API_KEY_FILE: expected a key .*came a value of 26 characters that holds spaces/,
  )
  expect(message).not.toMatch(/first-line|second-line/)
})

test.skipIf(process.getuid?.() === 0)('a file that this user may not read is a problem by its code', () => {
  const path = filesIn()('key', 'hidden-key-1')
  chmodSync(path, 0o000)
  expect(messageOf({ ...without('MONITOR_API_KEY'), MONITOR_API_KEY_FILE: path })).toContain('(EACCES)')
})

test('a failure that is none of the file is not hidden as one', () => {
  const broken = (): string => {
    throw new TypeError('a bug')
  }
  expect(() => readSecretFiles({ A_FILE: '/a' }, ['A'], broken)).toThrow(TypeError)
})

test.each(secretNames)("the service's %s comes from a file as well, and both at once are refused", (name) => {
  const file = filesIn()
  const value = name === 'MONITOR_API_KEY' ? 'a-key-of-the-service' : 'http://user:a-pass-word@127.0.0.1:9'
  const needed =
    name === 'PROMETHEUS_URL' || name === 'MONITOR_API_KEY' ? {} : { PROMETHEUS_URL: 'http://127.0.0.1:8' }
  const options = (env: Record<string, string>) => {
    const found = readEnvironment({ MONITOR_API_KEY: 'k1', ...needed, ...env }, null)
    return found.problems === null ? found.options : found.problems
  }
  const [path, blank] = [file('secret', `${value}\n`), { MONITOR_API_KEY: '' }]
  const taken = options({ ...(name === 'MONITOR_API_KEY' ? blank : {}), [fileSetting(name)]: path })
  expect(taken).toEqual(options({ [name]: value }))
  expect(taken).not.toEqual(options({}))
  const refused = options({ [name]: value, [fileSetting(name)]: path })
  expect(refused).toEqual([`${name}_FILE: expected nothing beside ${name}, or ${name} left empty; came both`])
})

test('a wrong value is told by the file that gave it', () => {
  const path = filesIn()('key', 'a key with/spaces')
  expect(readEnvironment({ MONITOR_API_KEY_FILE: path }, null).problems).toEqual([
    expect.stringMatching(/^MONITOR_API_KEY_FILE: expected .*; came something else$/),
  ])
})
