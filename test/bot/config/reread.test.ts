/** The policy is read again: what changed is named as in the file, and what only a restart takes up is said and not used. */
import { expect, test } from 'vitest'
import { openSettings } from '../../../src/bot/config/reread.ts'

const key = 'key-0123456789'

/** Settings on files that a test changes. */
function openOn(files: Record<string, string>, more: Record<string, string> = {}) {
  const dotEnv: Record<string, string> = { LOG_LEVEL: 'warn' }
  const env = {
    MONITOR_URL: 'https://monitor.example',
    MONITOR_API_KEY_FILE: '/key',
    SLACK_BOT_TOKEN: 'xoxb-0123456789',
    SLACK_APP_TOKEN: 'xapp-0123456789',
    SLACK_CHANNEL: 'C0ALERTS',
    MONBOT_CONFIG: ' /policy.yml ',
    ...more,
  }
  const readFile = (path: string): string => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' })
    return text
  }
  return { dotEnv, settings: openSettings(env, readFile, () => ({ ...dotEnv })) }
}

test('what changed is named by the keys of the file, also where only a comment or a default was written down', () => {
  const files: Record<string, string> = { '/key': key, '/policy.yml': 'images: off\n' }
  const { settings } = openOn(files)
  expect(settings.again()).toEqual({ kind: 'unchanged', restart: [] })
  files['/policy.yml'] = '# a comment\nimages: off\nboard: on\nlimits: { mute_default: 60m }\n'
  expect(settings.again().kind).toBe('unchanged')
  files['/policy.yml'] = 'images: off\nflap_settle: 5m\nroutes: [{ match: { role: db }, channel: C0DB }]\n'
  const changed = settings.again()
  expect(changed).toMatchObject({ kind: 'changed', changed: ['routes', 'flap_settle'], restart: [] })
  expect(changed.kind === 'changed' && changed.config.routes[0]?.channel).toBe('C0DB')
  expect(settings.again().kind).toBe('unchanged')
  files['/policy.yml'] = ''
  expect(settings.again()).toMatchObject({ changed: ['routes', 'flap_settle', 'images'] })
})

test('a broken file, and one that is gone, change nothing and say why; a good one counts again', () => {
  const files: Record<string, string> = { '/key': key, '/policy.yml': 'images: off\n' }
  const { settings } = openOn(files)
  files['/policy.yml'] = 'images: perhaps\ncolour: red\n'
  const refused = settings.again()
  expect(refused).toMatchObject({ kind: 'refused', restart: [] })
  expect(
    refused.kind === 'refused' && refused.why.split('\n').map((line) => line.trim().split(': expected')[0]),
  ).toEqual(['/policy.yml:1:1 images', '/policy.yml:2:1'])
  delete files['/policy.yml']
  expect(settings.again()).toMatchObject({
    kind: 'refused',
    why: expect.stringMatching(/^MONBOT_CONFIG: .*ENOENT/),
  })
  files['/policy.yml'] = 'images: off\n'
  expect(settings.again().kind).toBe('unchanged')
})

test('a secret in a file and a line of .env are said to need a restart, and the bot keeps the ones it has', () => {
  const files: Record<string, string> = { '/key': key, '/policy.yml': 'images: off\n' }
  const { settings, dotEnv } = openOn(files)
  files['/key'] = 'another-key-987'
  dotEnv.LOG_LEVEL = 'debug'
  dotEnv.PORT = '4000'
  dotEnv.OTHER = 'nothing of monbot'
  files['/policy.yml'] = 'images: auto\n'
  const again = settings.again()
  expect(again.restart).toEqual(['MONITOR_API_KEY_FILE', 'PORT', 'LOG_LEVEL'])
  expect(again.kind === 'changed' && [again.config.monitorApiKey.reveal(), again.config.port]).toEqual([
    key,
    3000,
  ])
  expect(JSON.stringify(again)).not.toContain('another-key')
  delete files['/key']
  expect(settings.again()).toEqual({ kind: 'unchanged', restart: ['PORT', 'LOG_LEVEL'] })
})
