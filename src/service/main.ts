/** `npm run service`: the monitoring service alone, on loopback, until it is stopped. */
import { join } from 'node:path'
import { isNodeNewEnough } from '../shared/node-version.ts'
import { hearHangup, nodeNeeded } from './before-start.ts'

if (!isNodeNewEnough(process.versions.node)) {
  process.stderr.write(
    `${nodeNeeded}; this is ${process.versions.node}. \`npm run service\` brings its own.\n`,
  )
  process.exit(1)
}

const hangup = hearHangup()
// The compile cache is kept beside the packages and halves the next start's time. Not in the temporary folder, where
// another user could plant it; if it cannot be written, nothing is kept.
const { enableCompileCache, flushCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// Only after the check: an older Node crashes silently when it loads the native module behind this.
const { runService } = await import('./run.ts')
await runService(process.env, hangup)
// Flushed now, not at exit, because processes are often killed.
flushCompileCache()
