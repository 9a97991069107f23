/** What an operation of the API is: a row of the table in `operations.ts`. */
import { z } from 'zod'
import type { Ledger } from '../ledger.ts'
import type { Loop } from '../loop.ts'
import type { Mutes } from '../mutes.ts'
import type { Servers } from '../servers.ts'
import type { Source } from '../source.ts'
import type { Links } from '../web.ts'

export type Desk = {
  readonly source: Source
  readonly loop: Loop
  readonly ledger: Ledger
  readonly servers: Servers
  readonly mutes: Mutes
  readonly links: Links
  readonly nowMs: () => number
}

export type Operation = {
  readonly methods: readonly string[]
  /** Below `/api/v2/<API_KEY>`; at most one segment is a variable: `:host`, or `:id.json`. */
  readonly path: string
  readonly input: z.ZodObject
  /** `named` is what stands for the variable. */
  run(desk: Desk, input: Record<string, unknown>, named: string): object | Promise<object>
}

/** Ties the type of the parameters to the code that runs on them. `methods`: `POST PATCH`. */
export function operation<I extends z.ZodObject>(
  methods: string,
  path: string,
  input: I,
  run: (desk: Desk, input: z.output<I>, named: string) => object | Promise<object>,
): Operation {
  return {
    methods: methods.split(' '),
    path,
    input,
    run: (desk, given, named) => run(desk, given as z.output<I>, named),
  }
}

export const noInput = z.object({})
