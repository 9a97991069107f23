/**
 * `npm run validate -- [FILE…]`: checks a policy, or a file of the monitoring service, as the program that reads it would. Exit code 1 if
 * anything is wrong, with file, line and column.
 */
import { requireNode } from './shared/node-version.ts'

requireNode()
const { readPolicy } = await import('./bot/config/policy.ts')
const { readConfig } = await import('./service/config/read-config.ts')
const { commandLine } = await import('./shared/command-name.ts')
const { readLimited } = await import('./shared/limited-file.ts')

const usage = `Usage: ${commandLine('validate', '[FILE…]')}
Each FILE is a policy or a file of the monitoring service; without one, those that MONBOT_CONFIG and MONITOR_CONFIG name.
`
/** A key of the service's file at the beginning of a line, or of a JSON text. */
const ofService = /^(?:\{\s*)?["']?(?:scrape|triggers|custom_metrics|prometheus|pushed)["']?\s*:/m
const policyKind = 'a policy'

const words = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')
const named = [process.env.MONBOT_CONFIG, process.env.MONITOR_CONFIG].flatMap((path) => path?.trim() || [])
const files = words.length > 0 ? words : named
const option = words.find((word) => word.startsWith('-'))
if (isHelp) process.stdout.write(usage)
else if (option !== undefined || files.length === 0) {
  const came = option === undefined ? 'nothing' : JSON.stringify(option)
  process.stderr.write(`Expected the names of files; came ${came}\n${usage}`)
  process.exitCode = 2
} else {
  for (const file of files) await check(file)
}

async function check(file: string): Promise<void> {
  const { kind, problems } = await problemsOf(file)
  if (problems.length === 0) {
    const rest = kind === policyKind ? '; whether the settings go with it, the doctor says' : ''
    process.stdout.write(`${file}: ${kind}, and nothing is wrong with it${rest}\n`)
    return
  }
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
}

async function problemsOf(file: string): Promise<{ kind: string; problems: readonly string[] }> {
  const source = textOf(file)
  if (source.code !== null)
    return { kind: '', problems: [`${file}: expected a file; it cannot be read (${source.code})`] }
  if (ofService.test(source.text))
    return { kind: 'a file of the service', problems: (await readConfig(file)).problems }
  const reading = readPolicy(source.text, file)
  return { kind: policyKind, problems: reading.ok ? [] : reading.problems }
}

type Source = { readonly text: string; readonly code: null } | { readonly code: string }

function textOf(file: string): Source {
  try {
    return { text: readLimited(file), code: null }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { code: String(error.code) }
  }
}
