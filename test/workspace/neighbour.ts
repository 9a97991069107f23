/** A workspace for one test, with its clock by hand, and ways to talk to it as an app does: plain HTTP and a plain socket. */
import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { patienceMs } from '../support/patience.ts'
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../support/slack.ts'

export type Fields = Record<string, unknown>

export type Neighbour = {
  readonly workspace: Workspace
  readonly clock: { nowMs: number }
  /** A Web API call as the SDK makes it: a form with nested values as JSON. */
  call(method: string, args?: Fields, token?: string): Promise<Fields>
  raw(method: string, args?: Fields, token?: string): Promise<Response>
  /** An open socket of Socket Mode, after its hello. */
  socket(): Promise<Line>
}

export type Line = {
  readonly ws: WebSocket
  readonly heard: Fields[]
  /** The first message that is like this and was not taken before. */
  take(what: string, fits: (message: Fields) => boolean): Promise<Fields>
  ack(envelope: Fields, payload?: unknown): void
}

export const startMs = Date.UTC(2026, 10, 21, 4, 0, 0)

export async function neighbour(options: WorkspaceOptions = {}): Promise<Neighbour> {
  const clock = { nowMs: startMs }
  const workspace = await openWorkspace({ nowMs: () => clock.nowMs, limits: 'off', seed: 7, ...options })
  onTestFinished(() => workspace.close())

  function raw(method: string, args: Fields = {}, token = workspace.botToken): Promise<Response> {
    const form = new URLSearchParams()
    for (const [key, value] of Object.entries(args)) {
      form.set(key, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return fetch(workspace.apiUrl + method, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
  }

  return {
    workspace,
    clock,
    raw,
    call: async (method, args, token) => fieldsOf(await (await raw(method, args, token)).json()),
    async socket() {
      const opened = fieldsOf(await (await raw('apps.connections.open', {}, workspace.appToken)).json())
      const line = openLine(String(opened.url))
      await line.take('hello', (message) => message.type === 'hello')
      return line
    },
  }
}

/** A socket that may or may not come to stand. */
export function openLine(url: string): Line {
  const ws = new WebSocket(url)
  const heard: Fields[] = []
  const taken = new Set<Fields>()
  ws.on('message', (data) => heard.push(fieldsOf(JSON.parse(String(data)))))
  ws.on('error', () => undefined)
  onTestFinished(() => ws.terminate())
  return {
    ws,
    heard,
    async take(what, fits) {
      const found = await eventually(what, () =>
        heard.find((message) => !taken.has(message) && fits(message)),
      )
      taken.add(found)
      return found
    },
    ack: (envelope, payload) => {
      ws.send(
        JSON.stringify({ envelope_id: envelope.envelope_id, ...(payload === undefined ? {} : { payload }) }),
      )
    },
  }
}

/** Long enough for a process that starts on a busy machine. */
const lookEveryMs = 2

/** Looks until there is something, and says what it waited for when there never is. */
export async function eventually<Found>(
  what: string,
  look: () => Found | undefined | false | null,
): Promise<Found> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false && found !== null) return found
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null)
    throw new Error(`expected an object, got ${JSON.stringify(value)}`)
  return { ...value }
}

export function section(text: string): Fields {
  return { type: 'section', text: { type: 'mrkdwn', text } }
}

/** The smallest PNG there is, and something that is none. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** All three steps of an upload; answers the file's id. */
export async function upload(
  { call }: Neighbour,
  bytes: Uint8Array = png,
  name = 'load.png',
): Promise<string> {
  const announced = await call('files.getUploadURLExternal', {
    filename: name,
    length: String(bytes.byteLength),
  })
  await fetch(String(announced.upload_url), { method: 'POST', body: new Uint8Array(bytes) })
  const completed = await call('files.completeUploadExternal', { files: [{ id: announced.file_id }] })
  if (completed.ok !== true) throw new Error(`the upload failed: ${JSON.stringify(completed)}`)
  return String(announced.file_id)
}

export const plain = (text: string): Fields => ({ type: 'plain_text', text })
export const button = (action_id: string, value = 'v'): Fields => ({
  type: 'button',
  action_id,
  text: plain('Press'),
  value,
})
export const options = ['30m', '1h'].map((value) => ({ text: plain(value), value }))

/** A workspace whose bot answers everything with what `answer` says; `undefined` acknowledges with nothing. */
export async function withBot(
  answer: (envelope: Fields) => unknown = () => undefined,
  options: WorkspaceOptions = {},
) {
  const it = await neighbour(options)
  const line = await it.socket()
  const payloads: Fields[] = []
  line.ws.on('message', (data) => {
    const envelope = fieldsOf(JSON.parse(String(data)))
    if (envelope.envelope_id === undefined) return
    if (envelope.type === 'events_api') return line.ack(envelope)
    payloads.push(fieldsOf(envelope.payload))
    line.ack(envelope, answer(envelope))
  })
  const card = async (elements: Fields[], more: Fields = {}): Promise<string> => {
    const blocks = [section('a card'), { type: 'actions', block_id: 'buttons', elements }]
    const posted = await it.call('chat.postMessage', { channel: '#alerts', text: 'card', blocks, ...more })
    return String(posted.ts)
  }
  const last = (): Fields => payloads.at(-1) ?? {}
  return { ...it, line, payloads, last, card }
}

export const respond = (url: unknown, body: unknown): Promise<Response> =>
  fetch(String(url), { method: 'POST', body: JSON.stringify(body) })
