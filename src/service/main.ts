/** `npm run service`: the monitoring service alone, on loopback, until it is told to stop. */
import { join } from 'node:path'
import { hearHangup } from './hangup.ts'
import { isNodeNewEnough, nodeNeeded } from './node-needed.ts'

if (!isNodeNewEnough(process.versions.node)) {
  process.stderr.write(
    `${nodeNeeded}; this is ${process.versions.node}. \`npm run service\` brings its own.\n`,
  )
  process.exit(1)
}

const hangup = hearHangup()
// What is compiled is kept beside the packages, and the next start takes half of the time. Not in the temporary folder, where
// somebody else could have put it; where it cannot be written, nothing is kept.
const { enableCompileCache, flushCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// Not before the check: an older Node crashes without a word when the native module behind this is loaded.
const { runService } = await import('./run.ts')
await runService(process.env, hangup)
// Now, and not at its end: many a process is killed.
flushCompileCache()
