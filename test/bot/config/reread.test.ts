/** The policy is read again: what changed is named as in the file, and what only a restart takes up is said and not used. */
import { expect, test } from 'vitest'
import { policyFile } from '../../../src/bot/config/policy.ts'
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

const matches = (nth: number) => ({
  role: `role-${nth}`,
  server: `web-${nth}`,
  plugin: `plugin-${nth}`,
  metric: `metric-${nth}`,
  title: `title-${nth}`,
  lifecycle: nth === 1 ? 'start' : 'oneoff',
  labels: { namespace: `pay-${nth}` },
})

/** A whole policy; the first and the second have the same shape, and nothing else in common. */
function whole(nth: 1 | 2, oncall: object) {
  const severity = nth === 1 ? 'critical' : 'warning'
  const match = { ...matches(nth), severity }
  const audience = [`U${nth}`]
  return {
    routes: [{ match, channel: `C${nth}`, mention: `<@U${nth}>` }],
    severity: [{ match: matches(nth), is: severity }],
    ignore: [{ match }],
    links: [{ match, text: `text ${nth}`, url: `https://wiki.example/${nth}` }],
    show_labels: [`label-${nth}`],
    permissions: {
      acknowledge: audience,
      add_note: audience,
      mute_server: audience,
      mute_account: audience,
      add_roles: audience,
      add_marker: audience,
      set_no_data: audience,
      delete_server: audience,
      delete_metric: audience,
    },
    limits: { mute_default: `${nth}m`, mute_max: `${nth}d`, account_mute_max: `${nth}h` },
    reminders: [{ after: `${nth}m`, match, page: nth === 1, mention: `<@U${nth}>`, channel: `C${nth}` }],
    flap_settle: `${nth}m`,
    forgotten_after: `${nth}h`,
    oncall,
    board: nth === 1,
    report: { at: nth === 1 ? 'mon 09:00' : 'tue 10:30', channel: `C${nth}` },
    lifecycle: nth === 1 ? 'flip' : 'pair',
    images: nth === 1 ? 'auto' : 'off',
    timezone: nth === 1 ? 'Europe/Berlin' : 'America/New_York',
    maintenance: [
      {
        mute: `web-${nth}`,
        every: `tue 0${nth}:00-04:00`,
        zone: nth === 1 ? 'UTC' : 'Asia/Tokyo',
        reason: `reason ${nth}`,
      },
      { mute: `db-${nth}`, from: `2026-12-0${nth} 22:00`, for: `${nth}h` },
    ],
  }
}

/** The paths of all values that hold no other ones. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}

/** A copy of `into` with the value that `from` has at the path. */
function withLeaf(into: unknown, from: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path
  if (key === undefined) return from
  const copy: unknown = structuredClone(into)
  Reflect.set(Object(copy), key, withLeaf(Object(into)[key], Object(from)[key], rest))
  return copy
}

test.each([
  [
    'a calendar',
    { ical: 'https://calendar.example/1', people: { ana: 'U1' }, handoff: true },
    { ical: 'https://calendar.example/2', people: { ana: 'U2' }, handoff: false },
  ],
  ['a schedule', { pagerduty: 'P1', people: { ana: 'U1' } }, { pagerduty: 'P2', people: { ana: 'U2' } }],
])(
  'whichever value of a whole policy with %s changes, its part is named and the bot takes it',
  (_, oncall, other) => {
    const [before, after] = [whole(1, oncall), whole(2, other)]
    expect(Object.keys(before)).toEqual(Object.keys(policyFile.shape))
    const files: Record<string, string> = { '/key': key }
    const env = { PAGERDUTY_ROUTING_KEY: 'a'.repeat(32), PAGERDUTY_API_TOKEN: 'token-0123456789' }
    for (const path of leavesOf(before)) {
      files['/policy.yml'] = JSON.stringify(before)
      const { settings } = openOn(files, env)
      files['/policy.yml'] = JSON.stringify(withLeaf(before, after, path))
      const again = settings.again()
      expect([path.join('.'), again]).toEqual([
        path.join('.'),
        { kind: 'changed', changed: [path[0]], restart: [], config: expect.anything() },
      ])
      expect(JSON.stringify(again)).not.toContain('calendar.example')
    }
  },
)

test('a person on call by another name, and another calendar, are taken without a restart', () => {
  const oncall = (name: string, address: string) =>
    JSON.stringify({ oncall: { ical: address, people: { [name]: 'U1' } } })
  const files: Record<string, string> = { '/key': key }
  files['/policy.yml'] = oncall('ana', 'https://calendar.example/1')
  const { settings } = openOn(files)
  files['/policy.yml'] = oncall('ben', 'https://calendar.example/1')
  const renamed = settings.again()
  expect(renamed).toMatchObject({ changed: ['oncall'] })
  expect(renamed.kind === 'changed' && renamed.config.onCall?.people).toEqual(new Map([['ben', 'U1']]))
  files['/policy.yml'] = oncall('ben', 'https://calendar.example/2')
  const moved = settings.again()
  const source = moved.kind === 'changed' ? moved.config.onCallSource : null
  expect(source?.kind === 'ical' && source.url.reveal()).toBe('https://calendar.example/2')
  expect(settings.again()).toEqual({ kind: 'unchanged', restart: [] })
})
