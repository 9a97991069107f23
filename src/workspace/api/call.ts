/** What a method is handed, and what it gives back. */
import type { State } from '../state/state.ts'
import type { Args } from './args.ts'
import type { Reply } from './reply.ts'

export type Caller = 'bot' | 'app'
export type Call = {
  readonly state: State
  readonly args: Args
  readonly caller: Caller
  /** Makes the address of one Socket Mode connection. */
  readonly invite: () => string
}

/** Methods are not async: what they change, they change at once. They may throw `Refused`. */
export type Method = (call: Call) => Reply
