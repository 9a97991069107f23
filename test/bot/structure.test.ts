/** Which folder of the bot may use which (docs/architecture.md); types may come from anywhere below it. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** Beside the files of `src/bot` itself that stand alone, and what all programs share. */
const uses: Readonly<Record<string, readonly string[]>> = {
  world: [],
  config: [],
  decide: [],
  view: ['decide'],
  loops: ['api', 'config', 'decide', 'world'],
  acts: ['api', 'config', 'decide', 'loops', 'view', 'world'],
  api: ['world'],
  charts: ['api', 'view'],
  slack: ['config', 'view', 'world'],
  pager: ['config', 'decide', 'view'],
  oncall: ['config'],
  ops: ['config', 'decide', 'loops', 'world'],
  doctor: ['api', 'charts', 'config', 'decide', 'oncall', 'pager', 'slack', 'view', 'world'],
}
const alone = ['call.ts', 'clock.ts', 'inside.ts', 'log.ts']

type Import = { readonly from: string; readonly to: string }

/** Imports of values, as paths below `src`. */
function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(/^(?:import|export)(?! type\b)[^']*?from '(\.[^']+)'/gms)].map(([, to = '']) => ({
    from: path,
    to: normalize(join(dirname(path), to)),
  }))
}

function isAllowed({ from, to }: Import): boolean {
  const [, folder = ''] = from.split('/')
  const [program, part = ''] = to.split('/')
  if (program === 'shared') return true
  if (program !== 'bot') return false
  const allowed = uses[folder]
  // What lies in src/bot itself connects the parts.
  return allowed === undefined ? from.split('/').length === 2 : [folder, ...alone, ...allowed].includes(part)
}

const root = join(import.meta.dirname, '../../src')
const files = globSync('bot/**/*.ts', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))

test('each folder uses only what stands below it', () => {
  const imports = files.flatMap(({ path, text }) => importsOf(path, text))
  expect(imports.length).toBeGreaterThan(500)
  expect(imports.filter((one) => !isAllowed(one))).toEqual([])
})

test('what is decided and shown waits for nothing', () => {
  const waiting = files.filter(
    ({ path, text }) => /^bot\/(decide|view)\//.test(path) && /\bawait\b|\basync\b/.test(text),
  )
  expect(waiting.map(({ path }) => path)).toEqual([])
})

test.each<[from: string, text: string, isFine: boolean]>([
  ['bot/view/a.ts', "import { b } from '../slack/b.ts'", false],
  ['bot/view/a.ts', "import type { B } from '../slack/b.ts'", true],
  ['bot/loops/a.ts', "import {\n  b,\n} from '../acts/b.ts'", false],
  ['bot/world/a.ts', "import { b } from '../../service/b.ts'", false],
  ['bot/anew/a.ts', "import { b } from '../world/b.ts'", false],
])('of %s, %j is allowed: %s', (from, text, isFine) => {
  expect(importsOf(from, text).every(isAllowed)).toBe(isFine)
})
