/** `npm run service`: the monitoring service alone, on loopback, until it is told to stop. */
import { isNodeNewEnough, nodeNeeded } from './node-needed.ts'

if (!isNodeNewEnough(process.versions.node)) {
  process.stderr.write(
    `${nodeNeeded}; this is ${process.versions.node}. \`npm run service\` brings its own.\n`,
  )
  process.exit(1)
}

// Not before the check: an older Node crashes without a word when the native module behind this is loaded.
const { runService } = await import('./run.ts')
await runService(process.env)
