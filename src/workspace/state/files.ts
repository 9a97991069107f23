/** Files and their upload: a ticket, the bytes, and the completion, a while before it can be used (docs/slack.md#pictures). */
import { isFields } from './fields.ts'
import type { Ids } from './ids.ts'

export type StoredFile = {
  readonly id: string
  readonly name: string
  readonly ownerId: string
  readonly announcedBytes: number
  title: string
  bytes: Uint8Array | undefined
  readyAtMs: number | undefined
  readonly shares: Map<string, string>
}

export const fileBytesMax = 10_000_000
const filesMax = 500

export function openFiles(ids: Ids, nowMs: () => number, readyAfterMs: number) {
  const files = new Map<string, StoredFile>()
  const tickets = new Map<string, string>()

  return {
    announce(ask: { name: string; bytes: number; ownerId: string }) {
      const file: StoredFile = {
        id: ids.make('F'),
        name: ask.name,
        ownerId: ask.ownerId,
        announcedBytes: ask.bytes,
        title: ask.name,
        bytes: undefined,
        readyAtMs: undefined,
        shares: new Map(),
      }
      const ticket = ids.secret(24)
      files.set(file.id, file)
      tickets.set(ticket, file.id)
      const [oldest] = files.size > filesMax ? files.keys() : []
      if (oldest !== undefined) files.delete(oldest)
      return { file, ticket }
    },
    receive(ticket: string, bytes: Uint8Array): 'taken' | 'unknown_ticket' | 'wrong_length' {
      const file = files.get(tickets.get(ticket) ?? '')
      if (file === undefined) return 'unknown_ticket'
      if (bytes.byteLength !== file.announcedBytes) return 'wrong_length'
      tickets.delete(ticket)
      file.bytes = bytes
      return 'taken'
    },
    find: (id: string) => files.get(id),
    all: (): readonly StoredFile[] => [...files.values()],
    share(fileIds: readonly string[], { ts, channelId }: { ts: string; channelId: string }): void {
      for (const id of fileIds) files.get(id)?.shares.set(ts, channelId)
    },
    unshare(ts: string): void {
      for (const { shares } of files.values()) shares.delete(ts)
    },
    complete(file: StoredFile): void {
      file.readyAtMs = nowMs() + readyAfterMs
    },
    isReady: (file: StoredFile) => file.readyAtMs !== undefined && nowMs() >= file.readyAtMs,
  }
}

export function filesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(filesIn)
  if (!isFields(value)) return []
  const own =
    isFields(value.slack_file) && typeof value.slack_file.id === 'string' ? [value.slack_file.id] : []
  return [...own, ...Object.values(value).flatMap(filesIn)]
}

/** Pictures by their first bytes; Slack knows more. */
export function kindOf(bytes: Uint8Array): { readonly mimetype: string; readonly filetype: string } {
  const starts = (...head: number[]): boolean => head.every((byte, at) => bytes[at] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47)) return { mimetype: 'image/png', filetype: 'png' }
  if (starts(0xff, 0xd8, 0xff)) return { mimetype: 'image/jpeg', filetype: 'jpg' }
  return { mimetype: 'text/plain', filetype: 'text' }
}
