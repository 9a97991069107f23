/**
 * Writes how long each test file takes, so that the suite begins the longest first (vitest.config.ts):
 *
 *     npm test -- --reporter=default --reporter=json --outputFile=REPORT
 *     npm run durations REPORT
 *
 * Without a report it says which entries name no file any more, and which files have none and count as the median.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

type Report = {
  readonly testResults: readonly {
    readonly name: string
    readonly startTime: number
    readonly endTime: number
  }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const kept = fileURLToPath(new URL('../test/durations.json', import.meta.url))
const known: Readonly<Record<string, number>> = JSON.parse(readFileSync(kept, 'utf8'))
const files = globSync('test/**/*.test.ts', { cwd: root }).map((path) => relative('test', path))
const stale = Object.keys(known).filter((path) => !files.includes(path))

const [report] = argv.slice(2)
if (report !== undefined) {
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
  const measured = testResults.map(
    ({ name, startTime, endTime }) =>
      [relative(`${root}test`, name), Math.round((endTime - startTime) / 100) / 10] as const,
  )
  const all = { ...known, ...Object.fromEntries(measured) }
  const rows = files
    .toSorted()
    .flatMap((path) => (all[path] === undefined ? [] : [[path, all[path]] as const]))
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
  console.log(`${measured.length} files measured`)
}
const missing = files.filter((path) => !(path in known))
for (const path of stale) console.log(`${path} is no file${report === undefined ? '' : ': forgotten'}`)
if (report === undefined) {
  for (const path of missing) console.log(`${path} has no duration`)
  exit(stale.length + missing.length === 0 ? 0 : 1)
}
