/** `npm run doctor` and `monbot test`: one line for each check, with what to do. Exit code 1: something must be fixed. */
import { styleText } from 'node:util'
import { commandLine, requireNode } from '../../shared/program.ts'

requireNode()
const { realClock } = await import('../clock.ts')
const { openInside } = await import('../inside.ts')
const { examine } = await import('./examine.ts')
const { showSample } = await import('./samples.ts')

const marks = { ok: '✔', warning: '!', failed: '✘', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const
const options = ['--page', '--blocks', '--test']
const help = `${commandLine('doctor', '[--page] [--blocks] [--test]')}
--page: calls whoever is on call, by the pager, and ends the call
--blocks: asks Slack whether it takes each kind of message; nobody sees them
--test: posts a sample card with picture, mention and a test page, and takes them back`

const words = process.argv.slice(2)
const unknown = words.find((word) => !options.includes(word))
if (unknown !== undefined) {
  const isHelp = ['--help', '-h'].includes(unknown)
  ;(isHelp ? process.stdout : process.stderr).write(`${help}\n`)
  process.exit(isHelp ? 0 : 2)
}
const inside = await openInside(process.env, { isKept: false, report: () => {} })
if (!inside.ok) {
  process.stderr.write(`${inside.problems.join('\n')}\n`)
  process.exit(1)
}
if (words.includes('--test')) process.exit(await showSample(inside.env))

const wanted = { page: words.includes('--page'), blocks: words.includes('--blocks') }
const count = { ok: 0, warning: 0, failed: 0, skipped: 0 }
for await (const { check, state, said, todo } of examine(inside.env, wanted, realClock)) {
  count[state] += 1
  const mark = styleText(colors[state], marks[state], { stream: process.stdout })
  process.stdout.write(`${mark} ${check}: ${said}${todo === null ? '' : `\n    → ${todo}`}\n`)
}
const verdict = count.failed === 0 ? 'Ready to start' : `${count.failed} to fix`
process.stdout.write(`\n${verdict} (${count.warning} to look at, ${count.skipped} not checked).\n`)
process.exit(count.failed === 0 ? 0 : 1)
