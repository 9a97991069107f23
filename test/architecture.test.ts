/** The house keeps its rules: layers, cycles, length, names, and who may touch the clock, the environment and `catch`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type RuleName, rules, type SourceFile, testNames } from './architecture/rules.ts'
import { codeOf } from './architecture/source-text.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

function filesOf(folder: string): SourceFile[] {
  const base = join(root, folder)
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|js|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: relative(base, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }))
}

const src = filesOf('src')
const tests = filesOf('test')

test('there is something to look at', () => {
  expect(src.map(({ path }) => path)).toContain('bot/domain/alert/alert.ts')
  expect(tests.map(({ path }) => path)).toContain('architecture.test.ts')
})

test.each([...src, ...tests])('$path is read without losing the way: its brackets pair', ({ text }) => {
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
  const open: string[] = []
  for (const char of codeOf(text).replace(/[^()[\]{}]/g, '')) {
    if (pairs[char] === undefined) open.push(char)
    else expect(open.pop()).toBe(pairs[char])
  }
  expect(open).toEqual([])
})

test.each(Object.entries(rules))('src: %s', (_, rule) => {
  expect(rule(src)).toEqual([])
})

test.each(['cycles', 'length', 'names', 'noDefaultExports'] as const)('test: %s', (name) => {
  expect(rules[name](tests)).toEqual([])
})

/** What tests lean on is tested where it is. */
const sources = [
  ...src.map(({ path }) => path),
  ...tests.map(({ path }) => path).filter((path) => path.startsWith('support/')),
]

test('a unit test is named after what it tests', () => {
  expect(
    testNames(
      tests.map(({ path }) => path),
      sources,
    ),
  ).toEqual([])
})

test.each([
  ['bot/flow/poll.storm.test.ts', 0],
  ['bot/flow/outbox.test.ts', 0],
  ['bot/flow/flow.week.test.ts', 0],
  ['bot/flow/deliver-storm.test.ts', 1],
  ['bot/flow/poll-storm.test.ts', 1],
  ['bot/slack/poll.test.ts', 1],
  ['e2e/poll-storm.test.ts', 0],
])('names of tests: %s has %i faults', (path, faults) => {
  expect(testNames([path], ['bot/flow/poll/poll.ts', 'bot/flow/outbox/send.ts'])).toHaveLength(faults)
})

const wrong: [rule: RuleName, path: string, text: string][] = [
  ['layers', 'bot/domain/alert.ts', "import { openStore } from '../store/open.ts'"],
  ['layers', 'bot/domain/alert.ts', "import type { Monitor } from '../flow/ports.ts'"],
  ['layers', 'bot/flow/poll.ts', "export { chat } from '../slack/chat.ts'"],
  ['layers', 'bot/slack/chat.ts', "import '../store/open.ts'"],
  ['layers', 'bot/ops/health.ts', "const { app } = await import('../app.ts')"],
  ['layers', 'bot/log.ts', "import { chat } from './slack/chat.ts'"],
  ['layers', 'service/main.ts', "import { requireNode } from '../bot/log.ts'"],
  ['layers', 'workspace/web/page.ts', "import type { Alert } from '../../bot/domain/alert.ts'"],
  ['layers', 'workspace/main.ts', "import { x } from '../service/main.ts'"],
  ['layers', 'bot/flow/poll.ts', "import { town } from '../../../test/town.ts'"],
  ['layers', 'bot/flow/poll.ts', 'const chosen = await import(name)'],
  ['layers', 'drawer/thing.ts', ''],
  ['cycles', 'bot/domain/alert.ts', "import type { Alert } from './alert.ts'"],
  ['length', 'bot/domain/alert.ts', '\n'.repeat(500).concat('x')],
  ['names', 'bot/domain/utils.ts', ''],
  ['names', 'bot/flow/index.ts', ''],
  ['names', 'helpers/flow.ts', ''],
  ['names', 'bot/slack/renderCard.ts', ''],
  ['names', 'bot/flow/utils.poll.test.ts', ''],
  ['names', 'bot/flow/poll.alot.ts', ''],
  ['noDefaultExports', 'bot/domain/alert.ts', 'export default {}'],
  ['noDefaultExports', 'service/api.ts', 'export { api as default }'],
  ['noWaitingInDomain', 'bot/domain/alert.ts', 'const a = await b'],
  ['noWaitingInDomain', 'bot/domain/alert.ts', 'export async function a() {}'],
  ['clock', 'bot/flow/poll.ts', 'const now = Date.now()'],
  ['clock', 'bot/flow/poll.ts', 'const now = new Date()'],
  ['clock', 'bot/flow/poll.ts', 'const now = new Date'],
  ['clock', 'bot/slack/chat.ts', "import { setTimeout as sleep } from 'node:timers/promises'"],
  ['clock', 'bot/store/open.ts', 'const id = randomUUID()'],
  ['clock', 'bot/monitor/client.ts', `const id = \`\${Math.random()}\``],
  ['environment', 'bot/config.ts', 'const port = process.env.PORT'],
  ['environment', 'service/api.ts', "import { env } from 'node:process'"],
  ['catchSites', 'bot/flow/poll.ts', 'try { a() } catch { b() }'],
  ['catchSites', 'bot/domain/alert.ts', 'a().catch(() => 0)'],
]

