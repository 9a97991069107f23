/** Ends a process of the demo, as a signal would, once the demo itself is gone. Loaded before the process's own entry. */
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // Listening must not keep a process alive that has nothing else to do.
  process.channel.unref()
}
