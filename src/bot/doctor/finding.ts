/** What one check found: one line for people, and what to do about it. Neither holds a secret. */

/** `warning`: monbot works without it, but people will miss something. `skipped`: it could not be checked, or nobody wants it. */
export type Finding = {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly said: string
  readonly todo: string | null
}

export const ok = finding('ok')
export const skipped = finding('skipped')
export const warning = finding('warning')
export const failed = finding('failed')

function finding(state: Finding['state']) {
  return (check: string, said: string, todo: string | null = null): Finding => ({ check, state, said, todo })
}

/** Of an error its code or its name: its message may hold a secret. */
export function wordsOf(error: unknown): string {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'no reason known')
}
