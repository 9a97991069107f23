/** `npm run service`: the monitoring service alone, on loopback, until it is stopped; with `--backup FILE`, a copy of its file; with `--names`, what it would rename. */
import { join } from 'node:path'
import { endWithNpm } from '../shared/end-with-npm.ts'
import { isNodeNewEnough } from '../shared/node-version.ts'
import { hearHangup, nodeNeeded } from './before-start.ts'

if (!isNodeNewEnough(process.versions.node)) {
  process.stderr.write(
    `${nodeNeeded}; this is ${process.versions.node}. \`npm run service\` brings its own.\n`,
  )
  process.exit(78)
}

endWithNpm(process.env)
const hangup = hearHangup()
// The compile cache is kept beside the packages and halves the next start's time. Not in the temporary folder, where
// another user could plant it; if it cannot be written, nothing is kept.
const { enableCompileCache, flushCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// Only after the check: an older Node crashes silently when it loads the native module behind these.
const words = process.argv.slice(2)
const [option = ''] = words
if (words.length === 0) {
  const { runService } = await import('./run.ts')
  await runService(process.env, hangup)
} else {
  const { runBackup, usage } = await import('./run-backup.ts')
  if (option === '--backup') {
    await runBackup(process.env, words.slice(1))
  } else if (option === '--restore' && words.length === 2 && !words[1]?.startsWith('-')) {
    const { runRestore } = await import('./run-restore.ts')
    await runRestore(process.env, words[1] ?? '')
  } else if (option === '--names' && words.length === 1) {
    const { runNames } = await import('./run-names.ts')
    await runNames(process.env)
  } else if (['--help', '-h', 'help'].includes(option)) {
    process.stdout.write(`The monitoring service alone. ${usage}`)
  } else {
    const came = words.map((word) => JSON.stringify(word)).join(' ')
    process.stderr.write(
      `Expected nothing more, --names, --backup FILE, or --restore FILE; came ${came}\n${usage}`,
    )
    process.exitCode = 2
  }
}
// Flushed now, not at exit, because processes are often killed.
flushCompileCache()
