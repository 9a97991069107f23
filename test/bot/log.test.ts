/** The log: whatever is logged, and however, no secret stands in a line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/bot/config/secret.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import { type LogSettings, openLog, terminalFormat } from '../../src/bot/log.ts'

const key = 'canary/k+y "é" %2F'

function openToArray(level: LogSettings['level'], secrets: readonly string[] = [key]) {
  const lines: string[] = []
  const log = openLog({
    level,
    secrets: secrets.map((value) => new Secret(value)),
    destination: { write: (line) => void lines.push(line) },
  })
  return { log, lines, records: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) }
}

test('a secret that comes later is replaced from then on, and one that is within another one wholly', () => {
  const { log, lines } = openToArray('info', ['canary-key'])
  const child = log.child({ part: 'a' })
  log.hide([new Secret('https://calendar.example/canary-key/late'), new Secret('')])
  child.info({ url: 'https://calendar.example/canary-key/late' }, 'late:field')
  log.info({ url: 'canary-key', kept: 'late' }, 'early:field')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { url: '[secret]' },
    { url: '[secret]', kept: 'late' },
  ])
})

describe('a secret is replaced wherever it stands', () => {
  const { log, lines, records } = openToArray('debug')
  log.info({ key, deep: { list: [`before ${key} after`] } }, 'key:field')
  log.info(`key:message ${key}`)
  log.info({ [key]: 1 }, 'key:name')
  log.info({ url: `https://m.example/api/v2/${encodeURIComponent(key)}/alerts.json` }, 'key:url')
  const lower = encodeURIComponent(key).replace(/%../g, (triple) => triple.toLowerCase())
  log.info({ url: lower }, 'key:lowercase')
  log.info({ url: encodeURI(key) }, 'key:path')
  log.info({ url: encodeURIComponent(`https://m.example/?k=${encodeURIComponent(key)}`) }, 'key:twice')
  log.info({ body: new URLSearchParams({ key }).toString() }, 'key:form')
  log.info({ text: JSON.stringify({ key }) }, 'key:json')
  log.error({ error: new Error(`GET ${key} failed`, { cause: new Error(key) }) }, 'key:error')
  log.child({ bound: key }).warn('key:child')
  log.debug('key:%s', key)
  const events = [
    'field',
    'message',
    'name',
    'url',
    'lowercase',
    'path',
    'twice',
    'form',
    'json',
    'error',
    'child',
    'format',
  ]

  test.each(events.map((event, index) => [event, index] as const))('%s', (_, index) => {
    expect(lines[index]).toContain('[secret]')
    expect(lines[index]).not.toContain('canary')
  })

  test('every line is still one JSON object', () => {
    expect(records()).toHaveLength(events.length)
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
  })
})

test('a secret that holds another one goes whole', () => {
  const { log, lines } = openToArray('info', ['xoxb-1', 'xoxb-1-canary'])
  log.info('token:used xoxb-1-canary')
  expect(lines[0]).toContain('"token:used [secret]"')
})

test('the control: without the secret being known, it would stand there', () => {
  const { log, lines } = openToArray('info', [])
  log.info({ key: 'canary' }, 'key:field')
  expect(lines[0]).toContain('canary')
})

test('an error is told by name, kind and message; its stack only at debug', () => {
  const failure = new OutsideFailure('rate_limited', 'Slack asks to wait', { code: 'ratelimited' })
  const quiet = openToArray('info')
  quiet.log.error({ error: failure }, 'card:behind')
  quiet.log.error({ err: new TypeError('a bug') }, 'task:failed')
  expect(quiet.records()).toMatchObject([
    {
      level: 'error',
      msg: 'card:behind',
      error: {
        name: 'OutsideFailure',
        kind: 'rate_limited',
        code: 'ratelimited',
        message: 'Slack asks to wait',
      },
    },
    { msg: 'task:failed', err: { name: 'TypeError', message: 'a bug' } },
  ])
  expect(quiet.lines.join()).not.toContain('stack')

  const loud = openToArray('debug')
  loud.log.error({ error: failure }, 'card:behind')
  expect(loud.lines[0]).toContain('log.test.ts')
})

test('what an error of a library carries beside its message is not logged', () => {
  const { log, lines } = openToArray('trace')
  const error = Object.assign(new Error('failed'), { request: { path: '/api/v2/other-key' }, code: 7 })
  log.error({ error }, 'task:failed')
  log.error(error)
  expect(lines.join()).not.toContain('other-key')
})

test('in a terminal a line is for people, and holds no secret either', async () => {
  const lines: string[] = []
  const log = openLog({
    level: 'info',
    secrets: [new Secret(key)],
    destination: { write: (line) => void lines.push(stripVTControlCharacters(line)) },
    format: terminalFormat(true),
  })
  log.warn({ why: `no ${key}`, hostname: 'a\u001b[2J\nb' }, 'poll:failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}poll:failed why="no \[secret\]" hostname="a\\u001b\[2J\\nb"\n$/,
  )
})

test('lines below the level are not written', () => {
  const { log, lines } = openToArray('warn')
  log.info('app:started')
  log.warn('api:slow')
  expect(lines).toHaveLength(1)
})

test('who reads the log and falls behind keeps nobody waiting, and gets every line in the end', async () => {
  const script = `
    const { openLog } = await import(${JSON.stringify(new URL('../../src/bot/log.ts', import.meta.url).href)})
    const log = openLog({ level: 'info', secrets: [] })
    for (let n = 0; n < 3_000; n++) log.info({ n, text: 'x'.repeat(1_000) }, 'a:line')
    setTimeout(() => process.stderr.write('answered'), 0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  // Nothing of its log is read before it has answered.
  const [answer] = await once(child.stderr, 'data')
  expect(String(answer)).toBe('answered')
  const lines = (await text(child.stdout)).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 3_000 }, (_, n) => n))
})

test('a process ends though its last lines are read by nobody any more', async () => {
  const program = `
    const { openLog } = await import(${JSON.stringify(new URL('../../src/bot/log.ts', import.meta.url).href)})
    const log = openLog({ level: 'info', secrets: [] })
    process.stdin.once('data', () => {
      // The first is under way, the second waits for it.
      log.info('log:unread')
      log.info('log:waiting')
      process.exit(0)
    })
    process.stderr.write('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  child.stdout.destroy()
  await once(child.stdout, 'close')
  child.stdin.end('end')
  expect(await once(child, 'exit')).toEqual([0, null])
})
