/** The bot's log: JSON lines in which no secret can stand. */
import pino, { type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from './config/config.ts'
import type { Secret } from './config/secret.ts'

/** Lines are `log.info({ …fields }, 'noun:verb')`; an error goes in the field `error`. */
export type Log = Logger

export type LogSettings = {
  readonly level: LogLevel
  readonly secrets: readonly Secret[]
  /** Where the lines go, each a whole JSON object with its line end; standard output where nothing is given. */
  readonly destination?: DestinationStream
}

/**
 * Opens the log. Secrets are replaced in the finished line, as the last thing before it is written, so that neither a
 * field, nor an error's text, nor a library's own logging can carry one past.
 */
export function openLog({ level, secrets, destination }: LogSettings): Log {
  const out = destination ?? standardOutput((lines) => log.warn({ lines }, 'log:dropped'))
  const scrub = scrubber(secrets.map((secret) => secret.reveal()))
  const isDetailed = level === 'debug' || level === 'trace'
  const describeError = (error: unknown) => describe(error, isDetailed)
  const log = pino(
    {
      level,
      base: null,
      errorKey: 'error',
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describeError, err: describeError },
    },
    { write: (line) => out.write(scrub(line)) },
  )
  return log
}

/** Lines that wait for a reader who has fallen behind; what comes beyond is dropped. */
const waitingCharsMax = 16 * 1024 * 1024

/**
 * Each line is written at once, and nobody waits for whoever reads them: a pipe is soon full, and ten thousand alerts are as
 * many lines. Whatever waits is written when the process ends. `onDropped` is told how many lines were lost, once there is room.
 */
function standardOutput(onDropped: (lines: number) => void): DestinationStream {
  const out = pino.destination({ dest: 1, sync: false, maxLength: waitingCharsMax })
  let dropped = 0
  out.on('drop', () => {
    dropped += 1
  })
  out.on('drain', () => {
    const lines = dropped
    dropped = 0
    if (lines > 0) onDropped(lines)
  })
  return out
}

/**
 * An error in the log: name, message, and of our own errors the kind; the stack only for who asked for details. Nothing
 * else of it: the errors of HTTP clients carry the request, and the request carries the key.
 */
function describe(error: unknown, isDetailed: boolean): unknown {
  if (!(error instanceof Error)) return error
  return {
    name: error.name,
    ...('kind' in error && typeof error.kind === 'string' ? { kind: error.kind } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    message: error.message,
    ...(isDetailed ? { stack: error.stack } : {}),
  }
}

/**
 * Replaces every form in which a secret can stand in a line: as it is, percent-encoded (twice where an address stands in
 * another), in a form, in JSON in JSON.
 */
function scrubber(secrets: readonly string[]): (line: string) => string {
  const forms = new Set<string>()
  for (const secret of secrets.filter((value) => value !== '')) {
    const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
    const inAddress = encodeURIComponent(secret)
    for (const encoded of [secret, inAddress, encodeURIComponent(inAddress), encodeURI(secret), inForm]) {
      for (const shape of [encoded, lowerEscapes(encoded)]) {
        const inJson = escapeJson(shape)
        forms.add(shape).add(inJson).add(escapeJson(inJson))
      }
    }
  }
  // Longest first, or a secret that holds another one would leave its rest behind.
  const ordered = [...forms].sort((a, b) => b.length - a.length)
  return (line) => ordered.reduce((text, form) => text.replaceAll(form, '[secret]'), line)
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (triple) => triple.toLowerCase())
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
