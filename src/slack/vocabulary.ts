/**
 * Every Web API method that the bot calls, and the bot scopes that it needs for public and private channels
 * (slack-facts.md 6). The manifest asks for exactly these scopes.
 */
export const methodsUsed = {
  'auth.test': [],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The scopes of all methods, sorted, each once. */
export const scopesNeeded: readonly string[] = [...new Set<string>(Object.values(methodsUsed).flat())].sort()
