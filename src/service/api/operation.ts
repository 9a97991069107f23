/** One endpoint as data: the routes and the OpenAPI document are built from the list of these. */
import { z } from 'zod'
import { quoted, Refusal } from '../refusal.ts'
import type { Server } from '../store/registry.ts'
import type { World } from '../world.ts'
import { parseFields } from './parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Operation = {
  /** `operationId` of the document; unique. */
  readonly id: string
  readonly method: Method
  /** Below `/api/v2/<API_KEY>`, with at most one variable segment: `:hostname`, or `:id.json`. */
  readonly path: string
  readonly summary: string
  readonly input: z.ZodObject
  readonly answer: z.ZodObject
  /** Errors besides 401 and 422. */
  readonly may404: boolean
  /** Checks the parameters and runs the operation. Throws a `Refusal`. */
  run(world: World, parameters: ReadonlyMap<string, string>, named: string): object | Promise<object>
}

/** Ties the type of the parameters to the code that runs on them, and the answer to its schema. */
export function operation<Input extends z.ZodObject, Answer extends z.ZodObject>(
  described: Omit<Operation, 'input' | 'answer' | 'run' | 'may404'> & {
    readonly input: Input
    readonly answer: Answer
    readonly may404?: boolean
    run(asked: {
      world: World
      input: z.output<Input>
      /** What stands for the variable segment; empty if the path has none. */
      named: string
    }): z.input<Answer> | Promise<z.input<Answer>>
  },
): Operation {
  return {
    ...described,
    may404: described.may404 ?? false,
    run: (world, parameters, named) =>
      described.run({ world, input: parseFields(described.input, Object.fromEntries(parameters)), named }),
  }
}

/** The variable segment of a path: its name, and what follows the name (`.json`). */
export function variableOf(path: string): { readonly name: string; readonly ending: string } | null {
  const [, name, ending] = /\/:(\w+)([^/]*)/.exec(path) ?? []
  return name === undefined || ending === undefined ? null : { name, ending }
}

/** The server of a path, or a 404 that names it. */
export async function knownServer({ registry, source }: World, hostname: string): Promise<Server> {
  const known = registry.server(hostname)
  if (known !== undefined) return known
  // Only a source that could be reached may say that there is none.
  await source.refresh()
  const server = registry.server(hostname)
  if (server === undefined) throw new Refusal(404, `no server is called ${quoted(hostname)}`)
  return server
}

/** An answer with only `{message}`. */
export const messageAnswer = z.object({ message: z.string() })

export const noInput = z.object({})
