/**
 * HTTP mode: Slack's requests at `/slack/events` are checked, read and answered by Bolt's own receiver, on the server that the bot has
 * anyway. It takes times from the future, so those are refused here (docs/slack.md#http-mode).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import receivers from '@slack/bolt/dist/receivers/HTTPReceiver.js'
import { type Clock, minute, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { type Log, warnSeldom } from '../log.ts'
import { sdkLogger } from './client.ts'
import type { Line } from './sockets.ts'

export type HttpLine = Line & {
  /** Answers one `POST /slack/events`. */
  handle(request: IncomingMessage, response: ServerResponse): void
}

const eventsPath = '/slack/events'
/** As far as Bolt lets them lie in the past. */
const aheadMaxMs = 5 * minute

export function openHttp(signingSecret: Secret, basePath: string, clock: Clock, log: Log): HttpLine {
  let ready = { isReady: false, sinceMs: clock.nowMs() }
  const turn = (isReady: boolean) => {
    ready = { isReady, sinceMs: clock.nowMs() }
  }
  const refused = warnSeldom(log, clock, 'request:refused')
  const receiver = new receivers.default({
    signingSecret: signingSecret.reveal(),
    endpoints: [eventsPath, basePath + eventsPath],
    logger: {
      ...sdkLogger(log),
      // A wrong signing secret shows nowhere else.
      warn: (why: string) => refused({ why }),
      error: (why: string) => log.error('request:failed', { why }),
    },
  })
  return {
    handle(request, response) {
      const aheadMs = Number(request.headers['x-slack-request-timestamp']) * second - clock.nowMs()
      if (!ready.isReady) response.writeHead(503).end()
      else if (aheadMs <= aheadMaxMs || Number.isNaN(aheadMs)) receiver.requestListener(request, response)
      else {
        refused({ why: 'its time is in the future' })
        response.writeHead(401).end()
      }
    },
    connection: () => ({ ...ready, sockets: 0, strangers: 0, why: null }),
    receiver: {
      init: (app) => receiver.init(app),
      start: async () => turn(true),
      stop: async () => turn(false),
    },
  }
}
