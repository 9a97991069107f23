/** `npm run doctor` and `monbot test`: one line for each check, with what to do. Exit code 1: something must be fixed. */
import { styleText } from 'node:util'
import { commandLine, requireNode } from '../../shared/program.ts'
import type { Finding } from './finding.ts'

requireNode()
const { realClock } = await import('../clock.ts')
const { openInside } = await import('../inside.ts')
const { examine } = await import('./examine.ts')
const { showSample } = await import('./sample-card.ts')

const marks = { ok: '✔', warning: '!', failed: '✘', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const
const options = ['--json', '--page', '--blocks', '--test']
const help = `${commandLine('doctor', '[--json] [--page] [--blocks] [--test]')}
--json: prints the findings as JSON, for programs
--page: calls whoever is on call, by the pager, and ends the call
--blocks: asks Slack whether it takes each kind of message; nobody sees them
--test: posts a sample card with picture, mention and a test page, and takes them back`

const words = process.argv.slice(2)
const unknown = words.find((word) => !options.includes(word))
if (unknown !== undefined) {
  const isHelp = ['--help', '-h'].includes(unknown)
  const text = isHelp ? help : `Expected options of the doctor; came ${JSON.stringify(unknown)}\n${help}`
  ;(isHelp ? process.stdout : process.stderr).write(`${text}\n`)
  process.exit(isHelp ? 0 : 2)
}
// A reader that closes the pipe has seen enough.
process.stdout.on('error', () => process.exit(1))
const leaving = new AbortController()
process.once('SIGINT', () => leaving.abort()).once('SIGTERM', () => leaving.abort())
const inside = await openInside(process.env, { isKept: false, report: () => {} })
if (!inside.ok) {
  process.stderr.write(`${inside.problems.join('\n')}\n`)
  process.exit(1)
}
if (words.includes('--test')) process.exit(await showSample(inside.env, leaving.signal))

const isJson = words.includes('--json')
const isColored = process.stdout.isTTY && !process.env.NO_COLOR
const wanted = { page: words.includes('--page'), blocks: words.includes('--blocks') }
const findings: Finding[] = []
for await (const finding of examine(inside.env, wanted, realClock)) {
  findings.push(finding)
  const { check, state, said, todo } = finding
  const mark = isColored ? styleText(colors[state], marks[state]) : marks[state]
  if (!isJson) process.stdout.write(`${mark} ${check}: ${said}${todo === null ? '' : `\n    → ${todo}`}\n`)
  if (leaving.signal.aborted) process.exit(130)
}
const countOf = (wantedState: keyof typeof marks) =>
  findings.filter(({ state }) => state === wantedState).length
const isWell = countOf('failed') === 0
const verdict = isWell ? 'Ready to start' : `${countOf('failed')} to fix`
const rest = `${countOf('warning')} to look at, ${countOf('skipped')} not checked`
process.stdout.write(
  isJson ? `${JSON.stringify({ ok: isWell, findings }, null, 2)}\n` : `\n${verdict} (${rest}).\n`,
)
process.exit(isWell ? 0 : 1)
