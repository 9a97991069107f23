/** Explains to people why an HTTP request got no answer, by the error's code. */
export const connectionWords: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'it refused the connection'],
  ['ENOTFOUND', 'the name of its host is not known'],
  ['EAI_AGAIN', 'the name of its host cannot be looked up'],
  ['EHOSTUNREACH', 'its host cannot be reached'],
  ['ENETUNREACH', 'its network cannot be reached'],
  ['ECONNRESET', 'it closed the connection'],
  ['EPIPE', 'it closed the connection'],
  ['UND_ERR_SOCKET', 'it closed the connection'],
])
