/** Files are checked before they are used: by the command, and in editors by schemas that take all that the programs take. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { schemaTexts } from '../../scripts/schemas.ts'
import { compiled } from '../support/compiled.ts'

const root = new URL('../../', import.meta.url).pathname
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The first example of a YAML file in a document. */
const exampleIn = (path: string) => /```yaml\n([\s\S]*?)```/.exec(read(path))?.[1] ?? ''

function takes(schema: 'policy' | 'service', given: unknown): boolean {
  const text = JSON.parse(schemaTexts()[`${schema}.json`] ?? '')
  return z.fromJSONSchema(text).safeParse(given).success
}

test('the schemas beside the code are those that the code makes', () => {
  for (const [name, text] of Object.entries(schemaTexts())) expect(read(`schema/${name}`)).toBe(text)
})

test.each([
  ['policy', 'docs/settings.md'],
  ['service', 'docs/fleet.md'],
  ['service', 'docs/prometheus.md'],
] as const)('the schema of the %s takes the example in %s, which names it for editors', (schema, path) => {
  const example = exampleIn(path)
  expect(example.split('\n')[0]).toBe(
    `# yaml-language-server: $schema=node_modules/monbot/schema/${schema}.json`,
  )
  expect(takes(schema, parse(example))).toBe(true)
})

test('the schema of the policy takes every word that stands for a list or a switch, and refuses what the bot refuses', () => {
  for (const given of [
    {},
    { reminders: 'never' },
    { reminders: [{ after: '1m' }] },
    { board: 'off' },
    { board: false },
  ])
    expect([given, takes('policy', given)]).toEqual([given, true])
  for (const given of [
    { colour: 1 },
    { reminders: 'sometimes' },
    { images: 'big' },
    { routes: [{ channel: 'C1' }] },
  ])
    expect([given, takes('policy', given)]).toEqual([given, false])
})

function validate(files: Readonly<Record<string, string>>, words: readonly string[], env = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'monbot-validate-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'src/validate.ts'), ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...compiled, ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('a policy and a file of the service are told apart, and each problem has its line and column', () => {
  const files = {
    'policy.yml': 'images: off\n',
    'fleet.yml': 'scrape:\n  targets: [{ url: "http://127.0.0.1:9100/metrics" }]\n',
    'bad.yml': 'images: off\nboard: perhaps\ncolour: red\n',
    'two.yml': 'oncall:\n  ical: https://calendar.example/a\n  pagerduty: PABC123\n',
    'worse.yml': 'scrape:\n  interval: 1ms\n  targets: [{ url: nowhere }]\n',
  }
  expect(validate(files, ['policy.yml', 'fleet.yml'])).toEqual({
    status: 0,
    stdout:
      'policy.yml: a policy, and nothing is wrong with it; whether the settings go with it, the doctor says\nfleet.yml: a file of the service, and nothing is wrong with it\n',
    stderr: '',
  })
  const { status, stdout, stderr } = validate(files, [
    'bad.yml',
    'two.yml',
    'policy.yml',
    'worse.yml',
    'none.yml',
  ])
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^policy\.yml: a policy, and nothing is wrong with it;.*\n$/),
  ])
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => line.split(': expected')[0]),
  ).toEqual([
    'bad.yml:2:1 board',
    'bad.yml:3:1',
    'two.yml:3:3 oncall.pagerduty',
    'worse.yml:2:3 scrape.interval',
    'worse.yml:3:15 scrape.targets[0].url',
    'none.yml',
  ])
})

test('without a name it checks those of the settings, and says how it is used where there are none', () => {
  const files = { 'policy.yml': 'images: off\n', 'empty.yml': '' }
  expect(validate(files, [], { MONBOT_CONFIG: 'policy.yml', MONITOR_CONFIG: 'empty.yml' }).stdout).toContain(
    'policy.yml: a policy',
  )
  const { status, stderr } = validate(files, [])
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^Expected the names of files; came nothing\nUsage: npm run validate/),
  ])
  expect(validate(files, ['--fix']).status).toBe(2)
  expect(validate(files, ['--help'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage:/) })
})
