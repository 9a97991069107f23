/**
 * Uploads in three steps, each with its own deadline, and without a channel: nobody sees the file until a message shows it
 * (docs/slack.md#pictures). The SDK's helper would repeat calls, send the token along, and wait for ever for the bytes.
 */
import type { WebClient } from '@slack/web-api'
import { type Clock, second } from '../clock.ts'
import { fetchWithin, type Reach } from './client.ts'
import { codeOf, outcomeOf, whyOf } from './outcomes.ts'

export type Uploaded =
  | { readonly kind: 'ok'; readonly file: string; readonly permalink: string | null }
  | { readonly kind: 'refused' | 'later'; readonly why: string }

/** Slack takes a file in after the upload, up to 12 s later in reports. These are the pauses between two looks. */
const looksAfterMs = [0, 150, 300, 600, 1000, 2000, 3000, 5000, 8000]
/** Nobody may say whether it is ready, without the scope `files:read`. */
const blindMs = 4 * second

export function openFiles(client: WebClient, reach: Reach, clock: Clock) {
  const fetch = fetchWithin(reach)

  async function send(bytes: Uint8Array, name: string, title: string, alt: string | null): Promise<Uploaded> {
    const begun = await client.files.getUploadURLExternal({
      filename: name,
      length: bytes.length,
      ...(alt === null ? {} : { alt_txt: alt.slice(0, 1000) }),
    })
    if (begun.upload_url === undefined || begun.file_id === undefined) return later('no address to upload to')
    const sent = await fetch(begun.upload_url, {
      method: 'POST',
      body: Buffer.from(bytes),
      headers: { 'content-type': 'application/octet-stream' },
      redirect: 'error',
    })
    if (!sent.ok) return later(`the upload was answered with HTTP ${sent.status}`)
    const done = await client.files.completeUploadExternal({ files: [{ id: begun.file_id, title }] })
    return { kind: 'ok', file: begun.file_id, permalink: done.files?.[0]?.permalink ?? null }
  }

  async function isReady(file: string): Promise<boolean | null> {
    try {
      return ((await client.files.info({ file })).file?.mimetype ?? '') !== ''
    } catch (error) {
      return codeOf(error) === 'missing_scope' ? null : false
    }
  }

  return {
    /** Resolves once messages can show it. */
    async upload(bytes: Uint8Array, name: string, title: string, alt: string | null): Promise<Uploaded> {
      try {
        const sent = await send(bytes, name, title, alt)
        if (sent.kind !== 'ok') return sent
        for (const afterMs of looksAfterMs) {
          await clock.wait(afterMs)
          const ready = await isReady(sent.file)
          if (ready === null) await clock.wait(blindMs)
          if (ready !== false) return sent
        }
        return later('Slack has not taken the file in')
      } catch (error) {
        const outcome = outcomeOf(error)
        const isFinal = ['content', 'channel', 'token'].includes(outcome.kind)
        return { kind: isFinal ? 'refused' : 'later', why: whyOf(outcome) }
      }
    },
  }
}

function later(why: string): Uploaded {
  return { kind: 'later', why }
}
