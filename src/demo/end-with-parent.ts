/** Loaded by each process of the demo before its own entry: ends it, as a signal would, once the demo is gone. */
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // Listening must not keep a process alive that has nothing else to do.
  process.channel.unref()
}
