/** The answers of a Prometheus-compatible API: what they contain, and whether that is all of it. */
import { z } from 'zod'
import type { Meter } from '../ops/metrics.ts'
import { Refusal } from '../refusal.ts'
import { type Asker, openAsker } from './ask.ts'
import { type About, type Doubt, openDoubts } from './doubts.ts'
import type { Endpoint } from './settings.ts'

/** An answer that is not complete, by what the engine itself says. Whoever can use a part of it takes it from here (`inPart`). */
export class PartialAnswer extends Refusal {
  override readonly name = 'Refusal'
  readonly value: unknown

  constructor(message: string, value: unknown) {
    super(502, message)
    this.value = value
  }
}

/** For those who can use an answer that is not complete. */
export async function inPart<Value>(
  asked: Promise<Value>,
): Promise<{ readonly value: Value; readonly isPartial: boolean }> {
  try {
    return { value: await asked, isPartial: false }
  } catch (error) {
    if (!(error instanceof PartialAnswer)) throw error
    return { value: error.value as Value, isPartial: true }
  }
}

/** One that can be asked, with what it says beside its answers. */
export type Source = {
  readonly name: string
  readonly asker: Asker
  doubts(): readonly Doubt[]
  /** The `data` of `{status: success, data}`. Throws a `PartialAnswer` if it is not all. */
  dataOf<Value>(answer: unknown, schema: z.ZodType<Value>, about: About): Value
}

export function openSource(
  endpoint: Endpoint,
  timeoutMs: number,
  { report, meter }: { readonly report: (line: string) => void; readonly meter: Meter },
): Source {
  const asker = openAsker({ product: 'Prometheus', endpoint, timeoutMs, meter })
  const { name, shown } = asker
  const doubts = openDoubts({ name, shown, report })
  return {
    name,
    asker,
    doubts: doubts.now,
    dataOf(answer, schema, about) {
      const found = z.object({ status: z.literal('success'), data: z.unknown() }).safeParse(answer)
      if (!found.success)
        throw new Refusal(502, `${name}: expected an answer of Prometheus; came another one`)
      const checked = schema.safeParse(found.data.data)
      const doubt = doubts.take(about, answer)
      if (!checked.success) {
        const [issue] = checked.error.issues
        throw new Refusal(
          502,
          `${name}: its answer is not understood at ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}`,
        )
      }
      if (doubt !== null) throw new PartialAnswer(`${name} answered in part only: ${doubt}`, checked.data)
      return checked.data
    },
  }
}
