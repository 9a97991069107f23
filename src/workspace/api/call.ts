/** What a method is handed, and what it gives back. */
import type { State } from '../state/state.ts'
import type { Args } from './args.ts'
import type { Reply } from './reply.ts'

export type Call = { readonly state: State; readonly args: Args; readonly caller: 'bot' | 'app' | 'anyone' }

/** Methods are not async: what they change, they change at once. */
export type Method = (call: Call) => Reply
