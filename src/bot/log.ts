/** The bot's log, which never contains a secret: lines for people in a terminal, JSON for everything else. */
import fs from 'node:fs'
import { styleText } from 'node:util'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from './config/config.ts'
import type { Secret } from './config/secret.ts'
import type { Logger as PortLogger } from './flow/ports/ports.ts'

/** Lines are `log.info({ …fields }, 'noun:verb')`; an error goes in the field `error`. */
export type Log = Logger & {
  /** Replaces these secrets, too, from the next line on. */
  readonly hide: (more: readonly Secret[]) => void
}

export type LogSettings = {
  readonly level: LogLevel
  readonly secrets: readonly Secret[]
  /** Receives the lines, each a whole JSON object with its line end; standard output by default. */
  readonly destination?: DestinationStream
  /** Turns a finished line, a JSON object, into the one that is written. */
  readonly format?: (line: string) => string
}

/**
 * Opens the log. Secrets are replaced in the finished line, as the last step before it is written, so that neither a
 * field, nor an error's text, nor a library's own logging can leak one.
 */
export function openLog({ level, secrets, destination, format = (line) => line }: LogSettings): Log {
  const out = destination ?? standardOutput((lines) => log.warn({ lines }, 'log:dropped'))
  const { scrub, hide } = openScrubber()
  hide(secrets)
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
    { write: (line) => out.write(format(scrub(line))) },
  )
  return Object.assign(log, { hide })
}

/** The log as flows and adapters see it. */
export function toLogger(log: Log): PortLogger {
  return {
    debug: (event, facts = {}) => log.debug(facts, event),
    info: (event, facts = {}) => log.info(facts, event),
    warn: (event, facts = {}) => log.warn(facts, event),
    error: (event, facts = {}) => log.error(facts, event),
  }
}

const colors = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
} as const

/**
 * A line as people read it in a terminal: `03:20:15 WARN poll:failed why="…"`. Names from outside stay quoted, with their control
 * characters escaped. (pino-pretty leaves out a `hostname`, which here is the server that the line is about.)
 */
export function terminalFormat(isColored: boolean): (line: string) => string {
  return (line) => {
    const { level, time, msg, ...facts }: Record<string, unknown> = JSON.parse(line)
    const color = colors[String(level) as keyof typeof colors] ?? 'white'
    const label = String(level).toUpperCase().padEnd(5)
    const clock = new Date(String(time)).toTimeString().slice(0, 8)
    const told = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`)
    return `${[clock, isColored ? styleText(color, label) : label, msg, ...told].join(' ')}\n`
  }
}

function shown(value: unknown): string {
  // C1 controls, which JSON leaves as they are.
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]/g,
    (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
  )
}

/** Most lines that wait for a slow reader; more are dropped. */
const waitingCharsMax = 16 * 1024 * 1024

/**
 * Standard output that never waits for its reader: a pipe fills quickly, and ten thousand alerts are as many lines. Waiting lines
 * are written when the process ends. `onDropped` gets the number of lost lines once there is room.
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
  const flushSync = out.flushSync.bind(out)
  out.flushSync = () => withoutBrokenPipe(flushSync)
  return out
}

/**
 * Makes a flush succeed if nobody reads any more: otherwise sonic-boom 4.2 would try forever to write what is left, and the
 * process would never end (Ctrl-C on `npm start | less`).
 */
function withoutBrokenPipe(flush: () => void): void {
  const { writeSync } = fs
  const lenient = (fd: number, text: string | Uint8Array) => {
    try {
      return typeof text === 'string' ? writeSync(fd, text) : writeSync(fd, text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
      return Buffer.byteLength(text)
    }
  }
  Object.assign(fs, { writeSync: lenient })
  try {
    flush()
  } finally {
    Object.assign(fs, { writeSync })
  }
}

/**
 * What the log shows of an error: name, message, the kind of our own errors, and at debug level the stack. Nothing else, because
 * the errors of HTTP clients contain the request, and so the key.
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
 * Replaces every form in which a secret can appear in a line: as it is, percent-encoded (twice if an address is inside
 * another), form-encoded, in JSON within JSON.
 */
function openScrubber() {
  let ordered: string[] = []
  return {
    scrub: (line: string) => ordered.reduce((text, form) => text.replaceAll(form, '[secret]'), line),
    hide: (more: readonly Secret[]) => {
      const forms = new Set([...ordered, ...more.flatMap((secret) => formsOf(secret.reveal()))])
      // Longest first, or a secret that contains another one would be replaced only in part.
      ordered = [...forms].sort((a, b) => b.length - a.length)
    },
  }
}

function formsOf(secret: string): string[] {
  if (secret === '') return []
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const inAddress = encodeURIComponent(secret)
  const encoded = [secret, inAddress, encodeURIComponent(inAddress), encodeURI(secret), inForm]
  return encoded
    .flatMap((one) => [one, lowerEscapes(one)])
    .flatMap((shape) => [shape, escapeJson(shape), escapeJson(escapeJson(shape))])
}

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (triple) => triple.toLowerCase())
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