describe('each rule finds what it is there to find', () => {
  test.each(wrong)('%s: %s (sample %#)', (name, path, text) => {
    expect(rules[name]([{ path, text }])).toHaveLength(1)
  })

  test('cycles: by way of another file', () => {
    const files = [
      { path: 'bot/flow/a.ts', text: "import { b } from './b.ts'" },
      { path: 'bot/flow/b.ts', text: "import { c } from './c.ts'" },
      { path: 'bot/flow/c.ts', text: "import type { A } from './a.ts'" },
    ]
    expect(rules.cycles(files)).toEqual(['bot/flow/a.ts → bot/flow/b.ts → bot/flow/c.ts → bot/flow/a.ts'])
  })
})

const right: [rule: RuleName, path: string, text: string][] = [
  ['layers', 'bot/app.ts', "import { chat } from './slack/chat.ts'\nimport { open } from './store/open.ts'"],
  [
    'layers',
    'bot/slack/chat.ts',
    "import type { Chat } from '../flow/ports.ts'\nimport { App } from '@slack/bolt'",
  ],
  ['layers', 'workspace/web/page.ts', "import { town } from '../town/town.ts'"],
  [
    'layers',
    'bot/domain/alert.ts',
    "// import { a } from '../store/a.ts'\nconst b = \"import '../store/a.ts'\"",
  ],
  ['cycles', 'bot/flow/a.ts', "import { b } from './b.ts'"],
  ['length', 'bot/domain/alert.ts', '\n'.repeat(499).concat('x')],
  ['names', 'contract/read-me.test.ts', ''],
  ['names', 'bot/flow/handle.stale.test.ts', ''],
  ['noWaitingInDomain', 'bot/flow/poll.ts', 'await poll()'],
  ['noWaitingInDomain', 'bot/domain/alert.ts', '/** Never async. */\nconst s = `await`'],
  ['clock', 'bot/flow/poll.ts', 'const shown = new Date(ms) // not new Date()'],
  ['clock', 'bot/main.ts', 'Date.now()'],
  ['clock', 'workspace/timers.ts', 'setTimeout(f, 1)'],
  ['environment', 'workspace/main.ts', 'process.env.PORT'],
  ['catchSites', 'bot/slack/chat.ts', 'try {} catch (e) { throw e }'],
  ['catchSites', 'workspace/timers.ts', 'try {} catch {}'],
]

test.each(right)('%s leaves in peace: %s (sample %#)', (name, path, text) => {
  expect(rules[name]([{ path, text }])).toEqual([])
})
