/**
 * What an engine says beside its answers: that one is not complete (Thanos and Prometheus in `warnings`, the cluster of
 * VictoriaMetrics by `isPartial`), or that an expression is odd (`infos`). Each is reported once.
 */
import { z } from 'zod'

/** What was asked for: the answers of each are complete or not by themselves. */
export type About = 'rules' | 'servers' | 'metrics'

export type Doubt = {
  readonly about: About
  readonly said: string
  /** About an expression: the answer is complete. */
  readonly isRemark?: true
}

export type Doubts = {
  /** Notes what stands beside this answer. Returns why it is not complete; null: nothing says so. */
  take(about: About, answer: unknown): string | null
  /** The last answer of each kind that was not complete, and what the engine has remarked on expressions. */
  now(): readonly Doubt[]
}

const beside = z.object({
  warnings: z.array(z.string()).nullish().catch(null),
  infos: z.array(z.string()).nullish().catch(null),
  isPartial: z.boolean().nullish().catch(null),
})

/** How Prometheus marks what it says about the expression: its answer is complete. */
const aboutExpression = /^PromQL (?:info|warning)\b/
const remarksMax = 10

export function openDoubts(parts: {
  readonly name: string
  /** For people: short, and without secrets. */
  shown(said: string): string
  report(line: string): void
}): Doubts {
  const { name, shown, report } = parts
  const partial = new Map<About, string>()
  /** Those that were reported, until the answers of that kind are complete again. */
  const told = new Set<About>()
  const remarks = new Map<string, About>()

  function remark(about: About, said: string): void {
    if (remarks.has(said) || remarks.size >= remarksMax) return
    remarks.set(said, about)
    report(`${name} remarks on an expression: ${said}`)
  }

  return {
    take(about, answer) {
      const { warnings, infos, isPartial } = beside.safeParse(answer).data ?? {}
      const all = (warnings ?? []).map(shown)
      for (const said of [...(infos ?? []).map(shown), ...all.filter((one) => aboutExpression.test(one))])
        remark(about, said)
      const found =
        all.find((one) => !aboutExpression.test(one)) ??
        (isPartial === true ? 'it marks its answer as partial' : null)
      if (found === null) {
        partial.delete(about)
        // One query may need a store that another does without: only what is asked again and again is said to be over.
        if (about !== 'metrics' && told.delete(about)) report(`${name} answers in whole again (${about})`)
        return null
      }
      partial.set(about, found)
      if (!told.has(about)) report(`${name} answers in part only (${about}): ${found}; ${meaning[about]}`)
      told.add(about)
      return found
    },
    now: () => [
      ...[...partial].map(([about, said]) => ({ about, said })),
      ...[...remarks].map(([said, about]) => ({ about, said, isRemark: true as const })),
    ],
  }
}

const meaning: Readonly<Record<About, string>> = {
  rules: 'what it lists is taken, and what it does not list proves nothing',
  servers: 'those that it knew before stay',
  metrics: 'what there is is drawn',
}
