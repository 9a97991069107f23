/** The log: one line of JSON an event, `noun:verb` in `msg`. Secrets are wrapped, and adapters redact what they tell. */
import { pino } from 'pino'
import { type Clock, minute } from './clock.ts'

export type Log = {
  debug(event: string, fields?: object): void
  info(event: string, fields?: object): void
  warn(event: string, fields?: object): void
  error(event: string, fields?: object): void
}

export function openLog(
  level: string,
  write: (line: string) => void = (line) => process.stdout.write(line),
): Log {
  const formatters = { level: (name: string) => ({ level: name }) }
  const log = pino({ level, base: null, formatters, timestamp: pino.stdTimeFunctions.isoTime }, { write })
  return {
    debug: (event, fields = {}) => log.debug(fields, event),
    info: (event, fields = {}) => log.info(fields, event),
    warn: (event, fields = {}) => log.warn(fields, event),
    error: (event, fields = {}) => log.error(fields, event),
  }
}

/** For what anybody outside can cause: a line a minute at most, which counts those that were left out before it. */
export function warnSeldom(log: Log, clock: Clock, event: string): (fields: object) => void {
  let nextMs = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return (fields) => {
    if (clock.steadyMs() < nextMs) {
      leftOut += 1
      return
    }
    log.warn(event, { ...fields, leftOut })
    nextMs = clock.steadyMs() + minute
    leftOut = 0
  }
}

/** For tests and for what must not speak. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
