/** `npm run service`: the monitoring service alone until it is stopped; `keys add|list|remove`: its API keys. */
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { endWithNpm, requireNode } from '../shared/program.ts'

const usage = `monbot service                     the monitoring service alone
monbot service keys add [KEY]      adds an API key to MONITOR_FILE, and prints it
monbot service keys list           their ids
monbot service keys remove WHICH   withdraws one, by its id or its text
`

requireNode()
endWithNpm(process.env)
// Readings are large and short-lived: at V8's usual pace the heap grows to twice as much before it is tidied.
setFlagsFromString('--heap-growing-percent=60')
// The compile cache is kept beside the packages and halves the next start's time. Not in the temporary folder, where
// another user could plant it; if it cannot be written, nothing is kept.
const { enableCompileCache, flushCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// Only after the check: an older Node crashes silently when it loads the native module behind these.
const { runKeys, runService } = await import('./run.ts')
const [word, ...words] = process.argv.slice(2)
if (word === undefined) await runService(process.env)
else if (word === 'keys') await runKeys(process.env, words)
else if (['--help', '-h', 'help'].includes(word)) process.stdout.write(usage)
else {
  process.stderr.write(`Expected nothing more, or keys; came ${JSON.stringify(word)}\n${usage}`)
  process.exitCode = 2
}
// Flushed now, not at exit, because processes are often killed.
flushCompileCache()
