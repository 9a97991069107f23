/** Runs each measurement in short, to see that it still works. Otherwise one could print an empty table and end well. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { quantile, tableOf } from '../../bench/figure.ts'
import { counted, measured } from '../../bench/measured.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** The program of each that `npm run` knows, and those of CONTRIBUTING that it does not. */
const benches = Object.entries(scripts).flatMap(([name, command]) =>
  name.startsWith('bench') ? [/bench\/\S+$/.exec(command)?.[0] ?? name] : [],
)

async function run(...words: string[]): Promise<{ code: number; said: string; wrong: string }> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, wrong] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    wrong += text
  })
  const [code] = await once(child, 'close')
  return { code, said, wrong }
}

test.concurrent.for([...benches, 'bench/long-list.ts'])(
  '%s measures something in a short run',
  async (file, { expect }) => {
    const { code, said, wrong } = await run(file, '--short')
    expect({ code, wrong: code === 0 ? '' : wrong }).toEqual({ code: 0, wrong: '' })
    expect(said).toMatch(/\d/)
    expect(said).not.toMatch(/NaN|Infinity|undefined/)
  },
)

test.concurrent('npm run week lives through a quarter of an hour and says whether it grew', async ({
  expect,
}) => {
  const { code, said, wrong } = await run('--expose-gc', 'scripts/week.ts', '--days', String(1 / 96))
  expect({ code, wrong: code === 0 ? '' : wrong }).toEqual({ code: 0, wrong: '' })
  expect(said).toContain('Every promise was kept')
})

test.concurrent('a measurement that fails ends, with what it had beside it', async ({ expect }) => {
  const failing = `const { watchWaits } = await import('./bench/longest-wait.ts')
    await watchWaits(1)
    throw new Error('nothing was measured')`
  // What is left behind would hold its output open, and this would wait for ever.
  const { code, wrong } = await run('--input-type=module', '-e', failing)
  expect(code).toBe(1)
  expect(wrong).toContain('nothing was measured')
})

test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 0, -1])(
  '%s is no measurement: it ends the run',
  (value) => {
    expect(() => measured('a time', value)).toThrow('expected a measurement of "a time"')
  },
)

test('nothing at all counts only where nothing is a result', () => {
  expect(counted('messages lost', 0)).toBe(0)
  expect(() => counted('messages lost', undefined)).toThrow('expected a measurement')
  expect(() => quantile([], 0.5)).toThrow('came nothing')
  expect(() => tableOf([])).toThrow('came none')
})
