/** Repeats one task, never twice at once: the next run starts a fixed time after the last one started, or when that is done. */
export type Beat = {
  /** Runs the task now; if it is already running, resolves with that run. */
  now(): Promise<void>
  /** Stops repeating; resolves when a running task is done. */
  stop(): Promise<void>
}

/** Starts at once; with `everyMs` null only `now` runs the task. Errors of repeated runs go to `report`; those of `now` to its caller. */
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
