/** `npm run doctor`: checks a live set-up, one line a check with what to do. Exit code 1 if anything failed. */
import { styleText } from 'node:util'
import { commandLine } from '../../shared/command-name.ts'
import { isNodeNewEnough } from '../../shared/node-version.ts'
import { type Finding, nodeFinding } from './finding.ts'

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const

const usage = `Usage: ${commandLine('doctor', '[--json]')}`
const words = process.argv.slice(2)
const unknown = words.find((word) => word !== '--json')
if (unknown === '--help' || unknown === '-h') {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
if (unknown !== undefined) {
  process.stderr.write(`${usage}; came ${JSON.stringify(unknown)}\n`)
  process.exit(2)
}
// Whoever reads no further has seen what he wanted; what cannot be written at all is not well.
process.stdout.on('error', () => process.exit(1))

/** With a Node that is too old nothing else may be loaded, and that is all that there is to say. */
async function examined(): Promise<AsyncIterable<Finding> | Iterable<Finding>> {
  const nodeVersion = process.versions.node
  if (!isNodeNewEnough(nodeVersion)) return [nodeFinding(nodeVersion)]
  const { realClock } = await import('../clock.ts')
  const { examine } = await import('./examine.ts')
  const { readLimited } = await import('../config/policy.ts')
  return examine({ env: process.env, readFile: readLimited, clock: realClock, nodeVersion })
}

const isJson = words.includes('--json')
const isColored = process.stdout.isTTY && !process.env.NO_COLOR
const findings: Finding[] = []
for await (const finding of await examined()) {
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
