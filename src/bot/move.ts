/**
 * `npm run move -- --from DATABASE_URL --to DATABASE_URL`: moves the bot's memory from a file to a Postgres, or back, while no bot runs
 * on either. Exit code 1 if nothing was moved, 78 for a database that cannot be used, 2 for wrong words.
 */
import { requireNode } from '../shared/node-version.ts'

requireNode()
const { randomBytes } = await import('node:crypto')
const { realClock } = await import('../shared/clock.ts')
const { commandLine } = await import('../shared/command-name.ts')
const { databaseOf } = await import('./config/config.ts')
const { readLimited } = await import('../shared/limited-file.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { MemoryAway, StoreFailure } = await import('./domain/base/failure.ts')
const { counted } = await import('./slack/render/text/phrases.ts')
const { moveBetween } = await import('./store/move/between.ts')

const idBytes = 12
const exits = { nothingMoved: 1, wrongWords: 2, wrongSetting: 78 }
const usage = `Usage: ${commandLine('move', '--from sqlite:PATH --to postgres://USER@HOST/DATABASE')}, or the other way round, while no bot runs.
Each is written as in DATABASE_URL. A password that PGPASSWORD holds is seen by nobody else on this machine.
`
const words = process.argv.slice(2)
if (words.includes('--help') || words.includes('-h')) {
  process.stdout.write(usage)
  process.exit(0)
}

/** The words after the flags; a word that is not expected is not shown, because it may hold a password. */
function given(): { readonly from: string; readonly to: string } {
  const pairs = words.flatMap((word) => {
    const [, flag, value] = /^--(from|to)=(.*)$/s.exec(word) ?? []
    return flag === undefined ? [word] : [`--${flag}`, value ?? '']
  })
  const [first, one = '', second, other = ''] = pairs
  const isWhole = pairs.length === 4 && one !== '' && other !== ''
  if (isWhole && first === '--from' && second === '--to') return { from: one, to: other }
  if (isWhole && first === '--to' && second === '--from') return { from: other, to: one }
  const came = words.length === 0 ? 'nothing' : counted(words.length, 'word')
  process.stderr.write(
    `Expected --from and --to, each with the address of a database; came ${came}\n${usage}`,
  )
  process.exit(exits.wrongWords)
}

function databaseAt(flag: string, value: string) {
  try {
    return databaseOf({ DATABASE_URL: value }, readLimited)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [problem] = error.problems
    process.stderr.write(`${flag}: expected ${problem?.expected}; came ${problem?.came}\n`)
    process.exit(exits.wrongSetting)
  }
}

const { from, to } = given()
const [source, target] = [databaseAt('--from', from), databaseAt('--to', to)]
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
const makeId = () => randomBytes(idBytes).toString('hex')
try {
  const moved = await moveBetween(source, target, {
    newId: makeId(),
    holder: makeId(),
    clock: realClock,
    signal: stopping.signal,
    onWait: (address) =>
      process.stdout.write(`${address}: waiting, for half a minute, until it is sure that nobody leads.\n`),
    onStep: (step) => {
      if (step.kind === 'copied') process.stdout.write(`${step.table}: ${counted(step.rows, 'row')}\n`)
    },
  })
  process.stdout.write(
    `Moved to ${moved.to}: set DATABASE_URL to that one. ${moved.from} stays as it was, and no bot uses it any more.\n`,
  )
} catch (error) {
  if (!(error instanceof MemoryAway || error instanceof StoreFailure)) throw error
  process.stderr.write(`${error.message.replace(/[^.]$/, '$&.')}\n`)
  process.exit(Object(error).isSetting === true ? exits.wrongSetting : exits.nothingMoved)
}
