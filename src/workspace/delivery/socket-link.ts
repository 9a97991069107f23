/** One connection of Socket Mode (docs/slack.md#socket-mode), from its hello until it is told to close, is cut or closes. */
import type { WebSocket } from 'ws'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'

export const disconnectReasons = [
  'warning',
  'refresh_requested',
  'link_disabled',
  'too_many_websockets',
] as const
export type DisconnectReason = (typeof disconnectReasons)[number]

/** Between a request to go and the cut. */
const graceMs = 10_000
/** What Slack's end calls itself. */
const host = 'applink-local'

export type SocketLink = ReturnType<typeof openSocketLink>

/** `countServing`: how many connections serve now, this one included. */
export function openSocketLink(ws: WebSocket, state: State, countServing: () => number) {
  let isServing = false
  let answersPings = true
  let cancelEnd = (): void => undefined

  ws.on('ping', (data) => {
    if (answersPings) ws.pong(data)
  })
  ws.on('error', () => ws.terminate())
  ws.on('close', () => {
    cancelEnd()
    isServing = false
  })

  function say(message: Fields): void {
    ws.send(JSON.stringify(message), (error) => {
      if (error) ws.terminate()
    })
  }

  function goodbye(reason: DisconnectReason): void {
    say({ type: 'disconnect', reason, debug_info: { host } })
    state.events.emit({ type: 'socket_told', reason, open: countServing() })
    if (reason === 'warning') return
    isServing = false
    cancelEnd()
    cancelEnd = state.timers.after(graceMs, () => ws.terminate())
  }

  return {
    ws,
    isServing: () => isServing,
    say,
    /** Says hello; near the end of its life it warns, and then says goodbye. */
    serve(lifeSeconds: number): void {
      isServing = true
      state.events.emit({ type: 'socket_opened', open: countServing() })
      say(hello(state, countServing(), lifeSeconds))
      cancelEnd = state.timers.after(lifeSeconds * 1_000 - graceMs, () => {
        goodbye('warning')
        cancelEnd = state.timers.after(graceMs, () => goodbye('refresh_requested'))
      })
    },
    /** Tells the client to go. After a `warning` it still serves; otherwise it is cut 10 s later. */
    goodbye,
    cut(): void {
      isServing = false
      ws.terminate()
    },
    answerPings(on: boolean): void {
      answersPings = on
    },
    /** The answer to a close frame is a call of `close`: without it the handshake stays half done. */
    answerClose(on: boolean): void {
      if (on) Reflect.deleteProperty(ws, 'close')
      else ws.close = () => undefined
    },
  }
}

function hello(state: State, open: number, lifeSeconds: number): Fields {
  return {
    type: 'hello',
    num_connections: open,
    connection_info: { app_id: state.appId },
    debug_info: {
      host,
      started: new Date(state.nowMs()).toISOString(),
      build_number: 1,
      approximate_connection_time: lifeSeconds,
    },
  }
}
