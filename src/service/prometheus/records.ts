/** Parses lists from an Alertmanager: all records, or one error sentence. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { openTurn } from '../turn.ts'

export const texts = z.array(z.string())

/** Milliseconds since 1970; null if it is missing, not a time, or the year 1, which is Go's zero time. */
export const instant = z
  .string()
  .transform((text) => {
    const ms = Date.parse(text)
    return ms > 0 ? ms : null
  })
  .nullable()
  .catch(null)

/** Yields to other work if the list is long. Rejects with a `Refusal` unless every record fits its schema. */
export async function listOf<Found, Value>(
  name: string,
  what: 'alerts' | 'silences',
  answer: unknown,
  schema: z.ZodType<Found>,
  toValue: (found: Found) => Value,
): Promise<readonly Value[]> {
  if (!Array.isArray(answer)) {
    throw new Refusal(502, `${name}: expected a list of ${what}; came something else`)
  }
  const values: Value[] = []
  const turn = openTurn()
  let fault: z.ZodError | null = null
  for (const one of answer) {
    if (turn.isOver()) await turn.next()
    const found = schema.safeParse(one)
    if (found.success) values.push(toValue(found.data))
    else fault ??= found.error
  }
  if (fault === null) return values
  const [issue] = fault.issues
  const place = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.map(String).join('.')
  throw new Refusal(
    502,
    `${name}: ${answer.length - values.length} of ${answer.length} ${what} cannot be read: ${place}: ${issue?.message ?? ''}`,
  )
}
