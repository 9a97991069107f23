/**
 * Bolt without its main file, which loads Express and everything it needs: only for web servers, which we do not run. Types
 * come from `@slack/bolt` itself.
 */
import app from '@slack/bolt/dist/App.js'
import sockets from '@slack/bolt/dist/receivers/SocketModeReceiver.js'

export const { default: App, LogLevel } = app
export const { default: SocketModeReceiver } = sockets
