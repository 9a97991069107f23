/**
 * Bolt without its main file, which loads Express and everything it needs: only for web servers, which we do not run. Types
 * come from `@slack/bolt` itself.
 */
import { createRequire } from 'node:module'
import type app from '@slack/bolt/dist/App.js'
import type sockets from '@slack/bolt/dist/receivers/SocketModeReceiver.js'

const load = createRequire(import.meta.url)

export const { default: App, LogLevel } = load('@slack/bolt/dist/App.js') as typeof app
export const { default: SocketModeReceiver } = load(
  '@slack/bolt/dist/receivers/SocketModeReceiver.js',
) as typeof sockets
