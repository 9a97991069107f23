/** The log: one line of JSON an event, `noun:verb`. Secrets are wrapped, and what the adapters tell is redacted where it comes in. */
import { pino } from 'pino'

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
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })
  return {
    debug: (event, fields = {}) => log.debug({ event, ...fields }),
    info: (event, fields = {}) => log.info({ event, ...fields }),
    warn: (event, fields = {}) => log.warn({ event, ...fields }),
    error: (event, fields = {}) => log.error({ event, ...fields }),
  }
}

/** For tests and for what must not speak. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
