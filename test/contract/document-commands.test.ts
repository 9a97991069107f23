/** No command in a document is only written: each code block is executed by a test, or stands here with why it cannot be. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/bot/config/config.ts'
import { blocksOf } from '../support/document-commands.ts'
import { patienceMs } from '../support/patience.ts'

const root = join(import.meta.dirname, '../..')
const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]

/** The document and the words after the backticks, and the test that executes or reads all such blocks there. */
const executed: Readonly<Record<string, string>> = {
  'README.md env': 'test/contract/document-commands.test.ts',
  'docs/architecture.md ': 'test/contract/document-commands.test.ts',
  'docs/first-card.md sh terminal 1': 'test/e2e/first-card.test.ts',
  'docs/first-card.md sh terminal 2': 'test/e2e/first-card.test.ts',
  'docs/first-card.md sh terminal 3': 'test/e2e/first-card.test.ts',
  'docs/first-card.md sh terminal 4': 'test/e2e/first-card.test.ts',
  'docs/first-card.md text doctor': 'test/e2e/first-card.test.ts',
  'docs/first-card.md text doctor without invitation': 'test/e2e/first-card.test.ts',
  'docs/fleet.md sh': 'test/contract/service-documents.test.ts',
  'docs/fleet.md sh host': 'test/contract/service-documents.test.ts',
  'docs/fleet.md yaml': 'test/contract/service-documents.test.ts',
  'docs/pager.md json': 'test/bot/pager/pager.test.ts',
  'docs/pager.md yaml': 'test/contract/reference-documents.test.ts',
  'docs/prometheus.md text templates': 'test/contract/service-documents.test.ts',
  'docs/prometheus.md sh': 'test/contract/service-documents.test.ts',
  'docs/prometheus.md yaml': 'test/contract/service-documents.test.ts',
  'docs/prometheus.md yaml endpoints': 'test/contract/service-documents.test.ts',
  'docs/settings.md yaml': 'test/contract/reference-documents.test.ts',
}
/** The same, and why no test executes them. */
const notExecuted: Readonly<Record<string, string>> = {
  'docs/first-card.md sh install': 'installs what the tests themselves need; `.ci/run` begins with it',
  'docs/fleet.md yaml collector': 'of the OpenTelemetry Collector, which is no package of npm or Debian',
}

/** Commands outside of code blocks: where each is executed, and the words that show it. */
const executedBy: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'npm ci': ['.ci/run', 'npm ci'],
  'npm run check': ['.ci/run', 'npm run check'],
  'npm test': ['.ci/run', 'npm test'],
  'npm start': ['docs/first-card.md', 'npm start'],
  'npm run service': ['docs/first-card.md', 'npm run service'],
  'npm run workspace': ['docs/first-card.md', 'npm run workspace'],
  'npm run doctor': ['docs/first-card.md', 'npm run doctor'],
  'npm run -s doctor -- --json': ['test/e2e/first-card.test.ts', 'npm run (?:-s )?(?:doctor|backup)'],
  'npm run doctor -- --show U0123ABCD': ['test/bot/doctor/doctor.test.ts', "['--json', '--show',"],
  'npm run backup -- --keep 14 backups': ['test/bot/store/backup.test.ts', "'--keep', '14'"],
  'npm run doctor -- --page': ['test/bot/doctor/pager.test.ts', 'await testPage('],
  'npm run backup -- FILE': ['test/e2e/first-card.test.ts', 'npm run (?:-s )?(?:doctor|backup)'],
  'npm run validate -- [FILE…]': ['test/contract/file-checks.test.ts', 'src/validate.ts'],
  'npm run restore -- FILE': ['test/bot/store/restore.test.ts', 'src/bot/restore.ts'],
  'npm run service -- --restore FILE': ['test/service/restore.test.ts', "'--restore', backup"],
  'monbot doctor': ['test/e2e/every-shape.test.ts', "'doctor'"],
  'monbot backup FILE': ['test/e2e/every-shape.test.ts', "'backup', copy"],
  'monbot --env FILE COMMAND': ['test/e2e/every-shape.test.ts', "'--env', file"],
  'monbot --help': ['test/e2e/every-shape.test.ts', "'--help'"],
  'npm run move -- --from sqlite:data/monbot.db --to postgres://monbot@db.example.com/monbot': [
    'test/bot/store/move.killed.test.ts',
    "startMove('--from', addressOf(from), '--to', addressOf(to))",
  ],
  'npm run service -- --backup FILE': ['test/service/backup.test.ts', "'--backup', target"],
  'npm run service -- --names': ['test/service/prometheus/renames.test.ts', "'--names'"],
  'npm run demo': ['test/support/demo-process.ts', 'src/demo/main.ts'],
  'npm run demo -- --script night': ['test/e2e/demo-night.test.ts', "'--script', 'night'"],
  'npm run demo -- --prometheus': ['test/e2e/demo.test.ts', "'--prometheus'"],
  'npm run build': ['package.json', '"prepack": "npm run build"'],
  'npm pack': ['test/e2e/package.test.ts', "'pack'"],
  'npm install': ['test/e2e/package.test.ts', "'install'"],
  'npm install ./monbot-0.2.0.tgz': ['test/e2e/package.test.ts', "'install'"],
  'npx --no -- monbot start': ['test/e2e/package.test.ts', "'--no', '--', 'monbot'"],
  'npx --no -- monbot doctor': ['test/e2e/package.test.ts', "'--no', '--', 'monbot'"],
  'monbot --env FILE service': ['test/e2e/every-shape.test.ts', "'service')"],
  'systemd-analyze security': ['test/contract/deploy.test.ts', "'security'"],
}
const notExecutedHere: readonly (readonly [command: RegExp, why: string])[] = [
  [/^npm run (?:bench(?::[a-z]+)?|kills|week|screenshot)\b/, 'takes minutes; by hand'],
  [/^npm run fix$/, 'changes what it is run on'],
  [/^npm run durations$/, 'says what to measure anew; nothing depends on it'],
  [/^npm test -- test\//, 'one file of what .ci/run executes'],
  [/^npm install -g\b/, 'for the whole machine; in a folder it is executed'],
  [/^npm prune --omit=dev$/, 'it would take away what the tests run on'],
  [/^monbot start$/, 'the same entry as npm start, which is executed'],
  [
    /^(?:docker|kubectl|helm|systemctl|slack) /,
    'needs an engine, a cluster, a running systemd or a Slack account',
  ],
  [/^(?:git pull|chmod 600 \.env)$/, 'not of this project'],
]

function commandsIn(text: string): string[] {
  const inline = [
    ...text.matchAll(
      /`((?:npm|npx|monbot|docker|slack|git|kubectl|helm|systemctl|systemd-analyze|chmod) [^`\n]+)`/g,
    ),
  ]
  const indented = [...text.matchAll(/^ {4}(npm .*?)(?: +#.*)?$/gm)]
  return [...inline, ...indented].flatMap(([, line = '']) => line.split(' && '))
}

test('every command outside of them is executed too, or says why not', () => {
  const commands = new Set(documents.flatMap((name) => commandsIn(readFileSync(join(root, name), 'utf8'))))
  const known = [...commands].filter((command) => executedBy[command] !== undefined)
  expect(known.toSorted()).toEqual(Object.keys(executedBy).toSorted())
  const others = [...commands].filter((command) => executedBy[command] === undefined)
  expect(others.filter((command) => !notExecutedHere.some(([one]) => one.test(command)))).toEqual([])
  expect(notExecutedHere.filter(([one]) => !others.some((command) => one.test(command)))).toEqual([])
  const wrong = Object.values(executedBy).filter(
    ([file, words]) => !readFileSync(join(root, file), 'utf8').includes(words),
  )
  expect(wrong).toEqual([])
})

test('every code block is executed by a test that names its document, or says why not', () => {
  const blocks = new Set(
    documents.flatMap((name) => {
      const text = readFileSync(join(root, name), 'utf8')
      const fences = [...text.matchAll(/^ *```(.*)$/gm)].map(([, info = '']) => info)
      return fences.flatMap((info, at) => (at % 2 === 0 ? [`${name} ${info}`] : []))
    }),
  )
  expect([...blocks].toSorted()).toEqual([...Object.keys(executed), ...Object.keys(notExecuted)].toSorted())
  const unnamed = Object.entries(executed).filter(([block, file]) => {
    const [name = ''] = block.split(' ')
    return !readFileSync(join(root, file), 'utf8').includes(name)
  })
  expect(unnamed).toEqual([])
})

