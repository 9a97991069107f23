/** `npm run doctor`: checks a live set-up, one line a check with what to do. Exit code 1 if anything failed. */
import { styleText } from 'node:util'
import { commandLine } from '../../shared/command-name.ts'
import { isNodeNewEnough } from '../../shared/node-version.ts'
import { type Finding, nodeFinding } from './finding.ts'

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const

const usage = `Usage: ${commandLine('doctor', '[--json] [--page]')}`
const words = process.argv.slice(2)
const unknown = words.find((word) => word !== '--json' && word !== '--page')
if (unknown === '--help' || unknown === '-h') {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
if (unknown !== undefined) {
  process.stderr.write(`${usage}; came ${JSON.stringify(unknown)}\n`)
  process.exit(2)
}
// A reader that closes the pipe has seen enough; anything else that cannot be written is a failure.
process.stdout.on('error', () => process.exit(1))

/** The findings. With a Node that is too old, that is the only one, because nothing else can be loaded. */
async function examined(): Promise<AsyncIterable<Finding> | Iterable<Finding>> {
  const nodeVersion = process.versions.node
  if (!isNodeNewEnough(nodeVersion)) return [nodeFinding(nodeVersion)]
  const { realClock } = await import('../../shared/clock.ts')
  const { examine } = await import('./examine.ts')
  const { readLimited } = await import('../../shared/limited-file.ts')
  const isPaging = words.includes('--page')
  return examine({ env: process.env, readFile: readLimited, clock: realClock, nodeVersion, isPaging })
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
  process.stdout.write(isWell ? `\nReady to start (${open}).\n` : `\n${count('failed')} to fix (${open}).\n`)
}
process.exitCode = isWell ? 0 : 1
