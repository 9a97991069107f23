/** Who may act: where the memory is a file, the one process that has it; where it is a Postgres, the one that leads. */

export type Leadership = {
  /** Names this process; random, so that no two are ever the same. Empty where the memory is a file. */
  readonly holder: string
  /** Grows with each process that takes the lead; 0 where the memory is a file. */
  readonly term: number
  /**
   * May anything outside be changed now? True only while no other process can lead. Ask right before each call that changes
   * something at Slack or at the monitoring API: a process that was stopped or cut off may be deposed and not know it.
   */
  isTrusted(): boolean
}

/** Of a memory that is a file: no other process can be on it. */
export const alone: Leadership = { holder: '', term: 0, isTrusted: () => true }
