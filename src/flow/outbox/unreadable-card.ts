/** What a card should show could not be made of what is remembered: of its job all else is known. */
import type { CardJob } from '../ports/card-store.ts'

/** Thrown by the store in place of the job. */
export class UnreadableCard extends Error {
  override readonly name = 'UnreadableCard'
  readonly job: Omit<CardJob, 'view'>

  constructor(job: Omit<CardJob, 'view'>, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.job = job
  }
}
