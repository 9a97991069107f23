/** Rereads the file when it or a target file has changed, or on request; an invalid one is refused and the old one kept. */
import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { type ConfigReading, type FleetConfig, readConfig } from './read-config.ts'

/** Polling interval for changes that the system does not report (a network disk, a folder of targets). */
const lookEveryMs = 5_000
/** A file must stay unchanged for this long before it counts, as it may be written in pieces. */
const settleMs = 1_500

export type ConfigWatch = {
  /** Reads it now, whether or not it has changed, and reports the result. */
  reload(): Promise<void>
  /** A read in progress is discarded. */
  stop(): void
}

/**
 * Watches the file. `first` is the current configuration; `use` may throw if a valid file conflicts with the rest of the service.
 */
export function watchConfig(parts: {
  readonly file: string
  readonly first: ConfigReading
  readonly use: (config: FleetConfig) => void
  readonly report: (line: string) => void
}): ConfigWatch {
  const { file, use, report } = parts
  /** The last content accepted or refused, and content seen once, which may still be incomplete. */
  let settled = textOf(parts.first)
  let seen: string | null = null
  let current: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isWaiting = false
  let isAskedNext = false

  async function look(isAsked: boolean): Promise<void> {
    const reading = await readConfig(file)
    if (isStopped) return
    const text = textOf(reading)
    if (!isAsked && text === settled) {
      seen = null
      return
    }
    if (!isAsked && text !== seen) {
      seen = text
      lookIn(settleMs)
      return
    }
    settled = text
    seen = null
    if (reading.config === null) {
      report(
        [`${file} was refused, and what was there before goes on:`, ...indented(reading.problems)].join('\n'),
      )
      return
    }
    use(reading.config)
    const targets = reading.config.scrape?.targets.length ?? 0
    report(`${file} was taken up: ${targets} ${targets === 1 ? 'target' : 'targets'}`)
  }

  /** However often it is called, at most one check runs and one waits, which will see all changes until then. */
  function inTurn(isAsked: boolean): Promise<void> {
    isAskedNext ||= isAsked
    if (isWaiting) return current
    isWaiting = true
    current = current
      .then(() => {
        const wasAsked = isAskedNext
        isWaiting = false
        isAskedNext = false
        return look(wasAsked)
      })
      .catch((error: unknown) => report(`${file}: ${String(error)}`))
    return current
  }

  function lookIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void inTurn(false), ms).unref()
  }

  const often = setInterval(() => void inTurn(false), lookEveryMs).unref()
  const watcher = watchFolder(dirname(file), () => lookIn(settleMs / 10))
  return {
    reload: () => inTurn(true),
    stop() {
      isStopped = true
      clearInterval(often)
      clearTimeout(timer)
      watcher?.close()
    },
  }
}

/** Null if the system has no watch left: polling suffices then. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => {})
  } catch {
    return null
  }
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}

/** Everything that was read; an unreadable file is among the problems. */
function textOf({ texts, problems }: ConfigReading): string {
  return JSON.stringify([[...texts], problems])
}
