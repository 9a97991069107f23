/** `npm run service -- --names`: shows which servers the file at MONITOR_CONFIG renames, before the service starts with it. */
import { readConfig } from './config/read-config.ts'
import { readEnvironment } from './environment.ts'
import { type Renamed, renamesOf } from './prometheus/renames.ts'
import { Refusal } from './refusal.ts'
import { LedgerError } from './store/ledger-error.ts'

/** Of a name that stood for many servers. */
const namesShownMax = 10

/** The service may be running. Exit code 1, and why, if they cannot be told. */
export async function runNames(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  try {
    process.stdout.write(`${(await linesOf(env)).join('\n')}\n`)
  } catch (error) {
    if (!(error instanceof LedgerError) && !(error instanceof Refusal)) throw error
    process.stderr.write(`the names of servers cannot be compared: ${error.message}\n`)
    process.exitCode = 1
  }
}

async function linesOf(env: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const reading = env.MONITOR_CONFIG ? await readConfig(env.MONITOR_CONFIG) : null
  const { problems, ...found } = readEnvironment(env, reading?.config ?? null)
  const wrong = [...(problems ?? []), ...(reading?.problems ?? [])]
  if (wrong.length > 0 || !('options' in found)) throw new Refusal(422, wrong.join('; '))
  const { file, prometheus: settings } = found.options
  if (settings === undefined)
    throw new Refusal(422, 'PROMETHEUS_URL: expected a Prometheus, here or in the file; came nothing')
  if (file === undefined)
    throw new Refusal(422, 'MONITOR_FILE: expected the file of the service, whose names stay; came nothing')
  const report = (line: string): void => void process.stderr.write(`${line}\n`)
  const renames = await renamesOf({ settings, file, nowMs: Date.now, report })
  if (renames === null)
    return ['No server changes its name: the ledger names them as the file asks, or has named none yet.']
  const { changed, same, unseen, isPartial } = renames
  return [
    ...changed.map(lineOf),
    `${changed.length} change their name with the next start of the service, ${same} keep it.`,
    ...(unseen.length === 0
      ? []
      : [`Not seen now, so that their new names are not known: ${unseen.join(', ')}.`]),
    ...(isPartial ? ['Prometheus or its rules answered in part only: there may be more.'] : []),
    "Check the routes and rules of the bot's policy that match `server` against these names; open alerts keep theirs, and roles and mute go along once these are over; mutes keep what they hide until they end, and old names work for 30 days.",
  ]
}

function lineOf({ from, to, alerts, roles, isMuted }: Renamed): string {
  const more = to.length - namesShownMax
  const names = to.slice(0, namesShownMax).join(', ') + (more > 0 ? ` and ${more} more` : '')
  const has = [
    ...(alerts === 0 ? [] : [`${alerts} ${alerts === 1 ? 'alert' : 'alerts'} open`]),
    ...(roles.length === 0 ? [] : [`roles ${roles.join(', ')}`]),
    ...(isMuted ? ['muted'] : []),
  ]
  // As FormerNames.move does: nobody guesses for which of several servers they are meant.
  const isLeft = to.length > 1 && (isMuted || roles.length > 0)
  if (isLeft) has.push('roles and mute stay with the old name, which stood for several')
  return `${from} → ${names}${has.length === 0 ? '' : ` (${has.join(', ')})`}`
}
