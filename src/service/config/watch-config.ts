/** Reads the file again when it or a file beside it has changed, and when it is told to; a wrong one is refused and the old one kept. */
import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { type ConfigReading, type FleetConfig, readConfig } from './read-config.ts'

/** What the system's own watch does not see (a network disk, a folder of targets) is seen by then. */
const lookEveryMs = 5_000
/** What is written bit by bit must stay as it is for so long before it counts. */
const settleMs = 1_500

export type ConfigWatch = {
  /** Reads it now, whether it has changed or not, and says what came of it. */
  reload(): Promise<void>
  /** What is being read then is not taken up. */
  stop(): void
}

/** `first` is what the service runs with; `use` may throw for a file that fits nothing else here. */
export function watchConfig(parts: {
  readonly file: string
  readonly first: ConfigReading
  readonly use: (config: FleetConfig) => void
  readonly report: (line: string) => void
}): ConfigWatch {
  const { file, use, report } = parts
  /** What was taken up or refused last, and what was seen once and may not be whole yet. */
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

  /** However often it is asked: one look is under way, and one waits that will see all that there is then. */
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

/** Null where the system has no watch left to give: then it is looked at often enough. */
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

/** All that was read; a file that cannot be read shows in the problems. */
function textOf({ texts, problems }: ConfigReading): string {
  return JSON.stringify([[...texts], problems])
}
