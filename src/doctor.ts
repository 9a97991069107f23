/** `npm run doctor`: checks a live set-up, one line a check with what to do. Exit code 1 if anything failed. */
import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Finding } from './doctor/finding.ts'
import { requireNode } from './node-version.ts'

requireNode()
const { realClock } = await import('./clock.ts')
const { examine } = await import('./doctor/examine.ts')

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const

const words = process.argv.slice(2)
const unknown = words.find((word) => word !== '--json')
if (unknown !== undefined) {
  process.stderr.write(`Usage: npm run doctor [-- --json]; came ${JSON.stringify(unknown)}\n`)
  process.exit(2)
}
const isJson = words.includes('--json')
const isColored = process.stdout.isTTY && !process.env.NO_COLOR
const findings: Finding[] = []
const setUp = {
  env: process.env,
  readFile: (path: string) => readFileSync(path, 'utf8'),
  clock: realClock,
  nodeVersion: process.versions.node,
}
for await (const finding of examine(setUp)) {
  findings.push(finding)
  if (isJson) continue
  const { check, state, said, todo } = finding
  const mark = isColored ? styleText(colors[state], marks[state]) : marks[state]
  process.stdout.write(`${mark} ${check}: ${said}${todo === null ? '' : `\n    → ${todo}`}\n`)
}
const count = (state: keyof typeof marks) => findings.filter((one) => one.state === state).length
const isWell = count('failed') === 0
if (isJson) process.stdout.write(`${JSON.stringify({ ok: isWell, findings }, null, 2)}\n`)
else {
  const open = `${count('warning')} to look at, ${count('skipped')} not checked`
  process.stdout.write(isWell ? `\nReady to start (${open}).\n` : `\n${count('failed')} to mend (${open}).\n`)
}
process.exitCode = isWell ? 0 : 1