test('the settings that README shows are all that the bot needs', () => {
  const [block = ''] = blocksOf('README.md', 'env')
  const lines = block.trim().split('\n')
  const env = Object.fromEntries(lines.map((line) => line.trim().replace('…', '0123456789').split('=')))
  expect(readConfig(env, () => '')).toMatchObject({ slackChannel: 'C0ALERTS', routes: [] })
})

test('every folder of the overview in docs/architecture.md is there', () => {
  const [block = ''] = blocksOf('docs/architecture.md', '')
  // What is indented belongs to the room above it.
  let room = ''
  const paths = block.split('\n').flatMap((line) => {
    const [, own] = /^((?:src|test|bench)\/\S*?),?\s/.exec(line) ?? []
    const [, inRoom] = /^ {2}([a-z][\w./-]*(?:\/|\.ts)),?\s/.exec(line) ?? []
    if (own !== undefined) room = own
    const path = own ?? (inRoom === undefined ? undefined : join(room, inRoom))
    return path === undefined ? [] : [path]
  })
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

const bench = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/figures.ts', ...words], {
    cwd: root,
    encoding: 'utf8',
    timeout: patienceMs,
  })
  return { status, stdout, stderr }
}

test('the measurements that docs/promises.md names are those of npm run bench, which lists them if asked', () => {
  const { status, stdout, stderr } = bench('--help')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [, listed = ''] = /writes nothing: (.*)/.exec(stdout) ?? []
  const document = readFileSync(join(root, 'docs/promises.md'), 'utf8')
  const [, named = ''] = /--only WORD` measures a part of it:\s([^.]*)\./.exec(document) ?? []
  expect(named.split(/,\s|\sor\s/)).toEqual(listed.split(', '))
  expect(listed).toContain('idle')
})

test.each<[string[], string]>([
  [['--bogus'], "Unknown option '--bogus'"],
  [['idle'], "Unexpected argument 'idle'"],
  [['--only'], "Option '--only <value>' argument missing"],
  [['--only', 'bogus'], '--only: expected one of idle, sweep,'],
  [['--only='], '--only: expected one of idle, sweep,'],
  [['--only', 'idle', '--write'], '--write: expected without --only'],
])('npm run bench with %j says what is wrong and how it is used, and measures nothing', (words, said) => {
  const { status, stdout, stderr } = bench(...words)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr.startsWith(said)).toBe(true)
  expect(stderr).toContain('\n\nUsage: npm run bench [-- OPTIONS]\n')
  expect(stderr).not.toMatch(/\n {4}at /)
})
