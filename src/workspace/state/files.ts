/**
 * The files of the workspace and their three-step upload: a ticket, the bytes, and the completion after which a file
 * takes a while to become usable (slack-facts 5.1, 5.3). Bytes are kept in memory; the oldest files go first.
 */
import type { Ids } from './ids.ts'

export type StoredFile = {
  readonly id: string
  readonly name: string
  readonly ownerId: string
  /** What the upload was announced with, in bytes. */
  readonly announcedBytes: number
  readonly createdMs: number
  title: string
  bytes: Uint8Array | undefined
  /** When it becomes usable, in epoch milliseconds; undefined until the upload is completed. */
  readyAtMs: number | undefined
}

/** The largest upload that is taken. */
export const fileBytesMax = 10_000_000
/** Announced and stored together; 20 of the largest. */
const storedBytesMax = 200_000_000
const filesMax = 2_000

export function openFiles(ids: Ids, nowMs: () => number) {
  const files = new Map<string, StoredFile>()
  const tickets = new Map<string, string>()

  function makeRoom(): void {
    let held = [...files.values()].reduce((sum, file) => sum + file.announcedBytes, 0)
    for (const [id, file] of files) {
      if (held <= storedBytesMax && files.size <= filesMax) break
      held -= file.announcedBytes
      files.delete(id)
      for (const [ticket, fileId] of tickets) if (fileId === id) tickets.delete(ticket)
    }
  }

  return {
    /** Announces an upload: the file, and the ticket that its bytes are sent to. */
    announce(ask: { name: string; bytes: number; ownerId: string }) {
      const file: StoredFile = {
        id: ids.make('F'),
        name: ask.name,
        ownerId: ask.ownerId,
        announcedBytes: ask.bytes,
        createdMs: nowMs(),
        title: ask.name,
        bytes: undefined,
        readyAtMs: undefined,
      }
      const ticket = ids.secret(24)
      files.set(file.id, file)
      tickets.set(ticket, file.id)
      makeRoom()
      return { file, ticket }
    },
    /** Takes the bytes for a ticket, once. */
    receive(ticket: string, bytes: Uint8Array): 'taken' | 'unknown_ticket' | 'wrong_length' {
      const file = files.get(tickets.get(ticket) ?? '')
      if (file === undefined) return 'unknown_ticket'
      if (bytes.byteLength !== file.announcedBytes) return 'wrong_length'
      tickets.delete(ticket)
      file.bytes = bytes
      return 'taken'
    },
    find: (id: string) => files.get(id),
    remove: (id: string) => void files.delete(id),
    isReady: (file: StoredFile) => file.readyAtMs !== undefined && nowMs() >= file.readyAtMs,
  }
}

/** The kind of a file by its first bytes; what is no picture that Slack shows is `binary`. */
export function kindOf(bytes: Uint8Array): { readonly mimetype: string; readonly filetype: string } {
  const starts = (...head: number[]): boolean => head.every((byte, at) => bytes[at] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47)) return { mimetype: 'image/png', filetype: 'png' }
  if (starts(0xff, 0xd8, 0xff)) return { mimetype: 'image/jpeg', filetype: 'jpg' }
  if (starts(0x47, 0x49, 0x46, 0x38)) return { mimetype: 'image/gif', filetype: 'gif' }
  return { mimetype: 'application/octet-stream', filetype: 'binary' }
}
