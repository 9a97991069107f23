/** Repeats one piece of work, never two at once: the next begins a fixed time after the last one began, or when it is done. */
export type Beat = {
  /** Does the work now; while it is at work already, the answer is that work's end. */
  now(): Promise<void>
  /** No more of it; resolves when what is at work is done. */
  stop(): Promise<void>
}

/** Begins at once; with `everyMs` null only `now` does the work. Errors of repeated work go to `report`; those of `now` to its caller. */
export function startBeat(
  work: () => Promise<void>,
  everyMs: number | null,
  report: (error: unknown) => void,
): Beat {
  let current: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  function now(): Promise<void> {
    current ??= work().finally(() => {
      current = null
    })
    return current
  }

  function onTime(): void {
    if (current === null) now().catch(report)
  }

  if (everyMs !== null) {
    timer = setInterval(onTime, everyMs).unref()
    onTime()
  }
  return {
    now,
    async stop() {
      clearInterval(timer)
      await current?.catch(() => {})
    },
  }
}
