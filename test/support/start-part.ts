/** Starts a part of the bot as soon as it is made, for tests in which nothing else has to be there first, and stops it after the test. */
import { onTestFinished } from 'vitest'
import type { Job } from '../../src/bot/flow/concurrency/watch.ts'

export function startPart<Part extends Job>(part: Part): Part {
  part.start()
  // Of this test alone: a hook of this file would be there only for the first of the files that share a process.
  onTestFinished(() => part.stop())
  return part
}
