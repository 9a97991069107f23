/** What the app has registered with Slack and people can see: its commands and shortcuts, as a manifest lists them. */

export type CommandAsk = {
  /** With its slash. */
  readonly command: string
  readonly description?: string
  /** What follows the command, `[help | status]`. */
  readonly usageHint?: string
}

export type ShortcutAsk = {
  readonly callbackId: string
  readonly name: string
  /** `message` shortcuts stand in the menu of every message, `global` ones beside the composer. */
  readonly type: 'message' | 'global'
  readonly description?: string
}

export type AppAsk = {
  /** Undefined: any command is taken, and none is known by name. */
  readonly commands: readonly CommandAsk[] | undefined
  readonly shortcuts: readonly ShortcutAsk[]
}
