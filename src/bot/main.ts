/**
 * The bot's entry: reads the settings, opens the database, and as long as nobody stops it leads, or stands by until it may. Exit codes:
 * 78 a setting is wrong, 1 something else keeps it from starting, 0 it was told to end.
 */
import { setFlagsFromString } from 'node:v8'
import { commandLine, endWithNpm, requireNode, settingsDocument, version } from '../shared/program.ts'

requireNode()
const { realClock } = await import('./clock.ts')
const { openLog } = await import('./log.ts')
const { readLimited } = await import('../shared/setting-files.ts')
const { loadSettings } = await import('./config/load.ts')
const { openInside } = await import('./inside.ts')
const { openProcess } = await import('./process.ts')
const { LockedStore, UnfitStore } = await import('./world/store.ts')

// V8's space for new objects would grow to 128 MB while a long list is read, and stay: a third of all memory at 8,000 alerts. As large as
// the modules made it it is fast enough.
setFlagsFromString('--semi-space-growth-factor=1')

const wrongSetting = 78
const stopWithinMs = 20_000

endWithNpm(process.env)
const report = (line: string) => openLog('warn').warn('service:says', { line })
const inside = await openInside(process.env, { isKept: true, report })
if (!inside.ok) endWrong(inside.problems)
const loaded = loadSettings(inside.env)
if (!loaded.ok) endWrong(loaded.problems)
const { config, policy, warnings } = loaded
const log = openLog(config.logLevel)
log.info('app:starting', { version, node: process.versions.node })
for (const warning of warnings) log.warn('setting:warning', { warning })

const { tick } = inside
const bot = openProcess(config, policy, { clock: realClock, log, version, readFile: readLimited, tick })
let isEnding = false
const end = (signal: string) => {
  if (isEnding) process.exit(1)
  isEnding = true
  log.info('app:stopping', { signal })
  setTimeout(() => process.exit(1), stopWithinMs).unref()
  void bot.stop()
}
process.on('SIGTERM', end).on('SIGINT', end)
// In a terminal SIGHUP means that it was closed; without one, that the policy is to be read again.
if (process.stdin.isTTY) process.on('SIGHUP', end)
else
  process.on('SIGHUP', () => {
    const again = loadSettings(inside.env)
    if (again.ok) bot.usePolicy(again.policy)
    if (again.ok) log.info('policy:reread')
    else log.error('policy:refused', { problems: again.problems, kept: 'the policy that was read before' })
  })
// What a library throws outside of any call must not stop the alerts of a night; a bug of ours is logged with its stack.
process.on('unhandledRejection', (error) => log.error('app:unhandled', { error: stackOf(error) }))
process.on('uncaughtException', (error) => {
  log.error('app:crashed', { error: stackOf(error) })
  process.exit(1)
})

try {
  await bot.run()
  await inside.close()
  process.exit(0)
} catch (error) {
  const isKnown = error instanceof UnfitStore || error instanceof LockedStore
  process.stderr.write(`${isKnown ? error.message : stackOf(error)}\n`)
  process.exit(error instanceof UnfitStore ? wrongSetting : 1)
}

function endWrong(problems: readonly string[]): never {
  const lines = problems.map((problem) => `  ${problem}`)
  process.stderr.write(
    `monbot cannot start, because settings are wrong:\n${lines.join('\n')}\n\n` +
      `All settings: ${settingsDocument()}\nTo see monbot work without any setting: ${commandLine('demo')}\n`,
  )
  process.exit(wrongSetting)
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
