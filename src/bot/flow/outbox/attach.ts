/** Uploads a file and waits until Slack has taken it in: before, a message with its address brings nothing. */
import type { TextFile } from '../../domain/request/answer.ts'
import type { Timeline } from '../../domain/request/timeline.ts'
import type { Attached, Chat, Clock } from '../ports/ports.ts'

const lookEveryMs = 1_000
const looksMax = 15
/** Where monbot may not ask (`files:read`). */
const usuallyMs = 5_000

type AttachPorts = {
  readonly chat: Pick<Chat, 'attach' | 'isTakenIn'>
  readonly clock: Pick<Clock, 'wait'>
}

/** Twice is harmless: nobody sees a file that no message brings. May throw an `OutsideFailure`. */
export async function attachFile(file: TextFile | Timeline, { chat, clock }: AttachPorts): Promise<Attached> {
  const attached = await chat.attach(file)
  for (let looks = 0; looks < looksMax; looks += 1) {
    const isTaken = await chat.isTakenIn(attached.fileId)
    if (isTaken === true) break
    await clock.wait(isTaken === null ? usuallyMs : lookEveryMs)
    if (isTaken === null) break
  }
  return attached
}
