/** `npm run doctor`: checks a live set-up, one line a check with what to do. Exit code 1 if anything failed. */
import { styleText } from 'node:util'
import { commandLine } from '../../shared/command-name.ts'
import { isNodeNewEnough } from '../../shared/node-version.ts'
import { type Finding, nodeFinding } from './finding.ts'

const marks = { ok: '✓', warning: '!', failed: '✗', skipped: '-' } as const
const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const

const usage = `Usage: ${commandLine('doctor', '[--json] [--page] [--show U…]')}`
const help = `--json: prints the findings as JSON, for programs
--page: calls whoever is on call, by the pager, and ends the call
--show U…: shows a card with a picture to the person with this id, in direct messages, and deletes it again
Another file of settings than .env is named before the command: monbot --env FILE doctor`
const words = process.argv.slice(2)
const showAt = words.indexOf('--show')
const showTo = showAt < 0 ? null : (words[showAt + 1] ?? '')
const known = ['--json', '--page']
const unknown = words.find(
  (word, at) => !known.includes(word) && (showAt < 0 || (at !== showAt && at !== showAt + 1)),
)
if (unknown === '--help' || unknown === '-h') {
  process.stdout.write(`${usage}\n${help}\n`)
  process.exit(0)
}
if (showTo !== null && !/^[UW][A-Z0-9]{1,30}$/.test(showTo)) {
  process.stderr.write(`--show: expected the id of a person, U…; came ${JSON.stringify(showTo)}\n`)
  process.exit(2)
}
if (unknown !== undefined) {
  process.stderr.write(`Expected nothing more; came ${JSON.stringify(unknown)}\n${usage}\n${help}\n`)
  process.exit(2)
}
// A reader that closes the pipe has seen enough; anything else that cannot be written is a failure.
process.stdout.on('error', () => process.exit(1))

const leaving = new AbortController()

/** The findings. With a Node that is too old, that is the only one, because nothing else can be loaded. */
async function examined(): Promise<AsyncIterable<Finding> | Iterable<Finding>> {
  const nodeVersion = process.versions.node
  if (!isNodeNewEnough(nodeVersion)) return [nodeFinding(nodeVersion)]
  const { realClock } = await import('../../shared/clock.ts')
  const { examine } = await import('./examine.ts')
  const { readLimited } = await import('../../shared/limited-file.ts')
  return examine({
    env: process.env,
    readFile: readLimited,
    clock: realClock,
    nodeVersion,
    isPaging: words.includes('--page'),
    showTo,
    leaving: leaving.signal,
  })
}

// What a check has put into Slack, it takes back before the end. The second time, it ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort())

const isJson = words.includes('--json')
const isColored = process.stdout.isTTY && !process.env.NO_COLOR
const findings: Finding[] = []
for await (const finding of await examined()) {
  findings.push(finding)
  if (!isJson) {
    const { check, state, said, todo } = finding
    const mark = isColored ? styleText(colors[state], marks[state]) : marks[state]
    process.stdout.write(`${mark} ${check}: ${said}${todo === null ? '' : `\n    → ${todo}`}\n`)
  }
  if (leaving.signal.aborted) break
}
const count = (state: keyof typeof marks) => findings.filter((one) => one.state === state).length
if (leaving.signal.aborted) {
  process.stderr.write('Interrupted: the rest was not checked.\n')
  process.exit(130)
}
const isWell = count('failed') === 0
if (isJson) process.stdout.write(`${JSON.stringify({ ok: isWell, findings }, null, 2)}\n`)
else {
  const open = `${count('warning')} to look at, ${count('skipped')} not checked`
  process.stdout.write(isWell ? `\nReady to start (${open}).\n` : `\n${count('failed')} to fix (${open}).\n`)
}
process.exitCode = isWell ? 0 : 1
