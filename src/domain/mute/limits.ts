/** How long a mute may last, as the policy says. */
export type Limits = {
  /** Of a mute without a duration. */
  readonly muteDefaultMs: number
  /** The longest mute of a server. */
  readonly muteMaxMs: number
  /** The longest mute of the account. */
  readonly accountMuteMaxMs: number
  /** The channels' time zone: an end in another one is named with it. Absent: UTC. */
  readonly zone?: string
}
