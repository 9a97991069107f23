/** `npm run validate -- [FILE…]`: checks a policy as the bot would. Exit code 1 if anything is wrong, with file, line and column. */
import { commandLine, requireNode } from './shared/program.ts'

requireNode()
const { policyAt } = await import('./bot/config/load.ts')

const usage = `Usage: ${commandLine('validate', '[FILE…]')}
Each FILE is a policy; without one, that which MONBOT_CONFIG names.
`

const words = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')
const named = process.env.MONBOT_CONFIG?.trim()
const files = words.length === 0 && named ? [named] : words
const option = words.find((word) => word.startsWith('-'))
if (isHelp) process.stdout.write(usage)
else if (option !== undefined || files.length === 0) {
  const came = option === undefined ? 'nothing' : JSON.stringify(option)
  process.stderr.write(`Expected the names of files; came ${came}\n${usage}`)
  process.exitCode = 2
} else {
  for (const file of files) check(file)
}

function check(file: string): void {
  const read = policyAt(file)
  if (read.ok)
    process.stdout.write(
      `${file}: a policy, and nothing is wrong with it; whether the settings go with it, the doctor says\n`,
    )
  else {
    process.stderr.write(`${read.problems.join('\n')}\n`)
    process.exitCode = 1
  }
}
