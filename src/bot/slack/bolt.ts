/**
 * Bolt without its main file, which would load Express: only a web server needs that, and the bot runs none. Types come from
 * `@slack/bolt` itself.
 */
import app from '@slack/bolt/dist/App.js'
import sockets from '@slack/bolt/dist/receivers/SocketModeReceiver.js'

export const { default: App, LogLevel } = app
export const { default: SocketModeReceiver } = sockets
