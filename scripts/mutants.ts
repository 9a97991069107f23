/**
 * `npm run mutants -- --count 60 --seed 1 src/bot/decide src/bot/loops`: breaks one condition, comparison or `await` at a time in a
 * copy of the tree, runs the fast tests that import the file, the nearest first, and lists what nobody noticed. Without folders:
 * what differs from `main`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseAst } from 'rolldown/parseAst'
import { chanceOf } from '../test/bot/worlds/chance.ts'
import { browser, long } from '../test/tiers.ts'

type Mutant = { readonly path: string; readonly from: number; readonly to: number; readonly by: string }
type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>

const root = resolve(import.meta.dirname, '..')
const timeoutMs = 240_000
/** Minutes of nights; those of `rules` break the bot themselves. */
const slow = /\/histories\.test/
const swaps: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
}

const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const files = (positionals.length > 0 ? git('ls-files', ...positionals) : git('diff', '--name-only', 'main'))
  .filter((path) => /^src\/.*\.ts$/.test(path))
  .toSorted()
const all = files.flatMap(mutantsOf)
const { int } = chanceOf(Number(values.seed))
const chosen = Array.from({ length: Math.min(Number(values.count), all.length) }, () =>
  all.splice(int(0, all.length - 1), 1),
)
  .flat()
  .toSorted((a, b) => a.path.localeCompare(b.path) || a.from - b.from)

const copy = mkdtempSync(join(tmpdir(), 'monbot-mutants-'))
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(1)).once('SIGTERM', () => process.exit(1))
for (const path of git('ls-files')) cpSync(join(root, path), join(copy, path))
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
const nearTests = testsByNearness()

const table = new Map<string, { planted: number; found: number }>()
for (const mutant of chosen) {
  const isFound = await isNoticed(mutant)
  const folder = dirname(mutant.path)
  const { planted, found } = table.get(folder) ?? { planted: 0, found: 0 }
  table.set(folder, { planted: planted + 1, found: found + (isFound ? 1 : 0) })
  if (!isFound) process.stdout.write(`${wordsOf(mutant)}\n`)
}
for (const [folder, { planted, found }] of table) process.stdout.write(`${folder}: ${found} of ${planted}\n`)
const found = [...table.values()].reduce((sum, row) => sum + row.found, 0)
process.stdout.write(`${found} of ${chosen.length} noticed, seed ${values.seed}\n`)

/** Everything in a file that can be broken, each in one way. */
function mutantsOf(path: string): Mutant[] {
  const source = readFileSync(join(root, path), 'utf8')
  const mutants: Mutant[] = []
  const text = ({ start, end }: Node) => source.slice(start, end)
  const add = (from: number, to: number, by: string) => mutants.push({ path, from, to, by })
  const negate = (node: Node) => add(node.start, node.end, `!(${text(node)})`)
  const visit = (node: Node): void => {
    const { type, test, left, right, operator, argument } = node as Record<string, Node> & { type: string }
    if (test && /^(If|While|Conditional|For)/.test(type)) negate(test)
    if (left && right && /^(Binary|Logical)/.test(type)) {
      const by = swaps[String(operator)]
      const between = source.slice(left.end, right.start)
      if (by !== undefined) add(left.end, right.start, between.replace(String(operator), by))
    }
    if (argument && type === 'AwaitExpression') add(node.start, argument.start, '')
    if (argument && type === 'UnaryExpression' && String(operator) === '!')
      add(node.start, argument.start, '')
    for (const child of Object.values(node).flat())
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return mutants
}

/** For each file the fast tests that import it, over however many others, those over the fewest first. */
function testsByNearness(): (path: string) => string[] {
  const importers = new Map<string, string[]>()
  const tests = new Set(
    globSync('test/**/*.test.ts', { cwd: root, exclude: [...long, ...browser].flatMap(globbed) }),
  )
  for (const path of globSync('{src,test}/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, path), 'utf8')
    for (const [, imported = ''] of source.matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)) {
      const target = relative(root, resolve(root, dirname(path), imported))
      importers.set(target, [...(importers.get(target) ?? []), path])
    }
  }
  return (path) => {
    const reached = new Set([path])
    for (const one of reached) for (const importer of importers.get(one) ?? []) reached.add(importer)
    return [...reached].filter((one) => tests.has(one) && !one.endsWith('/rules.test.ts'))
  }
}

function globbed(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
}

/** The nearest tests alone, since they mostly know; then the others, and random nights at last. */
async function isNoticed({ path, from, to, by }: Mutant): Promise<boolean> {
  const file = join(copy, path)
  const source = readFileSync(file, 'utf8')
  writeFileSync(file, source.slice(0, from) + by + source.slice(to))
  const { true: random = [], false: rest = [] } = Object.groupBy(
    nearTests(path),
    (test) => `${slow.test(test)}`,
  )
  const isRed = (await fails(rest.slice(0, 4))) || (await fails(rest.slice(4))) || (await fails(random))
  writeFileSync(file, source)
  return isRed
}

/** Whether one of these tests fails; a run that hangs has failed. */
async function fails(tests: readonly string[]): Promise<boolean> {
  if (tests.length === 0) return false
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fast', '--bail', '1', ...tests]
  // What forty random nights do not show is worth a table's row.
  const env = { ...process.env, HISTORIES: '40' }
  const child = spawn(process.execPath, words, { cwd: copy, env, stdio: 'ignore', timeout: timeoutMs })
  const [code] = await once(child, 'exit')
  return code !== 0
}

function wordsOf({ path, from, to, by }: Mutant): string {
  const source = readFileSync(join(copy, path), 'utf8')
  const line = source.slice(0, from).split('\n').length
  return `${path}:${line}: ${JSON.stringify(source.slice(from, to))} → ${JSON.stringify(by)}`
}
