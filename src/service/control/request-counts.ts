/** Counts API requests by method and path template; a template contains neither key nor hostname. */
export type RequestCounts = {
  add(template: string): void
  all(): Readonly<Record<string, number>>
}

export function openRequestCounts(): RequestCounts {
  const counts = new Map<string, number>()
  return {
    add: (template) => void counts.set(template, (counts.get(template) ?? 0) + 1),
    all: () => Object.fromEntries([...counts].sort()),
  }
}
