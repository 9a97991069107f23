/** Ends this process with the npm that started it. */

const lookEveryMs = 500

/**
 * Under `npm run`, the shell between the two may die of a SIGTERM without passing it on, as Debian's does: nobody would be left to
 * stop this process, and the next one would find its port and its database taken. Then it sends itself the SIGTERM.
 */
export function endWithNpm(env: NodeJS.ProcessEnv): void {
  if (env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, lookEveryMs)
  looking.unref()
}
